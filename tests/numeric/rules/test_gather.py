"""Operators that only copy: as the loop does it, and compact."""

import numpy as np
import pytest

from gradcheck_cli.numeric.moved import Moved
from tests.numeric.rules.applications import OPERATORS, agrees, all_patterns, apply, perturbed

KEYS = [
    0,
    -1,
    slice(1, None),
    slice(None, None, -2),
    (..., 1),
    (None, 1),
    [0, 0, 2],
    np.array([2, 1]),
    (0, slice(1, 3)),
]
KEYS += [(slice(None), [1, 0, 1]), np.arange(12).reshape(3, 4) % 2 == 0, (slice(0, 0),)]


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("fortran", [False, True])
def test_indexing(key, fortran):
    rng = np.random.default_rng(6)
    x = rng.standard_normal((3, 4))
    applied = apply(OPERATORS["getitem"], [np.asfortranarray(x) if fortran else x], {"key": key})
    for axes in all_patterns(2):
        agrees(applied, [perturbed(applied, 0, axes, 5, rng)])


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_joined_arrays(axis):
    rng = np.random.default_rng(7)
    applied = apply(OPERATORS["concatenate"], [rng.standard_normal((2, 2)) for _ in range(3)], {"axis": axis})
    for position in range(3):
        for axes in all_patterns(2):
            operands: list[Moved | None] = [None] * 3
            operands[position] = perturbed(applied, position, axes, 3, rng)
            agrees(applied, operands)
    moved = perturbed(applied, 0, (0,), 3, rng)
    agrees(applied, [moved, None, moved])


def test_an_element_that_an_index_leaves_out_moves_nothing():
    x = np.array([1.0, 2.0, 3.0])
    applied = apply(OPERATORS["getitem"], [x], {"key": slice(1, 3)})
    at = np.array([0, 2])
    (made,) = agrees(applied, [Moved((0,), (at,), np.array([9.0, 9.0]))])
    assert made.values.tolist() == [2.0, 9.0]
