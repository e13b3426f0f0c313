"""A kernel beside its reference: right ones pass at the rounding of their type, wrong ones are named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradcheck_cli import check, keep, op
from gradcheck_cli.core.operator import Input, Operator, Rule
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.records import Verdict
from gradcheck_cli.report.terminal import render_plain

SEEDS = range(5)


def single(function):
    """Return a function that computes in float32, whatever it is given."""

    def call(*arrays):
        lower = [
            np.asarray(array).astype(np.float32) if np.asarray(array).dtype.kind == "f" else array for array in arrays
        ]
        made = function(*lower)
        if isinstance(made, tuple):
            return tuple(np.asarray(part, dtype=np.float32).astype(np.float64) for part in made)
        return np.asarray(made, dtype=np.float32).astype(np.float64)

    return call


def pair(forward, backward, names, dtype="float64"):
    """Make an operator of `forward(*xs)` and `backward(g, *xs)` with inputs of these names, computing in `dtype`."""
    change = single if dtype == "float32" else (lambda function: function)
    rule = Rule(change(backward), tuple(names), ("g", *names), __file__, 2)
    inputs = tuple(map(Input, names))
    dtype = "" if dtype == "float64" else dtype
    return Operator("function", change(forward), inputs, rules=(rule,), file=__file__, line=1, dtype=dtype)


def judged(kernel, reference, *arrays, seed=0, **knobs):
    operator = replace(reference, kernel=kernel, label="here float32")
    names = [item.name for item in reference.inputs]
    return check(lambda **given: operator(*given.values()), dict(zip(names, arrays, strict=True)), seed=seed, **knobs)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def softmax_rule(g, x):
    y = softmax(x)
    return y * (g - (g * y).sum(-1, keepdims=True))


def norm(x, w):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * w


def norm_rule(g, x, w):
    centred = x - x.mean(-1, keepdims=True)
    root = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    y, gw = centred / root, g * w
    dx = (gw - gw.mean(-1, keepdims=True) - y * (gw * y).mean(-1, keepdims=True)) / root
    return dx, (g * y).sum(0)


def in_order(x, w):
    """Add a thousand products one after another, as a simple kernel does."""
    out = np.zeros((x.shape[0], w.shape[1]), x.dtype)
    for k in range(x.shape[1]):
        out = out + x[:, k : k + 1] * w[k : k + 1]
    return out


def product_rule(g, x, w):
    return g @ w.T, x.T @ g


def tanh_rule(g, x):
    y = np.tanh(x)
    return g * (1 - y * y)


def normal(*shape):
    return lambda rng: rng.standard_normal(shape)


# forward and backward of the kernel, those of the reference, and what draws each input.
RIGHT = {
    "softmax": ((softmax, softmax_rule), (softmax, softmax_rule), [lambda rng: 5 * rng.standard_normal((4, 7))]),
    "layer norm": ((norm, norm_rule), (norm, norm_rule), [normal(4, 9), normal(9)]),
    "layer norm far from zero": (
        (norm, norm_rule),
        (norm, norm_rule),
        [lambda rng: 300 + rng.standard_normal((4, 9)), normal(9)],
    ),
    "a sum of 1000 products": ((in_order, product_rule), (np.matmul, product_rule), [normal(3, 1000), normal(1000, 2)]),
    "a sum of 1000 positive products": (
        (in_order, product_rule),
        (np.matmul, product_rule),
        [lambda rng: rng.random((3, 1000)), lambda rng: rng.random((1000, 2))],
    ),
    "a difference of nearly equal numbers": (
        (lambda x, y: x - y, lambda g, x, y: (g, -g)),
        (lambda x, y: x - y, lambda g, x, y: (g, -g)),
        [lambda rng: 1 + 1e-6 * rng.standard_normal(20), lambda rng: np.ones(20)],
    ),
    "a backward that uses a saturated output": (
        (np.tanh, tanh_rule),
        (np.tanh, lambda g, x: g / np.cosh(x) ** 2),
        [lambda rng: rng.uniform(6, 10, 12)],
    ),
    "a saturated output, exactly": (
        (np.tanh, tanh_rule),
        (np.tanh, lambda g, x: g / np.cosh(x) ** 2),
        [lambda rng: rng.uniform(10, 30, 12)],
    ),
    "an expanded square": (
        (lambda x, y: x * x - 2 * x * y + y * y, lambda g, x, y: (2 * g * x - 2 * g * y, 2 * g * y - 2 * g * x)),
        (lambda x, y: (x - y) ** 2, lambda g, x, y: (2 * g * (x - y), 2 * g * (y - x))),
        [lambda rng: 1 + 1e-3 * rng.standard_normal(5), lambda rng: np.ones(5)],
    ),
    "overflow beyond its range": (
        (np.exp, lambda g, x: g * np.exp(x)),
        (np.exp, lambda g, x: g * np.exp(x)),
        [lambda rng: rng.uniform(-120, 120, 12)],
    ),
    "a kink at a number": (
        (lambda x: np.maximum(x, 0), lambda g, x: g * (x > 0)),
        (lambda x: np.maximum(x, 0), lambda g, x: g * (x > 0)),
        [lambda rng: np.array([0.0, 1.0, -1.0, 2.0])],
    ),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("kernel", "reference", "draw"), RIGHT.values(), ids=RIGHT)
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
def test_right_kernel_passes(kernel, reference, draw, seed):
    rng = np.random.default_rng([seed, 1])
    names = "xyzw"[: len(draw)]
    made = [pair(*kernel, names, "float32"), pair(*reference, names)]
    result = judged(*made, *(each(rng) for each in draw), seed=seed)
    assert "GC111" not in render_plain(result), render_plain(result)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["softmax", "layer norm", "a sum of 1000 products"])
@pytest.mark.parametrize("what", ["output", "gradient"])
def test_kernel_that_is_off_by_a_thousandth_in_one_element_fails(name, what, seed):
    (forward, backward), reference, draw = RIGHT[name]
    rng = np.random.default_rng([seed, 2])
    arrays = [each(rng) for each in draw]
    at = int(rng.integers(3))

    def off(function):
        def call(*args):
            made = function(*args)
            first, *rest = made if isinstance(made, tuple) else (made,)
            first = np.array(first)
            first[at, 1] *= 1.001
            return (first, *rest) if rest else first

        return call

    names = "xyzw"[: len(draw)]
    wrong = (off(forward), backward) if what == "output" else (forward, off(backward))
    result = judged(pair(*wrong, names, "float32"), pair(*reference, names), *arrays, seed=seed)
    assert result.verdict is Verdict.FAIL
    (finding,) = result.findings
    assert finding.name == "differs-from-reference"
    where = f"out[{at},1]" if what == "output" else f"the gradient of x[{at},1]"
    assert f"{where} is " in finding.message
    assert "where rounding in float32 explains" in finding.message
    assert all(parameter.verdict is Verdict.PASS for parameter in result.parameters)  # the reference is right


X = np.random.default_rng(0).standard_normal((3, 4))
SQUARE = pair(lambda x: x * x, lambda g, x: 2 * g * x, "x")


@pytest.mark.parametrize(
    ("forward", "backward", "said"),
    [
        (lambda x: x * x, lambda g, x: 2 * np.abs(g) * x, "the gradient for -g"),
        (lambda x: x * x, lambda g, x: 0 * g, "the gradient of x"),
        (lambda x: np.where(x > 1, np.nan, x * x), lambda g, x: 2 * g * x, "is nan"),
        (lambda x: (x * x).astype(np.float16), lambda g, x: 2 * g * x, "out"),
        (lambda x: x * x, lambda g, x: (2 * g * x).astype(np.float16).astype(np.float32), "the gradient of x"),
        (lambda x: (x * x)[:2], lambda g, x: 2 * g * x, "out has shape (2, 4), and (3, 4) in the reference"),
    ],
    ids=["|g| for g", "no gradient", "nan", "half precision", "half precision backward", "another shape"],
)
def test_wrong_kernel_is_told_by_what_differs(forward, backward, said):
    x = np.array(X)
    x[1, 2] = 1.5
    result = judged(pair(forward, backward, "x", "float32"), SQUARE, x)
    text = " ".join(finding.message for finding in result.findings)
    assert result.verdict is Verdict.FAIL
    assert said in text, text


def test_kernel_is_held_to_the_contract_in_its_own_right():
    def writes(x):
        y = x * x
        x.setflags(write=True)
        x[...] = 0
        return y

    kernel = replace(pair(writes, lambda g, x: 2 * g * x, "x"), dtype="float32")
    calls = []

    def counts(x):
        calls.append(1)
        return x * x * len(calls)

    unsteady = replace(pair(counts, lambda g, x: 2 * g * x, "x"), dtype="float32")
    for wrong, finding in ((kernel, "input-modified"), (unsteady, "not-repeatable")):
        result = judged(wrong, SQUARE, X)
        assert finding in [each.name for each in result.findings], render_plain(result)


def test_kernel_that_raises_can_not_be_checked():
    def raises(x):
        raise ValueError("no such launch")

    kernel = replace(pair(raises, lambda g, x: g, "x"), dtype="float32")
    with pytest.raises(OperatorError, match="no such launch"):
        judged(kernel, SQUARE, X)


def test_accuracy_allows_a_kernel_to_be_coarser():
    kernel = pair(lambda x: x * x * (1 + 1e-3), lambda g, x: 2 * g * x, "x", "float32")
    assert judged(kernel, SQUARE, X).verdict is Verdict.FAIL
    assert judged(kernel, SQUARE, X, accuracy=2e-3).verdict is Verdict.PASS


def test_wrong_reference_fails_whatever_the_kernel_does():
    wrong = pair(lambda x: x * x, lambda g, x: g * x, "x")
    result = judged(pair(lambda x: x * x, lambda g, x: g * x, "x", "float32"), wrong, X)
    assert result.verdict is Verdict.FAIL
    assert not [finding for finding in result.findings if finding.name == "differs-from-reference"]


def several(dtype, factor=1.0):
    """Make an operator with a number, an index and an attribute."""

    def forward(x, *, shift=0.1):
        y = x.astype(dtype) * dtype(factor) - dtype(shift)
        return keep(y.astype(np.float64), np.argmax(y, axis=-1))

    made = op(outputs="y index", shift=[0.1])(forward)
    made.backward(lambda g_y, x, shift: g_y)
    return replace(made.operator, dtype="" if dtype is np.float64 else dtype.__name__)


def test_integers_are_compared_and_attributes_reach_both_sides():
    reference = replace(several(np.float64), kernel=several(np.float32), label="here")

    def call(operator):
        return check(lambda x: operator(x, shift=0.3)[0], {"x": X})

    assert call(reference).verdict is Verdict.PASS
    turned = replace(several(np.float32, -1.0))
    result = call(replace(reference, kernel=turned))
    assert [finding.name for finding in result.findings] == ["differs-from-reference"]

    def other_index(x, *, shift=0.1):
        y = x.astype(np.float32) - np.float32(shift)
        return y.astype(np.float64), np.argmin(y, axis=-1)

    made = op(outputs="y index", shift=[0.1])(other_index)
    made.backward(lambda g_y, x, shift: g_y)
    result = call(replace(reference, kernel=replace(made.operator, dtype="float32")))
    assert "index[" in result.findings[0].message


def test_operands_go_by_name_where_names_agree():
    reference = pair(lambda x, y: x - y, lambda g, x, y: (g, -g), "xy")
    turned = pair(lambda y, x: x - y, lambda g, y, x: (-g, g), "yx", "float32")
    assert judged(turned, reference, X, X[::-1]).verdict is Verdict.PASS
    other_names = pair(lambda a, b: a - b, lambda g, a, b: (g, -g), "ab", "float32")
    assert judged(other_names, reference, X, X[::-1]).verdict is Verdict.PASS


def test_gradient_that_nobody_needs_is_not_compared():
    reference = pair(lambda x, y: x * y, lambda g, x, y: (g * y, g * x), "xy")
    kernel = pair(lambda x, y: x * y, lambda g, x, y: (g * y, 0 * g), "xy", "float32")
    operator = replace(reference, kernel=kernel)
    assert isinstance(operator, Operator)
    assert check(lambda x: operator(x, X[::-1]), {"x": X}).verdict is Verdict.PASS
    assert check(operator, {"x": X, "y": X[::-1]}).verdict is Verdict.FAIL
