"""Losses of classes and probabilities, as in torch.nn.functional; one operator each, so that no logit overflows."""

import numpy as np

from gradcheck_cli import arr, ints, keep, op, unbroadcast

from .activations import log_softmax, sigmoid
from .checks import whole_numbers
from .reduced import REDUCTIONS, per_element, reduced, require


@op(
    x=arr("n k"),
    target=ints("n", below="k", floats="soft_cross_entropy takes probabilities"),
    weight=arr("k", low=0.2, high=2, nondiff=True),
    reduction=REDUCTIONS,
    label_smoothing=[0.0, 0.1],
    ignore_index=[-100, 0],
    batch="n",
)
def cross_entropy(x, target, weight=None, *, reduction="mean", label_smoothing=0.0, ignore_index=-100):
    """-log p[target], p = softmax(x), times weight[target]; label_smoothing mixes in the mean of -weight * log p.

    x is (k,) with target (), or (n, k, ...) with target (n, ...), k the number of classes. Targets that are
    ignore_index count nowhere; the mean is that over the weights of the others. Probabilities as target are for
    soft_cross_entropy.
    """
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing should be from 0 to 1, not {label_smoothing!r}")
    axis = _class_axis(x)
    log_p = log_softmax(x, axis=axis)
    weights = _weights(log_p, target, weight, axis, ignore_index)
    losses = _at_target(log_p, target, weights, axis)
    if label_smoothing:  # else an impossible class would add 0 * inf
        spread = np.mean(log_p if weight is None else _by_class(weight, log_p, axis) * log_p, axis=axis)
        losses = (1 - label_smoothing) * losses - label_smoothing * np.where(np.equal(target, ignore_index), 0, spread)
    return keep(_over(losses, weights, reduction), log_p=log_p, weights=weights)


@cross_entropy.backward
def _(g, log_p, target, weight, weights, reduction, label_smoothing, ignore_index):
    axis = _class_axis(log_p)
    wanted = (1 - label_smoothing) * _hit(log_p, target, axis) * np.expand_dims(weights, axis)
    if label_smoothing:
        spread = np.ones_like(log_p) if weight is None else np.broadcast_to(_by_class(weight, log_p, axis), log_p.shape)
        ignored = np.expand_dims(np.equal(target, ignore_index), axis)
        wanted = wanted + np.where(ignored, 0, label_smoothing / log_p.shape[axis] * spread)
    g = np.expand_dims(_at_each(g, weights, reduction), axis)
    return g * (np.exp(log_p) * np.sum(wanted, axis=axis, keepdims=True) - wanted)


@op(
    x=arr("n k"),
    target=arr("n k", low=0.1, high=1),
    weight=arr("k", low=0.2, high=2, nondiff=True),
    reduction=REDUCTIONS,
    label_smoothing=[0.0, 0.1],
    batch="n",
)
def soft_cross_entropy(x, target, weight=None, *, reduction="mean", label_smoothing=0.0):
    """-sum(weight * target * log softmax(x)) over the classes; label_smoothing mixes 1 / k into the target.

    The target is probabilities: cross_entropy of torch.nn.functional takes them under its own name. x and target are
    (k,) or (n, k, ...), k the number of classes, and weight is (k,). The mean is that over rows, whatever they weigh.
    """
    axis = _class_axis(x)
    log_p = log_softmax(x, axis=axis)
    if np.shape(target) != log_p.shape:
        raise ValueError(f"target should have the shape of x, {log_p.shape}, not {np.shape(target)}")
    wanted = (1 - label_smoothing) * np.asarray(target) + label_smoothing / log_p.shape[axis]
    if weight is not None:
        _require_weight(weight, log_p.shape[axis])
        wanted = _by_class(weight, log_p, axis) * wanted
    return keep(reduced(-np.sum(wanted * log_p, axis=axis), reduction), log_p=log_p, wanted=wanted)


@soft_cross_entropy.backward
def _(g, log_p, wanted, weight, reduction, label_smoothing):
    axis = _class_axis(log_p)
    shape = log_p.shape[:axis] + log_p.shape[axis + 1 :]
    g = np.expand_dims(per_element(g, shape, reduction), axis)
    gx = g * (np.exp(log_p) * np.sum(wanted, axis=axis, keepdims=True) - wanted)
    weights = 1 if weight is None else _by_class(weight, log_p, axis)
    return gx, -g * weights * (1 - label_smoothing) * log_p


@op(
    x=arr("n k"),
    target=ints("n", below="k"),
    weight=arr("k", low=0.2, high=2, nondiff=True),
    reduction=REDUCTIONS,
    ignore_index=[-100, 0],
    batch="n",
    linear="x",
)
def nll_loss(x, target, weight=None, *, reduction="mean", ignore_index=-100):
    """-x[target] * weight[target], x being logarithms of probabilities; targets that are ignore_index count nowhere.

    Shapes and mean are those of cross_entropy.
    """
    axis = _class_axis(x)
    weights = _weights(np.asarray(x), target, weight, axis, ignore_index)
    return keep(_over(_at_target(np.asarray(x), target, weights, axis), weights, reduction), weights=weights)


@nll_loss.backward
def _(g, x, target, weights, reduction):
    axis = _class_axis(x)
    return -np.expand_dims(_at_each(g, weights, reduction) * weights, axis) * _hit(x, target, axis)


def _class_axis(x):
    return 1 if np.ndim(x) > 1 else 0


def _weights(log_p, target, weight, axis, ignored):
    """Return the weight of each target, 0 for one that is ignored. Raises ValueError for a wrong one."""
    classes, shape = log_p.shape[axis], log_p.shape[:axis] + log_p.shape[axis + 1 :]
    if np.shape(target) != shape:
        soft = "; probabilities are for soft_cross_entropy" if np.shape(target) == log_p.shape else ""
        message = f"target should have the shape of x without its classes, {shape}, not {np.shape(target)}{soft}"
        raise ValueError(message)
    target = whole_numbers(target, "target")
    counted = np.not_equal(target, ignored)
    if np.any(counted & (np.less(target, 0) | np.greater_equal(target, classes))):
        raise ValueError(f"target should hold class numbers from 0 to {classes - 1}")
    if weight is None:
        return counted.astype(log_p.dtype)
    _require_weight(weight, classes)
    return np.where(counted, np.asarray(weight)[np.where(counted, target, 0)], 0).astype(log_p.dtype)


def _require_weight(weight, classes):
    if np.shape(weight) != (classes,):
        raise ValueError(f"weight should have a number for each of {classes} classes, not the shape {np.shape(weight)}")


def _at_target(log_p, target, weights, axis):
    """Return -log p of each target times its weight; 0 for a weight of 0, also where log p is infinite."""
    counted = weights != 0
    index = np.expand_dims(np.where(counted, target, 0), axis)
    picked = np.take_along_axis(log_p, index, axis).squeeze(axis)
    return -weights * np.where(counted, picked, 0)


def _hit(log_p, target, axis):
    """Return 1 for the class of each target, and 0 for the others."""
    classes = np.arange(log_p.shape[axis]).reshape(-1, *(1,) * (log_p.ndim - 1 - axis))
    return (classes == np.expand_dims(target, axis)).astype(log_p.dtype)


def _by_class(weight, log_p, axis):
    """Give the weights of classes the axes of log_p."""
    return np.reshape(weight, (-1, *(1,) * (log_p.ndim - 1 - axis)))


def _over(losses, weights, reduction):
    """Reduce losses; the mean is that over their weights."""
    require(reduction)
    if reduction != "mean":
        return losses if reduction == "none" else np.sum(losses)
    with np.errstate(invalid="ignore"):  # nothing that counts has no mean, which is nan
        return np.sum(losses) / np.sum(weights)


def _at_each(g, weights, reduction):
    total = np.sum(weights) if reduction == "mean" else 1
    return np.broadcast_to(g, weights.shape) / (total or 1)  # where nothing counts, nothing flows


@op(x=arr(low=0.1, high=0.9), target=arr(low=0, high=1), reduction=REDUCTIONS, batch="elementwise", linear="target")
def binary_cross_entropy(x, target, *, reduction="mean"):
    """-target * log(x) - (1 - target) * log(1 - x), logarithms at least -100: mean, sum or all of it."""
    losses = np.negative(target) * _log(x) - np.subtract(1, target) * _log(np.subtract(1, x))
    return keep(reduced(losses, reduction), shape=losses.shape)


@binary_cross_entropy.backward("x")
def _(g, x, target, shape, reduction):
    slope = (x - target) / np.maximum(x * (1 - x), 1e-12)  # as torch does where x is 0 or 1
    return unbroadcast(slope * per_element(g, shape, reduction), x.shape)


@binary_cross_entropy.backward("target")
def _(g, x, target_shape, shape, reduction):
    return unbroadcast((_log(1 - x) - _log(x)) * per_element(g, shape, reduction), target_shape)


def _log(x):
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(x), -100)


@op(
    target=arr(low=0, high=1),
    pos_weight=arr("", low=0.5, high=2, nondiff=True),
    reduction=REDUCTIONS,
    batch="elementwise",
)
def binary_cross_entropy_with_logits(x, target, pos_weight=None, *, reduction="mean"):
    """-pos_weight * target * log(p) - (1 - target) * log(1 - p), p = sigmoid(x): mean, sum or all of it."""
    wanted = np.multiply(1 if pos_weight is None else pos_weight, target)
    # log(1 - p) = -softplus(x), log(p) = -softplus(-x); both, since a difference of them would cancel.
    losses = np.subtract(1, target) * np.logaddexp(0, x) + wanted * np.logaddexp(0, np.negative(x))
    return keep(reduced(losses, reduction), shape=losses.shape)


@binary_cross_entropy_with_logits.backward("x")
def _(g, x, target, pos_weight, shape, reduction):
    weight = 1 if pos_weight is None else pos_weight
    slope = (1 - target) * sigmoid(x) - weight * target * sigmoid(-x)
    return unbroadcast(slope * per_element(g, shape, reduction), x.shape)


@binary_cross_entropy_with_logits.backward("target")
def _(g, x, target_shape, pos_weight, shape, reduction):
    more = 0 if pos_weight is None else pos_weight - 1
    slope = more * np.logaddexp(0, -x) - x
    return unbroadcast(slope * per_element(g, shape, reduction), target_shape)


@op(
    target=arr(low=0.1, high=1),
    reduction=[*REDUCTIONS, "batchmean"],
    log_target=[False, True],
    batch="elementwise",
    linear="x",
)
def kl_div(x, target, *, reduction="mean", log_target=False):
    """target * (log(target) - x), x being logarithms of probabilities, and target with log_target; 0 where target is 0.

    The reduction "batchmean" is the sum over the size of the first axis.
    """
    target = np.asarray(target)
    p = np.exp(target) if log_target else target
    losses = np.where(p == 0, 0, p * (_log_of(target, p, log_target) - x))
    whole = np.sum(losses) / _batch(losses.shape) if reduction == "batchmean" else reduced(losses, reduction)
    return keep(whole, shape=losses.shape, p=p)


@kl_div.backward("x")
def _(g, p, x_shape, shape, reduction):
    return unbroadcast(-p * _kl_share(g, shape, reduction), x_shape)


@kl_div.backward("target")
def _(g, x, target, p, shape, reduction, log_target):
    excess = np.where(p == 0, 0, _log_of(target, p, log_target) - x)
    slope = p * (excess + 1) if log_target else excess + 1
    return unbroadcast(slope * _kl_share(g, shape, reduction), target.shape)


def _log_of(target, p, log_target):
    return target if log_target else np.log(np.where(p == 0, 1, p))


def _kl_share(g, shape, reduction):
    return np.broadcast_to(g, shape) / _batch(shape) if reduction == "batchmean" else per_element(g, shape, reduction)


def _batch(shape):
    return shape[0] if shape else 1
