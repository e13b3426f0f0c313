"""Tier 2: examine one suspicious element over a ladder of steps, climbing only as far as needed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.numeric.ladder import ENOUGH, Ladder
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.own_noise import own_noise
from gradcheck_cli.numeric.steps import DECADE, HALF_DECADE, MOST_BEYOND, ladder_steps, step_size, stride_up_to
from gradcheck_cli.verdict.outcome import CONVICTED, Cotangent, GradientOf, Outcome, Status
from gradcheck_cli.verdict.ruling import Evidence, Ruling, as_outcome, is_settled, rule

_FARTHEST = 1e3
"""Larger steps go up to so many times the element's scale, while the largest is the best."""


def examine(
    ladder: Ladder,
    cotangents: Sequence[Cotangent],
    noise: Noise,
    step: float,
    rtol: float,
    gradient_of: GradientOf,
) -> list[Outcome]:
    """Return the outcome of a ladder's element under every cotangent.

    Decades first, with the survey's noise; half-decades with a noise table of the element's own
    if that doesn't settle it; then larger steps while the largest is the best. What the ladder has
    already isn't evaluated again. `step` is tier 1's, `gradient_of` runs a backward with another cotangent.
    """
    bench = _Bench(ladder, noise.at(ladder.positions), rtol, gradient_of)
    element = ladder.element
    _climb(ladder, DECADE)
    rulings = [bench.rule(cotangent) for cotangent in cotangents]
    analytics = [float(cotangent.gradient[element]) for cotangent in cotangents]
    if not all(is_settled(ruling, a, rtol) for ruling, a in zip(rulings, analytics, strict=True)):
        _climb(ladder, HALF_DECADE)
        own = own_noise(ladder.point, element, step, bench.noise, ladder.reach() or np.inf)
        # Rounding on the way from other elements shifts this slope, too, and only the survey sees it.
        joined = bench.noise.joined(own)
        bench.noise = own
        rulings = [_rule_higher(bench, cotangent) for cotangent in cotangents]
        bench.noise = joined
        rulings = [
            bench.rule(cotangent) if ruling.status in CONVICTED else ruling
            for ruling, cotangent in zip(rulings, cotangents, strict=True)
        ]
    rulings = [_upheld(ruling, bench, cotangent) for ruling, cotangent in zip(rulings, cotangents, strict=True)]
    return [
        as_outcome(ruling, element, number, a)
        for number, (ruling, a) in enumerate(zip(rulings, analytics, strict=True))
    ]


@dataclass(eq=False)
class _Bench:
    """Where one element is judged: its ladder, and the noise of the outputs that it moves."""

    ladder: Ladder
    noise: Noise
    rtol: float
    gradient_of: GradientOf

    def rule(self, cotangent: Cotangent) -> Ruling:
        """Rule on the ladder as it is, under one cotangent."""
        ladder, point, element = self.ladder, self.ladder.point, self.ladder.element
        u = ladder.seen(cotangent.u)
        evidence = Evidence(
            u=u,
            base=point.base,
            noise=self.noise,
            scale=max(abs(float(point.x[element])), point.typical),
            rtol=self.rtol,
            outside=point.outside,
            gradient_of=lambda seen: self.analytic(ladder.spread(seen)),
            own=abs(float(point.x[element])) or point.typical,
        )
        return rule(ladder.slopes(u, self.noise), float(cotangent.gradient[element]), evidence)

    def analytic(self, u: Array) -> float:
        """Return the element's gradient under another cotangent."""
        return float(self.gradient_of(u)[self.ladder.element])


def _climb(ladder: Ladder, ratio: float) -> None:
    """Climb from the smallest sensible step, and again below the edge of the domain if there is one."""
    point, element = ladder.point, ladder.element
    x, spacing = float(point.x[element]), float(point.spacings[element])
    ladder.climb(ladder_steps(x, point.typical, spacing, ratio))
    reach = ladder.reach()
    if np.isfinite(reach) and sum(all(pair.finite) for pair in ladder.pairs) < 2 * ENOUGH:
        ladder.climb(ladder_steps(x, point.typical, spacing, HALF_DECADE, reach=reach or 1e3 * spacing))


def _rule_higher(bench: _Bench, cotangent: Cotangent) -> Ruling:
    """Rule, and climb on while the largest step is the best and the bar is not sharp, or nothing has moved."""
    ladder, point = bench.ladder, bench.ladder.point
    own = max(abs(float(point.x[ladder.element])), point.typical, 1.0)
    for _ in range(MOST_BEYOND):
        ruling = bench.rule(cotangent)
        still = ruling.numeric == 0
        farthest = own if still else _FARTHEST * own
        if not ruling.wants_larger or ladder.top >= farthest or not all(ladder.pairs[-1].finite):
            return ruling
        stride = float(stride_up_to(farthest, ladder.top)) if still else HALF_DECADE
        ladder.climb([step_size(ladder.top, stride)])
    return bench.rule(cotangent)


def _upheld(ruling: Ruling, bench: _Bench, cotangent: Cotangent) -> Ruling:
    """Uphold a failure only if a single output shows it, found by halving the outputs.

    Rounding inside makes staircases of different widths, which together may look like another slope.
    No further evaluation is needed, two backwards a halving.
    """
    if ruling.status not in CONVICTED or _is_foreign(ruling, bench, cotangent):
        return ruling
    ladder = bench.ladder
    seen = np.arange(cotangent.u.size) if ladder.positions is None else ladder.positions
    stack = [seen[cotangent.u[seen] != 0]]
    while stack:
        outputs = stack.pop()
        if outputs.size == 1:
            return ruling
        for half in (outputs[outputs.size // 2 :], outputs[: outputs.size // 2]):
            u = np.zeros_like(cotangent.u)
            u[half] = cotangent.u[half]
            if bench.rule(Cotangent(u, bench.gradient_of(u))).status in CONVICTED:
                stack.append(half)
    detail = "the outputs differ together, and none of them does alone: rounding inside the function"
    return ruling._replace(status=Status.UNCLEAR, cause="rounding-dominates", detail=detail)


def _is_foreign(ruling: Ruling, bench: _Bench, cotangent: Cotangent) -> bool:
    """Tell whether the gradient has a share from outputs that the element can't move, which no ladder shows."""
    if bench.ladder.positions is None:
        return False
    others = cotangent.u.copy()
    others[bench.ladder.positions] = 0
    return bool(others.any()) and abs(bench.analytic(others)) > ruling.bar
