"""The function around a point: one parameter's elements move, all outputs answer as one vector."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation, GradcheckError
from gradcheck_cli.numeric.evaluator import MEMORY, Announce, Chunk, Evaluator, Loop
from gradcheck_cli.numeric.function import Function, Values
from gradcheck_cli.numeric.halving import each_that_fits
from gradcheck_cli.numeric.steps import element_scales, typical_magnitude

_TOGETHER = 2**22
"""Numbers that are displaced at a time, about: 32 MiB."""

_Taken = TypeVar("_Taken")


class Outputs:
    """How several outputs of any shape are one vector. Outputs that are no floats have no gradient and are left out.

    `epsilon` is the machine epsilon of each element of the vector, `jitter` by how much it differs between
    identical calls. `coarsest` is the epsilon of what is computed in less than single precision on the way,
    0 if nothing is. Those at the positions `without_gradient` are left out as well. `are_terms` says that they
    are the terms of one number, each with a weight of its own, which is their only cotangent.
    """

    def __init__(
        self,
        like: Sequence[Array],
        coarsest: float = 0.0,
        are_terms: bool = False,
        without_gradient: Collection[int] = (),
    ) -> None:
        self.like = like
        self.are_terms = are_terms
        self.counts = [out.dtype.kind == "f" and at not in without_gradient for at, out in enumerate(like)]
        parts = [
            np.full(out.size, max(float(np.finfo(out.dtype).eps), coarsest))
            for out, counts in zip(like, self.counts, strict=True)
            if counts
        ]
        self.epsilon = np.concatenate(parts) if parts else np.empty(0)
        self.jitter = np.zeros(self.epsilon.size)

    @cached_property
    def base(self) -> Array:
        """The outputs at the point as one vector, which is only read."""
        return self.flat(self.like)

    def flat(self, outputs: Sequence[Array]) -> Array:
        """Join the floating outputs into one float64 vector."""
        parts = [np.ravel(out).astype(np.float64) for out, counts in zip(outputs, self.counts, strict=True) if counts]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.empty(0)

    def split(self, vector: Array) -> tuple[Array, ...]:
        """Cut a vector into arrays like the outputs, zeros where an output has no gradient."""
        parts, at = [], 0
        for like, counts in zip(self.like, self.counts, strict=True):
            if counts:
                parts.append(vector[at : at + like.size].reshape(like.shape).astype(like.dtype))
                at += like.size
            else:
                parts.append(np.zeros(like.shape, like.dtype if like.dtype.kind == "f" else np.float64))
        return tuple(parts)


class Point:
    """The function around `values` while elements of the parameter `name` move.

    `base` is the vector of outputs at the point, `spacings` how far each element's neighbours in its dtype
    are. Calls `on_evaluation` with their number before evaluations, and counts them in `evaluations`. The
    `evaluator` is a plain loop unless another is given; `batches` tells that it takes many perturbations at once,
    and `memory` bounds the bytes that these may take.
    """

    def __init__(
        self,
        function: Function,
        values: Values,
        name: str,
        outputs: Outputs,
        on_evaluation: Announce = lambda _count: None,
        evaluator: Evaluator | None = None,
    ) -> None:
        self.function = function
        self.values = dict(values)
        self.name = name
        self.outputs = outputs
        self.base = outputs.base
        self.on_evaluation = on_evaluation
        self.evaluations = 0
        self._outside = "the value is not finite there"
        self._array = self.values[name]
        self.evaluator: Evaluator = evaluator or Loop(lambda array: self._evaluate({name: array}), self._array)
        self.batches: bool = getattr(self.evaluator, "batches", False)
        self.memory: int = getattr(self.evaluator, "memory", MEMORY)
        self.x = np.ravel(self._array).astype(np.float64)
        self.typical = typical_magnitude(self.x)
        self.scales = element_scales(self.x, self.typical)
        self.spacings = np.abs(np.spacing(np.ravel(self._array))).astype(np.float64)
        # Bound to this point, whatever copy of it evaluates.
        self.announce: Announce = self._announce

    def _announce(self, count: int) -> None:
        self.on_evaluation(count)
        self.evaluations += count

    @property
    def outside(self) -> str:
        """What happens outside of the domain."""
        return self.evaluator.outside or self._outside

    def index(self, element: int) -> tuple[int, ...]:
        """Return the index of an element counted in C order."""
        return tuple(int(i) for i in np.unravel_index(element, self._array.shape))

    def label(self, element: int) -> str:
        """Name an element as NumPy does: x[0,4]; a scalar is x."""
        index = self.index(element)
        return f"{self.name}[{','.join(map(str, index))}]" if index else self.name

    def realised(self, elements: Array | int | slice, displacement: Array | float) -> Array:
        """Return the values that `elements` get when they move, rounded to the parameter's dtype, as float64."""
        return np.asarray(self.x[elements] + displacement).astype(self._array.dtype).astype(np.float64)

    def one_by_one(self, elements: Array, displacements: Array) -> tuple[Array, Iterator[Chunk]]:
        """Move each of `elements`, shape (n,), alone by its displacements, shape (S, n).

        Returns the realised displacements, and the changes of the outputs in chunks.
        """
        values = self.realised(elements, displacements)
        return values - self.x[elements], self.evaluator.one_by_one(elements, values, self.announce)

    def each(
        self, elements: Array, displacements: Array, take: Callable[[Chunk], _Taken]
    ) -> tuple[Array, Iterator[_Taken]]:
        """Move elements as `one_by_one` does, and hand each chunk to `take`; return what that makes of them.

        Where memory runs out in `take`, the chunk is evaluated once more in halves, until they fit.
        """
        values = self.realised(elements, displacements)
        return values - self.x[elements], each_that_fits(self.evaluator, elements, values, self.announce, take)

    def alone(self, element: int, displacements: Array) -> tuple[Array, Array]:
        """Move one element: return its realised displacements, shape (S,), and the changes, shape (S, outputs)."""
        realised, chunks = self.one_by_one(np.array([element]), displacements[:, None])
        (chunk,) = chunks
        changes = chunk.changes[:, :, 0].T
        if chunk.positions is not None:
            everything = np.zeros((len(displacements), self.base.size))
            everything[:, chunk.positions[:, 0]] = changes
            changes = everything
        return realised[:, 0], changes

    def together(self, displacements: Array) -> Array:
        """Return how far each output moves when all elements do, shape (K, outputs) for displacements (K, n)."""
        many = max(1, _TOGETHER // max(1, self.x.size))
        parts = [
            self.evaluator.together(self.realised(slice(None), displacements[low : low + many]), self.announce)
            for low in range(0, len(displacements), many)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def moved(self, elements: Array | int, displacement: Array | float) -> tuple[Array, Array]:
        """Return the realised displacement of `elements`, which move at once, and how far each output moved."""
        values = self.x.copy()
        values[elements] = self.realised(elements, displacement)
        return values[elements] - self.x[elements], self.evaluator.together(values[None], self.announce)[0]

    def displaced(self, elements: Array | int, displacement: Array | float) -> Array:
        """Return the parameter with `elements` moved."""
        flat = np.array(self._array).reshape(-1)
        flat[elements] = self.x[elements] + displacement
        return flat.reshape(self._array.shape)

    def seen_by(self, positions: Array | None) -> Point:
        """Return the point as the outputs at `positions` see it, which are all that an element moves; None: all."""
        if positions is None:
            return self
        seen = copy.copy(self)
        seen.base = self.base[positions]
        seen.outputs = Outputs(())
        seen.outputs.epsilon, seen.outputs.jitter = self.outputs.epsilon[positions], self.outputs.jitter[positions]
        seen.evaluator = _Seen(self, positions)
        return seen

    def evaluate(self, changes: Mapping[str, Array]) -> Array:
        """Return how far each output moves when the named parameters have other values.

        NaN where the function raises or returns other shapes than at the point: there it leaves its
        domain, and `outside` says how. A broken contract is raised as it is.
        """
        self.announce(1)
        return self._evaluate(changes)

    def _evaluate(self, changes: Mapping[str, Array]) -> Array:
        try:
            outputs = self.function.outputs({**self.values, **changes})
        except (ContractViolation, MemoryError):
            raise
        except Exception as error:
            what = (
                error.problems[0].message if isinstance(error, GradcheckError) else f"{type(error).__name__}: {error}"
            )
            self._outside = what
        else:
            if [out.shape for out in outputs] == [out.shape for out in self.outputs.like]:
                return self.outputs.flat(outputs) - self.base
            self._outside = "the value has another shape there"
        return np.full(self.base.shape, np.nan)


class _Seen:
    """The evaluator of a point of whose outputs some are looked at: those that an element moves."""

    def __init__(self, point: Point, positions: Array) -> None:
        self._point = point
        self._evaluator = point.evaluator
        self._positions = positions

    @property
    def outside(self) -> str:
        return self._point.outside

    def one_by_one(self, elements: Array, values: Array, announce: Announce) -> Iterator[Chunk]:
        """Pass the changes on; the element's positions are those that are looked at, in the same order."""
        for chunk in self._evaluator.one_by_one(elements, values, announce):
            changes = chunk.changes if chunk.positions is not None else chunk.changes[self._positions]
            yield Chunk(chunk.start, chunk.stop, changes)

    def at_most(self, elements: int) -> None:
        """Pass it on."""
        self._evaluator.at_most(elements)

    def together(self, values: Array, announce: Announce) -> Array:
        """Return the changes of these outputs alone."""
        return self._evaluator.together(values, announce)[:, self._positions]


def moved_together(moves: Sequence[tuple[Point, Array, Array]]) -> Array:
    """Return how far each output moves when several parameters do: a (point, elements, displacement) for each."""
    changes = {point.name: point.displaced(elements, displacement) for point, elements, displacement in moves}
    return moves[0][0].evaluate(changes)


class Line(Point):
    """A straight line through the point: its one element t moves all elements of the parameter along `direction`.

    A step in t is relative, since the direction holds a typical step of every element.
    """

    def __init__(self, point: Point, direction: Array) -> None:
        super().__init__(point.function, point.values, point.name, point.outputs, point.on_evaluation)
        self.evaluator = _Along(point, direction)
        self.x = np.zeros(1)
        self.typical = 1.0
        self.scales = np.ones(1)
        self.spacings = np.full(1, np.finfo(np.float64).eps)
        self.announce = point.announce

    def realised(self, elements: Array | int | slice, displacement: Array | float) -> Array:
        """Return the values of t, the only element."""
        del elements
        return np.asarray(displacement, dtype=np.float64)


class _Along:
    """Evaluates a point along a direction, whose only element is how far."""

    def __init__(self, point: Point, direction: Array) -> None:
        self._point = point
        self._direction = direction

    @property
    def outside(self) -> str:
        return self._point.outside

    def one_by_one(self, elements: Array, values: Array, announce: Announce) -> Iterator[Chunk]:
        """Evaluate along the direction; the only element may be asked for several times."""
        for k in range(len(elements)):
            yield Chunk(k, k + 1, self.together(values[:, k : k + 1], announce).T[:, :, None])

    def at_most(self, elements: int) -> None:
        """Move one at a time, as always."""

    def together(self, values: Array, announce: Announce) -> Array:
        """Return the changes at every t in `values`, shape (K, 1)."""
        del announce  # the point announces them
        return self._point.together(values * self._direction)
