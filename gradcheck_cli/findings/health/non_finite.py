"""GC406 origin-of-nan: where a value or a gradient first was no finite number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.findings.health.figures import spread
from gradcheck_cli.graph_records import Kind
from gradcheck_cli.numeric.tracer import Call, Trace

_LARGE = 10.0
"""From where on an input is called large beside an infinite result."""


def origin_of_value(made: Trace) -> tuple[str, int | None, tuple[int, ...]] | None:
    """Say where the value first went bad: walked back from the outputs, to a call (or a leaf: None) and its operands.

    The origin is a call that made NaN or infinity of finite operands; others of that kind are returned beside it.
    Infinity that is given (a mask of -inf) is no fault until something makes NaN of it.
    """
    if all(_is_fine(made.values[slot]) for slot in made.roots):
        return None
    suspects = _bad_calls(made, made.roots)
    origins = [number for number in suspects if all(map(_is_fine, _operands(made, made.calls[number])))]
    if origins:
        return _told(made, made.calls[origins[0]], len(suspects) - len(origins)), origins[0], tuple(origins[1:])
    bad_leaves = [leaf for slot, leaf in made.leaves.items() if not _is_fine(made.values[slot])]
    born = [number for number in suspects if _makes_nan(made, made.calls[number])]
    if born and all(kind is not Kind.PARAMETER for kind, _ in bad_leaves):
        return _told(made, made.calls[born[0]], 0), born[0], tuple(born[1:])
    if bad_leaves:
        kind, name = min(bad_leaves, key=lambda leaf: leaf[0] is not Kind.PARAMETER)
        array = next(made.values[slot] for slot, leaf in made.leaves.items() if leaf == (kind, name))
        return f"the {kind} {name} itself is {_bad(array)}\ngive it finite numbers", None, ()
    return None


def origin_of_gradient(made: Trace) -> tuple[str, int] | None:
    """Say in which backward the gradient first went bad, though what arrived there was finite."""
    for number in range(len(made.calls) - 1, -1, -1):
        call = made.calls[number]
        if not call.cotangents or not all(map(_is_fine, [g for g in call.cotangents if g is not None])):
            continue
        for position, gradient in enumerate(call.gradients):
            if gradient is None or _is_fine(gradient):
                continue
            if (masked := _masked(made, call, position, gradient)) is not None:
                return masked
            slot = call.operands[position]
            x = None if slot is None else made.values[slot]
            name = call.argument(position)
            text = (
                f"the gradient of {call.name} for {name} is {_bad(gradient)}, though all that it is made of is finite"
            )
            if x is not None and x.size:
                text += f": {name} is {spread(x)}{_at_first(gradient, [(name, x)])}"
            hint = (
                "the slope is infinite or undefined there: add a small number under the root or to the norm, "
                "mask such elements out before the operator, or keep away from that point"
            )
            return f"{text}\n{hint}", number
    return None


def _masked(made: Trace, call: Call, position: int, gradient: Array) -> tuple[str, int] | None:
    """Say which call made a bad value that later calls leave out of the value, and that the gradient meets again."""
    bad = [slot for slot in (*call.operands, *call.outputs) if slot is not None and not _is_fine(made.values[slot])]
    origins = [number for number in _bad_calls(made, bad) if all(map(_is_fine, _operands(made, made.calls[number])))]
    if not origins:
        return None
    origin = made.calls[origins[0]]
    what, _, _ = _told(made, origin, 0).partition("\n")
    name = f"{call.name} for {call.argument(position)}"
    text = f"{what}: that is left out of the value, and makes the gradient of {name} {_bad(gradient)}"
    hint = (
        "a mask after the operator doesn't keep it out of the backward, where 0 times infinity is nan: "
        "give the operator a harmless number there instead, where(mask, x, 1), before it is called"
    )
    return f"{text}\n{hint}", origins[0]


def _bad_calls(made: Trace, slots: Sequence[int]) -> list[int]:
    """Return the calls through which bad values came to some slots, in order; walked from these back."""
    waiting = [slot for slot in slots if not _is_fine(made.values[slot])]
    found: set[int] = set()
    while waiting:
        maker = made.made.get(waiting.pop())
        if maker is None or maker[0] in found:
            continue
        found.add(maker[0])
        call = made.calls[maker[0]]
        waiting += [slot for slot in call.operands if slot is not None and not _is_fine(made.values[slot])]
    return sorted(found)


def _told(made: Trace, call: Call, others: int) -> str:
    outputs = [made.values[slot] for slot in call.outputs]
    bad = next(out for out in outputs if not _is_fine(out))
    operands = [
        (call.argument(position), made.values[slot]) for position, slot in enumerate(call.operands) if slot is not None
    ]
    given = ", ".join(f"{name} {spread(x)}" for name, x in operands if x.size)
    text = f"{call.name} gives {_bad(bad)} of finite operands ({given}){_at_first(bad, operands)}"
    if not all(_is_fine(x) for _, x in operands):
        text = f"{call.name} gives {_bad(bad)}, first of all calls ({given}){_at_first(bad, operands)}"
    if others:
        text += f"; {others} {'call after it only hands' if others == 1 else 'calls after it only hand'} it on"
    return f"{text}\n{_hint(bad, operands)}"


def _hint(bad: Array, operands: Sequence[tuple[str, Array]]) -> str:
    """Say what to do, from what the operands were where it went bad."""
    values = [value for value in (_first(bad, x) for _, x in operands) if value is not None]
    nan = bool(np.isnan(bad).any())
    if not all(map(np.isfinite, values)):
        return "infinity meets zero or another infinity: use one operator for both steps, or a large finite number"
    if len(operands) == 1 and nan and any(value < 0 for value in values):
        return (
            "it is not defined for negative numbers: keep its input above zero (a small number added, clip, softplus)"
        )
    if any(value == 0 for value in values):
        return (
            "it has a pole at zero: keep away from it with a small number added, or use a stable composite "
            "(log_softmax, cross_entropy, binary_cross_entropy_with_logits)"
        )
    if any(abs(value) > _LARGE for value in values) or not values:
        return (
            "it overflows: subtract the largest input first, or use a stable composite (logsumexp, log_softmax, "
            "softplus, sigmoid); normalise inputs, lower the learning rate, clip gradients"
        )
    if not nan:
        return "it overflows, or has a pole there: scale it down, or keep its input away from that place"
    return "keep its input where it is defined"


def _at_first(bad: Array, operands: Sequence[tuple[str, Array]]) -> str:
    """Write the index of the first bad element, and the operands' values there: `, first at [0,3], where x = 0`."""
    values = [(name, _first(bad, x)) for name, x in operands]
    known = ", ".join(f"{name} = {value:.6g}" for name, value in values if value is not None)
    index = _index(bad)
    place = f" at [{','.join(map(str, index))}]" if index else ""
    return f"; first{place}, where {known}" if known and place else ""


def _first(bad: Array, x: Array) -> float | None:
    """Return the value of an operand that stands, after broadcasting, where the first bad element is."""
    if not x.size:
        return None
    try:
        return float(np.broadcast_to(x, bad.shape)[_index(bad)])
    except ValueError:  # the operator is no elementwise one
        return None


def _index(bad: Array) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(~np.isfinite(bad))), bad.shape)) if bad.ndim else ()


def _operands(made: Trace, call: Call) -> list[Array]:
    return [made.values[slot] for slot in call.operands if slot is not None]


def _is_fine(value: Any) -> bool:
    return bool(np.isfinite(value).all())


def _makes_nan(made: Trace, call: Call) -> bool:
    """Tell whether a call's outputs hold NaN and its operands hold none."""
    outputs = [made.values[slot] for slot in call.outputs]
    return any(np.isnan(out).any() for out in outputs) and not any(np.isnan(x).any() for x in _operands(made, call))


def _bad(array: Array) -> str:
    tests: dict[str, Callable[[Array], Any]] = {"nan": np.isnan, "inf": np.isposinf, "-inf": np.isneginf}
    words = [word for word, test in tests.items() if np.any(test(array))]
    many = f" in {np.sum(~np.isfinite(array))} of {array.size} elements" if array.size > 1 else ""
    return " and ".join(words) + many
