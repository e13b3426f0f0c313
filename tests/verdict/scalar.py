"""Tier 1 and tier 2 one element after the other, in plain Python: what the columns have to agree with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcheck_cli.numeric.ladder import Ladder
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.step_choice import SAFETY
from gradcheck_cli.verdict.compare import Basis
from gradcheck_cli.verdict.examine import examine
from gradcheck_cli.verdict.outcome import Outcome, Status, tolerance

WIDER = 32.0
PROBE = 0.125


@dataclass(frozen=True)
class Figures:
    """The figures of one pair under one cotangent."""

    central: float
    forward: float
    backward: float
    noise: float


def figures(point: Point, element: int, h: float, u: Any, noise: Noise) -> tuple[Figures, bool]:
    """Evaluate at x+h and x-h, and tell whether any output moved."""
    up, plus = point.moved(element, h)
    down, minus = point.moved(element, -h)
    moved = (plus != 0) | (minus != 0)
    rise, fall = float(np.sum(u * plus)), float(np.sum(u * minus))
    size = np.maximum(np.abs(point.base), np.abs(point.base + plus))
    above, below = float(up), -float(down)
    blur = noise.of(u, size, moved) / h
    return Figures((rise - fall) / (above + below), rise / above, -fall / below, blur), bool(moved.any())


def answer(seen: Figures, analytic: float, rtol: float) -> str:
    """Judge one pair."""
    close, difference = tolerance(analytic, seen.central, rtol), abs(analytic - seen.central)
    gap, steepest = abs(seen.forward - seen.backward), max(abs(seen.forward), abs(seen.backward))
    if not np.isfinite(seen.central) or (gap > 0.01 * steepest and gap > 10 * seen.noise):
        return "suspicious"
    if difference <= close and SAFETY * seen.noise <= close:
        return "agrees"
    near = difference <= 5 * seen.noise + close
    return "noisy" if near and SAFETY * seen.noise / WIDER <= close else "suspicious"


def confirmed(wider: Figures, seen: Figures, analytic: float, rtol: float) -> bool:
    """Tell whether a wider pair agrees with the gradient and the first pair."""
    close = tolerance(analytic, seen.central, rtol)
    steepest = max(abs(wider.forward), abs(wider.backward)) or 1.0
    agrees = abs(analytic - wider.central) <= close and abs(wider.central - seen.central) <= 5 * seen.noise + close
    return bool(np.isfinite(wider.central)) and agrees and (abs(wider.forward - wider.backward) / steepest) ** 2 <= rtol


def compare_one_by_one(point: Point, basis: Basis, gradient_of: Any, rtol: float, elements: Any, rng: Any) -> Any:
    """Return the outcomes by (element, cotangent)."""
    outcomes: list[Outcome] = []
    silent, suspicious = [], []
    for element in map(int, elements):
        passed = _screen(point, element, basis, rtol)
        if passed is None:
            suspicious.append(element)
        elif not passed:
            silent.append(element)
        else:
            outcomes += passed
    signs = rng.choice([-1.0, 1.0], point.x.size)
    for element in silent:
        if point.moved(element, signs[element] * PROBE * point.scales[element])[1].any():
            suspicious.append(element)
            continue
        for number, c in enumerate(basis.cotangents):
            everything = np.ones(point.base.shape, dtype=bool)
            bar = basis.noise.of(c.u, np.abs(point.base), everything) / (PROBE * point.scales[element])
            outcomes.append(Outcome(element, number, Status.PASS, 0.0, 0.0, float(bar)))
    for element in suspicious:
        ladder = Ladder(point, element)
        outcomes += examine(ladder, basis.cotangents, basis.noise, basis.steps[element], rtol, gradient_of)
    return {(outcome.element, outcome.cotangent): outcome for outcome in outcomes}


def _screen(point: Point, element: int, basis: Basis, rtol: float) -> list[Outcome] | None:
    """Return the passes of an element, an empty list if nothing moved, None if it is suspicious."""
    step, passed = basis.steps[element], []
    moves = any(c.gradient[element] for c in basis.cotangents)
    for number, c in enumerate(basis.cotangents):
        analytic = float(c.gradient[element])
        seen, stirred = figures(point, element, step, c.u, basis.noise)
        if not (moves or stirred):
            return []
        said = answer(seen, analytic, rtol)
        if said == "noisy":
            first = seen
            seen, _ = figures(point, element, WIDER * step, c.u, basis.noise)
            said = "agrees" if confirmed(seen, first, analytic, rtol) else "suspicious"
        if said == "suspicious":
            return None
        passed.append(Outcome(element, number, Status.PASS, analytic, seen.central, SAFETY * seen.noise))
    return passed
