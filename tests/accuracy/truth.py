"""What is true of a labelled operator, found without the checker: derivatives of high order in extended precision.

Central differences of order 8 over steps from 3e-2 to 1e-12 of the element, in np.longdouble where
the forward keeps it. The bar of a step is its rounding, as estimated and as seen between the two smallest
steps, its disagreement with smaller steps, and what is left of that with the next larger one if the
error falls with the step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Forward = Callable[..., Any]

WEIGHTS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
"""Weights of f(x + k h) - f(x - k h) in the derivative of order 8 (Fornberg 1988)."""

ONE_SIDED = (-25 / 12, 4.0, -3.0, 4 / 3, -1 / 4)
"""Weights of f(x + k h) in the one-sided derivative of order 4."""

STEPS = (3e-2, 1e-2, 3e-3, 1e-3, 1e-5, 1e-7, 1e-9, 1e-10, 1e-11, 1e-12)
FEW_STEPS = (1e-2, 1e-3)
"""For large arrays."""

STATE = 20240229
"""Seed of NumPy's global generator before every forward, as the checker promises to set it."""


def evaluate(forward: Forward, arguments: Sequence[Any]) -> Any:
    """Call `forward` on copies, from one state of the global generator."""
    np.random.seed(STATE)
    with np.errstate(all="ignore"):
        return np.asarray(forward(*(np.array(a, order="K", copy=True) for a in arguments)))


def call_backward(backward: Forward, g: Any, out: Any, arguments: Sequence[Any]) -> Any:
    """Call `backward` on copies, from another state of the global generator."""
    np.random.seed(STATE + 1)
    with np.errstate(all="ignore"):
        return backward(g.copy(), out.copy(), *(a.copy() for a in arguments))


def is_float(array: Any) -> bool:
    """Tell whether an argument has a gradient."""
    return bool(np.asarray(array).dtype.kind == "f")


def widened(forward: Forward, arguments: Sequence[Any]) -> tuple[list[Any], float]:
    """Return the arguments in the widest type that `forward` keeps, and the size of its rounding."""
    wide = [a.astype(np.longdouble) if is_float(a) else a for a in arguments]
    try:
        if evaluate(forward, wide).dtype == np.longdouble:
            return wide, 10 * float(np.finfo(np.longdouble).eps)
    except TypeError:  # linear algebra and special functions know float64 only
        pass
    return [a.astype(np.float64) if is_float(a) else a for a in arguments], 100 * float(np.finfo(np.float64).eps)


def true_jacobian(forward: Forward, arguments: Sequence[Any], slot: int) -> tuple[Any, Any]:
    """Return the derivatives by argument `slot`, outputs by elements, and how wrong each may be."""
    wide, rounding = widened(forward, arguments)
    base = evaluate(forward, wide).reshape(-1)
    size = arguments[slot].size
    jacobian, bars = np.zeros((base.size, size)), np.zeros((base.size, size))
    for element, (x, scale) in enumerate(zip(wide[slot].reshape(-1), scales(arguments[slot]), strict=True)):
        steps, slopes, rounded = [], [], []
        moving = np.zeros(base.size, dtype=bool)
        for relative in FEW_STEPS if size > 200 else STEPS:
            h = step_from(x, relative * scale)
            sides = {k: moved(forward, wide, slot, element, k * h) for k in (-4, -3, -2, -1, 1, 2, 3, 4)}
            with np.errstate(all="ignore"):
                slope = sum(WEIGHTS[k] * (sides[k] - sides[-k]) for k in WEIGHTS) / h
            row = np.array(list(sides.values()))
            if np.isfinite(np.asarray(slope, dtype=np.float64)).all():
                steps.append(float(h))
                slopes.append(slope)
                rounded.append(rounding * (np.maximum(np.abs(base), np.abs(row).max(axis=0)) + np.abs(slope * x)) / h)
                moving |= (row != base).any(axis=0)
        measured = 3 * np.abs(slopes[-1] - slopes[-2]) * steps[-1] if len(steps) > 2 else 0.0
        noise = [r + measured / h for r, h in zip(rounded, steps, strict=True)]
        value, bar = best(steps, slopes, noise)
        jacobian[:, element], bars[:, element] = value, np.where(moving, bar, 0.0)
    return jacobian, bars


def best(steps: Sequence[float], slopes: Sequence[Any], rounded: Sequence[Any]) -> tuple[Any, Any]:
    """Choose the step with the least bar for every output; steps come largest first."""
    values, noise = np.array(slopes, dtype=np.float64), np.array(rounded, dtype=np.float64)
    bars = noise.copy()
    for j in range(len(values) - 1):
        excess = np.abs(values[j] - values[j + 1 :]) - 3 * noise[j + 1 :]
        bars[j] += np.maximum(excess, 0).max(axis=0)
        bars[j + 1] += np.abs(values[j + 1] - values[j]) * steps[j + 1] / steps[j]
    chosen = bars.argmin(axis=0), np.arange(values.shape[1])
    return values[chosen], bars[chosen]


def scales(array: Any) -> Any:
    """Return the size of every element, and for a zero the typical one."""
    magnitudes = np.abs(np.asarray(array, dtype=np.float64)).reshape(-1)
    nonzero = magnitudes[magnitudes > 0]
    return np.where(magnitudes > 0, magnitudes, np.median(nonzero) if nonzero.size else 1.0)


def step_from(x: Any, h: float) -> Any:
    """Round a step so that x + 4 h and x - 4 h are exact to the last bit that matters."""
    return (x + type(x)(2.0 ** np.round(np.log2(h)))) - x


def moved(forward: Forward, arguments: Sequence[Any], slot: int, element: int, by: Any) -> Any:
    """Return the outputs with one element moved."""
    changed = np.array(arguments[slot], order="C", copy=True)
    changed.reshape(-1)[element] += by
    return evaluate(forward, [changed if n == slot else a for n, a in enumerate(arguments)]).reshape(-1)


def given_jacobian(backward: Forward, out: Any, arguments: Sequence[Any], slot: int) -> Any:
    """Rebuild the Jacobian from a backward, one output at a time; non-finite where it is."""
    rows = []
    for k in range(out.size):
        g = np.zeros(out.size, dtype=out.dtype)
        g[k] = 1
        rows.append(np.asarray(call_backward(backward, g.reshape(out.shape), out, arguments)[slot]).reshape(-1))
    return np.array(rows, dtype=np.float64).reshape(out.size, arguments[slot].size)


def one_sided(forward: Forward, arguments: Sequence[Any], direction: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Return the slopes to either side along a direction in all arguments, and the jump between the sides."""
    wide, _ = widened(forward, arguments)
    slopes = []
    for sign in (1, -1):
        h = sign * 2.0**-20
        at = [evaluate(forward, along(wide, direction, k * h)).reshape(-1) for k in range(5)]
        slopes.append(sum(w * value for w, value in zip(ONE_SIDED, at, strict=True)) / h)
    tiny = 2.0**-40
    jump = evaluate(forward, along(wide, direction, tiny)) - evaluate(forward, along(wide, direction, -tiny))
    return np.float64(slopes[0]), np.float64(slopes[1]), np.float64(jump.reshape(-1))


def along(arguments: Sequence[Any], direction: Sequence[Any], t: float) -> list[Any]:
    """Move all arguments along a direction; None leaves one as it is."""
    return [a if d is None else a + t * d for a, d in zip(arguments, direction, strict=True)]
