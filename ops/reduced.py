"""What losses have in common: how they are reduced, and how that is undone."""

import math

import numpy as np

REDUCTIONS = ["mean", "sum", "none"]


def reduced(losses, reduction):
    """Return the mean of all losses, their sum, or them as they are."""
    if reduction == "none":
        return losses
    require(reduction)
    return np.mean(losses) if reduction == "mean" else np.sum(losses)


def per_element(g, shape, reduction):
    """Return the gradient that arrives at each of the losses, which have `shape`."""
    return np.broadcast_to(g, shape) / (math.prod(shape) if reduction == "mean" else 1)


def require(reduction):
    """Raise ValueError for what is no reduction."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"reduction should be 'mean', 'sum' or 'none', not {reduction!r}")
