"""Compare an analytic gradient with differences: survey, screen every element, examine the suspicious ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.ladder import take_pair
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.steps import default_eps, step_size
from gradcheck_cli.numeric.survey import survey
from gradcheck_cli.verdict.cotangents import balanced, signed_cotangent
from gradcheck_cli.verdict.examine import GradientOf, examine
from gradcheck_cli.verdict.outcome import Cotangent, Outcome, Status
from gradcheck_cli.verdict.screen import WIDER, acquitted, confirms, figures, screen

_PROBE = 0.125
"""Elements without any effect are probed once more, together, by this share of their scale."""


@dataclass(frozen=True, eq=False)
class Basis:
    """What a parameter's elements are compared with: cotangents, the noise of the outputs, and first steps."""

    cotangents: list[Cotangent]
    noise: Noise
    steps: Array


def prepare(point: Point, u: Array, gradient_of: GradientOf, knobs: Knobs, rng: np.random.Generator) -> Basis:
    """Survey the parameter and choose the cotangents.

    `u` is the first cotangent, `gradient_of` runs the backward with a cotangent and
    returns the parameter's gradient as a vector. The second is balanced by each output's sensitivity.
    """
    eps = knobs.eps or default_eps(point.values[point.name].dtype)
    steps = np.array([step_size(scale, eps) for scale in point.scales])
    noise, sensitivity = survey(point, steps, rng)
    cotangents = [Cotangent(u, gradient_of(u))]
    if u.size > 1:
        even = balanced(signed_cotangent(u.size, rng), sensitivity)
        second = gradient_of(even)
        if np.isfinite(second).all():
            cotangents.append(Cotangent(even, second))
    return Basis(cotangents, noise, steps)


def compare(
    point: Point, basis: Basis, gradient_of: GradientOf, rtol: float, elements: Array, rng: np.random.Generator
) -> list[Outcome]:
    """Compare `elements` of the analytic gradient with differences; return their outcomes under all cotangents."""
    cotangents, noise, steps = basis.cotangents, basis.noise, basis.steps
    outcomes: list[Outcome] = []
    silent, suspicious = [], []
    for element in elements:
        seen = screened(point, int(element), cotangents, noise, steps[element], rtol)
        if seen is None:
            suspicious.append(int(element))
        elif not seen:
            silent.append(int(element))
        else:
            outcomes += seen
    loud = _loud(point, np.array(silent, dtype=int), rng)
    outcomes += [
        _silent(point, e, number, c, noise) for e in silent if e not in loud for number, c in enumerate(cotangents)
    ]
    for element in sorted([*suspicious, *loud]):
        outcomes += examine(point, element, cotangents, noise, steps[element], rtol, gradient_of)
    return outcomes


def screened(
    point: Point, element: int, cotangents: Sequence[Cotangent], noise: Noise, step: float, rtol: float
) -> list[Outcome] | None:
    """Screen one element; return its outcomes, an empty list if nothing moved at all, None if it is suspicious."""
    pair = take_pair(point, element, step)
    if not (pair.plus.any() or pair.minus.any() or any(c.gradient[element] for c in cotangents)):
        return []
    wider = None
    passed = []
    for number, cotangent in enumerate(cotangents):
        analytic = float(cotangent.gradient[element])
        seen = figures(pair, cotangent.u, point.base, noise)
        answer = screen(seen, analytic, rtol)
        if answer == "suspicious":
            return None
        if answer == "noisy":
            wider = wider or take_pair(point, element, WIDER * step)
            broad = figures(wider, cotangent.u, point.base, noise)
            if not confirms(broad, seen, analytic, rtol):
                return None
            seen = broad
        passed.append(acquitted(element, number, cotangent, seen))
    return passed


def _loud(point: Point, elements: Array, rng: np.random.Generator) -> set[int]:
    """Return which of the elements without effect have one after all: a joint probe, halved where something moves."""
    signs = rng.choice([-1.0, 1.0], point.x.size)
    stack, loud = [elements] if elements.size else [], set()
    while stack:
        group = stack.pop()
        change = point.moved(group, signs[group] * _PROBE * point.scales[group])[1]
        if not change.any():
            continue
        if group.size == 1:
            loud.add(int(group[0]))
        else:
            stack += [group[: group.size // 2], group[group.size // 2 :]]
    return loud


def _silent(point: Point, element: int, number: int, cotangent: Cotangent, noise: Noise) -> Outcome:
    """Return the pass of an element with no effect: both sides are zero, up to the rounding of the outputs."""
    everything = np.ones(point.base.shape, dtype=bool)
    bar = noise.of(cotangent.u, np.abs(point.base), everything) / (_PROBE * point.scales[element])
    return Outcome(element, number, Status.PASS, 0.0, 0.0, float(bar))
