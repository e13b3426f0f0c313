"""What evaluates a function for many perturbations of one parameter: the interface, and the loop that always works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from gradcheck_cli.core.arrays import Array

Announce = Callable[[int], None]
"""Hears how many perturbations are evaluated next; may raise to stop."""

MEMORY = 256 << 20
"""Bytes that a chunk may take, all arrays together, unless told otherwise."""

_CHUNK = 2**17
"""Numbers that a chunk of the loop holds, about: a megabyte."""

_MOST = 256
"""Elements of a chunk of the loop, at most."""


class Chunk(NamedTuple):
    """How the outputs changed while elements `start` to `stop` (of those asked for) moved, each alone.

    `changes` has the shape (rows, S, K), K = stop - start: `changes[r, s, k]` is output less output at the point, in
    float64, when element `start + k` has its s-th value. `positions`, shape (rows, K), tells which output of the
    vector that is: they depend on the element alone, not on its values, and each output is named at most once;
    outputs that aren't named keep their values exactly. Without `positions` row r is output r, and there are as many
    rows as outputs. A chunk may have 0 rows. NaN in all rows where the function leaves its domain.

    Both arrays are only read, and only until the next chunk is asked for.
    """

    start: int
    stop: int
    changes: Array
    positions: Array | None = None


class Evaluator(Protocol):
    """Evaluates a function around a point while elements of one parameter move.

    Outputs are one float64 vector, as `Outputs.flat` joins them. A broken contract is raised as it is.
    """

    @property
    def outside(self) -> str:
        """What happened the last time the function left its domain; empty if it never did, or where the point knows."""

    def one_by_one(self, elements: Array, values: Array, announce: Announce) -> Iterator[Chunk]:
        """Move each of `elements`, shape (n,), alone, to its `values`, shape (S, n); yield chunks in ascending order.

        An element may occur more than once. The values are float64 numbers that the parameter's dtype holds
        exactly. All S values of an element are in the same chunk; how many elements a chunk has is up to
        the evaluator. Calls `announce(S * K)` before a chunk is evaluated; an exception it raises passes through.
        Other calls may be made before the iterator is used up, and leave the arrays of its last chunk alone.
        """

    def at_most(self, elements: int) -> None:
        """Move no more than so many elements a chunk from now on, except in iterators that are there already."""

    def together(self, values: Array, announce: Announce) -> Array:
        """Give all elements other values at once; return how each output changed, shape (K, outputs).

        `values` has the shape (K, n): K points, all elements in C order, held exactly by the dtype. A row of
        NaN where the function leaves its domain. Calls `announce(count)` before it evaluates `count` of the points.
        """


class Loop:
    """Evaluates one perturbation after the other.

    `change` returns how far each output moves when the parameter has other values, an array like `x`.
    """

    outside = ""

    def __init__(self, change: Callable[[Array], Array], x: Array) -> None:
        self.change = change
        self.x = x
        self._most = _MOST

    def one_by_one(self, elements: Array, values: Array, announce: Announce) -> Iterator[Chunk]:
        """Evaluate every value of every element."""
        start, count, rows, most = 0, len(values), 0, self._most
        while start < len(elements):
            # The first element shows how many outputs there are.
            many = max(1, min(most, _CHUNK // max(1, rows * count))) if start else 1
            stop = min(start + many, len(elements))
            columns = [self._one(elements[k], values[:, k], announce) for k in range(start, stop)]
            rows = columns[0].shape[0]
            yield Chunk(start, stop, np.stack(columns, axis=2))
            start = stop

    def at_most(self, elements: int) -> None:
        """Make chunks no larger than that."""
        self._most = min(self._most, elements)

    def _one(self, element: int, values: Array, announce: Announce) -> Array:
        """Return the changes for all values of one element, shape (outputs, S)."""
        changes = []
        for value in values:
            announce(1)
            moved = np.array(self.x, order="C")
            moved.reshape(-1)[element] = value
            changes.append(self.change(moved))
        return np.stack(changes, axis=1)

    def together(self, values: Array, announce: Announce) -> Array:
        """Evaluate every row of `values`."""
        rows = []
        for row in values:
            announce(1)
            rows.append(self.change(row.astype(self.x.dtype).reshape(self.x.shape)))
        return np.array(rows)
