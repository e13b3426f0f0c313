"""Operators that move elements and leave their values alone: reshape, transpose, indexing, concatenate, pad."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.returned import read_outputs
from gradcheck_cli.numeric.moved import Axes, Bases, Moved, free_axes
from gradcheck_cli.numeric.rules.applied import Applied, Operands, count_of, moving
from gradcheck_cli.numeric.rules.loop import loop


class _Slab(NamedTuple):
    """Where a slab of an operand goes: its fixed axes in the output, and what each index is there.

    `inside` are the places of the output's slab (counted in C order) that come from the operand's slab, `taken` the
    places there; `orders` maps indices, None where they stay what they are.
    """

    axes: Axes
    orders: tuple[Array | None, ...]
    sources: tuple[int, ...]
    inside: Array
    taken: Array


def fits_gather(applied: Applied) -> bool:
    """Tell whether the places can be found, and the outputs are what these say."""
    try:
        with np.errstate(all="ignore"):
            copies = _copies(applied)
        values = np.concatenate([np.ravel(array).astype(applied.out.dtype) for array in applied.arrays])
        return all(_is_copy(each, values) for each in copies)
    except Exception:  # a person's forward may raise anything
        return False


def _is_copy(applied: Applied, values: Array) -> bool:
    places, out = places_of(applied), applied.out
    if places.shape != out.shape or places.dtype.kind != "i" or out.dtype != values.dtype:
        return False
    copied = places >= 0
    if not copied.any():
        return not places.size
    good = places.max() < len(values)
    return bool(good and np.array_equal(values[places[copied]], out[copied], equal_nan=out.dtype.kind == "f"))


def _copies(applied: Applied) -> list[Applied]:
    """Return the application once for each output, as if that were the only one; each knows its places."""
    if "copies" not in applied.cache:
        applied.cache["copies"] = copies = []
        for slot, places in zip(applied.outputs, _find_places(applied), strict=True):
            one = Applied(applied.operator, applied.operands, applied.attributes, (slot,), applied.bases)
            one.cache["places"] = places
            copies.append(one)
    made: list[Applied] = applied.cache["copies"]
    return made


def places_of(applied: Applied) -> Array:
    """Return where each element of the output comes from, counted over all operands in C order; -1 for a constant."""
    places: Array = applied.cache["places"]
    return places


def _find_places(applied: Applied) -> list[Array]:
    """Call the forward on numbers instead of values, twice: what isn't a copy of one doesn't rise with them."""
    starts = _starts(applied)
    total = starts[-1]

    def numbered(first: int) -> tuple[Array, ...]:
        numbers = [
            first + start + np.arange(array.size).reshape(array.shape)
            if isinstance(array, np.ndarray) and array.dtype.kind == "f"
            else np.array(array)  # indices
            for start, array in zip(starts, applied.arrays, strict=False)
        ]
        return read_outputs(applied.operator, applied.operator.forward(*numbers, **applied.attributes))[0]

    return [np.where(b - a == total, a, -1) for a, b in zip(numbered(0), numbered(total), strict=True)]


def _starts(applied: Applied) -> list[int]:
    """Return the number of the first element of each operand, and that behind the last."""
    if "starts" not in applied.cache:
        applied.cache["starts"] = [0, *itertools.accumulate(np.size(array) for array in applied.arrays)]
    starts: list[int] = applied.cache["starts"]
    return starts


def gather(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    """Move the slabs of what moves to their places; else take everything from where it comes.

    Where indices move, the places do.
    """
    if any(applied.arrays[slot].dtype.kind != "f" for slot in moving(moved)):
        return loop(applied, moved)
    return tuple([_gathered(each, moved) for each in _copies(applied)])


def _gathered(applied: Applied, moved: Operands) -> Moved:
    slots = moving(moved)
    together = len(slots) > 1
    found = [(slot, each) for slot in slots if (each := _moved_of(applied, slot, moved[slot], together)) is not None]
    if len(found) < len(slots):
        return _dense(applied, moved)
    return _joined(applied, found) if together else found[0][1]


def _moved_of(applied: Applied, slot: int, each: Moved | None, together: bool) -> Moved | None:
    """Move the slab of one operand, with fewer axes fixed where it doesn't stay one; None where none can be.

    An element alone goes to its place; `together` with others its axes are followed, which may be theirs too.
    """
    assert each is not None
    made = None if together else _element(applied, slot, each)
    if made is None and (axes := _widest(applied, slot, each.axes)):
        slab = _slab(applied, slot, axes)
        assert slab is not None
        made = _move_slab(applied, applied.bases.expand(applied.operands[slot], each, axes), slab)
    return None if made is None else made._replace(values=made.values.astype(applied.out.dtype, copy=False))


def _widest(applied: Applied, slot: int, axes: Axes) -> Axes:
    """Return those of the fixed axes that can stay so, with the fewest elements free beside them; () for none."""
    key = "widest", slot, axes
    if key not in applied.cache:
        shape = applied.arrays[slot].shape
        subsets = [each for many in range(len(axes), 0, -1) for each in itertools.combinations(axes, many)]
        subsets.sort(key=lambda each: -math.prod(shape[axis] for axis in each))
        applied.cache[key] = next((each for each in subsets if _slab(applied, slot, each) is not None), ())
    widest: Axes = applied.cache[key]
    return widest


def _joined(applied: Applied, found: Sequence[tuple[int, Moved]]) -> Moved:
    """Join what several operands move: fixed where all of them are, alike."""
    bases, out_slot = applied.bases, applied.outputs[0]
    common = dict(zip(found[0][1].axes, found[0][1].at, strict=True))
    for _, each in found[1:]:
        mine = dict(zip(each.axes, each.at, strict=True))
        common = {axis: at for axis, at in common.items() if mine.get(axis) is at}
    axes, at = tuple(common), tuple(common.values())
    owner = _owner(applied).gather(0, axes, at)
    joined = bases.expand(out_slot, found[0][1], axes).values.copy()
    for slot, each in found[1:]:
        np.copyto(joined, bases.expand(out_slot, each, axes).values, where=owner == slot)
    return Moved(axes, at, joined)


def _owner(applied: Applied) -> Bases:
    """Return, as the only value of a table, which operand each element of the output comes from."""
    if "owner" not in applied.cache:
        owners = np.searchsorted(_starts(applied)[1:], places_of(applied), side="right")
        applied.cache["owner"] = Bases([owners.astype(np.int16)])
    owner: Bases = applied.cache["owner"]
    return owner


def _dense(applied: Applied, moved: Operands) -> Moved:
    bases, places = applied.bases, places_of(applied)
    count = count_of(moved)
    if len(moved) == 1 and (places >= 0).all():
        (each,) = moved
        assert each is not None
        full = bases.dense(applied.operands[0], each)
        return Moved((), (), full.reshape(-1, count).take(places, axis=0))
    values = np.empty((*places.shape, count), applied.out.dtype)
    values[...] = applied.out[..., None]
    starts = _starts(applied)
    for slot in moving(moved):
        each = moved[slot]
        assert each is not None
        here = (places >= starts[slot]) & (places < starts[slot + 1])
        full = bases.dense(applied.operands[slot], each).reshape(-1, count)
        values[here] = full[places[here] - starts[slot]]
    return Moved((), (), values)


def _element(applied: Applied, slot: int, each: Moved) -> Moved | None:
    """Return a moved element, which goes to one place at most; None where axes tell more, or it goes to several."""
    x, out = applied.arrays[slot], applied.out
    if len(each.axes) < x.ndim or not out.size:
        return None
    slab = _slab(applied, slot, each.axes)
    if slab is not None and len(slab.axes) == out.ndim:
        return None
    key = "inverse", slot
    if key not in applied.cache:
        applied.cache[key] = _inverse(applied, slot)
    inverse = applied.cache[key]
    if inverse is None:
        return None
    to = inverse[np.ravel_multi_index(each.at, x.shape) if x.ndim else np.zeros(each.count, int)]
    at = np.unravel_index(np.maximum(to, 0), out.shape) if out.ndim else ()
    # An element that goes nowhere moves nothing: place 0 keeps its value.
    values = each.values if (to >= 0).all() else np.where(to >= 0, each.values, np.ravel(out)[0])
    return Moved(tuple(range(out.ndim)), tuple(at), values)


def _inverse(applied: Applied, slot: int) -> Array | None:
    """Return where each element of an operand goes, -1 for nowhere; None where one goes to several places."""
    places = places_of(applied).reshape(-1)
    start = _starts(applied)[slot]
    size = applied.arrays[slot].size
    here = np.flatnonzero((places >= start) & (places < start + size))
    if len(np.unique(places[here])) < len(here):
        return None
    inverse = np.full(size, -1)
    inverse[places[here] - start] = here
    return inverse


def _slab(applied: Applied, slot: int, axes: Axes) -> _Slab | None:
    """Return where slabs go that are fixed along `axes`; None if not every slab stays one, or goes nowhere."""
    key = "slab", slot, axes
    if key not in applied.cache:
        applied.cache[key] = _find_slab(applied, slot, axes)
    slab: _Slab | None = applied.cache[key]
    return slab


def _find_slab(applied: Applied, slot: int, axes: Axes) -> _Slab | None:
    x, places = applied.arrays[slot], places_of(applied)
    start = _starts(applied)[slot]
    mine = (places >= start) & (places < start + x.size)
    if not mine.any():
        return None
    indices = np.unravel_index(np.where(mine, places - start, 0), x.shape) if x.ndim else ()
    found: list[tuple[int, Array | None, int]] = []
    for source, axis in enumerate(axes):
        match = _axis_of(np.where(mine, indices[axis], -1), x.shape[axis], [each[0] for each in found])
        if match is None:
            return None
        found.append((match[0], match[1], source))
    found.sort(key=lambda each: each[0])
    fixed = tuple(axis for axis, _, _ in found)
    # The rest must be the same for every slab: compare all with the first.
    free = free_axes(x.ndim, axes)
    strides = np.cumprod([1, *(x.shape[axis] for axis in reversed(free))])[:-1][::-1]
    rest = np.where(mine, sum(stride * indices[axis] for stride, axis in zip(strides, free, strict=True)), -1)
    reached = [np.arange(x.shape[axes[source]]) if order is None else order for _, order, source in found]
    sub = rest
    for axis, every in zip(fixed, reached, strict=True):
        sub = np.take(sub, every, axis=axis)
    first = sub[tuple(slice(0, 1) if axis in fixed else slice(None) for axis in range(sub.ndim))]
    if not np.array_equal(np.broadcast_to(first, sub.shape), sub):
        return None
    flat = first.reshape(-1)
    inside = np.flatnonzero(flat >= 0)
    return _Slab(fixed, tuple(order for _, order, _ in found), tuple(s for _, _, s in found), inside, flat[inside])


def _axis_of(index: Array, size: int, taken: Sequence[int]) -> tuple[int, Array | None] | None:
    """Find the output axis along which the index of an operand runs, alone and without repeats, reaching all of it.

    Returns it with the output's index for each of the operand's, None where these are the same.
    """
    for axis in range(index.ndim):
        if axis in taken or index.shape[axis] < size:
            continue
        lines = np.moveaxis(index, axis, 0).reshape(index.shape[axis], -1)
        own = lines.max(axis=1)
        # Elsewhere along the line other operands may stand (-1), never another index.
        if not ((lines == own[:, None]) | (lines == -1)).all():
            continue
        there = np.flatnonzero(own >= 0)
        if len(there) != size or len(np.unique(own[there])) != size:
            continue
        order = np.empty(size, np.intp)
        order[own[there]] = there
        same = index.shape[axis] == size and np.array_equal(order, np.arange(size))
        return axis, None if same else order
    return None


def _move_slab(applied: Applied, each: Moved, slab: _Slab) -> Moved:
    out_slot = applied.outputs[0]
    at = tuple(
        each.at[source] if order is None else order[each.at[source]]
        for order, source in zip(slab.orders, slab.sources, strict=True)
    )
    bases: Bases = applied.bases
    shape = tuple(size for axis, size in enumerate(applied.out.shape) if axis not in slab.axes)
    flat = each.values.reshape(-1, each.count)
    if len(slab.inside) == np.prod(shape, dtype=int):
        same = np.array_equal(slab.taken, np.arange(len(flat)))
        values = flat if same else flat.take(slab.taken, axis=0)
    else:
        values = bases.gather(out_slot, slab.axes, at).reshape(-1, each.count).copy()
        values[slab.inside] = flat[slab.taken]
    return Moved(slab.axes, at, values.reshape(*shape, each.count))
