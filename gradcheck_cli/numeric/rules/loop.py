"""Operators without a rule: a person's function for many perturbations, impulses, or one call for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcheck_cli.core import execution
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.returned import read_outputs
from gradcheck_cli.numeric.moved import Moved
from gradcheck_cli.numeric.rules.applied import Applied, MisfitError, Operands, count_of, moving, shaped
from gradcheck_cli.numeric.rules.dense import in_blocks, is_large, one_by_one
from gradcheck_cli.numeric.rules.responses import responses

RESPONSE_BYTES = 16 << 20
"""Bytes that the responses to impulses may take."""


def loop(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    """Call the operator once for each perturbation, as the function itself would, on arrays of their own."""
    count, made = count_of(moved), []
    results: list[Array] = [np.empty((*applied.bases[s].shape, count), applied.bases[s].dtype) for s in applied.outputs]
    for k in range(count):
        arrays = [
            _copy(applied.bases[slot]) if each is None else applied.bases.one(slot, each, k)
            for slot, each in zip(applied.operands, moved, strict=True)
        ]
        outputs, _ = execution.current().forward(applied.operator, arrays, applied.attributes)
        for result, out in zip(results, outputs, strict=True):
            if out.shape != result.shape[:-1] or out.dtype != result.dtype:
                raise MisfitError("outputs of another layout")
            result[..., k] = out
    made = [Moved((), (), result) for result in results]
    return tuple(made)


def _copy(value: Any) -> Any:
    return np.array(value) if isinstance(value, np.ndarray) else value


def by_function(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    """Call the function that the operator registered, where its operands aren't too large for many copies of them."""
    if is_large(applied, moved):
        return one_by_one(applied, moved)
    return in_blocks(_by_function, applied, moved, max(applied.arrays[slot].size for slot in moving(moved)))


def _by_function(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    """Call the function with perturbations in front."""
    batch = applied.batch
    assert batch is not None
    assert batch.function is not None
    names, arrays = [], []
    for position, (slot, each) in enumerate(zip(applied.operands, moved, strict=True)):
        if each is None:
            arrays.append(applied.bases[slot])
            continue
        names.append(applied.operator.slot_name(position))
        front = np.ascontiguousarray(np.moveaxis(applied.bases.dense(slot, each), -1, 0))
        front.setflags(write=False)
        arrays.append(front)
    returned = batch.function(frozenset(names), *arrays, **applied.attributes)
    count, made = count_of(moved), []
    for slot, out in zip(applied.outputs, read_outputs(applied.operator, returned)[0], strict=True):
        base = applied.bases[slot]
        if out.dtype != base.dtype:
            raise MisfitError("outputs of another type")
        values = np.moveaxis(shaped(out, (count, *base.shape)), 0, -1)
        made.append(Moved((), (), np.ascontiguousarray(values)))
    return tuple(made)


def fits_affine(applied: Applied, position: int) -> bool:
    """Tell whether an operator is affine in an operand, and the responses to impulses at its elements can be kept."""
    x, outputs = applied.arrays[position], [applied.bases[slot] for slot in applied.outputs]
    if not isinstance(x, np.ndarray) or not applied.is_linear([position]):
        return False
    # In a narrower type a response is rounded as much as a value, alike at every step, where no error bar sees it.
    same = all(out.dtype == x.dtype == np.float64 and np.isfinite(out).all() for out in outputs)
    small = x.size * sum(out.nbytes for out in outputs) <= RESPONSE_BYTES
    return bool(same and small and np.isfinite(x).all())


def affine(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    """Add the responses to unit impulses, as much of each as the operand changed; loop where one isn't finite."""
    (position,) = moving(moved)
    each = moved[position]
    assert each is not None
    slot = applied.operands[position]
    key = "responses", position
    if key not in applied.cache:
        found = responses(applied, position)
        applied.cache[key] = found if all(np.isfinite(response).all() for response in found) else None
    if applied.cache[key] is None:
        return loop(applied, moved)
    made = []
    x = applied.bases[slot]
    for out_slot, response in zip(applied.outputs, applied.cache[key], strict=True):
        base = applied.bases[out_slot]
        if len(each.axes) == x.ndim and x.ndim:
            flat = response.take(np.ravel_multi_index(each.at, x.shape), axis=-1) * applied.bases.change(slot, each)
        else:
            change = applied.bases.dense(slot, each) - x[..., None]
            flat = response @ change.reshape(x.size, each.count)
        values = base.reshape(-1, 1) + flat
        made.append(Moved((), (), values.reshape(*base.shape, each.count)))
    return tuple(made)
