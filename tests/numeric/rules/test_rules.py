"""Every built-in operator: what its rule makes of many perturbations is what a loop makes of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gradcheck_cli.numeric.moved import Moved
from gradcheck_cli.numeric.rules.choice import choose
from gradcheck_cli.numeric.rules.loop import loop
from gradcheck_cli.numeric.rules.losses import unreduced
from tests.numeric.rules.applications import OPERATORS, agrees, all_patterns, applications, apply, perturbed


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", OPERATORS)
def test_the_rule_of_a_built_in_is_its_loop(name, dtype):
    seen = 0
    for seed in range(12):
        applied = applications(OPERATORS[name], seed, dtype)
        if applied is None:
            continue
        rng = np.random.default_rng([seed, 1])
        for position, x in enumerate(applied.arrays):
            if x is None or x.dtype.kind != "f" or not x.size:
                continue
            for axes in all_patterns(x.ndim):
                operands: list[Moved | None] = [None] * len(applied.arrays)
                operands[position] = perturbed(applied, position, axes, 3, rng)
                agrees(applied, operands, 1e-12 if dtype is np.float64 else 2e-5)
                seen += 1
    assert seen > 10


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_every_built_in_says_how_it_takes_many(name):
    assert OPERATORS[name].batch is not None


BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum"]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(BINARY),
    hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3, min_side=0),
    st.integers(0, 2**32 - 1),
)
def test_elementwise_operators_broadcast(name, shapes, seed):
    rng = np.random.default_rng(seed)
    arrays = [rng.uniform(0.5, 2, shape) for shape in shapes.input_shapes]
    applied = apply(OPERATORS[name], arrays)
    for position, x in enumerate(arrays):
        for axes in all_patterns(x.ndim) if x.size else ():
            operands: list[Moved | None] = [None, None]
            operands[position] = perturbed(applied, position, axes, 2, rng)
            agrees(applied, operands)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(BINARY), st.lists(st.integers(1, 3), max_size=3), st.integers(0, 2**32 - 1))
def test_two_operands_that_move_together_stay_together(name, shape, seed):
    rng = np.random.default_rng(seed)
    arrays = [rng.uniform(0.5, 2, shape), rng.uniform(0.5, 2, shape)]
    applied = apply(OPERATORS[name], arrays)
    for axes in all_patterns(len(shape)):
        left = perturbed(applied, 0, axes, 3, rng)
        right = Moved(left.axes, left.at, left.values * 1.5)
        (made,) = agrees(applied, [left, right])
        assert made.axes == axes
        other = perturbed(applied, 1, axes, 3, rng)  # at other indices: everything may move
        agrees(applied, [left, other])


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "logsumexp", "softmax", "log_softmax"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, -3, (0, 1), (2, 0), (-1, -2), (0, 1, 2)])
def test_operators_along_every_axis(name, keepdims, axis):
    if "softmax" in name and (keepdims or axis is None):
        return
    rng = np.random.default_rng(3)
    attributes = {"axis": axis} if "softmax" in name else {"axis": axis, "keepdims": keepdims}
    applied = apply(OPERATORS[name], [rng.standard_normal((2, 3, 4))], attributes)
    for axes in all_patterns(3):
        (made,) = agrees(applied, [perturbed(applied, 0, axes, 4, rng)])
        kept = [] if axis is None else [a for a in range(3) if a not in np.arange(3)[np.atleast_1d(axis)]]
        assert len(made.axes) == len([a for a in axes if a in kept])


@pytest.mark.parametrize("name", ["sum", "mean", "max", "softmax"])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (200,), (3, 0), (1, 1), (100, 2)])
def test_small_long_and_empty_arrays(name, shape):
    rng = np.random.default_rng(4)
    if 0 in shape and name in ("max", "mean", "softmax"):
        return
    applied = apply(OPERATORS[name], [rng.standard_normal(shape)])
    for axes in all_patterns(len(shape)) if np.prod(shape) else ():
        agrees(applied, [perturbed(applied, 0, axes, 3, rng)])
    agrees(applied, [perturbed(applied, 0, (), 3, rng)])


@pytest.mark.parametrize("limits", [{"min": np.array([0.0, 1.0, 2.0])}, {"min": [0.0, 1.0, 2.0]}])
def test_attributes_with_axes_are_looped(limits):
    rng = np.random.default_rng(8)
    applied = apply(OPERATORS["clip"], [rng.standard_normal(3)], limits)
    assert choose(applied) is loop
    agrees(applied, [perturbed(applied, 0, (0,), 3, rng)])


@pytest.mark.parametrize(
    ("name", "shapes", "attributes"),
    [
        ("conv2d", [(2, 3, 5, 6), (4, 3, 3, 2), (4,)], {"stride": (1, 2), "padding": (2, 1), "dilation": [1, 2]}),
        ("conv_transpose2d", [(2, 3, 4, 3), (3, 2, 2, 3), (2,)], {"stride": (2, 1), "output_padding": (1, 0)}),
        ("max_pool2d", [(2, 3, 6, 5)], {"kernel_size": (3, 2), "stride": (2, 1), "padding": (1, 0)}),
        ("interpolate", [(2, 3, 4, 5)], {"size": (7, 6), "mode": "bilinear"}),
    ],
)
def test_one_number_for_each_axis_goes_through_at_once(name, shapes, attributes):
    rng = np.random.default_rng(7)
    applied = apply(OPERATORS[name], [rng.standard_normal(shape) for shape in shapes], attributes)
    for position, x in enumerate(applied.arrays):
        for axes in all_patterns(x.ndim):
            operands: list[Moved | None] = [None] * len(shapes)
            operands[position] = perturbed(applied, position, axes, 3, rng)
            assert choose(applied) is not loop
            agrees(applied, operands)


def test_more_numbers_than_axes_of_its_own_are_looped():
    """Two sizes are of two axes, of which one is declared independent."""
    rng = np.random.default_rng(9)
    applied = apply(OPERATORS["rms_norm"], [rng.standard_normal((2, 3, 4)), None], {"normalized_shape": (3, 4)})
    assert choose(applied) is loop
    applied = apply(OPERATORS["rms_norm"], [rng.standard_normal((2, 3, 4)), None], {"normalized_shape": (4,)})
    assert choose(applied) is not loop


@pytest.mark.parametrize("name", ["mse_loss", "binary_cross_entropy_with_logits"])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_a_loss_is_known_one_by_one(name, reduction):
    rng = np.random.default_rng(9)
    applied = apply(OPERATORS[name], [rng.standard_normal((3, 2)), rng.random((3, 2))], {"reduction": reduction})
    found = unreduced(applied)
    if reduction == "none":
        assert found is None
    else:
        assert found is not None
        assert found[0] == reduction
        assert found[1].shape == (3, 2)


@pytest.mark.parametrize("shapes", [((4, 3), (4,)), ((3,), ()), ((4, 3, 2), (4, 2))])
@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_cross_entropy_takes_samples_on_their_own(shapes, label_smoothing):
    rng = np.random.default_rng(10)
    x, target = rng.standard_normal(shapes[0]), rng.integers(0, 3, shapes[1])
    applied = apply(OPERATORS["cross_entropy"], [x, target], {"reduction": "none", "label_smoothing": label_smoothing})
    for axes in all_patterns(x.ndim):
        agrees(applied, [perturbed(applied, 0, axes, 3, rng), None])


def test_integers_beside_floats_stay_integers():
    applied = apply(OPERATORS["multiply"], [np.array([1.0, 2.0, 3.0]), np.array([1, 2, 3])])
    agrees(applied, [perturbed(applied, 0, (0,), 2, np.random.default_rng(0)), None])
