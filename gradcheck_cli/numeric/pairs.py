"""Pairs of many elements in columns: what sum(cotangent * output) does at x+h and x-h of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.evaluator import Chunk
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.weights import Weights


class Pairs(NamedTuple):
    """The pairs of n elements under C cotangents.

    `above` and `below` are the realised steps, shape (n,); `rise` and `fall` the changes above and below x and
    `noise` that of a difference quotient, shape (C, n). `stirred` tells where any output moved.
    """

    above: Array
    below: Array
    rise: Array
    fall: Array
    noise: Array
    stirred: Array

    def first(self, many: int) -> Pairs:
        """Return the pairs of the first elements alone."""
        rise, fall, noise = (column[:, :many] for column in (self.rise, self.fall, self.noise))
        return Pairs(self.above[:many], self.below[:many], rise, fall, noise, self.stirred[:many])


def take_pairs(
    point: Point, elements: Array, steps: Array, weights: Weights, stopped: Callable[[Pairs], None] | None = None
) -> Pairs:
    """Evaluate at x+h and x-h of each of `elements`, h its entry in `steps`.

    Subtract first, contract second: large outputs don't drown the change of small ones. What is kept
    are numbers an element, whatever the outputs are. When an exception stops it, `stopped` hears the pairs that are
    finished.
    """
    count = len(weights.u)
    rise, fall, noise = (np.empty((count, len(elements))) for _ in range(3))
    stirred = np.empty(len(elements), dtype=bool)

    def take(chunk: Chunk) -> int:
        part = slice(chunk.start, chunk.stop)
        weighted = weights.of(chunk.changes, chunk.positions)
        moved = (chunk.changes != 0).any(axis=1)
        base = weighted.base
        size = np.maximum(np.abs(base), np.abs(base + chunk.changes[:, 0]))
        stirred[part] = moved.any(axis=0)
        contracted = weighted.contracted()
        rise[:, part], fall[:, part] = contracted[:, 0], contracted[:, 1]
        noise[:, part] = weighted.noise(size[:, None], moved)[:, 0]
        return chunk.stop

    realised, stops = point.each(elements, np.array([steps, -steps]), take)
    finished = 0
    try:
        for stop in stops:
            finished = stop
    except BaseException:
        if stopped is not None and finished:
            stopped(Pairs(realised[0], -realised[1], rise, fall, noise / steps, stirred).first(finished))
        raise
    return Pairs(realised[0], -realised[1], rise, fall, noise / steps, stirred)
