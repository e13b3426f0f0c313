"""The contract of `batch=` and `linear=`: what goes through at once must be what goes through one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core import execution
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import ContractViolation, Location
from gradcheck_cli.numeric.moved import Moved
from gradcheck_cli.numeric.plan import Plan
from gradcheck_cli.numeric.rules.applied import Applied, count_of, moving
from gradcheck_cli.numeric.rules.choice import Rule
from gradcheck_cli.numeric.rules.loop import affine, fits_affine, loop
from gradcheck_cli.numeric.steps import element_scales

_ROUNDINGS = 1000.0
"""Roundings by which a batch may differ: of the output, and of what roundings of the operands make of it."""

_SHARE = (0.1, 0.5)
"""By how much operands move, in terms of their scales: enough for a function that isn't linear to show it."""

_FEW = 64
"""Elements of an operand whose impulses are all tried, at most."""

_BUILT_IN = "gradcheck_cli.ops."

_seen: set[tuple[Any, ...]] = set()


def wrong_declarations(plan: Plan, rng: np.random.Generator) -> dict[str, ContractViolation]:
    """Return a violation for each operator of a plan, by name, whose declaration isn't what it does.

    Every distinct application is tried with two random elements of each operand, and with all of it. Built-in
    operators are tried once in a process for each layout.
    """
    found: dict[str, ContractViolation] = {}
    tried: set[tuple[Any, ...]] = set()
    dependent = plan.dependent
    for step in plan.steps:
        applied, rule = plan.applied(step)
        positions = [position for position, slot in enumerate(step.operands) if slot in dependent]
        key = (id(step.operator), _layouts(applied), repr(step.attributes), tuple(positions))
        built_in = getattr(step.operator.forward, "__module__", "").startswith(_BUILT_IN)
        declared = step.operator.batch is not None or step.operator.linear is not None
        if not declared or rule is loop or step.operator.name in found or key in tried or (built_in and key in _seen):
            continue
        tried.add(key)
        message = next(_differences(applied, rule, positions, rng), None)
        if message is not None:
            found[step.operator.name] = _violation(step.operator, message)
        elif built_in:
            _seen.add(key)
    return found


def _layouts(applied: Applied) -> tuple[Any, ...]:
    return tuple((array.shape, array.dtype.str) if isinstance(array, np.ndarray) else None for array in applied.arrays)


def _differences(applied: Applied, rule: Rule, positions: Collection[int], rng: np.random.Generator) -> Iterator[str]:
    """Say how a batch differs from the perturbations one by one."""
    allowed: list[float] | None = None
    together: list[Moved | None] = [None] * len(applied.arrays)
    for position in positions:
        x = applied.arrays[position]
        if not isinstance(x, np.ndarray) or x.dtype.kind != "f" or not x.size:
            continue
        rules = [rule]
        if x.dtype == np.float64 and applied.is_linear([position]):
            rules.append(affine if x.size <= _FEW and fits_affine(applied, position) else _superposed)
        for moved in _perturbations(x, rng):
            operands: list[Moved | None] = [None] * len(applied.arrays)
            operands[position] = moved
            wanted = _one_by_one(applied, operands)
            if wanted is None:
                continue
            if allowed is None:
                allowed = _allowed(applied, rng)
            for each in rules:
                yield from _compare(applied, each, operands, wanted, allowed)
        together[position] = moved  # everything, once
    if allowed is not None and len(moving(together)) > 1 and applied.is_linear(moving(together)):
        wanted = _one_by_one(applied, together)
        if wanted is not None:
            yield from _compare(applied, _superposed, together, wanted, allowed)


def _one_by_one(applied: Applied, operands: Sequence[Moved | None]) -> tuple[Moved, ...] | None:
    """Return what a loop makes of perturbations; None where it leaves its domain."""
    try:
        return loop(applied, operands)
    except (ContractViolation, MemoryError):
        raise
    except Exception:
        return None


def _superposed(applied: Applied, operands: Sequence[Moved | None]) -> tuple[Moved, ...]:
    """Add to the outputs what changes of operands alone make of zeros, as it is where an operator is affine in them.

    That is what `affine` does, without the responses of all elements: an element's change is a share of a unit impulse.
    """
    slots, arrays = moving(operands), [*applied.arrays]
    changes, share = {}, np.ones(count_of(operands))
    for position in slots:
        moved, x = operands[position], applied.arrays[position]
        assert moved is not None
        changes[position] = applied.bases.dense(applied.operands[position], moved) - x[..., None]
        arrays[position] = np.zeros_like(x)
        if x.ndim and len(moved.axes) == x.ndim:
            # At most, since a multiple of a small response would be one of its rounding, too.
            share = np.minimum(np.abs(changes[position]).max(axis=tuple(range(x.ndim))), 1.0)
    zero = applied.forward(arrays)
    results = [np.empty((*out.shape, len(share)), out.dtype) for out in zero]
    for k, each in enumerate(share):
        for position in slots:
            arrays[position] = np.array(changes[position][..., k] / (each or 1.0), order="C")
        for result, out, nothing, slot in zip(results, applied.forward(arrays), zero, applied.outputs, strict=True):
            result[..., k] = applied.bases[slot] + (out - nothing) * each
    return tuple(Moved((), (), result) for result in results)


def _compare(
    applied: Applied,
    rule: Rule,
    operands: list[Moved | None],
    wanted: tuple[Moved, ...],
    allowed: list[float],
) -> Iterator[str]:
    name = " and ".join(applied.operator.slot_name(position) for position in moving(operands))
    try:
        made = rule(applied, operands)
        full = [applied.bases.dense(slot, each) for slot, each in zip(applied.outputs, made, strict=True)]
    except (ContractViolation, MemoryError):
        raise
    except Exception as error:
        yield f"many perturbations of {name} at once: {type(error).__name__}: {error}"
        return
    for one, many, most in zip(wanted, full, allowed, strict=True):
        expected = one.values
        if many.shape != expected.shape or many.dtype != expected.dtype:
            yield f"many perturbations of {name} at once give {many.dtype} {many.shape}"
        elif expected.dtype.kind != "f":
            if not np.array_equal(many, expected):
                yield f"many perturbations of {name} at once give other values than one by one"
        else:
            finite = np.isfinite(expected)
            with np.errstate(all="ignore"):
                close = np.abs(many - expected) <= most + _epsilon(expected) * np.abs(expected)
            if not (close | ~finite).all():
                worst = np.nanmax(np.where(finite, np.abs(many - expected), 0.0))
                yield f"many perturbations of {name} at once differ from one by one by up to {worst:.2g}"


def _perturbations(x: Array, rng: np.random.Generator) -> Iterator[Moved]:
    """Yield random elements and everything, two different displacements at once and one, as the engine pushes them."""
    flat = np.ravel(x)
    scales = element_scales(flat.astype(np.float64))

    def away(elements: Array) -> Array:
        change = rng.uniform(*_SHARE, elements.size) * rng.choice([-1.0, 1.0], elements.size)
        return np.asarray(flat[elements] + change * scales[elements], dtype=x.dtype)

    axes = tuple(range(x.ndim))
    for count in (2, 1):
        elements = rng.integers(0, x.size, count)
        yield Moved(axes, tuple(np.unravel_index(elements, x.shape)) if x.ndim else (), away(elements))
        everything = np.stack([away(np.arange(x.size)) for _ in range(count)], axis=-1)
        yield Moved((), (), everything.reshape(*x.shape, count))


def _epsilon(array: Array) -> float:
    return _ROUNDINGS * float(np.finfo(array.dtype).eps)


def _allowed(applied: Applied, rng: np.random.Generator) -> list[float]:
    """Return by how much each output may differ: roundings of its size, and what those of the operands make of it."""
    outputs = [applied.bases[slot] for slot in applied.outputs]
    rounded = [
        array * (1 + np.finfo(array.dtype).eps * rng.uniform(-1, 1, array.shape)).astype(array.dtype)
        if isinstance(array, np.ndarray) and array.dtype.kind == "f"
        else array
        for array in applied.arrays
    ]
    allowed = []
    try:
        again: Any = execution.current().forward(applied.operator, rounded, applied.attributes)[0]
    except (ContractViolation, MemoryError):
        raise
    except Exception:  # at the edge of its domain
        again = outputs
    for out, other in zip(outputs, again, strict=True):
        if out.dtype.kind != "f" or not out.size or out.shape != other.shape:
            allowed.append(0.0)
            continue
        with np.errstate(all="ignore"):
            blur = np.abs(np.asarray(other, dtype=np.float64) - out)
            sizes = np.abs(np.asarray(out, dtype=np.float64))
        finite = np.isfinite(blur)
        largest = float(np.max(blur, where=finite, initial=0.0)), float(np.max(sizes, where=finite, initial=0.0))
        allowed.append(_ROUNDINGS * largest[0] + _epsilon(out) * largest[1])
    return allowed


def _violation(operator: Operator, message: str) -> ContractViolation:
    hint = "leave batch= and linear= out, or say what it does: without them it runs once for each perturbation"
    where = Location(operator.file, operator.line) if operator.file else None
    return ContractViolation("wrong-batch-declaration", message, operator.name, where, hint)
