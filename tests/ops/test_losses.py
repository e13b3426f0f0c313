"""Losses: values against their formulas, reductions, extreme logits, wrong targets."""

import numpy as np
import pytest
import scipy.special

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

RNG = np.random.default_rng(5)
LOGITS, LABELS = RNG.standard_normal((6, 4)), RNG.integers(0, 4, 6)
REDUCE = {"mean": np.mean, "sum": np.sum, "none": np.asarray}
each_reduction = pytest.mark.parametrize("reduction", REDUCE)
LOSSES = {
    F.mse_loss: [LOGITS, RNG.standard_normal((6, 4))],
    F.cross_entropy: [LOGITS, LABELS],
    F.binary_cross_entropy_with_logits: [LOGITS, RNG.random((6, 4))],
}
each_loss = pytest.mark.parametrize(
    ("loss", "arrays"), LOSSES.items(), ids=lambda value: getattr(value, "__name__", "")
)


@each_reduction
def test_mse_loss_is_its_formula(reduction):
    x, target = LOSSES[F.mse_loss]
    known = REDUCE[reduction]((x - target) ** 2)
    np.testing.assert_allclose(F.mse_loss(x, target, reduction=reduction), known, rtol=1e-14)


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1, 1.0])
@each_reduction
def test_cross_entropy_is_its_formula(reduction, label_smoothing):
    wanted = (1 - label_smoothing) * np.eye(4)[LABELS] + label_smoothing / 4
    known = REDUCE[reduction](-np.sum(wanted * scipy.special.log_softmax(LOGITS, axis=1), axis=1))
    value = F.cross_entropy(LOGITS, LABELS, reduction=reduction, label_smoothing=label_smoothing)
    np.testing.assert_allclose(value, known, rtol=1e-13)


@each_reduction
def test_binary_cross_entropy_is_its_formula(reduction):
    x, target = LOSSES[F.binary_cross_entropy_with_logits]
    p = scipy.special.expit(x)
    known = REDUCE[reduction](-target * np.log(p) - (1 - target) * np.log(1 - p))
    np.testing.assert_allclose(F.binary_cross_entropy_with_logits(x, target, reduction=reduction), known, rtol=1e-12)


@each_loss
def test_unknown_reduction_is_refused(loss, arrays):
    with pytest.raises(ValueError, match="'mean', 'sum' or 'none', not 'average'"):
        loss(*arrays, reduction="average")


@each_loss
def test_loss_of_nothing_is_an_empty_array_or_zero(loss, arrays, check):
    empty = [array[:0] for array in arrays]
    for reduction in ("none", "sum"):
        assert np.sum(check.value(loss, empty, {"reduction": reduction})) == 0.0
        assert check.gradients(loss, empty, {"reduction": reduction})[0].shape == empty[0].shape


@pytest.mark.parametrize("loss", [F.mse_loss, F.binary_cross_entropy_with_logits], ids=lambda loss: loss.__name__)
@each_reduction
def test_loss_undoes_broadcasting_of_both_arguments(loss, reduction, check):
    for x_shape, target_shape in (((3, 1), (4,)), ((4,), (2, 4)), ((), (2, 3)), ((2, 3), ())):
        arrays = [check.signed(x_shape, 1), np.abs(check.signed(target_shape, 2)) / 4]
        assert check.disagreement(loss, arrays, {"reduction": reduction}) < check.tolerance


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 4, 3), (2, 4, 3, 2), (2, 1)], ids=str)
@pytest.mark.parametrize("label_smoothing", [0.0, 0.2])
@each_reduction
def test_cross_entropy_takes_its_classes_from_axis_1_or_the_only_one(shape, label_smoothing, reduction, check):
    axis = 1 if len(shape) > 1 else 0
    x = check.signed(shape, 3)
    labels = np.random.default_rng(4).integers(0, shape[axis], shape[:axis] + shape[axis + 1 :])
    attributes = {"reduction": reduction, "label_smoothing": label_smoothing}
    moved = np.moveaxis(x, axis, -1).reshape(-1, shape[axis])
    flat = F.cross_entropy(moved, labels.ravel(), **attributes)
    np.testing.assert_allclose(np.ravel(F.cross_entropy(x, labels, **attributes)), np.ravel(flat), rtol=1e-13)
    if shape[axis] > 1:
        assert check.disagreement(F.cross_entropy, [x, labels], attributes) < check.tolerance
    else:  # one class is certain
        assert np.abs(check.gradients(F.cross_entropy, [x, labels], attributes)[0]).max() < 1e-15


@pytest.mark.parametrize("target", [[0, 4], [-1, 0]], ids=str)
def test_cross_entropy_refuses_a_class_that_is_not_there(target):
    with pytest.raises(ValueError, match="class numbers from 0 to 3"):
        F.cross_entropy(LOGITS[:2], np.array(target))


@pytest.mark.parametrize("shape", [(1,), (5,), (6, 1), (6, 4), ()], ids=str)
def test_cross_entropy_refuses_a_target_of_another_shape(shape):
    with pytest.raises(ValueError, match=r"without its classes, \(6,\), not"):
        F.cross_entropy(LOGITS, np.zeros(shape, dtype=int))


def test_cross_entropy_takes_integer_labels_held_by_a_variable():
    x = Variable(LOGITS)
    F.cross_entropy(x, Variable(LABELS, requires_grad=False)).backward()
    expected = (scipy.special.softmax(LOGITS, axis=1) - np.eye(4)[LABELS]) / 6
    np.testing.assert_allclose(x.grad, expected, rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_cross_entropy_of_extreme_logits_is_finite(dtype, label_smoothing, check):
    x = np.array([[1000.0, -1000.0, 0.0], [-1000.0, -1000.0, 1000.0]], dtype)
    attributes = {"reduction": "none", "label_smoothing": label_smoothing}
    target = np.array([1, 2])
    assert np.isfinite(F.cross_entropy(x, target, **attributes)).all()
    assert np.isfinite(check.gradients(F.cross_entropy, [x, target], attributes)[0]).all()
    if not label_smoothing:
        np.testing.assert_array_equal(F.cross_entropy(x, target, **attributes), [2000.0, 0.0])


def test_cross_entropy_with_an_impossible_class_is_finite(check):
    x, target = np.array([[1.0, -np.inf, 2.0]]), np.array([2])
    assert np.isfinite(F.cross_entropy(x, target))
    assert np.isfinite(check.gradients(F.cross_entropy, [x, target])[0]).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_binary_cross_entropy_of_extreme_logits_is_finite_and_exact(dtype, check):
    x = np.array([1000.0, 1000.0, -1000.0, -1000.0], dtype)
    target = np.array([0.0, 1.0, 0.0, 1.0], dtype)
    losses = F.binary_cross_entropy_with_logits(x, target, reduction="none")
    np.testing.assert_array_equal(losses, [1000.0, 0.0, 0.0, 1000.0])
    gx, _ = check.gradients(F.binary_cross_entropy_with_logits, [x, target], {"reduction": "none"})
    np.testing.assert_array_equal(gx, [1.0, 0.0, 0.0, -1.0])
    small = F.binary_cross_entropy_with_logits(np.array([30.0]), np.array([1.0]))
    np.testing.assert_allclose(small, np.exp(-30.0), rtol=1e-12)
