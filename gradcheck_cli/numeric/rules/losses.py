"""Losses with an attribute `reduction`: the losses one by one, and their sum or mean."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.rules.applied import Applied

_ROUNDING = 64.0
"""Epsilons of the sum of magnitudes by which two ways to sum may differ."""


def unreduced(applied: Applied) -> tuple[str, Array] | None:
    """Return how a loss reduces, and the losses one by one; None for what isn't a loss that is their sum or mean.

    The losses are those of `reduction="none"`, and their sum or mean has to be the loss itself.
    """
    reduction = applied.attribute("reduction")
    if reduction not in ("sum", "mean") or applied.batch is None or len(applied.outputs) != 1 or applied.out.ndim:
        return None
    try:
        (losses,) = applied.forward(applied.arrays, reduction="none")
    except Exception:  # a person's forward may raise anything
        return None
    if losses.ndim == 0 or not losses.size or not np.isfinite(losses).all():
        return None
    total = (np.mean if reduction == "mean" else np.sum)(losses, dtype=np.float64)
    size = (np.mean if reduction == "mean" else np.sum)(np.abs(losses), dtype=np.float64)
    close = abs(float(total) - float(applied.out)) <= _ROUNDING * float(np.finfo(losses.dtype).eps) * float(size)
    return (reduction, losses) if close else None
