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
from gradcheck_cli.numeric.rules.applied import Applied, Operands, count_of, moving
from gradcheck_cli.numeric.rules.choice import Rule
from gradcheck_cli.numeric.rules.loop import affine, fits_affine, loop
from gradcheck_cli.verdict.batch_tries import tries

_ROUNDINGS = 1000.0
"""Roundings by which a batch may differ: of the output, and of what roundings of the operands make of it."""

_FEW = 64
"""Elements of an operand whose impulses are all tried, at most."""

_DRAWS = 8
"""So many times operands are rounded to see what that makes of an output."""

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
    """Say how a batch differs from the perturbations one by one: of one operand, and of several that move together."""
    moving_ones = [position for position in positions if _is_floating(applied.arrays[position])]
    allowed: list[float] | None = None
    for operands in tries(applied.arrays, moving_ones, rng):
        wanted = _one_by_one(applied, operands)
        if wanted is None:
            continue
        if allowed is None:
            allowed = _allowed(applied, rng)
        for each in (rule, *_linear_rules(applied, operands)):
            yield from _compare(applied, each, operands, wanted, allowed, rng)


def _is_floating(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size > 0


def _linear_rules(applied: Applied, operands: Operands) -> list[Rule]:
    """Return what takes an operator by its word that it is affine in the moving operands."""
    slots = moving(operands)
    values = [applied.arrays[slot] for slot in slots] + [applied.bases[slot] for slot in applied.outputs]
    # Beside what is infinite, or rounded by more, nothing can be told of changes.
    if not applied.is_linear(slots) or not all(x.dtype == np.float64 and np.isfinite(x).all() for x in values):
        return []
    small = len(slots) == 1 and applied.arrays[slots[0]].size <= _FEW and fits_affine(applied, slots[0])
    return [affine if small else _superposed]


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
    rng: np.random.Generator,
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
    for number, (one, many, most) in enumerate(zip(wanted, full, allowed, strict=True)):
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
            if not (close | ~finite).all() and not _is_blur(applied, operands, wanted, many, number, rng):
                worst = np.nanmax(np.where(finite, np.abs(many - expected), 0.0))
                yield f"many perturbations of {name} at once differ from one by one by up to {worst:.2g}"


def _is_blur(
    applied: Applied,
    operands: Sequence[Moved | None],
    wanted: tuple[Moved, ...],
    many: Array,
    number: int,
    rng: np.random.Generator,
) -> bool:
    """Tell whether output `number` differs by no more than roundings of the moved operands make of it.

    At the point it may be zero up to rounding, and then its size there says nothing of what it is elsewhere.
    """
    expected, largest = wanted[number].values, 0.0
    for _ in range(_DRAWS):
        again = _one_by_one(applied, [_blurred(applied, slot, operands, rng) for slot in range(len(operands))])
        if again is None:
            return False
        with np.errstate(all="ignore"):
            blur = np.abs(again[number].values - expected)
        largest = max(largest, float(np.max(blur, where=np.isfinite(blur), initial=0.0)))
    finite = np.isfinite(expected)
    return bool((np.abs(many - expected)[finite] <= _ROUNDINGS * largest).all())


def _blurred(applied: Applied, position: int, operands: Operands, rng: np.random.Generator) -> Moved | None:
    """Return an operand, whether it moves or not, in which every element is off by a rounding."""
    x, each = applied.arrays[position], operands[position]
    if each is None and not _is_floating(x):
        return None
    full = (
        applied.bases.dense(applied.operands[position], each)
        if each
        else np.repeat(x[..., None], count_of(operands), -1)
    )
    return Moved((), (), _rounded(full, rng))


def _epsilon(array: Array) -> float:
    return _ROUNDINGS * float(np.finfo(array.dtype).eps)


def _rounded(array: Array, rng: np.random.Generator) -> Array:
    """Return an array in which every element is off by a rounding at most."""
    return np.asarray(array * (1 + np.finfo(array.dtype).eps * rng.uniform(-1, 1, array.shape)), dtype=array.dtype)


def _allowed(applied: Applied, rng: np.random.Generator) -> list[float]:
    """Return by how much each output may differ: roundings of its size, and what those of the operands make of it."""
    outputs = [applied.bases[slot] for slot in applied.outputs]
    rounded = [_rounded(array, rng) if _is_floating(array) else array for array in applied.arrays]
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
