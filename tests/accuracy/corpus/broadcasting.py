"""Broadcasting and shapes: summed gradients, scalars, 0-d arrays, views."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import normal
from tests.accuracy.corpus.record import broken, correct


def scalar_near_1_3(rng):
    return (np.array(1.3 + 0.1 * rng.standard_normal()),)


OPERATORS = (
    correct(
        "bias_add",
        lambda x, b: x + b,
        lambda g, out, x, b: (g, g.sum(axis=0)),
        normal((5, 4), (4,)),
        "control; returns its own cotangent as one gradient",
        source="jimfleming/differentiation#1",
    ),
    broken(
        "scalar_gradient_is_1d",
        "shape",
        lambda: (lambda s, x: s * x, lambda g, out, s, x: ((g * x).sum(keepdims=True), g * s)),
        normal((), (3,)),
        "0-d input gets a gradient of shape (1,)",
        "value is right",
        source="raskr/rust-autograd#38",
        also_ok=("wrong",),
    ),
    broken(
        "gradient_transposed",
        "shape",
        lambda: (lambda a, b: a @ b, lambda g, out, a, b: (b @ g.T, a.T @ g)),
        normal((3, 2), (2, 4)),
        "gradient of a comes out transposed, (2,3) for (3,2)",
        "a square matrix would hide it",
        also_ok=("wrong",),
    ),
    correct(
        "zero_d_input_and_output",
        lambda x: np.asarray(x**3 * np.exp(-x)),
        lambda g, out, x: (np.asarray(g * (3 * x**2 - x**3) * np.exp(-x)),),
        scalar_near_1_3,
        "0-d everywhere",
    ),
    correct(
        "strided_view_input",
        lambda x: x**2,
        lambda g, out, x: (2 * g * x,),
        lambda rng: (rng.standard_normal(10)[::-2],),
        "negative stride view",
    ),
)
