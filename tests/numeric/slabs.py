"""An evaluator that names the outputs that an element can move, over the plain loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcheck_cli.numeric.evaluator import Announce, Chunk, Loop


class Slabs:
    """Evaluates as the loop does, and names the outputs that an element can move; chunks of several elements.

    `touched` returns them for an element; None: all outputs are returned, in chunks.
    """

    outside = ""

    def __init__(self, loop: Loop, touched: Callable[[int], Any] | None, size: int) -> None:
        self.loop = loop
        self.touched = touched
        self.size = size

    def one_by_one(self, elements: Any, values: Any, announce: Announce) -> Iterator[Chunk]:
        chunks = [chunk.changes for chunk in self.loop.one_by_one(elements, values, announce)]
        changes = np.concatenate(chunks, axis=2) if chunks else np.empty((0, len(values), 0))
        for start in range(0, len(elements), self.size):
            part = slice(start, start + self.size)
            stop = min(start + self.size, len(elements))
            if self.touched is None:
                yield Chunk(start, stop, changes[:, :, part])
                continue
            positions = np.array([self.touched(int(e)) for e in elements[part]]).T
            columns = np.arange(start, stop)
            kept = changes[positions[:, None, :], np.arange(len(values))[:, None], columns[None, None, :]]
            others = changes[:, :, part].copy()
            others[positions[:, None, :], np.arange(len(values))[:, None], columns - start] = 0
            assert not others.any(), "an element moved an output that it doesn't name"
            yield Chunk(start, stop, kept, positions)

    def at_most(self, elements: int) -> None:
        self.size = min(self.size, elements)

    def together(self, values: Any, announce: Announce) -> Any:
        return self.loop.together(values, announce)
