"""Several kinks at once: a valid subgradient bounds the slopes along joint directions, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.noise import scaled_norm
from gradcheck_cli.numeric.point import Point, moved_together
from gradcheck_cli.numeric.step_choice import SAFETY
from gradcheck_cli.numeric.steps import step_size
from gradcheck_cli.records import Finding, Verdict
from gradcheck_cli.verdict.judgement import Judgement

_STEP = 1e-4
_CLOSE = 8.0
"""The joint step in units of the smallest one that showed a kink: other features stay outside."""
_SLACK = 1e-3
_RANDOM = 3
_ROUNDING = 1e-12
"""The gradient's entries may cancel along a direction, down to their own rounding."""


class Kinked(NamedTuple):
    """The elements of a parameter that sit at kinks, the analytic gradient there, and a step that shows the kinks.

    `noise` is that of the contracted value.
    """

    point: Point
    elements: Array
    gradient: Array
    step: float = np.inf
    noise: float = 0.0


def excluded_direction(
    kinked: Sequence[Kinked], u: Array, rng: np.random.Generator
) -> tuple[float, float, float] | None:
    """Return (analytic, low, high) along a joint direction of the kinked elements that excludes the gradient.

    None if all directions allow it: all elements the same way, three random ones, and along the gradient
    itself. Element by element a maximum with ties lets every tied entry have the whole gradient, and a
    norm at 0 every entry a slope of 1; together they can't.
    """
    scale = min(float(np.min(part.point.scales[part.elements])) for part in kinked)
    h = step_size(min(_STEP * scale, _CLOSE * min(part.step for part in kinked)), 1.0)
    sizes = [part.elements.size for part in kinked]
    gradient = np.concatenate([part.gradient for part in kinked])
    steepest = float(np.abs(gradient).max())
    directions = [np.ones(gradient.size), *(rng.choice([-1.0, 1.0], gradient.size) for _ in range(_RANDOM))]
    directions += [gradient / steepest] if steepest else []
    first = kinked[0].point
    noise = max(scaled_norm(first.outputs.epsilon * u * first.base), *(part.noise for part in kinked))
    rounding = 2 * SAFETY * noise / h
    for direction in directions:
        parts = np.split(direction, np.cumsum(sizes)[:-1])
        ahead, behind = (
            u
            * moved_together([(p.point, p.elements, side * h * v) for p, v in zip(kinked, parts, strict=True)])
            / (side * h)
            for side in (1.0, -1.0)
        )
        low, high = float(np.minimum(ahead, behind).sum()), float(np.maximum(ahead, behind).sum())
        slack = _SLACK * float(np.abs(ahead).sum() + np.abs(behind).sum()) + rounding
        analytic = float(direction @ gradient)
        slack += _ROUNDING * float(np.abs(direction * gradient).sum())
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
