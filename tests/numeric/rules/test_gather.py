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


COPIES = [
    ("pad", {"pad_width": 1}, (0, 1), (0, 1)),
    ("pad", {"pad_width": 1, "constant_values": 1.5}, (0,), (0,)),
    ("pad", {"pad_width": ((0, 0), (1, 2)), "mode": "edge"}, (0, 1), (0,)),
    ("pad", {"pad_width": ((1, 2), (0, 0)), "mode": "reflect"}, (0, 1), (1,)),
    ("take", {"axis": 0}, (0, 1), (1,)),
    ("take", {"axis": 1}, (0, 1), (0,)),
    ("split", {"axis": 1}, (0, 1), (0, 1)),
    ("split", {"axis": 1}, (0,), (0,)),
    ("diag", {}, (0, 1), (0,)),
    ("diag", {"k": 1}, (0, 1), (0,)),
    ("diagonal", {}, (0, 1), (0,)),
    ("tile", {"reps": (2, 1)}, (0, 1), (1,)),
    ("repeat", {"repeats": 2, "axis": 1}, (0, 1), (0,)),
    ("roll", {"shift": 1, "axis": 0}, (0, 1), (0, 1)),
    ("flip", {"axis": None}, (0, 1), (0, 1)),
    ("broadcast_to", {"shape": (2, 3, 4)}, (0, 1), (1, 2)),
]


@pytest.mark.parametrize(("name", "attributes", "axes", "wanted"), COPIES)
def test_what_is_only_copied_stays_compact(name, attributes, axes, wanted):
    rng = np.random.default_rng(8)
    indices = [np.array([2, 0, 2, 2])] if name == "take" else []
    applied = apply(OPERATORS[name], [rng.standard_normal((3, 4)), *indices], attributes)
    moved = perturbed(applied, 0, axes, 5, rng)
    for made in agrees(applied, [moved, *(None for _ in indices)]):
        assert made.axes == wanted


def test_rows_of_an_embedding_stay_columns():
    rng = np.random.default_rng(9)
    applied = apply(OPERATORS["embedding"], [np.array([[0, 2], [2, 1]]), rng.standard_normal((3, 4))])
    (made,) = agrees(applied, [None, perturbed(applied, 1, (0, 1), 5, rng)])
    assert made.axes == (2,)


def test_a_constant_beside_what_an_element_leaves_is_kept():
    applied = apply(OPERATORS["pad"], [np.array([1.0, 2.0])], {"pad_width": 1, "constant_values": 1.0})
    (made,) = agrees(applied, [Moved((), (), np.array([[3.0], [4.0]]))])
    assert made.values[:, 0].tolist() == [1.0, 3.0, 4.0, 1.0]


@pytest.mark.parametrize(
    ("name", "axis", "axes", "wanted"),
    [
        ("concatenate", 0, (0, 1), (1,)),
        ("concatenate", 1, (0, 1), (0,)),
        ("concatenate", 1, (0,), (0,)),
        ("concatenate", 0, (0,), ()),
        ("stack", 0, (0, 1), (1, 2)),
        ("stack", 2, (0, 1), (0, 1)),
        ("stack", 1, (1,), (2,)),
    ],
)
def test_what_moves_alike_on_several_sides_stays_compact(name, axis, axes, wanted):
    rng = np.random.default_rng(10)
    applied = apply(OPERATORS[name], [rng.standard_normal((3, 4)) for _ in range(3)], {"axis": axis})
    moved = perturbed(applied, 0, axes, 5, rng)
    other = Moved(moved.axes, moved.at, moved.values * 2)
    (made,) = agrees(applied, [moved, None, other])
    assert made.axes == wanted
    agrees(applied, [moved, perturbed(applied, 1, axes, 5, rng), other])


def test_parts_that_are_not_finite_are_joined_as_they_are():
    arrays = [np.array([np.nan, 1.0]), np.array([2.0, np.inf])]
    applied = apply(OPERATORS["stack"], arrays)
    at = np.array([0, 1])
    agrees(applied, [Moved((0,), (at,), np.array([3.0, 4.0])), Moved((0,), (at,), np.array([5.0, 6.0]))])


def test_where_indices_move_so_do_the_places():
    applied = apply(OPERATORS["gather"], [np.array([1.0, 2.0, 3.0]), np.array([0, 2])], {"axis": 0})
    x = Moved((0,), (np.array([0, 1]),), np.array([5.0, 6.0]))
    index = Moved((), (), np.array([[0, 1], [2, 0]]))
    agrees(applied, [x, index])
    agrees(applied, [None, index])


@pytest.mark.parametrize("name", ["expand_dims", "reshape", "stack", "repeat"])
def test_a_number_is_copied_too(name):
    attributes = {"expand_dims": {"axis": 0}, "reshape": {"shape": (1, 1)}, "repeat": {"repeats": 3}}.get(name, {})
    arrays = [np.array(1.5)] * (2 if name == "stack" else 1)
    applied = apply(OPERATORS[name], arrays, attributes)
    operands: list[Moved | None] = [None] * len(arrays)
    operands[0] = Moved((), (), np.array([1.0, 2.0, 3.0]))
    agrees(applied, operands)
