"""GC403 dead-relu and GC404 saturated: units through which no gradient passes."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.findings.health.figures import answer, percent, spread, tracked
from gradcheck_cli.knobs import HealthLimits
from gradcheck_cli.numeric.tracer import Call, Trace

_FEWEST = 8
"""Elements from which on it is no chance that all of them are zero."""

_FAR = 10.0
"""How far below zero a unit lies that no other sample will wake, in units of a typical input of its layer."""

_FAR_OUT = 1e3
"""Where the limits of a function are looked for, times the largest input."""

_NEAR = 1e-3
"""How near a limit is saturated, relative to the range between the limits."""


def dead_relu(made: Trace, call: Call, limits: HealthLimits) -> str | None:
    """Say which units of a ReLU give zero for every sample; None where that isn't so, or the call is no ReLU.

    A ReLU is what it does: the output is the operand where that is positive, and zero elsewhere, whatever the
    operator is called. A unit is a position along the last axis (the second one of images, which have four axes or
    more), all other axes count samples; without samples the elements of a vector are the units, and only all of them
    together are called dead. It takes a share of the units, or some that lie far below all others: in a deep
    network about half of the units of a layer are zero for every sample by chance, and that is no fault.
    """
    inputs = _rectified(made, call)
    if inputs is None or inputs.size < _FEWEST:
        return None
    rows = _samples(inputs)
    samples, units = rows.shape
    dead = (rows <= 0).all(axis=0)
    count = int(dead.sum())
    if count >= limits.dead * units:
        which = f"all {units} units" if count == units else f"{count} of {units} units"
        often = f" for all {samples} samples" if samples > 1 else ""
        how = "no gradient passes" if count == units else f"no gradient passes through {percent(count / units)} of them"
        text = f"{call.name} gives zero in {which}{often}: {how} (inputs {spread(inputs)})"
        return f"{text}\n{_DEAD_HINT}"
    typical = float(np.median(np.abs(rows)))
    asleep = dead & (rows.max(axis=0) < -_FAR * typical) if samples > 1 else np.zeros(units, bool)
    if typical > 0 and asleep.any():
        count, first = int(asleep.sum()), int(np.argmax(asleep))
        whose = f"unit {first}" if count == 1 else f"{count} of {units} units, unit {first} the first of them,"
        text = f"{call.name} gives zero in {whose} for all {samples} samples: {_below(rows[:, first], typical)}"
        return f"{text}\n{_DEAD_HINT}"
    return None


_DEAD_HINT = (
    "start biases at zero or above and weights with he, lower the learning rate, normalise the layer's input, "
    "or let something through below zero (leaky_relu)"
)


def saturated(made: Trace, call: Call, limits: HealthLimits) -> str | None:
    """Say that most elements of a bounded function, like sigmoid and tanh, lie at its limits; None if they don't."""
    share = saturation(made, call)
    if share is None or share <= limits.saturated:
        return None
    (inputs,) = [value for _, value in tracked(made, call)]
    text = (
        f"{percent(share)} of the elements of {call.name} lie at its limits (nearer than a thousandth of its range), "
        f"where its slope is next to nothing (inputs {spread(inputs)})"
    )
    hint = (
        "smaller initial weights (xavier), normalisation before it, a smaller learning rate; "
        "a loss that takes logits instead of a sigmoid or softmax before the loss"
    )
    return f"{text}\n{hint}"


def saturation(made: Trace, call: Call) -> float | None:
    """Return the share of elements at a limit of a bounded elementwise function; None for any other call.

    Bounded is what stays the same far out on both sides, at two different values: the operator is called there.
    """
    if call not in made.saturation:
        made.saturation[call] = _saturation(made, call)
    return made.saturation[call]


def _saturation(made: Trace, call: Call) -> float | None:
    found = tracked(made, call)
    if len(call.outputs) != 1 or len(found) != 1:
        return None
    (position, x), out = found[0], made.values[call.outputs[0]]
    if not x.size or out.shape != x.shape or out.dtype.kind != "f" or not (np.isfinite(x).all()):
        return None
    far = _FAR_OUT * (1.0 + float(np.abs(x).max()))
    ends = []
    for sign in (-1.0, 1.0):
        near, beyond = (
            answer(made, call, position, np.full(x.shape, sign * times * far, x.dtype)) for times in (1.0, 2.0)
        )
        if near is None or beyond is None or not (np.isfinite(near).all() and np.isfinite(beyond).all()):
            return None
        ends.append((near, beyond))
    (low, lower), (high, higher) = ends
    width = np.abs(high - low)
    settled = np.maximum(np.abs(low - lower), np.abs(high - higher)) <= _NEAR * width
    inside = (out >= np.minimum(low, high) - _NEAR * width) & (out <= np.maximum(low, high) + _NEAR * width)
    if not ((width > 0) & settled & inside).all():
        return None
    return float(np.mean(np.minimum(np.abs(out - low), np.abs(out - high)) <= _NEAR * width))


def _rectified(made: Trace, call: Call) -> Array | None:
    """Return what a ReLU was given, None for a call that is none.

    Zeros alone could be anything's: then it has to let positive numbers through, or choose by a comparison.
    """
    if len(call.outputs) != 1:
        return None
    out = made.values[call.outputs[0]]
    for position, x in tracked(made, call):
        if out.shape != x.shape or not np.array_equal(out, np.where(x > 0, x, 0)):
            continue
        if out.any():
            return np.asarray(x)
        if _lets_through(made, call, position, x) or _compared(made, call, position):
            return np.asarray(x)
    return None


def _lets_through(made: Trace, call: Call, position: int, x: Array) -> bool:
    """Tell whether a call that gave nothing but zeros lets the mirrored inputs through, and no negative ones."""
    mirrored = np.where(x == 0, np.ones_like(x), np.abs(x))
    above, below = (answer(made, call, position, value) for value in (mirrored, -mirrored))
    return above is not None and below is not None and np.array_equal(above, mirrored) and not below.any()


def _compared(made: Trace, call: Call, position: int) -> bool:
    """Tell whether another operand says where the one at `position` is positive: `x * (x > 0)`."""
    slot = call.operands[position]
    if slot is None:
        return False
    x = made.values[slot]
    for other in call.operands:
        maker = made.calls[made.made[other][0]] if other is not None and other in made.made else None
        if maker is not None and maker.operator is None:
            compared = [made.values[each] for each in maker.operands if each is not None]
            if any(np.array_equal(x, each) for each in compared):
                return True
    return False


def _samples(inputs: Array) -> Array:
    """Return the inputs with a row for each sample and a column for each unit."""
    if inputs.ndim >= 4:
        inputs = np.moveaxis(inputs, 1, -1)
    return inputs.reshape(-1, inputs.shape[-1]) if inputs.ndim else inputs.reshape(1, 1)


def _below(column: Array, typical: float) -> str:
    return f"its inputs are {spread(column)}, where others have about {typical:.2g}"
