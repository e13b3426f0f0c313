"""The response of a linear operator to an impulse at each element, found with few calls.

Elements that reach no output together share a call: the grouping of columns of Curtis, Powell and Reid, On the
estimation of sparse Jacobian matrices, IMA J. Appl. Math. 13 (1974). What each index along each axis reaches is seen
from random values there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.rules.applied import Applied


def responses(applied: Applied, position: int) -> list[Array]:
    """Return what a unit change of each element of an operand changes in each output, shape (outputs, elements).

    What is tried is as large as the operand, at least 1: the rounding of a large constant isn't that of the slope then.
    """
    arrays = [*applied.arrays]
    x = arrays[position]
    size = float(2.0 ** np.round(np.log2(max(1.0, float(np.max(np.abs(x), initial=0.0))))))
    arrays[position] = np.zeros_like(x)
    zero = applied.forward(arrays)

    def changes(values: Array) -> Array:
        arrays[position] = values * size
        return np.concatenate([np.ravel(out - o) for out, o in zip(applied.forward(arrays), zero, strict=True)]) / size

    sizes = [out.size for out in zero]
    columns = np.zeros((sum(sizes), x.size), np.result_type(*zero))
    for members, reached in _groups(x, changes):
        impulse = np.zeros(x.shape, x.dtype)  # in C order, in which the elements are counted
        impulse.reshape(-1)[members] = 1
        change = changes(impulse)[:, None]
        columns[:, members] = change if reached is None else np.where(reached, change, 0)
    ends = np.cumsum(sizes)[:-1]
    return [np.ascontiguousarray(part, out.dtype) for part, out in zip(np.split(columns, ends), zero, strict=True)]


def _groups(x: Array, changes: Callable[[Array], Array]) -> Iterator[tuple[Array, Array | None]]:
    """Yield groups of elements, none of which reaches what another does, and what each reaches: (outputs, members)."""
    axes = [axis for axis, size in enumerate(x.shape) if size > 1]
    reach = _reach(x, axes, changes) if len(axes) > 1 else []
    colours = [_colours(rows) for rows in reach]
    if not reach or math.prod(max(colour) + 1 for colour in colours) >= x.size:
        yield from ((np.array([element]), None) for element in range(x.size))
        return
    index = np.unravel_index(np.arange(x.size), x.shape)
    of_element = [np.array(colour)[index[axis]] for axis, colour in zip(axes, colours, strict=True)]
    for group in itertools.product(*(range(max(colour) + 1) for colour in colours)):
        members = np.flatnonzero(np.all([of == c for of, c in zip(of_element, group, strict=True)], axis=0))
        reached = np.all([rows[index[axis][members]] for axis, rows in zip(axes, reach, strict=True)], axis=0)
        yield members, reached.T


def _reach(x: Array, axes: list[int], changes: Callable[[Array], Array]) -> list[Array]:
    """Return which outputs each index along each axis reaches, shape (indices, outputs); nothing if that is no gain."""
    if 2 * sum(x.shape[axis] for axis in axes) > x.size:
        return []
    probe = np.random.default_rng(x.size).uniform(0.5, 1.5, x.shape)
    signs = np.random.default_rng(x.size + 1).choice([-1.0, 1.0], x.shape)
    found = []
    for axis in axes:
        rows = []
        for index in range(x.shape[axis]):
            values = np.zeros(x.shape, x.dtype)
            chosen: tuple[Any, ...] = (*(slice(None),) * axis, index)
            values[chosen] = (probe * signs)[chosen]
            rows.append(changes(values) != 0)
        found.append(np.array(rows))
    return found


def _colours(reach: Array) -> list[int]:
    """Number the rows so that no two of one number have an output in common: the first that is free."""
    meets = (reach.astype(np.float64) @ reach.T.astype(np.float64)) > 0
    colours: list[int] = []
    for row in range(len(reach)):
        taken = {colours[other] for other in range(row) if meets[row, other]}
        colours.append(next(colour for colour in itertools.count() if colour not in taken))
    return colours
