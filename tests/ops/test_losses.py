"""Losses: values against their formulas, reductions, extreme logits, wrong targets."""

import numpy as np
import pytest
import scipy.special

import gradcheck_cli
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


def test_cross_entropy_sends_probabilities_to_soft_cross_entropy():
    with pytest.raises(ValueError, match=r"not \(6, 4\); probabilities are for soft_cross_entropy"):
        F.cross_entropy(LOGITS, np.full((6, 4), 0.25))
    with pytest.raises(ValueError, match=r"not \(6,\)$"):
        F.cross_entropy(LOGITS[0], LABELS)


@pytest.mark.parametrize("shape", [(4,), (6, 4), (2, 4, 3)], ids=str)
@pytest.mark.parametrize("label_smoothing", [0.0, 0.2])
@each_reduction
def test_soft_cross_entropy_weighs_classes_and_takes_its_mean_over_rows(shape, label_smoothing, reduction, check):
    axis = 1 if len(shape) > 1 else 0
    x, target = check.signed(shape, 3), np.abs(check.signed(shape, 4)) / 4
    weight = np.array([1.0, 2.0, 0.5, 3.0]).reshape(-1, *(1,) * (len(shape) - 1 - axis))
    mixed = (1 - label_smoothing) * target + label_smoothing / 4
    losses = -np.sum(weight * mixed * scipy.special.log_softmax(x, axis=axis), axis=axis)
    attributes = {"reduction": reduction, "label_smoothing": label_smoothing}
    arrays = [x, target, weight.ravel()]
    np.testing.assert_allclose(F.soft_cross_entropy(*arrays, **attributes), REDUCE[reduction](losses), rtol=1e-13)
    given = {"x": x, "target": target}
    result = gradcheck_cli.check(lambda x, target: F.soft_cross_entropy(x, target, arrays[2], **attributes), given)
    assert str(result.verdict) == "pass"


def test_soft_cross_entropy_refuses_weights_of_other_classes():
    with pytest.raises(ValueError, match="a number for each of 4 classes"):
        F.soft_cross_entropy(LOGITS, np.full((6, 4), 0.25), np.ones(3))


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


def test_ignored_targets_count_nowhere_and_weights_count_in_the_mean(check):
    target, weight = np.array([0, 3, 1, 3, 2, 0]), np.array([1.0, 2.0, 0.5, 3.0])
    counted, log_p = target != 3, scipy.special.log_softmax(LOGITS, axis=1)
    losses = np.where(counted, -weight[target] * log_p[np.arange(6), target], 0)
    known = {"mean": losses.sum() / weight[target][counted].sum(), "sum": losses.sum(), "none": losses}
    for reduction, value in known.items():
        options = {"reduction": reduction, "ignore_index": 3}
        np.testing.assert_allclose(F.cross_entropy(LOGITS, target, weight, **options), value, rtol=1e-13)
        np.testing.assert_allclose(F.nll_loss(log_p, target, weight, **options), value, rtol=1e-13)
    grad = check.gradients(F.cross_entropy, [LOGITS, target, weight], {"ignore_index": 3})[0]
    assert not grad[~counted].any()
    assert grad[counted].all()


def test_nothing_that_counts_has_no_mean():
    assert np.isnan(F.cross_entropy(LOGITS, np.full(6, 2), ignore_index=2))


def test_probabilities_that_are_certain_are_the_classes(check):
    certain = np.eye(4)[LABELS]
    np.testing.assert_allclose(F.soft_cross_entropy(LOGITS, certain), F.cross_entropy(LOGITS, LABELS), rtol=1e-14)
    soft, hard = (
        check.gradients(loss, [LOGITS, target])[0]
        for loss, target in ((F.soft_cross_entropy, certain), (F.cross_entropy, LABELS))
    )
    np.testing.assert_allclose(soft, hard, rtol=1e-13)


@pytest.mark.parametrize("x", [0.0, 1.0])
def test_binary_cross_entropy_is_finite_at_certain_mistakes(x, check):
    arrays = [np.array([x]), np.array([1 - x])]
    assert F.binary_cross_entropy(*arrays) == 100.0
    assert np.isfinite(check.gradients(F.binary_cross_entropy, arrays)[0]).all()


def test_kl_div_is_zero_where_the_target_is(check):
    x, target = np.log([0.2, 0.3, 0.5]), np.array([0.0, 0.4, 0.6])
    np.testing.assert_allclose(F.kl_div(x, target, reduction="sum"), scipy.special.rel_entr(target, np.exp(x)).sum())
    np.testing.assert_allclose(check.gradients(F.kl_div, [x, target], {"reduction": "sum"})[0], -target)
    assert F.kl_div(np.zeros((4, 2)), np.ones((4, 2)), reduction="batchmean") == 0.0


@pytest.mark.parametrize("name", ["log_sigmoid", "softplus", "mish", "silu", "sigmoid", "logsumexp"])
def test_nothing_overflows_at_a_thousand(name, check):
    x = np.array([-1000.0, 1000.0])
    assert np.isfinite(getattr(F, name)(x)).all()
    assert np.isfinite(check.gradients(getattr(F, name), [x])[0]).all()


@pytest.mark.parametrize("loss", [F.huber_loss, F.smooth_l1_loss], ids=["huber", "smooth l1"])
def test_robust_losses_are_smooth_where_their_pieces_meet(loss, check):
    x, target = np.array([-1.0, 1.0, 0.0]), np.zeros(3)
    np.testing.assert_allclose(check.gradients(loss, [x, target], {"reduction": "sum"})[0], [-1.0, 1.0, 0.0])


def test_smooth_l1_without_a_smooth_part_is_l1():
    x, target = LOSSES[F.mse_loss]
    np.testing.assert_allclose(F.smooth_l1_loss(x, target, beta=0.0), F.l1_loss(x, target), rtol=1e-15)


def test_triplet_and_cosine_are_their_formulas():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 5, 4))
    near, far = (np.linalg.norm(a - z + 1e-6, axis=-1) for z in (b, c))
    np.testing.assert_allclose(F.triplet_margin_loss(a, b, c), np.maximum(near - far + 1, 0).mean(), rtol=1e-14)
    known = np.sum(a * b, axis=0) / (np.linalg.norm(a, axis=0) * np.linalg.norm(b, axis=0))
    np.testing.assert_allclose(F.cosine_similarity(a, b, axis=0), known, rtol=1e-14)
    assert F.cosine_similarity(np.zeros(3), np.ones(3)) == 0.0


@pytest.mark.parametrize("shape", [(5,), (2, 4, 3), (2, 3, 2, 2)], ids=str)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_classes_stand_on_the_second_axis(shape: tuple[int, ...], reduction: str) -> None:
    """With more axes than `check-ops` draws."""
    rng = np.random.default_rng(3)
    axis = 1 if len(shape) > 1 else 0
    x, target = rng.standard_normal(shape), rng.uniform(0.1, 1, shape)
    labels = rng.integers(0, shape[axis], shape[:axis] + shape[axis + 1 :])
    given = {"x": x, "target": target}
    soft = gradcheck_cli.check(
        lambda x, target: F.soft_cross_entropy(x, target, reduction=reduction, label_smoothing=0.1), given
    )
    hard = gradcheck_cli.check(lambda x: F.cross_entropy(x, labels, reduction=reduction, label_smoothing=0.1), {"x": x})
    likely = gradcheck_cli.check(lambda x: F.nll_loss(x, labels, reduction=reduction), {"x": x})
    assert [str(result.verdict) for result in (soft, hard, likely)] == ["pass"] * 3


@pytest.mark.parametrize("p", [np.inf, 1.5, -1.0])
def test_triplet_margin_loss_takes_every_norm(p, check):
    arrays = [np.random.default_rng(seed).standard_normal((4, 3)) for seed in range(3)]
    near, far = arrays[0] - arrays[1] + 1e-6, arrays[0] - arrays[2] + 1e-6
    attributes = {"p": p, "margin": 5.0, "reduction": "none"}
    known = np.linalg.norm(near, p, axis=1) - np.linalg.norm(far, p, axis=1) + 5
    np.testing.assert_allclose(F.triplet_margin_loss(*arrays, **attributes), known, rtol=1e-14)
    assert check.disagreement(F.triplet_margin_loss, arrays, attributes) < check.tolerance


def test_triplet_margin_loss_refuses_to_count():
    with pytest.raises(ValueError, match="p=0 counts elements"):
        F.triplet_margin_loss(*np.ones((3, 2, 2)), p=0)


def test_triplet_margin_loss_broadcasts_both_ways(check):
    arrays = [np.random.default_rng(seed).standard_normal(shape) for seed, shape in enumerate([(4, 3), (1, 3), (4, 1)])]
    assert check.disagreement(F.triplet_margin_loss, arrays, {"margin": 9.0}) < check.tolerance


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: F.huber_loss(x, x, delta=0), "delta should be above 0, not 0"),
        (lambda x: F.smooth_l1_loss(x, x, beta=-1), "beta should be 0 or more, not -1"),
        (lambda x: F.cosine_similarity(x, x, axis=(0, 1)), r"axis should be a whole number, not \(0, 1\)"),
        (lambda x: F.cross_entropy(x, [0, 1], label_smoothing=1.5), "label_smoothing should be from 0 to 1, not 1.5"),
        (lambda x: F.cross_entropy(x, [0.0, 1.0]), "target should hold whole numbers, not float64"),
        (lambda x: F.nll_loss(x, [True, False]), "target should hold whole numbers, not bool"),
    ],
)
def test_losses_refuse_what_means_nothing(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.ones((2, 3)))


@pytest.mark.parametrize("operator", [F.cross_entropy, F.nll_loss], ids=["cross_entropy", "nll_loss"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_mean_in_which_nothing_counts_has_slope_zero(operator, dtype):
    x = Variable(np.ones((2, 3), dtype))
    loss = operator(x, np.array([-100, -100]))
    assert np.isnan(loss.data)
    loss.backward()
    np.testing.assert_array_equal(x.grad, np.zeros((2, 3), dtype))


@pytest.mark.parametrize(("x", "target"), [(40.0, 1.0), (-40.0, 0.0), (-40.0, 1e-17), (0.5, 0.3)])
def test_binary_cross_entropy_with_logits_keeps_its_digits(x, target):
    known = (1 - target) * np.log1p(np.exp(-abs(x))) + target * np.log1p(np.exp(-abs(x)))
    known += (1 - target) * max(x, 0) + target * max(-x, 0)
    np.testing.assert_allclose(F.binary_cross_entropy_with_logits(x, target), known, rtol=1e-15)


def test_losses_take_plain_lists():
    x = [0.2, 0.4]
    for operator, attributes in (
        (F.binary_cross_entropy, {}),
        (F.binary_cross_entropy_with_logits, {}),
        (F.kl_div, {}),
        (F.kl_div, {"log_target": True}),
    ):
        assert operator(x, x, **attributes) == operator(np.array(x), np.array(x), **attributes)
    assert F.triplet_margin_loss([x], [x], [x]) == 1.0
