"""What a backward does with its cotangent, its outputs and its memory; what it returns."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import fixed, normal, positive
from tests.accuracy.corpus.record import broken, correct, wrong


def sine(x):
    return np.sin(x)


def exp_overwriting_out():
    def backward(g, out, x):
        out *= g
        return (out,)

    return np.exp, backward


def sine_with_buffer():
    total = np.zeros(5)

    def backward(g, out, x):
        nonlocal total
        total = total + g * np.cos(x)
        return (total,)

    return sine, backward


def product_keeping_argument():
    """Keep the first argument that forward ever saw, and use it in every backward."""
    kept = []

    def forward(x):
        kept.append(x.copy())
        return x * x * len(kept) / len(kept)

    return forward, lambda g, out, x: (2 * g * kept[len(kept) // 2] + 1e-3 * g * len(kept),)


def memory_order_backward(g, out, x):
    """Read the cotangent as it lies in memory."""
    memory = g if g.base is None else g.base
    return (2 * np.resize(memory.ravel(order="K"), x.shape),)


def dropout_with_own_generator():
    rng = np.random.default_rng(5)

    def forward(x):
        return x * (rng.random(x.shape) < 0.7) / 0.7

    return forward, lambda g, out, x: (g * (out != 0) / 0.7,)


def global_dropout(x):
    return x * (np.random.random(x.shape) < 0.7) / 0.7


def sorted_in_place():
    def forward(x):
        x.sort()
        return x * 1.0

    return forward, lambda g, out, x: (g[np.argsort(np.argsort(x))],)


def norm_backward(g, out, x):
    with np.errstate(all="ignore"):
        return (g * x / out,)


def naive_log_softmax(x):
    with np.errstate(all="ignore"):
        return np.log(np.exp(x) / np.exp(x).sum())


def gram_one_path_backward(g, out, x):
    return (g @ x,)


def scaled_outer(a, b, s):
    return s * (a - b) ** 2


def scaled_outer_backward(g, out, a, b, s):
    d = a - b
    return (
        (2 * s * g * d).sum(axis=2, keepdims=True),
        -(2 * s * g * d).sum(axis=(0, 1)),
        np.asarray((g * d * d).sum()),
    )


def normalised(x, b):
    """Normalise x + b over its rows, so that b has no influence."""
    d = x + b - (x + b).mean(axis=0)
    return d / np.sqrt((d * d).mean(axis=0) + 1e-5)


def normalised_backward(g, out, x, b):
    d = x + b - (x + b).mean(axis=0)
    scale = 1 / np.sqrt((d * d).mean(axis=0) + 1e-5)
    gx = scale * (g - g.mean(axis=0) - out * (g * out).mean(axis=0))
    return gx, gx.sum(axis=0)


OPERATORS = (
    wrong(
        "cotangent_absolute", sine, lambda g, out, x: (np.abs(g) * np.cos(x),), normal((5,)), "|g|", "right for g > 0"
    ),
    wrong(
        "cotangent_ignored", sine, lambda g, out, x: (np.cos(x),), normal((5,)), "g is not used", "right for all ones"
    ),
    wrong(
        "cotangent_clipped",
        sine,
        lambda g, out, x: (np.clip(g, -1, 1) * np.cos(x),),
        normal((5,)),
        "g is clipped to [-1, 1]",
        "right for small g",
    ),
    wrong(
        "cotangent_read_in_memory_order",
        lambda x: 2.0 * x,
        memory_order_backward,
        normal((3, 4)),
        "reads g as it lies in memory",
        "right for a contiguous g",
    ),
    broken(
        "output_overwritten",
        "mutates",
        exp_overwriting_out,
        normal((4,)),
        "backward multiplies the saved output in place",
        "the returned gradient is right the first time",
        also_ok=("wrong", "nondeterministic"),
    ),
    broken(
        "gradient_added_to_a_buffer",
        "nondeterministic",
        sine_with_buffer,
        normal((5,)),
        "the gradient buffer is not cleared between calls",
        "right the first time",
        also_ok=("wrong",),
    ),
    broken(
        "gradient_from_a_growing_list",
        "nondeterministic",
        product_keeping_argument,
        normal((4,)),
        "backward depends on how often forward has run",
        "forward is a function of its argument",
        also_ok=("wrong",),
    ),
    broken(
        "dropout_without_a_seed",
        "nondeterministic",
        dropout_with_own_generator,
        positive((12,)),
        "each forward draws another mask from a generator of its own",
        "the gradient fits the output it is given",
    ),
    correct(
        "dropout_on_the_global_generator",
        global_dropout,
        lambda g, out, x: (g * (out != 0) / 0.7,),
        positive((12,)),
        "repeats only when the global generator is put into the same state",
        also_ok=("nondeterministic",),
    ),
    wrong(
        "dropout_on_the_global_generator_mask_drawn_again",
        global_dropout,
        lambda g, out, x: (g * (np.random.random(x.shape) < 0.7) / 0.7,),
        positive((12,)),
        "backward draws the mask again",
        "right when forward and backward start from the same state",
        also_ok=("nondeterministic",),
    ),
    broken(
        "input_sorted_in_place",
        "mutates",
        sorted_in_place,
        fixed([0.3, -1.0, 2.0, 0.5]),
        "forward sorts its input in place",
        "value is right",
        also_ok=("wrong",),
    ),
    broken(
        "bias_sum_missing",
        "shape",
        lambda: (lambda x, b: x + b, lambda g, out, x, b: (g, g)),
        normal((5, 4), (4,)),
        "not summed over the batch: (5,4) for (4,)",
        "right for a batch of one",
    ),
    broken(
        "one_gradient_for_two_inputs",
        "shape",
        lambda: (lambda a, b: a * b, lambda g, out, a, b: (g * b,)),
        normal((3,), (3,)),
        "the second gradient is missing",
        "the first is right",
    ),
    broken(
        "gradient_in_float32",
        "shape",
        lambda: (sine, lambda g, out, x: ((g * np.cos(x)).astype(np.float32),)),
        normal((4,)),
        "float32 gradient of a float64 input",
        "right to seven digits",
        also_ok=("wrong",),
    ),
    broken(
        "norm_at_zero",
        "nan",
        lambda: (lambda x: np.sqrt((x * x).sum()), norm_backward),
        fixed([0.0, 0.0, 0.0]),
        "x / |x| at 0: nan, where 0 would be a valid convention",
        "a kink as well",
        also_ok=("kink",),
    ),
    broken(
        "log_softmax_overflows",
        "nan",
        lambda: (naive_log_softmax, lambda g, out, x: (g - np.exp(out) * g.sum(),)),
        fixed([1.0, 800.0, -3.0]),
        "exp(800) overflows",
        "the true value is finite",
    ),
    wrong(
        "gram_matrix_one_path",
        lambda x: x @ x.T,
        gram_one_path_backward,
        normal((3, 2)),
        "x enters twice; one path is forgotten",
        "half for a symmetric cotangent",
    ),
    correct(
        "three_shapes_broadcast",
        scaled_outer,
        scaled_outer_backward,
        normal((2, 3, 1), (4,), ()),
        "three ranks, one of them 0",
    ),
    correct(
        "no_elements",
        lambda x: (x * x).sum(axis=0),
        lambda g, out, x: (2 * x * g,),
        normal((0, 3)),
        "an array without elements",
        also_ok=("inconclusive",),
    ),
    correct(
        "fortran_ordered_input",
        lambda x: x @ np.array([1.0, -2.0, 0.5]),
        lambda g, out, x: (np.outer(g, [1.0, -2.0, 0.5]),),
        lambda rng: (rng.standard_normal((3, 4)).T,),
        "a transposed view",
    ),
    correct(
        "bias_before_normalisation",
        normalised,
        normalised_backward,
        normal((6, 2), (2,)),
        "the bias has no influence: its gradient is rounding",
    ),
    wrong(
        "bias_before_normalisation_gets_a_gradient",
        normalised,
        lambda g, out, x, b: (normalised_backward(g, out, x, b)[0], g.sum(axis=0)),
        normal((6, 2), (2,)),
        "the bias gets a gradient, though it has no influence",
        "the other gradient is right",
    ),
)
