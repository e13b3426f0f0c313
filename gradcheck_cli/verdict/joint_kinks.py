"""Several kinks at once: a valid subgradient bounds the slopes along joint directions, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.point import Point, moved_together
from gradcheck_cli.numeric.steps import step_size
from gradcheck_cli.records import Finding, Verdict
from gradcheck_cli.verdict.judgement import Judgement

_STEP = 1e-4
_SLACK = 1e-3
_DIRECTIONS = 4


@dataclass(frozen=True, eq=False)
class Kinked:
    """The elements of a parameter that sit at kinks, and the analytic gradient there."""

    point: Point
    elements: Array
    gradient: Array


def excluded_direction(
    kinked: Sequence[Kinked], u: Array, rng: np.random.Generator
) -> tuple[float, float, float] | None:
    """Return (analytic, low, high) along a joint direction of the kinked elements that excludes the gradient.

    None if all of four directions allow it; the first moves all elements the same way. Element by
    element a maximum with ties lets every tied entry have the whole gradient; together they can't.
    """
    h = step_size(min(float(np.min(part.point.scales[part.elements])) for part in kinked), _STEP)
    for number in range(_DIRECTIONS):
        signs = [rng.choice([-1.0, 1.0], p.elements.size) if number else np.ones(p.elements.size) for p in kinked]
        ahead, behind = (
            u
            * moved_together([(p.point, p.elements, side * h * s) for p, s in zip(kinked, signs, strict=True)])
            / (side * h)
            for side in (1.0, -1.0)
        )
        low, high = float(np.minimum(ahead, behind).sum()), float(np.maximum(ahead, behind).sum())
        slack = _SLACK * float(np.abs(ahead).sum() + np.abs(behind).sum())
        analytic = float(sum(s @ p.gradient for p, s in zip(kinked, signs, strict=True)))
        if not low - slack <= analytic <= high + slack:
            return analytic, low, high
    return None


def judge_together(judgement: Judgement, kinked: Sequence[Kinked], u: Array, rng: np.random.Generator) -> None:
    """Fail parameters whose kinks are valid one by one, where a joint direction excludes their gradients."""
    count = sum(part.elements.size for part in kinked)
    excluded = excluded_direction(kinked, u, rng) if count > 1 else None
    if excluded is None:
        return
    analytic, low, high = excluded
    names = {part.point.name for part in kinked}
    message = (
        f"{count} elements of {', '.join(sorted(names))} are at kinks; moved together, the gradient says "
        f"{analytic:.6g}, the slopes on both sides are {low:.6g} and {high:.6g}"
    )
    judgement.parameters[:] = [
        replace(result, verdict=Verdict.FAIL, findings=(Finding("invalid-at-kink", message), *result.findings))
        if result.name in names
        else result
        for result in judgement.parameters
    ]
