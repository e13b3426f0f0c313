"""Ladders of many elements in columns: decades of steps, evaluated together and contracted at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.evaluator import Chunk
from gradcheck_cli.numeric.ladder import Ladder
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.steps import HALF_DECADE, steps_of_many, steps_up_to
from gradcheck_cli.numeric.weights import WeightedChunk, Weights

KEPT = 2**21
"""Numbers that the changes of a batch hold, about, where memory allows: 16 MiB."""

_ARRAYS = 4
"""Arrays of the size of a batch that its changes, and what is made of them, take together."""


class Raw(NamedTuple):
    """The changes of a chunk as they were before the contraction, with the steps that they belong to."""

    elements: Array
    h: Array
    above: Array
    below: Array
    changes: Array
    positions: Array | None


class Ladders(NamedTuple):
    """The ladders of n elements under C cotangents.

    `h`, shape (S, n), holds ascending steps; a ladder with fewer than S repeats its smallest. The slopes, `rise`,
    `fall` and `sigma` are those of `Slopes`, shape (C, S, n); `rounding` and `table`, shape (C, n), are the
    rounding of the value at x, and the noise of the survey's table, over the outputs that moved. `stirred`, shape
    (n,), tells where any output moved at any step.
    """

    raw: Sequence[Raw]
    elements: Array
    h: Array
    central: Array
    forward: Array
    backward: Array
    rise: Array
    fall: Array
    sigma: Array
    rounding: Array
    table: Array
    stirred: Array

    def ladder(self, point: Point, number: int) -> Ladder:
        """Return one of them as a ladder that can be climbed further, as the outputs that the element moves see it."""
        for raw in self.raw:
            if number < len(raw.elements):
                break
            number -= len(raw.elements)
        ladder = Ladder(point, int(raw.elements[number]), None if raw.positions is None else raw.positions[:, number])
        changes = raw.changes[:, :, number].T
        ladder.take(raw.h[:, number], raw.above[:, number], raw.below[:, number], changes)
        return ladder


def take_ladders(point: Point, elements: Array, weights: Weights, most: int | None = None) -> Iterator[Ladders]:
    """Evaluate a ladder of decades at each of `elements`, or its `most` largest steps alone.

    Yields them in batches of limited size.
    """
    steps, valid = steps_of_many(point.x[elements], point.typical, point.spacings[elements])
    if most is not None:
        steps, valid = steps[-most:], valid[-most:]
    counts = valid.sum(axis=0)
    batch = Batch(point.memory)
    for count in np.flatnonzero(np.bincount(counts)):
        group = np.flatnonzero(counts == count)
        if count == 0:
            yield _without_steps(elements[group], weights)
            continue
        for part in _parts(point, elements[group], steps[len(steps) - count :, group], weights):
            batch.add(*part)
            if batch.full:
                yield batch.ladders()
                batch = Batch(point.memory)
    if batch.parts:
        yield batch.ladders()


def take_steps(point: Point, elements: Array, h: Array, weights: Weights) -> Ladders:
    """Evaluate each of `elements`, shape (n,), at its own ascending steps `h`, shape (S, n)."""
    batch = Batch(point.memory)
    for part in _parts(point, elements, h, weights):
        batch.add(*part)
    return batch.ladders()


def take_top_and_beyond(
    point: Point, elements: Array, top: Array, intervals: int, weights: Weights
) -> Iterator[tuple[Array, Ladders]]:
    """Evaluate what ladders of decades lack at their top: half-decades in the last `intervals`, and steps beyond.

    `top` is the largest step of each element; the steps beyond lead to its scale, 1 at least. Yields places among the
    elements, and their ladders.
    """
    x = point.x[elements]
    halves = steps_of_many(x, point.typical, point.spacings[elements], HALF_DECADE)[0]
    scales = np.maximum(np.maximum(np.abs(x), point.typical), 1.0)
    farther, valid = steps_up_to(scales, top)
    counts = valid.sum(axis=0)
    for count in np.flatnonzero(np.bincount(counts)):
        chosen = np.flatnonzero(counts == count)
        h = np.concatenate([halves[-2 * intervals :: 2, chosen], farther[:count, chosen]])
        yield chosen, take_steps(point, elements[chosen], h, weights)


def _parts(point: Point, elements: Array, h: Array, weights: Weights) -> Iterator[tuple[Raw, list[Array]]]:
    """Evaluate steps in chunks, and contract each."""

    def take(chunk: Chunk) -> tuple[Raw, list[Array]]:
        part = slice(chunk.start, chunk.stop)
        raw = Raw(
            elements[part],
            h[:, part],
            realised[: len(h), part],
            -realised[len(h) :, part],
            np.array(chunk.changes),
            None if chunk.positions is None else np.array(chunk.positions),
        )
        return raw, contracted(raw, weights.of(raw.changes, raw.positions))

    realised, parts = point.each(elements, np.concatenate([h, -h]), take)
    return parts


class Batch:
    """Chunks that become one set of ladders, which may take `memory` bytes."""

    def __init__(self, memory: int) -> None:
        self._most = min(KEPT, memory // (_ARRAYS * np.dtype(np.float64).itemsize))
        self.parts: list[tuple[list[Array], Raw]] = []
        self._kept = 0

    @property
    def full(self) -> bool:
        """Whether it holds as many numbers as it should."""
        return self._kept > self._most

    def add(self, raw: Raw, columns: list[Array]) -> None:
        """Keep a chunk, and what it was contracted to."""
        self.parts.append((columns, raw))
        self._kept += raw.changes.size

    def ladders(self) -> Ladders:
        """Set the chunks side by side; shorter ladders repeat their smallest step."""
        if len(self.parts) == 1:
            ((alone, raw),) = self.parts
            return Ladders([raw], raw.elements, *alone)
        depth = max(len(raw.h) for _, raw in self.parts)

        def deep(column: Array) -> Array:
            missing = depth - column.shape[-2]
            return np.concatenate([np.repeat(column[..., :1, :], missing, axis=-2), column], axis=-2)

        columns = list(zip(*(columns for columns, _ in self.parts), strict=True))
        stacked = [np.concatenate([deep(part) for part in column], axis=-1) for column in columns[:-3]]
        stacked += [np.concatenate(column, axis=-1) for column in columns[-3:]]
        raws = [raw for _, raw in self.parts]
        return Ladders(raws, np.concatenate([raw.elements for raw in raws]), *stacked)


def contracted(raw: Raw, weighted: WeightedChunk) -> list[Array]:
    """Contract a chunk: the columns of `Ladders` from `h` on, the last three of which have one entry an element."""
    count = len(raw.h)
    both = weighted.contracted()
    rise, fall = both[:, :count], both[:, count:]
    moved = (raw.changes != 0).any(axis=1)
    still = ~moved.any(axis=0)
    # Where nothing moved, rounding may have hidden a change in any output.
    felt = moved | still
    base = weighted.base[:, None]
    # The larger of both sides, and of x itself.
    size = np.maximum(np.abs(base + raw.changes[:, :count]), np.abs(base + raw.changes[:, count:]))
    sigma = np.maximum(weighted.noise(size, felt), weighted.noise(np.abs(base), felt))
    # A value that is 0 wherever it is computed has no size: then that of its cotangent stands in.
    nothing = still & ~weighted.base.any(axis=0)
    rounding = weighted.norms([r * np.where(nothing, 1.0, np.abs(weighted.base)) for r in weighted.rounding], felt)
    table = np.zeros_like(rounding) if weighted.level is None else weighted.norms(weighted.level, moved)
    return [
        raw.h,
        (rise - fall) / (raw.above + raw.below),
        rise / raw.above,
        -fall / raw.below,
        rise,
        fall,
        sigma,
        rounding,
        table,
        ~still,
    ]


def _without_steps(elements: Array, weights: Weights) -> Ladders:
    """Return ladders of elements that no step can move."""
    none = np.empty((0, len(elements)))
    column, single = np.empty((len(weights.u), 0, len(elements))), np.zeros((len(weights.u), len(elements)))
    raw = Raw(elements, none, none, none, np.empty((weights.u.shape[1], 0, len(elements))), None)
    still = np.zeros(len(elements), dtype=bool)
    return Ladders([raw], elements, none, column, column, column, column, column, column, single, single, still)
