"""Operators that are independent along named axes: perturbations take the place of one, or are folded into it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.moved import Axes, Moved
from gradcheck_cli.numeric.rules.applied import Applied, Operands, count_of, moving, shaped

_LONG = 64


class Places(NamedTuple):
    """Where the independent words stand: axes by word, for each operand, and for the outputs."""

    operands: tuple[dict[str, Axes], ...]
    outputs: dict[str, Axes]


def places_of(applied: Applied) -> Places | None:
    """Find the axes of each independent word; None where the arrays have other axes than declared."""
    if "words" not in applied.cache:
        applied.cache["words"] = _find_places(applied)
    found: Places | None = applied.cache["words"]
    return found


def _find_places(applied: Applied) -> Places | None:
    batch, operator = applied.batch, applied.operator
    assert batch is not None
    independent = [word for word in batch.words if word != "_"]
    operands: list[dict[str, Axes]] = []
    sizes: dict[str, tuple[int, ...]] = {}
    for slot, array in enumerate(applied.arrays):
        words = operator.input_at(slot).domain.words
        if not isinstance(array, np.ndarray) or words is None:
            operands.append({})
            continue
        many = array.ndim - (len(words) - 1) if "..." in words else 0
        if many < 0 or array.ndim < len(words) - ("..." in words):
            return None
        axes, at = {}, 0
        for word in words:
            width = many if word == "..." else 1
            if word in independent:
                axes[word] = tuple(range(at, at + width))
                shape = tuple(array.shape[axis] for axis in axes[word])
                if sizes.setdefault(word, shape) != shape:
                    return None
            at += width
        operands.append(axes)
    outputs: dict[str, Axes] = {}
    at = 0
    for word in batch.words:
        width = len(sizes[word]) if word in sizes else 1
        outputs[word] = tuple(range(at, at + width))
        at += width
    outputs = {word: axes for word, axes in outputs.items() if word in sizes}
    for slot in applied.outputs:
        shape = applied.bases[slot].shape
        for word, where in outputs.items():
            if where and (where[-1] >= len(shape) or tuple(shape[axis] for axis in where) != sizes[word]):
                return None
    return Places(tuple(operands), outputs)


def leading(applied: Applied, moved: Operands) -> tuple[Moved, ...] | None:
    """Push a batch through along an independent axis; None where no moving operand has one."""
    places = places_of(applied)
    assert places is not None
    fixed = _fixed_word(moved, places)
    if fixed is not None:
        return _replace(applied, moved, places, *fixed)
    slots = moving(moved)
    words = [word for word, axes in places.operands[slots[0]].items() if axes]
    shared = [word for word in words if all(places.operands[slot].get(word) for slot in slots)]
    return _fold(applied, moved, places, shared[0]) if shared else None


def _fixed_word(moved: Operands, places: Places) -> tuple[str, tuple[Array, ...]] | None:
    """Return a word all of whose axes are fixed alike in every moving operand, with the indices."""
    found: dict[str, tuple[Array, ...]] | None = None
    for slot in moving(moved):
        each = moved[slot]
        assert each is not None
        position = dict(zip(each.axes, each.at, strict=True))
        mine = {
            word: tuple(position[axis] for axis in axes)
            for word, axes in places.operands[slot].items()
            if axes and all(axis in position for axis in axes)
        }
        if found is None:
            found = mine
        else:
            found = {
                word: at
                for word, at in found.items()
                if word in mine and all(a is b for a, b in zip(at, mine[word], strict=True))
            }
    return next(iter(found.items()), None) if found else None


def _replace(applied: Applied, moved: Operands, places: Places, word: str, at: tuple[Array, ...]) -> tuple[Moved, ...]:
    """Let K take the place of the axes of a word that is fixed: each perturbation is one index along it."""
    arrays: list[Any] = []
    for slot, each, axes in zip(applied.operands, moved, places.operands, strict=True):
        x, mine = applied.bases[slot], axes.get(word, ())
        if not mine:
            arrays.append(x)
            continue
        if each is not None:
            values = applied.bases.expand(slot, each, mine).values
        else:
            values = applied.bases.gather(slot, mine, at)
        view = np.moveaxis(values, -1, mine[0])
        arrays.append(np.ascontiguousarray(view) if _is_long(x, mine) else view)
    count, where = count_of(moved), places.outputs[word]
    made = []
    for slot, out in zip(applied.outputs, applied.forward(arrays), strict=True):
        shape = [size for axis, size in enumerate(applied.bases[slot].shape) if axis not in where]
        made.append(Moved(where, at, shaped(np.moveaxis(out, where[0], -1), (*shape, count))))
    return tuple(made)


def _fold(applied: Applied, moved: Operands, places: Places, word: str) -> tuple[Moved, ...]:
    """Join K with the axes of a word: as many indices along it as perturbations times its size."""
    count = count_of(moved)
    arrays: list[Any] = []
    for slot, each, axes in zip(applied.operands, moved, places.operands, strict=True):
        x, mine = applied.bases[slot], axes.get(word, ())
        if not mine:
            arrays.append(x)
            continue
        full = applied.bases.dense(slot, each) if each is not None else x[..., None]
        full = np.broadcast_to(full, (*x.shape, count))
        arrays.append(_joined(full, mine, _is_long(x, mine)))
    where = places.outputs[word]
    made = []
    for slot, out in zip(applied.outputs, applied.forward(arrays), strict=True):
        shape = applied.bases[slot].shape
        split = (*shape[: where[-1] + 1], count, *shape[where[-1] + 1 :])
        size = math.prod(split[where[0] : where[-1] + 2])
        joined = (*shape[: where[0]], size, *shape[where[-1] + 1 :])
        values = np.moveaxis(shaped(out, joined).reshape(split), where[-1] + 1, -1)
        made.append(Moved((), (), np.ascontiguousarray(values)))
    return tuple(made)


def _joined(full: Array, mine: Axes, is_long: bool) -> Array:
    """Join the axes of a word and K, which is last."""
    others = [axis for axis in range(full.ndim - 1) if axis not in mine]
    if is_long:
        view = np.moveaxis(full, -1, mine[-1] + 1)
        size = math.prod(view.shape[mine[0] : mine[-1] + 2])
        return np.ascontiguousarray(view).reshape(*view.shape[: mine[0]], size, *view.shape[mine[-1] + 2 :])
    laid = np.ascontiguousarray(full.transpose(*others, *mine, full.ndim - 1))
    flat = laid.reshape(*laid.shape[: len(others)], -1) if laid.size else laid.reshape(*laid.shape[: len(others)], 0)
    return np.moveaxis(flat, -1, mine[0])


def _is_long(x: Array, mine: Axes) -> bool:
    """Tell whether sums along the other axes are long, so that they should run along memory, where they are exact.

    Short ones are faster across it.
    """
    others = [int(size) for axis, size in enumerate(x.shape) if axis not in mine]
    return math.prod(others) >= _LONG
