"""What the health of a graph is told from: sizes of arrays, and how an operator answers to other inputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import Execution
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.graph_records import Figures
from gradcheck_cli.numeric.noise import scaled_norm
from gradcheck_cli.numeric.tracer import Call, Trace


def figures_of(array: Array) -> Figures:
    """Return what `array` looks like from afar; of no elements at all the norm is 0 and so is the share of zeros."""
    numbers = np.asarray(array, dtype=np.float64)
    finite = numbers[np.isfinite(numbers)]
    nan = int(np.isnan(numbers).sum())
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (None, None)
    zeros = float(np.mean(numbers == 0)) if numbers.size else 0.0
    return Figures(norm([finite]), zeros, low, high, nan, numbers.size - finite.size - nan)


def norm(arrays: Iterable[Array | None]) -> float:
    """Return the Euclidean norm of all elements of several arrays; nothing overflows or underflows on the way."""
    total = 0.0
    for array in arrays:
        if array is None or not array.size:
            continue
        own = scaled_norm(np.ravel(array).astype(np.float64))
        if not np.isfinite(own):
            return own
        total = float(np.hypot(total, own))
    return total


def tracked(made: Trace, call: Call) -> list[tuple[int, Array]]:
    """Return positions and values of the operands of a call that need a gradient."""
    if call.node is None:
        return []
    return [
        (position, made.values[slot])
        for position, (slot, parent) in enumerate(zip(call.operands, call.node.parents, strict=True))
        if slot is not None and parent is not None
    ]


def answer(made: Trace, call: Call, position: int, value: Array) -> Array | None:
    """Call the operator again with another operand at `position`; None where it raises or answers otherwise.

    The operator may be anybody's: one that can't take the value has nothing to say.
    """
    operator = call.operator
    if not isinstance(operator, Operator):
        return None
    operands: list[Any] = [None if slot is None else made.values[slot] for slot in call.operands]
    operands[position] = value
    try:
        outputs, _ = Execution().forward(operator, operands, call.attributes)
    except Exception:
        return None
    (out,) = outputs if len(outputs) == 1 else (None,)
    return out if out is not None and out.shape == value.shape else None


def percent(share: float) -> str:
    """Write a share: `52 %`; never 0 % or 100 % for what is neither."""
    if 0 < share < 0.01:
        return "< 1 %"
    return "> 99 %" if 0.99 < share < 1 else f"{100 * share:.0f} %"


def spread(array: Array) -> str:
    """Write the range of an array: `from -1.2 to 3`, or the only value; what isn't finite is said too."""
    seen = figures_of(array)
    words = [word for word, number in (("nan", seen.nan), ("infinite", seen.infinite)) if number]
    if seen.low is not None and seen.high is not None:
        words.insert(0, f"{seen.low:.4g}" if seen.low == seen.high else f"from {seen.low:.4g} to {seen.high:.4g}")
    return " and ".join(words) or "empty"


def listed(words: Sequence[str], most: int = 12) -> str:
    """Join words with commas, leaving out those in the middle where there are too many."""
    if len(words) <= most:
        return ", ".join(words)
    half = most // 2
    return ", ".join([*words[:half], f"... {len(words) - 2 * half} more ...", *words[-half:]])
