"""Both sides of the dot-product test for one t and g: <g, jvp(t)> and <vjp(g), t>, and what differences say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import current
from gradcheck_cli.core.jvp import Application
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.numeric.steps import typical_magnitude
from gradcheck_cli.verdict.linearity import FLOOR_EPSILONS

_STEPS = 10.0 ** -np.arange(2.0, 8.0)

_TELLING = 1e3
"""A difference tells something from so many roundings of the value on."""


@dataclass(frozen=True)
class Rounding:
    """How precisely an operator computes: its machine epsilon, and the relative error that counts."""

    epsilon: float
    gate: float


@dataclass(frozen=True)
class Products:
    """Both sides: `forward` is <g, jvp(t)>, `reverse` is <vjp(g), t>.

    They may differ by `tolerance` through rounding, as far as their own terms tell.
    """

    forward: float
    reverse: float
    tolerance: float

    @property
    def off(self) -> float:
        """By how much they differ."""
        return abs(self.forward - self.reverse)

    @property
    def suspicious(self) -> bool:
        """Whether that is more than rounding, as far as their own terms tell."""
        return self.off > self.tolerance


@dataclass(frozen=True, eq=False)
class Probe:
    """A tangent of the input at position `slot`, and a cotangent with the gradient that the backward makes of it."""

    slot: int
    t: Array
    g: Sequence[Array | None]
    gradient: Array

    def at(self, elements: Array) -> Probe:
        """Return the probe that moves only some elements, counted in C order."""
        t = np.zeros_like(self.t)
        t.flat[elements] = self.t.flat[elements]
        return replace(self, t=t)


def products(application: Application, probe: Probe, rounding: Rounding) -> Products | None:
    """Compute both sides; None where the jvp isn't finite."""
    tangents = application.push({probe.slot: probe.t}) or ()
    forward, terms = _inner(probe.g, tangents)
    if not np.isfinite(terms):
        return None
    reverse, others = _inner([probe.gradient], [probe.t])
    # A gradient that cancels is as wrong as the values that it is made of, those of the outputs that move.
    affected = [
        np.where(tangent != 0, out, 0.0) if terms and tangent is not None else out
        for out, tangent in zip(application.outputs, tangents, strict=True)
    ]
    _, values = _inner(probe.g, affected)
    scale = min(typical_magnitude(array_at(application, probe.slot)), 1.0)
    floor = FLOOR_EPSILONS * rounding.epsilon * values / scale * float(np.abs(probe.t).max())
    return Products(forward, reverse, max(rounding.gate * max(terms, others), floor))


def differences(application: Application, probe: Probe, element: int, epsilon: float) -> Iterator[float]:
    """Yield central differences of <g, out> along a t that moves one element, at steps that fall in decades.

    Those that rounding to `epsilon` could make alone are left out.
    """
    x = array_at(application, probe.slot)
    size = abs(float(x.flat[element])) or typical_magnitude(x)
    for step in _STEPS:
        sums, places, terms = [], [], 0.0
        for move in (step * size, -step * size):
            moved = np.array(x)
            moved.flat[element] += move
            arrays = list(application.arrays)
            arrays[probe.slot] = moved
            try:
                outputs, _ = current().forward(application.operator, arrays, dict(application.attributes))
            except GradcheckError:  # it left the domain
                break
            value, terms = _inner(probe.g, outputs)
            sums.append(value)
            places.append(float(moved.flat[element]))
        if len(sums) == 2 and abs(sums[0] - sums[1]) > _TELLING * epsilon * terms:
            yield (sums[0] - sums[1]) / (places[0] - places[1]) * float(probe.t.flat[element])


def array_at(application: Application, slot: int) -> Array:
    """Return the input at a position where there is an array."""
    array = application.arrays[slot]
    assert array is not None, slot
    return array


def _inner(first: Sequence[Array | None], second: Sequence[Array | None]) -> tuple[float, float]:
    """Return the inner product of two lists of arrays, and the sum of the magnitudes of its terms."""
    pairs = zip(first, second, strict=True)
    terms = [
        np.asarray(a, dtype=np.float64) * np.asarray(b, dtype=np.float64)
        for a, b in pairs
        if a is not None and b is not None
    ]
    return sum(float(np.sum(part)) for part in terms), sum(float(np.sum(np.abs(part))) for part in terms)
