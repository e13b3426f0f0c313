"""Where floating point decides: large constants, many decades, cancellation, noise, float32."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.formulas import sigmoid, softmax
from tests.accuracy.corpus.inputs import fixed, normal, positive
from tests.accuracy.corpus.record import correct, wrong
from tests.accuracy.noise import hashed


def tanh_backward(g, out, x):
    return (g / np.cosh(x) ** 2,)


def float32_mean_square(x, w):
    """Return mean (x @ w)**2, computed in float32."""
    product = x.astype(np.float32) @ w.astype(np.float32)
    return np.float64((product * product).mean(dtype=np.float32))


def mean_square_backward(g, out, x, w):
    slope = 2 * g * (x @ w) / (x.shape[0] * w.shape[1])
    return slope @ w.T, x.T @ slope


def wrong_mean_square_backward(g, out, x, w):
    gx, gw = mean_square_backward(g, out, x, w)
    gw[1, 0] *= 1.02
    return gx, gw


def float32_softmax_inputs(rng):
    return (rng.standard_normal((3, 4)).astype(np.float32),)


def softmax_backward(g, out, x):
    return (out * (g - (g * out).sum(axis=-1, keepdims=True)),)


def noisy_sine(x):
    return np.sin(x) + 1e-9 * hashed(x, x.size)


def squares_1500_backward(g, out, x):
    gx = 2 * g * x
    gx[811] *= 1 + 1e-6
    return (gx,)


def cubed_over_square(x):
    return x**3 / (1 + x * x)


def cubed_over_square_backward(g, out, x):
    return (g * x * x * (3 + x * x) / (1 + x * x) ** 2,)


EIGHTEEN_DECADES = 10.0 ** np.arange(-9, 10) * np.where(np.arange(19) % 2, -1.3, 1.7)

OPERATORS = (
    correct(
        "tanh_beside_1e10",
        lambda x: 1e10 + np.tanh(x),
        tanh_backward,
        normal((5,)),
        "rounding of the constant hides everything below 2e-6",
        also_ok=("inconclusive",),
        ideal=np.tanh,
    ),
    wrong(
        "tanh_beside_1e6_sign",
        lambda x: 1e6 + np.tanh(x),
        lambda g, out, x: (-g / np.cosh(x) ** 2,),
        normal((5,)),
        "sign",
        "rounding of the constant, but the mistake is plain",
    ),
    correct(
        "x_over_eighteen_decades",
        cubed_over_square,
        cubed_over_square_backward,
        fixed(EIGHTEEN_DECADES),
        "x and gradient of 18 decades in one array",
    ),
    wrong(
        "x_over_eighteen_decades_small_end",
        cubed_over_square,
        lambda g, out, x: (cubed_over_square_backward(g, out, x)[0] * np.where(np.abs(x) < 1e-3, 2, 1),),
        fixed(EIGHTEEN_DECADES),
        "twice the gradient where |x| < 1e-3",
        "the wrong elements have gradients from 1e-18 to 1e-8, the largest has 1",
        also_ok=("inconclusive",),
    ),
    correct(
        "sqrt_at_1e_12",
        np.sqrt,
        lambda g, out, x: (g / (2 * out),),
        fixed([1e-12, 0.3, 2.0, 1.0]),
        "a step in proportion to the other elements leaves the domain",
    ),
    correct(
        "one_minus_cosine_at_1e_4",
        lambda x: 1 - np.cos(x),
        lambda g, out, x: (g * np.sin(x),),
        fixed([1e-4, -3e-4, 2e-3]),
        "the forward cancels half of its digits",
        also_ok=("inconclusive",),
        ideal=lambda x: 2 * np.sin(x / 2) ** 2,
    ),
    correct(
        "log1p_at_1e_15",
        np.log1p,
        lambda g, out, x: (g / (1 + x),),
        fixed([1e-15, -1e-12, 1e-3, 0.5]),
        "accurate near zero, where 1 + x is not",
    ),
    correct(
        "sigmoid_saturated_at_40",
        sigmoid,
        lambda g, out, x: (g * sigmoid(x) * sigmoid(-x),),
        fixed([-40.0, -20.0, 0.5, 20.0, 40.0]),
        "gradient 4e-18 beside outputs that round to 1",
        also_ok=("inconclusive",),
    ),
    correct(
        "mean_square_1e_minus_30",
        lambda x: 1e-30 * (x * x).mean(),
        lambda g, out, x: (2e-30 * g * x / x.size,),
        normal((6,)),
        "everything far below any absolute tolerance",
    ),
    wrong(
        "product_1e_minus_40_factor_forgotten",
        lambda a, b: 1e-40 * a * b,
        lambda g, out, a, b: (1e-40 * g * b, 1e-40 * g),
        positive((4,), (4,), low=1.5, high=3),
        "second gradient lacks the factor a",
        "everything far below any absolute tolerance",
    ),
    wrong(
        "one_of_1500_off_by_1e_6",
        lambda x: x * x,
        squares_1500_backward,
        lambda rng: (rng.uniform(0.5, 2, 1500) * rng.choice([-1.0, 1.0], 1500),),
        "one element is off by 1e-6 of its value",
        "1499 of 1500 are right; no norm over the array shows it",
    ),
    correct(
        "float32_mean_square",
        float32_mean_square,
        mean_square_backward,
        normal((3, 3), (3, 2)),
        "computed in float32 inside, float64 outside",
        also_ok=("inconclusive",),
        ideal=lambda x, w: ((x @ w) ** 2).mean(),
    ),
    wrong(
        "float32_mean_square_one_element",
        float32_mean_square,
        wrong_mean_square_backward,
        lambda rng: (rng.uniform(1, 2, (3, 3)), rng.uniform(1, 2, (3, 2))),
        "one element is 2 % off",
        "computed in float32 inside, float64 outside",
        ideal=lambda x, w: ((x @ w) ** 2).mean(),
    ),
    correct(
        "float32_softmax",
        softmax,
        softmax_backward,
        float32_softmax_inputs,
        "float32 throughout",
    ),
    wrong(
        "float32_softmax_off_by_1_percent",
        softmax,
        lambda g, out, x: (softmax_backward(g, out, x)[0] * np.float32(1.01),),
        float32_softmax_inputs,
        "factor 1.01",
        "float32 throughout",
    ),
    correct(
        "sine_with_noise_1e_9",
        noisy_sine,
        lambda g, out, x: (g * np.cos(x),),
        normal((5,)),
        "repeatable noise of 1e-9",
        also_ok=("inconclusive",),
        ideal=np.sin,
    ),
    wrong(
        "sine_with_noise_1e_9_sign",
        noisy_sine,
        lambda g, out, x: (-g * np.cos(x),),
        normal((5,)),
        "sign",
        "repeatable noise of 1e-9",
        ideal=np.sin,
    ),
    wrong(
        "log_epsilon_only_in_backward",
        np.log,
        lambda g, out, x: (g / (x + 1e-6),),
        positive((5,)),
        "epsilon added to the denominator in backward only",
        "relative error about 1e-6",
    ),
    correct(
        "log_with_epsilon_beside_zero",
        lambda x: np.log(x + 1e-6),
        lambda g, out, x: (g / (x + 1e-6),),
        fixed([0.0, 1e-7, 1e-3, 2.0]),
        "slope 1e6 at 0, curvature 1e12",
    ),
)
