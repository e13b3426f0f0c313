"""Ladders of half-decades with the noise along each element itself, of many elements in columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.evaluator import Chunk
from gradcheck_cli.numeric.ladders import Batch, Ladders, Raw, contracted
from gradcheck_cli.numeric.noise import are_single
from gradcheck_cli.numeric.own_noise import own_gaps
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.steps import HALF_DECADE, steps_of_many
from gradcheck_cli.numeric.tables import FINEST, LOUD, STRIDE, noise_level, places, sides
from gradcheck_cli.numeric.weights import Weights


class OwnLadders(NamedTuple):
    """Ladders whose `sigma` and `table` come from tables along each element, as `own_noise` makes them.

    `rows` tells which columns of the coarser ladders they continue. `sure` tells where one table was enough: not
    where it sees so much noise that a narrower one has to be looked at, nor where it sees single precision.
    """

    ladders: Ladders
    rows: Array
    sure: Array


_Refined: TypeAlias = tuple[Raw, list[Array], Array, Array]
"""A part with what it was contracted to, where the noise of its outputs is certain, and which columns it refines."""


def refine(point: Point, ladders: Ladders, rows: Array, steps: Array, weights: Weights) -> OwnLadders | None:
    """Refine the columns `rows`, ascending, of ladders of decades to half-decades; None where none can be.

    `steps` are the first steps of these elements.
    """
    batch, sure, done, start = Batch(point.memory), [], [], 0
    for raw in ladders.raw:
        within = (rows >= start) & (rows < start + len(raw.elements))
        mine = rows[within] - start
        if mine.size:
            for made, columns, known, part in filter(None, _refined(point, raw, mine, steps[within], weights)):
                batch.add(made, columns)
                sure.append(known)
                done.append(part + start)
        start += len(raw.elements)
    return OwnLadders(batch.ladders(), np.concatenate(done), np.concatenate(sure)) if done else None


def _refined(point: Point, raw: Raw, columns: Array, steps: Array, weights: Weights) -> Iterator[_Refined | None]:
    """Evaluate what some columns of a chunk lack; yield parts, None for one that can't be refined."""
    elements, coarse = raw.elements[columns], raw.h[:, columns]
    x, spacings = point.x[elements], point.spacings[elements]
    # Every second half-decade is a decade, from the top.
    new = steps_of_many(x, point.typical, spacings, HALF_DECADE)[0][-2::-2][: len(coarse) - 1][::-1]
    gaps, widest = own_gaps(x, point.typical, spacings, steps)
    count, order = len(new), _merged(len(coarse))

    def take(chunk: Chunk) -> _Refined | None:
        part = slice(chunk.start, chunk.stop)
        mine = columns[part]
        if len(chunk.changes) != len(raw.changes) or (chunk.positions is None) != (raw.positions is None):
            return None
        up, down, table = chunk.changes[:, :count], chunk.changes[:, count : 2 * count], chunk.changes[:, 2 * count :]
        above, below = raw.changes[:, : len(coarse), mine], raw.changes[:, len(coarse) :, mine]
        made = Raw(
            elements[part],
            np.concatenate([coarse, new])[order][:, part],
            np.concatenate([raw.above[:, mine], realised[:count, part]])[order],
            np.concatenate([raw.below[:, mine], -realised[count : 2 * count, part]])[order],
            np.concatenate(
                [np.concatenate([above, up], axis=1)[:, order], np.concatenate([below, down], axis=1)[:, order]], axis=1
            ),
            None if raw.positions is None else raw.positions[:, mine],
        )
        level, known = _levels(point, made, gaps[part], widest[part], table)
        return made, contracted(made, weights.of(made.changes, made.positions, level)), known, mine

    realised, parts = point.each(elements, np.concatenate([new, -new, places(gaps)]), take)
    return parts


def _merged(coarse: int) -> Array:
    """Return the ascending order of so many decades and the half-decades between them."""
    order = np.empty(2 * coarse - 1, dtype=int)
    order[0::2], order[1::2] = np.arange(coarse), np.arange(coarse, 2 * coarse - 1)
    return order


def _levels(point: Point, raw: Raw, gaps: Array, widest: Array, table: Array) -> tuple[Array, Array]:
    """Return the noise of every output along each element, shape (rows, K), and where that is certain, shape (K,).

    `table`, shape (rows, points, K), was taken with `gaps`, which are widened while no output moves, up to `widest`.
    """
    gaps, table = gaps.copy(), table.copy()
    sure = np.ones(gaps.size, dtype=bool)
    narrow = ~_varies(table)
    while (narrow := narrow & sure & (gaps * STRIDE <= widest)).any():
        chosen = np.flatnonzero(narrow)
        gaps[chosen] *= STRIDE
        sure[chosen] = False
        for chunk in point.one_by_one(raw.elements[chosen], places(gaps[chosen]))[1]:
            part = chosen[chunk.start : chunk.stop]
            if len(chunk.changes) == len(table) and (chunk.positions is None) == (raw.positions is None):
                table[:, :, part] = chunk.changes
                sure[part] = True
        narrow = ~_varies(table)

    def gather(vector: Array) -> Array:
        return vector[:, None] if raw.positions is None else vector.take(raw.positions)

    rows, points, count = table.shape
    below, above = sides(table.transpose(1, 0, 2).reshape(points, rows * count))
    level = noise_level(below, above).reshape(rows, count)
    base, epsilon = gather(point.base), gather(point.outputs.epsilon)
    size = np.maximum(np.abs(base), np.max(np.where(np.isfinite(table), np.abs(table), 0.0), axis=1))
    loud = (level > LOUD * size).any(axis=0) & (gaps / STRIDE >= FINEST * point.spacings[raw.elements])
    moves = (table != table[:, :1]).any(axis=1)
    single = moves & are_single(base + table[:, 0]) & (epsilon < np.finfo(np.float32).eps)
    return np.maximum(level, gather(point.outputs.jitter)), sure & ~loud & ~single.any(axis=0)


def _varies(table: Array) -> Array:
    """Tell along which elements any output moves within either side of the table."""
    points = table.shape[1] // 2
    return np.asarray(np.ptp(table[:, :points], axis=1).any(axis=0) | np.ptp(table[:, points:], axis=1).any(axis=0))
