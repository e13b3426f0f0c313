"""Products of matrices, vectors and stacks: as the loop makes them, and compact."""

import numpy as np
import pytest

from gradcheck_cli.numeric.moved import Moved
from tests.numeric.rules.applications import OPERATORS, agrees, all_patterns, apply, perturbed

PRODUCTS = [
    ((3, 4), (4, 2)),
    ((4,), (4, 2)),
    ((3, 4), (4,)),
    ((4,), (4,)),
    ((2, 3, 4), (4, 2)),
    ((3, 4), (2, 4, 2)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((4,), (2, 4, 3)),
    ((2, 3, 4), (4,)),
    ((2, 2, 3), (2, 3, 2)),
]


@pytest.mark.parametrize("shapes", PRODUCTS)
def test_products_of_all_ranks(shapes):
    rng = np.random.default_rng(5)
    applied = apply(OPERATORS["matmul"], [rng.standard_normal(shape) for shape in shapes])
    for position in (0, 1):
        for axes in all_patterns(len(shapes[position])):
            operands: list[Moved | None] = [None, None]
            operands[position] = perturbed(applied, position, axes, 3, rng)
            agrees(applied, operands)
    agrees(applied, [perturbed(applied, 0, (), 3, rng), perturbed(applied, 1, (), 3, rng)])


PUSHED = [
    (((3, 4), (4,)), 0, (0, 1), (0,)),
    (((3, 4), (4,)), 1, (0,), ()),
    (((4,), (4, 2)), 0, (0,), ()),
    (((4,), (4, 2)), 1, (0, 1), (0,)),
    (((4,), (4, 2)), 1, (1,), (0,)),
    (((5, 3, 4), (4, 2)), 1, (0, 1), (2,)),
    (((5, 3, 4), (4, 2)), 1, (1,), (2,)),
    (((5, 3, 4), (4, 2)), 0, (0, 1, 2), (0, 1)),
    (((5, 3, 4), (4, 2)), 0, (1, 2), (1,)),
    (((5, 3, 4), (5, 4, 2)), 1, (0, 1, 2), (0, 2)),
    (((1, 3, 4), (5, 4, 2)), 0, (0, 1, 2), (1,)),
    (((5, 3, 4), (4,)), 0, (0, 1, 2), (0, 1)),
]


@pytest.mark.parametrize(("shapes", "position", "axes", "wanted"), PUSHED)
def test_products_of_vectors_and_stacks_stay_compact(shapes, position, axes, wanted):
    rng = np.random.default_rng(5)
    applied = apply(OPERATORS["matmul"], [rng.standard_normal(shape) for shape in shapes])
    operands: list[Moved | None] = [None, None]
    operands[position] = perturbed(applied, position, axes, 3, rng)
    (made,) = agrees(applied, operands)
    assert made.axes == wanted


@pytest.mark.parametrize("shapes", PRODUCTS)
def test_products_of_what_moves_on_both_sides(shapes):
    rng = np.random.default_rng(5)
    applied = apply(OPERATORS["matmul"], [rng.standard_normal(shape) for shape in shapes])
    for left in all_patterns(len(shapes[0])):
        for right in all_patterns(len(shapes[1])):
            agrees(applied, [perturbed(applied, 0, left, 9, rng), perturbed(applied, 1, right, 9, rng)])
