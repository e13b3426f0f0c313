"""Responses to impulses, in groups: they are those of one impulse after the other."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.batching import Linear
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.numeric.rules.applied import Applied
from gradcheck_cli.numeric.rules.loop import fits_affine
from gradcheck_cli.numeric.rules.responses import responses
from tests.numeric.rules.applications import apply


def convolve(x, weight, bias):
    """A valid convolution."""
    windows = sliding_window_view(x, weight.shape[2:], axis=(2, 3))
    return np.tensordot(windows, weight, axes=([1, 4, 5], [1, 2, 3])).transpose(0, 3, 1, 2) + bias[:, None, None]


def cumulate(x):
    """Sums along the first axis: an index reaches all that come after it."""
    return np.cumsum(x, axis=0)


def mix(x):
    """Every element reaches every output, two of them with cancelling weights."""
    return np.array([x.sum(), x[0].sum() - x[1].sum(), 0.0])


def shift(x):
    """Sparse along both axes, with a constant."""
    return 3 * np.roll(x, 1, axis=0) + np.roll(x, 2, axis=1) + 5


def as_operator(function: Any, count: int) -> Operator:
    """An operator that has no gradient."""
    return Operator(function.__name__, function, tuple(Input(f"x{i}", Domain(nondiff=True)) for i in range(count)))


def one_by_one(applied: Applied, position: int) -> Any:
    """The responses, each from a call of its own."""
    arrays = [*applied.arrays]
    x = np.zeros_like(arrays[position])
    arrays[position] = x
    (zero,) = applied.forward(arrays)
    columns = []
    for element in range(x.size):
        impulse = np.zeros_like(x)
        impulse.reshape(-1)[element] = 1
        arrays[position] = impulse
        columns.append((applied.forward(arrays)[0] - zero).ravel())
    return np.stack(columns, axis=-1)


RNG = np.random.default_rng(3)
CASES: list[tuple[Any, list[Any]]] = [
    (convolve, [RNG.standard_normal((3, 2, 6, 5)), RNG.standard_normal((4, 2, 3, 3)), RNG.standard_normal(4)]),
    (cumulate, [RNG.standard_normal((7, 8))]),
    (mix, [RNG.standard_normal((6, 5))]),
    (shift, [RNG.standard_normal((9, 11))]),
    (shift, [RNG.standard_normal((9, 11)).astype(np.float32)]),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_responses_in_groups_are_those_one_by_one(number):
    function, arrays = CASES[number]
    applied = apply(as_operator(function, len(arrays)), arrays)
    for position in range(len(arrays)):
        (found,) = responses(applied, position)
        assert found.dtype == arrays[0].dtype
        np.testing.assert_allclose(found, one_by_one(applied, position), rtol=1e-6, atol=1e-6)


def test_a_convolution_takes_few_calls():
    calls = []

    def counted(x, weight, bias):
        calls.append(1)
        return convolve(x, weight, bias)

    applied = apply(as_operator(counted, 3), CASES[0][1])
    calls.clear()
    responses(applied, 0)
    assert len(calls) <= 40  # 180 elements


def twice(x):
    """Linear, and rounded where a constant is added."""
    return 2 * x + x.dtype.type(1.1)


def test_responses_of_a_narrower_type_are_not_used_for_they_are_rounded_alike_at_every_step():
    operator = replace(as_operator(twice, 1), linear=Linear(("x0",), jointly=True))
    x = RNG.standard_normal(3)
    assert fits_affine(apply(operator, [x]), 0)
    assert not fits_affine(apply(operator, [x.astype(np.float32)]), 0)
