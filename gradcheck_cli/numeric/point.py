"""The function around a point: one parameter's elements move, all outputs answer as one vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation, GradcheckError
from gradcheck_cli.numeric.function import Function, Values
from gradcheck_cli.numeric.steps import element_scales, typical_magnitude


class Outputs:
    """How several outputs of any shape are one vector. Outputs that are no floats have no gradient and are left out.

    `jitter` is by how much each element of the vector differs between identical calls. `coarsest` is the
    machine epsilon of what is computed in less than single precision on the way, 0 if nothing is.
    """

    def __init__(self, like: Sequence[Array], coarsest: float = 0.0) -> None:
        self.like = like
        self.coarsest = coarsest
        self.jitter = np.zeros(sum(out.size for out in like if out.dtype.kind == "f"))

    def flat(self, outputs: Sequence[Array]) -> Array:
        """Join the floating outputs into one float64 vector."""
        parts = [
            np.ravel(out).astype(np.float64)
            for out, like in zip(outputs, self.like, strict=True)
            if like.dtype.kind == "f"
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def split(self, vector: Array) -> tuple[Array, ...]:
        """Cut a vector into arrays like the outputs, zeros where an output has no gradient."""
        parts, at = [], 0
        for like in self.like:
            if like.dtype.kind == "f":
                parts.append(vector[at : at + like.size].reshape(like.shape).astype(like.dtype))
                at += like.size
            else:
                parts.append(np.zeros(like.shape))
        return tuple(parts)

    @property
    def epsilon(self) -> Array:
        """The machine epsilon of every element of the vector."""
        parts = [np.full(like.size, np.finfo(like.dtype).eps) for like in self.like if like.dtype.kind == "f"]
        return np.maximum(np.concatenate(parts).astype(np.float64), self.coarsest) if parts else np.empty(0)


class Point:
    """The function around `values` while elements of the parameter `name` move.

    `base` is the vector of outputs at the point, `spacings` how far each element's neighbours in its dtype
    are, `outside` what happens outside of the domain. Calls `on_evaluation` before every evaluation
    and counts them in `evaluations`.
    """

    def __init__(
        self,
        function: Function,
        values: Values,
        name: str,
        outputs: Outputs,
        on_evaluation: Callable[[], None] = lambda: None,
    ) -> None:
        self.function = function
        self.values = dict(values)
        self.name = name
        self.outputs = outputs
        self.base = outputs.flat(outputs.like)
        self.on_evaluation = on_evaluation
        self.evaluations = 0
        self.outside = "the value is not finite there"
        self._array = self.values[name]
        self.x = np.ravel(self._array).astype(np.float64)
        self.typical = typical_magnitude(self.x)
        self.scales = element_scales(self.x)
        self.spacings = np.abs(np.spacing(np.ravel(self._array))).astype(np.float64)

    def index(self, element: int) -> tuple[int, ...]:
        """Return the index of an element counted in C order."""
        return tuple(int(i) for i in np.unravel_index(element, self._array.shape))

    def label(self, element: int) -> str:
        """Name an element as NumPy does: x[0,4]; a scalar is x."""
        index = self.index(element)
        return f"{self.name}[{','.join(map(str, index))}]" if index else self.name

    def moved(self, elements: Array | int, displacement: Array | float) -> tuple[Array, Array]:
        """Return the realised displacement of `elements`, and how far each output moved."""
        before = self.x[elements]
        array = self.displaced(elements, displacement)
        return array.reshape(-1)[elements].astype(np.float64) - before, self.evaluate({self.name: array})

    def displaced(self, elements: Array | int, displacement: Array | float) -> Array:
        """Return the parameter with `elements` moved."""
        flat = np.array(self._array).reshape(-1)
        flat[elements] = self.x[elements] + displacement
        return flat.reshape(self._array.shape)

    def evaluate(self, changes: Mapping[str, Array]) -> Array:
        """Return how far each output moves when the named parameters have other values.

        NaN where the function raises or returns other shapes than at the point: there it leaves its
        domain, and `outside` says how. A broken contract is raised as it is.
        """
        self.on_evaluation()
        self.evaluations += 1
        try:
            outputs = self.function.outputs({**self.values, **changes})
        except ContractViolation:
            raise
        except Exception as error:
            what = (
                error.problems[0].message if isinstance(error, GradcheckError) else f"{type(error).__name__}: {error}"
            )
            self.outside = what
        else:
            if [out.shape for out in outputs] == [out.shape for out in self.outputs.like]:
                return self.outputs.flat(outputs) - self.base
            self.outside = "the value has another shape there"
        return np.full(self.base.shape, np.nan)


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
        self._direction = direction
        self._all = np.arange(point.x.size)
        self._point = point
        self.x = np.zeros(1)
        self.typical = 1.0
        self.scales = np.ones(1)
        self.spacings = np.full(1, np.finfo(np.float64).eps)

    def moved(self, elements: Array | int, displacement: Array | float) -> tuple[Array, Array]:
        """Return the step in t, the only element, and how far each output moved."""
        del elements
        step = np.asarray(displacement, dtype=np.float64)
        return step, self._point.moved(self._all, float(step.reshape(-1)[0]) * self._direction)[1]
