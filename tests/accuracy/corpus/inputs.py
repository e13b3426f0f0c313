"""Where the operators are evaluated: functions of a generator that return the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Draw = Callable[[np.random.Generator], tuple[Any, ...]]


def fixed(*values: Any) -> Draw:
    """Return the same values every time, as float64 arrays unless they are arrays already."""
    return lambda rng: tuple(v.copy() if isinstance(v, np.ndarray) else np.array(v, dtype=np.float64) for v in values)


def normal(*shapes: tuple[int, ...], scale: float = 1.0) -> Draw:
    """Draw standard normal arrays, times `scale`."""
    return lambda rng: tuple(np.asarray(scale * rng.standard_normal(shape)) for shape in shapes)


def positive(*shapes: tuple[int, ...], low: float = 0.3, high: float = 2.0) -> Draw:
    """Draw arrays that are uniform between `low` and `high`."""
    return lambda rng: tuple(np.asarray(rng.uniform(low, high, shape)) for shape in shapes)


def away_from_zero(*shapes: tuple[int, ...], gap: float = 0.2) -> Draw:
    """Draw normal arrays moved away from zero by `gap`, the first element negative and the second positive."""

    def draw(rng: np.random.Generator) -> tuple[Any, ...]:
        arrays = []
        for shape in shapes:
            values = rng.standard_normal(shape)
            values += np.where(values >= 0, gap, -gap)
            flat = values.reshape(-1)
            if flat.size > 1:
                flat[0], flat[1] = -abs(flat[0]), abs(flat[1])
            arrays.append(values)
        return tuple(arrays)

    return draw
