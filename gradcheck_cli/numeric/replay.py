"""Evaluate perturbations through a plan: many at once, each alone where a batch doesn't go through."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation, GradcheckError
from gradcheck_cli.numeric.evaluator import MEMORY, Announce, Chunk
from gradcheck_cli.numeric.moved import Moved, free_axes
from gradcheck_cli.numeric.plan import Plan
from gradcheck_cli.numeric.point import Outputs

_CHUNK = 2 << 20
"""Bytes of the largest array of a chunk, near the size of a cache.

1, 2 and 4 MiB are equally fast on the workloads of the benchmark, within 3 percent of the geometric mean; 0.5 MiB was 3
to 6 percent slower, which is hardly more than two runs of the same size differ by.
"""

_FIRST = 64
"""Perturbations of the first chunk, at least, where memory allows: it shows how large arrays are that may be small."""

_HEAP = 31 << 20
_SQUARE = 128
"""Rows of the smallest product for which OpenBLAS takes its buffer of 32 MiB, or fewer."""

_ARRAYS = 16
"""Arrays of the largest size that are alive at a time, at most, as far as the memory limit goes.

Those of the operators, and what is made of the changes: sizes, noise, and weighted sums.
"""


class Replay:
    """Evaluates one parameter's perturbations through `plan`: an `Evaluator`.

    `x` is the parameter at the point, `slots` stand for the outputs that `outputs` describes. `memory` bounds the
    bytes that a chunk takes, unless one perturbation alone takes more.
    """

    batches = True

    def __init__(
        self, plan: Plan, name: str, x: Array, outputs: Outputs, slots: tuple[int, ...], memory: int = MEMORY
    ) -> None:
        self.outside = ""
        self.plan = plan
        self.name = name
        self.x = x
        self.outputs = outputs
        self.slots = slots
        self.base = outputs.base
        self._bound = max(1, min(_CHUNK, memory // _ARRAYS))
        sizes = [like.size if counts else 0 for like, counts in zip(outputs.like, outputs.counts, strict=True)]
        self._starts = [0, *itertools.accumulate(sizes)][:-1]
        self.memory = memory
        # Changes are in double precision, whatever the outputs are in.
        self._dense = max(plan.largest(name), self.base.nbytes)
        self._most = max(1, x.size)
        _prepare_memory()
        self._wanted = tuple(dict.fromkeys(slot for slot, counts in zip(slots, outputs.counts, strict=True) if counts))

    def one_by_one(self, elements: Array, values: Array, announce: Announce) -> Iterator[Chunk]:
        """Move each of `elements` alone; see `Evaluator`."""
        start, count = 0, len(values)
        while start < len(elements):
            stop = min(len(elements), start + max(1, min(self._most, self._room() // count)))
            chosen, targets = elements[start:stop], values[:, start:stop]
            announce(targets.size)
            try:
                chunk = self._chunk(start, stop, chosen, targets)
            except MemoryError:  # the system has less than it may take: half of it, until it fits
                if stop - start == 1:
                    raise
                self._most = (stop - start) // 2
                continue
            yield chunk
            start = stop

    def at_most(self, elements: int) -> None:
        """Make chunks no larger than that."""
        self._most = min(self._most, elements)

    def together(self, values: Array, announce: Announce) -> Array:
        """Give all elements other values at once; see `Evaluator`."""
        changes = np.empty((len(values), self.base.size))
        start, most = 0, len(values)
        while start < len(values):
            rows = values[start : start + max(1, min(most, self._bound // self._dense))]
            announce(len(rows))
            flat = np.ascontiguousarray(rows.T).astype(self.x.dtype)
            moved = Moved((), (), flat.reshape(*self.x.shape, len(rows)))
            try:
                changes[start : start + len(rows)] = self._dense_changes(moved).T
            except MemoryError:
                if len(rows) == 1:
                    raise
                most = len(rows) // 2
                continue
            start += len(rows)
        return changes

    def _room(self) -> int:
        largest = self.plan.largest_alone.get(self.name)
        if largest:
            return max(1, self._bound // largest)
        return max(1, self._bound // self._dense, min(_FIRST, self.memory // (_ARRAYS * self._dense)))

    def _chunk(self, start: int, stop: int, elements: Array, values: Array) -> Chunk:
        """Evaluate all values of some elements, in several goes where even one element's are too many."""
        count, many = values.shape
        step = count if many > 1 else max(1, min(count, self._room()))
        try:
            parts = [self._push(elements, values[low : low + step]) for low in range(0, count, step)]
        except (ContractViolation, MemoryError):
            raise
        except Exception:  # outside of the domain for some perturbation, or no batch at all
            return Chunk(start, stop, self._alone(elements, values))
        positions = parts[0][1]
        changes = parts[0][0] if len(parts) == 1 else np.concatenate([part[0] for part in parts], axis=1)
        return Chunk(start, stop, changes, positions)

    def _push(self, elements: Array, values: Array) -> tuple[Array, Array | None]:
        """Push one chunk through the plan; return changes (rows, S, K) and positions (rows, K)."""
        count, many = values.shape
        repeated = np.concatenate([elements] * count)
        at = (repeated,) if self.x.ndim == 1 else np.unravel_index(repeated, self.x.shape) if self.x.ndim else ()
        targets = np.ascontiguousarray(values, self.x.dtype).reshape(-1)
        moved, largest = self.plan.push(self.name, Moved(tuple(range(self.x.ndim)), tuple(at), targets), self._wanted)
        wide = sum(each.values.size for each in moved.values()) * np.dtype(np.float64).itemsize // len(targets)
        known = self.plan.largest_alone
        known[self.name] = max(known.get(self.name, 0), largest, wide)
        changes, positions = [], []
        for slot, like, offset in zip(self.slots, self.outputs.like, self._starts, strict=True):
            each = moved.get(slot)
            if each is None or like.dtype.kind != "f":
                continue
            first = tuple([index[:many] for index in each.at])
            base = self.plan.bases.gather(slot, each.axes, first).astype(np.float64, copy=False)
            flat = each.values.reshape(-1, count, many).astype(np.float64, copy=False)
            changes.append(flat - base.reshape(-1, 1, base.shape[-1]))
            if len(flat) == self.base.size:
                return changes[-1], None
            positions.append(_positions(like.shape, each.axes, first, many) + offset)
        if not changes:
            return np.empty((0, count, many)), np.empty((0, many), np.intp)
        return (changes[0], positions[0]) if len(changes) == 1 else (np.concatenate(changes), np.concatenate(positions))

    def _dense_changes(self, moved: Moved) -> Array:
        """Return how each output changes, shape (outputs, K), for perturbations of everything."""
        count = moved.count
        try:
            made, largest = self.plan.push(self.name, moved, self._wanted)
            self._dense = max(self._dense, largest)
            changes = np.zeros((self.base.size, count))
            outputs = zip(self.slots, self.outputs.like, self.outputs.counts, self._starts, strict=True)
            for slot, like, counts, offset in outputs:
                if slot in made and counts:
                    full = self.plan.bases.dense(slot, made[slot]).reshape(-1, count)
                    rows = slice(offset, offset + like.size)
                    changes[rows] = full.astype(np.float64, copy=False) - self.base[rows, None]
        except (ContractViolation, MemoryError):
            raise
        except Exception:  # outside of the domain for some perturbation, or no batch at all
            return np.stack([self._replayed(moved.values[..., k]) for k in range(count)], axis=1)
        return changes

    def _alone(self, elements: Array, values: Array) -> Array:
        """Evaluate every perturbation alone; return changes (outputs, S, K), NaN where one leaves the domain."""
        changes = np.empty((self.base.size, *values.shape))
        for s, k in np.ndindex(*values.shape):
            moved = np.array(self.x, order="C")
            moved.reshape(-1)[elements[k]] = values[s, k]
            changes[:, s, k] = self._replayed(moved)
        return changes

    def _replayed(self, x: Array) -> Array:
        """Return how each output changes when the parameter is `x`, NaN where that can't be evaluated."""
        try:
            outputs = self.plan.replay({self.name: np.ascontiguousarray(x)}, self.slots)
        except (ContractViolation, MemoryError):
            raise
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            self.outside = error.problems[0].message if isinstance(error, GradcheckError) else message
        else:
            if [out.shape for out in outputs] == [like.shape for like in self.outputs.like]:
                return np.asarray(self.outputs.flat(outputs) - self.base)
            self.outside = "the value has another shape there"
        return np.full(self.base.shape, np.nan)


@functools.cache
def _prepare_memory() -> None:
    """Let glibc keep freed memory, and OpenBLAS take its buffer, once for the process.

    What glibc gives back to the system costs page faults when it is taken again. It keeps what is smaller than the
    largest block that was ever given back, up to 32 MiB. Nothing is touched here.

    OpenBLAS takes a buffer at its first product, and ends the process if there is no room: it may have it first.
    """
    np.empty(_HEAP, np.uint8)
    square = np.ones((_SQUARE, _SQUARE))
    np.matmul(square, square)


def _positions(shape: tuple[int, ...], axes: tuple[int, ...], at: tuple[Array, ...], count: int) -> Array:
    """Return which output each row is, counted in C order, shape (rows, count)."""
    if len(shape) == len(axes) == 1:
        return at[0][None]
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    rows = np.zeros(1, np.intp)
    for axis in free_axes(len(shape), axes):
        rows = (rows[:, None] + strides[axis] * np.arange(shape[axis])).reshape(-1)
    columns = np.zeros(count, np.intp)
    for axis, index in zip(axes, at, strict=True):
        columns = columns + strides[axis] * index
    return np.asarray(rows[:, None] + columns)
