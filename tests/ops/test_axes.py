"""Axes of arrays of which some have one more in front."""

import re
from pathlib import Path

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli.ops.axes import aligned, behind

SHAPES = [((), ()), ((), (2, 3)), ((3,), (2, 3)), ((2, 3), (3,)), ((4, 1, 3), (2, 1)), ((2,), (2,))]


@pytest.mark.parametrize("moved", ["x", "y", "xy"])
@pytest.mark.parametrize(("x_shape", "y_shape"), SHAPES, ids=str)
def test_aligned_arrays_broadcast_as_each_perturbed_pair_does(x_shape, y_shape, moved):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((5, *x_shape) if "x" in moved else x_shape)
    y = rng.standard_normal((5, *y_shape) if "y" in moved else y_shape)
    together = np.add(*aligned(moved, x=x, y=y))
    for index in range(5):
        one = np.add(x[index] if "x" in moved else x, y[index] if "y" in moved else y)
        np.testing.assert_array_equal(together[index], one)


def test_array_that_is_left_out_stays_none():
    assert aligned("x", x=np.ones((2, 3)), y=None)[1] is None


@pytest.mark.parametrize(("axis", "moved"), [(0, 1), (2, 3), (-1, -1)])
def test_axis_is_counted_behind_that_of_perturbations(axis, moved):
    assert behind(axis) == moved


def test_operators_import_public_names_from_one_another():
    for file in Path(F.__file__).parent.glob("*.py"):
        for names in re.findall(r"^from \.\w* import (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE):
            assert not re.search(r"\b_\w", names), f"{file.name}: {names}"
