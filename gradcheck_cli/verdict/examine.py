"""Tier 2: examine one suspicious element over a ladder of steps, climbing only as far as needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.ladder import ENOUGH, Ladder
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.steps import DECADE, HALF_DECADE, ladder_steps, step_size
from gradcheck_cli.numeric.survey import own_noise
from gradcheck_cli.verdict.outcome import Cotangent, Outcome, Status
from gradcheck_cli.verdict.ruling import Evidence, Ruling, as_outcome, is_settled, rule

_EXTRA_STEPS = 9
_FARTHEST = 1e3
"""Larger steps, at most so many, up to so many times the element's scale, while the largest is the best."""

_CONVICTED = (Status.INVALID_AT_KINK, Status.FAIL)

GradientOf = Callable[[Array], Array]


def examine(
    point: Point,
    element: int,
    cotangents: Sequence[Cotangent],
    noise: Noise,
    step: float,
    rtol: float,
    gradient_of: GradientOf,
) -> list[Outcome]:
    """Return the outcome of an element under every cotangent.

    Decades first, with the survey's noise; half-decades with a noise table of the element's own
    if that doesn't settle it; then larger steps while the largest is the best. `step` is tier 1's,
    `gradient_of` runs a backward with another cotangent.
    """
    ladder = Ladder(point, element)
    _climb(ladder, DECADE)
    rulings = [_rule(ladder, element, cotangent, noise, rtol, gradient_of) for cotangent in cotangents]
    analytics = [float(cotangent.gradient[element]) for cotangent in cotangents]
    if not all(is_settled(ruling, a, rtol) for ruling, a in zip(rulings, analytics, strict=True)):
        _climb(ladder, HALF_DECADE)
        own = own_noise(point, element, step, noise, ladder.reach() or np.inf)
        rulings = [_rule_higher(ladder, element, cotangent, own, rtol, gradient_of) for cotangent in cotangents]
        # Rounding on the way from other elements shifts this slope, too, and only the survey sees it.
        noise = noise.joined(own)
        rulings = [
            _rule(ladder, element, cotangent, noise, rtol, gradient_of) if ruling.status in _CONVICTED else ruling
            for ruling, cotangent in zip(rulings, cotangents, strict=True)
        ]
    rulings = [
        _upheld(ruling, ladder, element, cotangent, noise, rtol, gradient_of)
        for ruling, cotangent in zip(rulings, cotangents, strict=True)
    ]
    return [
        as_outcome(ruling, element, number, a)
        for number, (ruling, a) in enumerate(zip(rulings, analytics, strict=True))
    ]


def _climb(ladder: Ladder, ratio: float) -> None:
    """Climb from the smallest sensible step, and again below the edge of the domain if there is one."""
    point, element = ladder.point, ladder.element
    x, spacing = float(point.x[element]), float(point.spacings[element])
    ladder.climb(ladder_steps(x, point.typical, spacing, ratio))
    reach = ladder.reach()
    if np.isfinite(reach) and sum(all(pair.finite) for pair in ladder.pairs) < 2 * ENOUGH:
        ladder.climb(ladder_steps(x, point.typical, spacing, HALF_DECADE, reach=reach or 1e3 * spacing))


def _rule(
    ladder: Ladder, element: int, cotangent: Cotangent, noise: Noise, rtol: float, gradient_of: GradientOf
) -> Ruling:
    point = ladder.point
    evidence = Evidence(
        u=cotangent.u,
        base=point.base,
        noise=noise,
        scale=max(abs(float(point.x[element])), point.typical),
        rtol=rtol,
        outside=point.outside,
        gradient_of=lambda u: float(gradient_of(u)[element]),
    )
    return rule(ladder.slopes(cotangent.u, noise), float(cotangent.gradient[element]), evidence)


def _rule_higher(
    ladder: Ladder, element: int, cotangent: Cotangent, noise: Noise, rtol: float, gradient_of: GradientOf
) -> Ruling:
    """Rule, and climb on while the largest step is the best and the bar is not sharp, or nothing has moved."""
    point = ladder.point
    own = max(abs(float(point.x[element])), point.typical, 1.0)
    for _ in range(_EXTRA_STEPS):
        ruling = _rule(ladder, element, cotangent, noise, rtol, gradient_of)
        still = ruling.numeric == 0
        farthest = own if still else _FARTHEST * own
        if not ruling.wants_larger or ladder.top >= farthest or not all(ladder.pairs[-1].finite):
            return ruling
        stride = max(HALF_DECADE, (farthest / ladder.top) ** 0.25) if still else HALF_DECADE
        ladder.climb([step_size(ladder.top, stride)])
    return _rule(ladder, element, cotangent, noise, rtol, gradient_of)


def _upheld(
    ruling: Ruling,
    ladder: Ladder,
    element: int,
    cotangent: Cotangent,
    noise: Noise,
    rtol: float,
    gradient_of: GradientOf,
) -> Ruling:
    """Uphold a failure only if a single output shows it, found by halving the outputs.

    Rounding inside makes staircases of different widths, which together may look like another slope.
    No further evaluation is needed, two backwards a halving.
    """
    if ruling.status not in _CONVICTED:
        return ruling
    stack = [np.flatnonzero(cotangent.u)]
    while stack:
        outputs = stack.pop()
        if outputs.size == 1:
            return ruling
        for half in (outputs[outputs.size // 2 :], outputs[: outputs.size // 2]):
            u = np.zeros_like(cotangent.u)
            u[half] = cotangent.u[half]
            part = Cotangent(u, gradient_of(u))
            if _rule(ladder, element, part, noise, rtol, gradient_of).status in _CONVICTED:
                stack.append(half)
    detail = "the outputs differ together, and none of them does alone: rounding inside the function"
    return replace(ruling, status=Status.UNCLEAR, cause="rounding-dominates", detail=detail)
