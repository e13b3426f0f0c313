"""Losses of differences, signs and distances, as in torch.nn.functional."""

import numpy as np

from gradcheck_cli import arr, keep, op, unbroadcast

from .arithmetic import draw_operands
from .axes import aligned
from .checks import check_positive
from .reduced import REDUCTIONS, per_element, reduced
from .reductions import norm_slopes, scaled_norm


@op(reduction=REDUCTIONS, batch="elementwise")
def mse_loss(x, target, *, reduction="mean"):
    """(x - target) ** 2: its mean, its sum, or all of it."""
    error = np.subtract(x, target)
    return keep(reduced(np.square(error), reduction), error=error)


@mse_loss.backward
def _(g, error, x_shape, target_shape, reduction):
    return _of_error(2 * error * per_element(g, error.shape, reduction), x_shape, target_shape)


@op(reduction=REDUCTIONS, batch="elementwise")
def l1_loss(x, target, *, reduction="mean"):
    """|x - target|: its mean, its sum, or all of it; its gradient where they are equal is taken as 0."""
    error = np.subtract(x, target)
    return keep(reduced(np.abs(error), reduction), error=error)


@l1_loss.backward
def _(g, error, x_shape, target_shape, reduction):
    return _of_error(np.sign(error) * per_element(g, error.shape, reduction), x_shape, target_shape)


@op(beta=[1.0, 0.5], reduction=REDUCTIONS, batch="elementwise")
def smooth_l1_loss(x, target, *, beta=1.0, reduction="mean"):
    """d ** 2 / (2 * beta) where d = |x - target| < beta, else d - beta / 2: its mean, its sum, or all of it."""
    if beta < 0:
        raise ValueError(f"beta should be 0 or more, not {beta!r}")
    error = np.subtract(x, target)
    size = np.abs(error)
    near = np.square(error) / (2 * beta) if beta else size
    return keep(reduced(np.where(size < beta, near, size - beta / 2), reduction), error=error)


@smooth_l1_loss.backward
def _(g, error, x_shape, target_shape, beta, reduction):
    slope = np.clip(error / beta, -1, 1) if beta else np.sign(error)
    return _of_error(slope * per_element(g, error.shape, reduction), x_shape, target_shape)


@op(delta=[1.0, 0.5], reduction=REDUCTIONS, batch="elementwise")
def huber_loss(x, target, *, delta=1.0, reduction="mean"):
    """d ** 2 / 2 where d = |x - target| < delta, else delta * (d - delta / 2): its mean, its sum, or all of it."""
    check_positive(delta, "delta")
    error = np.subtract(x, target)
    size = np.abs(error)
    losses = np.where(size < delta, np.square(error) / 2, delta * (size - delta / 2))
    return keep(reduced(losses, reduction), error=error)


@huber_loss.backward
def _(g, error, x_shape, target_shape, delta, reduction):
    return _of_error(np.clip(error, -delta, delta) * per_element(g, error.shape, reduction), x_shape, target_shape)


def _of_error(slope, x_shape, target_shape):
    return unbroadcast(slope, x_shape), unbroadcast(-slope, target_shape)


for _operator in (mse_loss, l1_loss, smooth_l1_loss, huber_loss):
    _operator.sample(draw_operands)


@op(x=arr(avoid=1), target=arr(nondiff=True), margin=[1.0], reduction=REDUCTIONS, batch="elementwise")
def hinge_embedding_loss(x, target, *, margin=1.0, reduction="mean"):
    """x where target is 1, max(0, margin - x) where it is -1: mean, sum or all of it; at margin the slope is 0.

    A target is 1 or -1, as classes are, so a spec gives it as a value: `target: [1, -1, 1]`.
    """
    losses = np.where(np.equal(target, 1), x, np.maximum(0, np.subtract(margin, x)))
    return keep(reduced(losses, reduction), shape=losses.shape)


@hinge_embedding_loss.backward
def _(g, x, target, shape, margin, reduction):
    share = per_element(g, shape, reduction)
    return unbroadcast(np.where(target == 1, share, np.where(x < margin, -share, 0)), x.shape)


@hinge_embedding_loss.sample
def _(rng):
    """Draw targets that are 1 or -1."""
    x = rng.uniform(-2, 3, (3, 4))
    return np.where(np.abs(x - 1) < 0.1, x + 0.5, x), rng.choice([-1.0, 1.0], (3, 4))


@op(x=arr("... n"), y=arr("... n"), axis=[-1, 0], eps=[1e-8])
def cosine_similarity(x, y, *, axis=-1, eps=1e-8):
    """sum(x * y) / (|x| * |y|) along axis, after broadcasting, each norm being at least eps."""
    if np.ndim(axis):
        raise ValueError(f"axis should be a whole number, not {axis!r}")
    x, y = np.broadcast_arrays(x, y)
    x_norm, y_norm = (np.maximum(np.sqrt(np.sum(np.square(z), axis=axis, keepdims=True)), eps) for z in (x, y))
    return keep(np.sum(x / x_norm * (y / y_norm), axis=axis), x_norm=x_norm, y_norm=y_norm)


@cosine_similarity.backward
def _(g, x, y, out, x_norm, y_norm, axis, eps):
    g, out = np.expand_dims(g, axis), np.expand_dims(out, axis)
    x_unit, y_unit = x / x_norm, y / y_norm
    # A norm that eps replaces is a constant.
    gx = g * (y_unit - np.where(x_norm > eps, out * x_unit, 0)) / x_norm
    gy = g * (x_unit - np.where(y_norm > eps, out * y_unit, 0)) / y_norm
    return unbroadcast(gx, x.shape), unbroadcast(gy, y.shape)


@cosine_similarity.batch
def _(moved, x, y, *, axis=-1, eps=1e-8):
    x, y = aligned(moved, x=x, y=y)
    rank = x.ndim - ("x" in moved)
    if rank == 0:  # two numbers, whose only axis NumPy makes up
        return cosine_similarity(x.reshape(-1, 1), y.reshape(-1, 1), axis=-1, eps=eps)
    axis = axis if axis < 0 else axis - rank  # from the end, where no axis is added
    return cosine_similarity(x, y, axis=axis, eps=eps)


@op(
    anchor=arr("b n"),
    positive=arr("b n"),
    negative=arr("b n"),
    margin=[1.0],
    p=[2.0, 1.0, 3.0],
    eps=[1e-6],
    reduction=REDUCTIONS,
    batch="b",
)
def triplet_margin_loss(anchor, positive, negative, *, margin=1.0, p=2.0, eps=1e-6, reduction="mean"):
    """max(0, |anchor - positive| - |anchor - negative| + margin), with norms of order p of differences plus eps."""
    if p == 0:
        raise ValueError("p=0 counts elements, and has no gradient")
    near, far = (np.subtract(anchor, other) + eps for other in (positive, negative))
    excess = scaled_norm(near, p, -1) - scaled_norm(far, p, -1) + margin
    return keep(reduced(np.maximum(excess, 0), reduction), near=near, far=far, excess=excess)


@triplet_margin_loss.backward
def _(g, anchor_shape, positive_shape, negative_shape, near, far, excess, p, reduction):
    g = np.where(excess > 0, per_element(g, excess.shape, reduction), 0)[..., None]
    shapes = anchor_shape, positive_shape, negative_shape
    to_positive, to_negative = (norm_slopes(g, z, scaled_norm(z, p, -1, True), p, (-1,)) for z in (near, far))
    slopes = to_positive - to_negative, -to_positive, to_negative
    return [unbroadcast(slope, shape) for slope, shape in zip(slopes, shapes, strict=True)]


@triplet_margin_loss.sample
def _(rng):
    """Draw triplets that are well within the margin, or well outside."""
    # Distances whose difference is nowhere near the margin, and no difference near 0, where the norm of order 1 bends.
    anchor, far = rng.standard_normal((4, 3)), rng.choice([0.2, 3.0], (4, 1)) * rng.choice([-1.0, 1.0], (4, 3))
    near = rng.uniform(0.6, 0.7, (4, 3)) * rng.choice([-1.0, 1.0], (4, 3))
    return anchor, anchor - near, anchor - far
