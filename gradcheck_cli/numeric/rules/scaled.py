"""Operators that multiply each element with a number of its place, such as a mask: what is one element stays one."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.moved import Bases, Moved
from gradcheck_cli.numeric.rules.applied import Applied, Operands


def fits_scaled(applied: Applied) -> bool:
    """Tell whether the output is the operand times what the forward makes of ones, to the bit."""
    try:
        (x,) = applied.arrays
        (scale,) = applied.forward([np.ones_like(x)])
    except Exception:  # a person's forward may raise anything
        return False
    applied.cache["scale"] = Bases([scale])
    return scale.shape == x.shape == applied.out.shape and np.array_equal(x * scale, applied.out, equal_nan=True)


def scaled(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    """Multiply a slab with the numbers of its places."""
    (each,) = moved
    assert each is not None
    scale: Array = applied.cache["scale"].gather(0, each.axes, each.at)
    return (Moved(each.axes, each.at, each.values * scale),)
