"""Operators that are independent along named axes: perturbations take the place of one, or are folded into it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.moved import Axes, Moved
from gradcheck_cli.numeric.rules.applied import Applied, Operands, count_of, moving, shaped


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
        mine = axes.get(word, ())
        if not mine:
            arrays.append(applied.bases[slot])
            continue
        if each is not None:
            values = applied.bases.expand(slot, each, mine).values
        else:
            values = applied.bases.gather(slot, mine, at)
        arrays.append(np.ascontiguousarray(np.moveaxis(values, -1, mine[0])))
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
        if each is not None:
            full = np.moveaxis(applied.bases.dense(slot, each), -1, mine[0])
        else:
            full = np.broadcast_to(np.expand_dims(x, mine[0]), (*x.shape[: mine[0]], count, *x.shape[mine[0] :]))
        arrays.append(_joined(np.ascontiguousarray(full), mine[0], len(mine) + 1))
    where = places.outputs[word]
    made = []
    for slot, out in zip(applied.outputs, applied.forward(arrays), strict=True):
        shape = applied.bases[slot].shape
        split = (*shape[: where[0]], count, *shape[where[0] :])
        joined = _joined_shape(split, where[0], len(where) + 1)
        values = np.moveaxis(shaped(out, joined).reshape(split), where[0], -1)
        made.append(Moved((), (), np.ascontiguousarray(values)))
    return tuple(made)


def _joined(array: Array, start: int, many: int) -> Array:
    return array.reshape(_joined_shape(array.shape, start, many))


def _joined_shape(shape: Sequence[int], start: int, many: int) -> tuple[int, ...]:
    size = int(np.prod(shape[start : start + many], dtype=int))
    return (*shape[:start], size, *shape[start + many :])
