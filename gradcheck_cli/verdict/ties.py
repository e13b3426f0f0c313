"""The last appeal: gradients that were called wrong where elements tie.

Where elements tie, a function has no derivative, and moving one element alone may show no kink, or one that excludes
what is right: the middle one of three equal numbers doesn't depend on any of them alone. Clarke's generalised gradient
is the convex hull of the limits of gradients beside the point (Optimization and Nonsmooth Analysis, 1983, theorem
2.5.1). A gradient is right there if the backward leaps as a rounding breaks the ties, if it is one of the gradients
that ties broken either way give, or lies between them, and if the backward is right a little beside the point.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation
from gradcheck_cli.numeric.function import Function, Values
from gradcheck_cli.numeric.point import Outputs
from gradcheck_cli.numeric.steps import element_scales
from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.hull import Hull
from gradcheck_cli.verdict.judgement import Judgement

_TINY = 2.0**12
"""How far ties are broken, in units of the machine's epsilon, relative to the scales of elements."""

_BESIDE, _PLACES = (2.0**-6, 2.0**-12), 6
"""How far from the point the backward has to be right, relative to the scales: the first that the domain allows.

So many places are tried, since a parameter may have no gradient at one.
"""

_NOISE, _LEAST, _MOST = 100.0, 2.0**-30, 2.0**-12
"""The step along which elements are moved together: so many times the noise over the difference, between these."""

_SHARE = 0.05
"""So much of the difference has to show along a joint direction, where no single element shows a kink."""

_DIRECTIONS = 6
"""Joint directions that are tried."""


class Suspect(NamedTuple):
    """The elements of a parameter that were called wrong, or sit at kinks; None where these aren't known.

    `numeric` is the gradient that differences show, one number for each element of the parameter, the analytic one
    where they show none. `cornered` says that single elements show kinks, `noise` is that of the value.
    """

    elements: Array | None
    numeric: Array
    cornered: bool
    noise: float


class Surroundings:
    """The function beside the point of a check, with all parameters in one vector.

    `u` weighs the outputs, `gradients` are those at the point. Calls `announce` with the number of evaluations before
    they are made. The displacements of elements are relative to their scales.
    """

    def __init__(
        self,
        function: Function,
        values: Values,
        outputs: Outputs,
        u: Array,
        gradients: Mapping[str, Array],
        announce: Callable[[int], None],
    ) -> None:
        self._function = function
        self.values = values
        self._outputs = outputs
        self._u = u
        self._announce = announce
        self._names = list(values)
        self.x = np.concatenate([np.ravel(values[name]).astype(np.float64) for name in self._names])
        self.scales = np.concatenate(
            [element_scales(np.ravel(values[name]).astype(np.float64)) for name in self._names]
        )
        self.gradient = self._joined(gradients)
        sizes = [values[name].size for name in self._names]
        self._starts = dict(zip(self._names, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))
        self.epsilon = max(float(np.finfo(values[name].dtype).eps) for name in self._names)

    def displaced(self, displacement: Array) -> dict[str, Array]:
        """Return the parameters with all elements displaced, shape (n,)."""
        moved = self.x + displacement * self.scales
        return {name: moved[self.place_of(name)].reshape(x.shape).astype(x.dtype) for name, x in self.values.items()}

    def gradient_at(self, displacement: Array) -> Array:
        """Return the analytic gradient there, NaN where the function raises."""
        self._announce(1)
        try:
            recording = self._function.record(self.displaced(displacement))
            return self._joined(recording.vjp(self._outputs.split(self._u)))
        except (ContractViolation, MemoryError):
            raise
        except Exception:  # outside of its domain
            return np.full(self.x.shape, np.nan)

    def change(self, displacement: Array) -> float:
        """Return how far the value moves, NaN where the function raises."""
        self._announce(1)
        try:
            outputs = self._function.outputs(self.displaced(displacement))
        except (ContractViolation, MemoryError):
            raise
        except Exception:  # outside of its domain
            return np.nan
        return float(self._u @ (self._outputs.flat(outputs) - self._outputs.base))

    def unknown(self, name: str) -> Suspect:
        """Return a parameter of which it isn't known which elements are wrong, along directions."""
        return Suspect(None, self.gradient[self.place_of(name)], cornered=True, noise=0.0)

    def place_of(self, name: str) -> slice:
        """Return where a parameter stands in the vector of all."""
        return slice(self._starts[name], self._starts[name] + self.values[name].size)

    def _joined(self, gradients: Mapping[str, Array]) -> Array:
        return np.concatenate([np.ravel(gradients[name]).astype(np.float64) for name in self._names])


def acquit(
    judgement: Judgement,
    around: Surroundings,
    suspects: Mapping[str, Suspect],
    judged_at: Callable[[Values, Collection[str]], Judgement],
    rng: np.random.Generator,
) -> None:
    """Let parameters pass that were called wrong for ties, in `judgement`.

    `suspects` are known of those that were judged by elements, `judged_at` judges the named parameters at other values,
    without an appeal.
    """
    failed = [result.name for result in judgement.parameters if result.verdict is Verdict.FAIL]
    if around.x.size < 2:
        return
    named = {name: suspects.get(name) or around.unknown(name) for name in failed}
    hull = Hull(around.gradient_at, around.gradient, around.x, _TINY * around.epsilon, rng)
    parts = [around.place_of(name).start + e.elements for name, e in named.items() if e.elements is not None]
    wrong = np.concatenate([*parts, np.empty(0, int)])
    if not hull.leaps(wrong) or not hull.holds(wrong):
        return
    if not all(each.cornered or each.elements is None for each in named.values()) and not _has_kink(around, named, rng):
        return
    found = _right_beside(around, hull.place, failed, judged_at, rng)
    judgement.parameters[:] = [
        _acquitted(result, found[result.name]) if result.name in found else result for result in judgement.parameters
    ]


def _right_beside(
    around: Surroundings,
    place: Array | None,
    names: Sequence[str],
    judged_at: Callable[[Values, Collection[str]], Judgement],
    rng: np.random.Generator,
) -> dict[str, ParameterResult]:
    """Return the results of parameters beside the point, if none is wrong there; of one that has a gradient there.

    `place` is where the gradient is the one at the point, if that is known.
    """
    found: dict[str, ParameterResult] = {}
    for distance in _BESIDE:
        for _ in range(_PLACES):
            ways = rng.uniform(-1.0, 1.0, around.x.size) if place is None else place * rng.uniform(0.7, 1.3)
            again = judged_at(around.displaced(distance * ways), names)
            verdicts = {result.name: result.verdict for result in again.parameters}
            if Verdict.FAIL in verdicts.values():
                return {}
            if again.findings or set(verdicts) < set(names) or Verdict.SKIP in verdicts.values():
                break  # outside of the domain
            found.update({r.name: r for r in again.parameters if r.resolution is not None})
            if len(found) == len(names):
                return found
    return {}


def _has_kink(around: Surroundings, suspects: Mapping[str, Suspect], rng: np.random.Generator) -> bool:
    """Tell whether elements that move together do something else than the sum of what they do alone."""
    numeric = around.gradient.copy()
    for name, each in suspects.items():
        numeric[around.place_of(name)] = each.numeric
    difference = float(np.max(np.abs(around.gradient - numeric) * around.scales))
    noise = max(each.noise for each in suspects.values())
    step = max(_NOISE * noise / difference, _LEAST) if difference else np.inf
    if step > _MOST:
        return False
    for direction in _directions(around.x.size, rng):
        slope = (around.change(step * direction) - around.change(-step * direction)) / (2 * step)
        if abs(slope - float(numeric @ (direction * around.scales))) >= _SHARE * difference:
            return True
    return False


def _directions(size: int, rng: np.random.Generator) -> Iterator[Array]:
    yield np.ones(size)
    for _ in range(_DIRECTIONS):
        yield rng.choice([-1.0, 1.0], size) * rng.uniform(0.5, 1.5, size)


def _acquitted(result: ParameterResult, beside: ParameterResult) -> ParameterResult:
    """Return what was found beside the point, as the result at a kink."""
    message = (
        f"{result.name}: elements tie here; the gradient is one of those beside the point, or lies between them, "
        "and there it is right"
    )
    others = (finding for finding in beside.findings if finding.name not in ("kink-at-point", "kink-nearby"))
    return replace(beside, findings=(Finding("kink-at-point", message), *others), sweep=())
