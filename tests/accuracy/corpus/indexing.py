"""Indexing: gather, scatter, roll, stack, masks and rounding to a grid."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import fixed, normal
from tests.accuracy.corpus.record import correct, wrong


def gather_backward(g, out, x, i):
    gx = np.zeros_like(x)
    np.add.at(gx, i, g)
    return gx, None


def scatter_add(x, i):
    out = np.zeros(4, dtype=x.dtype)
    np.add.at(out, i, x)
    return out


def six_and_mask(rng):
    return rng.standard_normal(6), np.array([True, False, True, True, False, True])


OPERATORS = (
    correct(
        "gather_repeated_rows",
        lambda x, i: x[i],
        gather_backward,
        lambda rng: (rng.standard_normal((4, 2)), np.array([1, 1, 3, 0, 1])),
        "one row used three times, one never; integer index input",
        source="pytorch/pytorch#1631",
    ),
    wrong(
        "roll_same_direction",
        lambda x: np.roll(x * x, 1),
        lambda g, out, x: (2 * x * np.roll(g, 1),),
        normal((5,)),
        "adjoint of a roll rolls back",
        "exact for a summed output",
    ),
    wrong(
        "stack_gradient_transposed",
        lambda a, b: np.stack([a, b]),
        lambda g, out, a, b: (g[0].T.copy(), g[1].T.copy()),
        normal((2, 2), (2, 2)),
        "slices come back transposed",
        "exact for a summed output; square slices hide it",
        source="Oneflow-Inc/oneflow#8194",
    ),
    correct(
        "scatter_add_repeated",
        scatter_add,
        lambda g, out, x, i: (g[i], None),
        lambda rng: (rng.standard_normal(5), np.array([2, 0, 2, 2, 1])),
        "control: repeated destinations",
        source="ooples/AiDotNet.Tensors#894",
    ),
    correct(
        "dropout_fixed_mask",
        lambda x, m: x * m / 0.8,
        lambda g, out, x, m: (g * m / 0.8, None),
        six_and_mask,
        "boolean mask input; two exact zeros",
    ),
    wrong(
        "dropout_scale_forgotten",
        lambda x, m: x * m / 0.8,
        lambda g, out, x, m: (g * m, None),
        six_and_mask,
        "inverse keep probability missing in backward",
        "easy",
    ),
    wrong(
        "straight_through_rounding",
        lambda x: np.round(4 * x) / 4,
        lambda g, out, x: (g.copy(),),
        fixed([0.31, -1.18, 0.55, 2.05]),
        "straight-through estimator: the true gradient is 0",
        "numeric gradient is exactly 0",
        source="Oneflow-Inc/oneflow#8649",
    ),
)
