"""Losses, as in torch.nn.functional; those of logits are one operator each, so that nothing overflows."""

import math

import numpy as np

from gradcheck_cli import arr, ints, keep, op, unbroadcast

from .activations import log_softmax, sigmoid

_REDUCTIONS = ["mean", "sum", "none"]


def _reduced(losses, reduction):
    if reduction == "none":
        return losses
    if reduction not in ("mean", "sum"):
        raise ValueError(f"reduction should be 'mean', 'sum' or 'none', not {reduction!r}")
    return np.mean(losses) if reduction == "mean" else np.sum(losses)


def _per_element(g, shape, reduction):
    """Undo a reduction of losses of `shape`: the gradient that arrives at each of them."""
    return np.broadcast_to(g, shape) / (math.prod(shape) if reduction == "mean" else 1)


@op(reduction=_REDUCTIONS, batch="elementwise")
def mse_loss(x, target, *, reduction="mean"):
    """(x - target) ** 2: its mean, its sum, or all of it."""
    error = np.subtract(x, target)
    return keep(_reduced(np.square(error), reduction), error=error)


@mse_loss.backward
def _(g, error, x_shape, target_shape, reduction):
    slope = 2 * error * _per_element(g, error.shape, reduction)
    return unbroadcast(slope, x_shape), unbroadcast(-slope, target_shape)


@op(x=arr("n k"), target=ints("n", below="k"), reduction=_REDUCTIONS, label_smoothing=[0.0, 0.1], batch="n")
def cross_entropy(x, target, *, reduction="mean", label_smoothing=0.0):
    """-log p[target], p = softmax(x); label_smoothing mixes in the mean of -log p over the classes.

    x is (k,) with target (), or (n, k, ...) with target (n, ...), k the number of classes.
    """
    axis = _class_axis(x)
    log_p = log_softmax(x, axis=axis)
    losses = -_at_target(log_p, target, axis)
    if label_smoothing:  # else an impossible class would add 0 * inf
        losses = (1 - label_smoothing) * losses - label_smoothing * np.mean(log_p, axis=axis)
    return keep(_reduced(losses, reduction), log_p=log_p)


@cross_entropy.backward
def _(g, log_p, target, reduction, label_smoothing):
    axis = _class_axis(log_p)
    classes = np.arange(log_p.shape[axis]).reshape(-1, *(1,) * (log_p.ndim - 1 - axis))
    hit = (classes == np.expand_dims(target, axis)).astype(log_p.dtype)
    wanted = (1 - label_smoothing) * hit + label_smoothing / classes.size
    return np.expand_dims(_per_element(g, target.shape, reduction), axis) * (np.exp(log_p) - wanted)


def _class_axis(x):
    return 1 if np.ndim(x) > 1 else 0


def _at_target(log_p, target, axis):
    classes, shape = log_p.shape[axis], log_p.shape[:axis] + log_p.shape[axis + 1 :]
    if np.shape(target) != shape:
        raise ValueError(f"target should have the shape of x without its classes, {shape}, not {np.shape(target)}")
    if np.any(np.less(target, 0) | np.greater_equal(target, classes)):
        raise ValueError(f"target should hold class numbers from 0 to {classes - 1}")
    return np.take_along_axis(log_p, np.expand_dims(target, axis), axis).squeeze(axis)


@op(target=arr(low=0, high=1), reduction=_REDUCTIONS, batch="elementwise")
def binary_cross_entropy_with_logits(x, target, *, reduction="mean"):
    """-target * log(p) - (1 - target) * log(1 - p), p = sigmoid(x): mean, sum or all of it."""
    losses = np.maximum(x, 0) - np.multiply(x, target) + np.log1p(np.exp(-np.abs(x)))
    return keep(_reduced(losses, reduction), shape=losses.shape)


@binary_cross_entropy_with_logits.backward("x")
def _(g, x, target, shape, reduction):
    return unbroadcast((sigmoid(x) - target) * _per_element(g, shape, reduction), x.shape)


@binary_cross_entropy_with_logits.backward("target")
def _(g, x, target, shape, reduction):
    return unbroadcast(-x * _per_element(g, shape, reduction), target.shape)
