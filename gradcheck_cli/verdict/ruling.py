"""Rule on one element from its ladder of steps, under one cotangent."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.ladder import Slopes
from gradcheck_cli.numeric.noise import Noise, scaled_norm
from gradcheck_cli.numeric.stairs import last_digits
from gradcheck_cli.numeric.step_choice import SAFETY, best_extrapolation, best_step
from gradcheck_cli.verdict import guards
from gradcheck_cli.verdict.kinks import Corner, find_corner
from gradcheck_cli.verdict.outcome import Outcome, Status, rel_err, tolerance

GREY = 3.0
"""Differences up to so many bars are inconclusive: failing at one bar called 2 of 1,200 right gradients wrong."""

_BLURRED = 0.1
"""A bar above this share of the gradient doesn't convict, unless the difference is plain."""

BACKWARD = 3.0
"""Rounding of a gradient that is zero, in units of the value's noise."""

_PLAIN = 10.0
"""So many bars are plain."""

OWN_SCALE = 0.15
"""Steps beyond this share of the element's scale can't convict (0.1, rounded up to a power of two)."""

SETTLED = 10.0
"""A pass is sharp with a bar of so many rtol."""


class Evidence(NamedTuple):
    """What a ruling looks at besides the slopes.

    `scale` is the larger of |x| and the typical magnitude, `own` is |x| alone where that is not 0; `outside` says
    what happens outside of the domain; `gradient_of` runs one backward with another cotangent and returns the
    element's gradient.
    """

    u: Array
    base: Array
    noise: Noise
    scale: float
    rtol: float
    outside: str
    gradient_of: Callable[[Array], float]
    own: float = np.inf

    @property
    def reach(self) -> float:
        """The largest step that can convict."""
        return OWN_SCALE * self.scale


class Ruling(NamedTuple):
    """A status with the numeric gradient, its bar, and whether larger steps might sharpen it.

    `kink_within` is the smallest step that shows a kink at x or beside it.
    """

    status: Status
    numeric: float = np.nan
    bar: float = np.inf
    cause: str = ""
    detail: str = ""
    wants_larger: bool = False
    kink_within: float | None = None


def rule(slopes: Slopes | None, analytic: float, evidence: Evidence) -> Ruling:
    """Decide whether `analytic` is the derivative that the slopes show.

    `pass` within the bar or rtol; `unclear` up to three bars; beyond, `fail` unless a guard says that
    the measurement can't convict. A pass is withheld where larger steps tell another story.
    """
    if slopes is None:
        return Ruling(
            Status.UNCLEAR, cause="left-domain", detail=f"too few steps stay inside the domain: {evidence.outside}"
        )
    best, error = best_step(slopes.h, slopes.central, slopes.sigma, evidence.reach)
    numeric = float(slopes.central[best])
    if slopes.two_sided:
        larger, refined, refined_error = best_extrapolation(slopes.h, slopes.central, slopes.sigma, evidence.reach)
        if refined_error < 0.5 * error:
            best, numeric, error = larger, refined, refined_error
    if abs(numeric) <= SAFETY * error:
        # No sharper than the backward can be, whose own rounding is about the noise of the value.
        error = max(error, slopes.rounding, BACKWARD * float(slopes.sigma.min()))
    bar = SAFETY * error
    corner = find_corner(slopes, evidence.rtol, scaled_norm((evidence.u * evidence.noise.level)[slopes.moved]))
    if corner and corner.kind != "nearby":
        return _at_corner(corner, slopes, analytic, numeric, bar)
    stretch = guards.other_stretch(slopes, best, numeric, bar) if slopes.two_sided else None
    if stretch is not None:
        above = _above_the_stairs(slopes, best, numeric, error, analytic, evidence)
        if above is not None:
            return above
        far = f"{slopes.central[stretch]:.3g} from {slopes.h[stretch]:.0e} on"
        detail = f"the slope is {numeric:.3g} at small steps and {far}: a staircase, or rounding inside the function"
        return Ruling(Status.UNCLEAR, numeric, bar, "rounding-dominates", detail)
    sharp = bar <= 0.1 * evidence.rtol * max(abs(analytic), abs(numeric))
    unmoved = not slopes.central[: best + 1].any()
    wants_larger = slopes.two_sided and (unmoved or (not sharp and best >= len(slopes.h) - 2))
    difference = abs(analytic - numeric)
    # Where a smaller step would be sharp by its noise alone, noise is not what limits the measurement.
    sharper = np.any(slopes.sigma[:best] / slopes.h[:best] < 0.1 * error)
    limit = "truncation-dominates" if sharper else "rounding-dominates"
    if rel_err(analytic, numeric, bar, evidence.rtol) <= evidence.rtol:
        if slopes.two_sided:
            kink = float(slopes.h[corner.start]) if corner else None
            return Ruling(Status.PASS, numeric, bar, limit, wants_larger=wants_larger, kink_within=kink)
        return Ruling(
            Status.UNCLEAR, numeric, bar, "left-domain", f"only one side of it lies in the domain: {evidence.outside}"
        )
    blurred = not bar <= _BLURRED * max(abs(analytic), abs(numeric))
    if difference <= GREY * bar or (blurred and difference <= _PLAIN * bar) or not np.isfinite(bar):
        detail = f"the difference, {difference:.1e}, is not far beyond the error bar, {bar:.1e}"
        return Ruling(Status.UNCLEAR, numeric, bar, limit, detail, wants_larger)
    doubt = _doubt(slopes, best, numeric, error, analytic, evidence)
    if doubt:
        return Ruling(Status.UNCLEAR, numeric, bar, *doubt, wants_larger)
    return Ruling(Status.FAIL, numeric, bar, wants_larger=wants_larger)


def _above_the_stairs(
    slopes: Slopes, best: int, numeric: float, error: float, analytic: float, evidence: Evidence
) -> Ruling | None:
    """Rule by the steps above an abrupt onset, where small steps saw one stair of rounding inside the function.

    The stair's height is the noise there. None where there is no onset, or no clear answer above it.
    """
    onset = guards.abrupt_onset(slopes, best, numeric, error)
    if onset is None:
        return None
    height = abs(slopes.central[onset] - numeric) * slopes.h[onset]
    h, central = slopes.h[onset:], slopes.central[onset:]
    above, error_above = best_step(h, central, np.maximum(slopes.sigma[onset:], height), evidence.reach)
    second, bar = float(central[above]), SAFETY * error_above
    if abs(analytic - second) <= bar:
        return Ruling(Status.PASS, second, bar, "rounding-dominates")
    if abs(analytic - second) > GREY * bar and abs(analytic - numeric) > GREY * SAFETY * error:
        return Ruling(Status.FAIL, second, bar)
    return None


def as_outcome(ruling: Ruling, element: int, cotangent: int, analytic: float) -> Outcome:
    """Return the ruling as the outcome of an element."""
    return Outcome(
        element,
        cotangent,
        ruling.status,
        analytic,
        ruling.numeric,
        ruling.bar,
        ruling.cause,
        ruling.detail,
        ruling.kink_within,
    )


def is_settled(ruling: Ruling, analytic: float, rtol: float) -> bool:
    """Tell whether a coarse ladder was enough: a sharp pass, or a failure far beyond a sharp bar."""
    size = max(abs(analytic), abs(ruling.numeric))
    if ruling.status is Status.PASS:
        return ruling.bar <= SETTLED * rtol * size
    far = abs(analytic - ruling.numeric) > 100 * ruling.bar
    return ruling.status is Status.FAIL and far and not ruling.wants_larger and ruling.bar <= 1e-3 * size


def _at_corner(corner: Corner, slopes: Slopes, analytic: float, numeric: float, bar: float) -> Ruling:
    if corner.kind == "jump":
        return Ruling(Status.JUMP, numeric, bar, "jump", "the value jumps here: there is no derivative")
    detail = f"the slopes on both sides are {corner.low:.6g} and {corner.high:.6g}"
    if corner.contains(analytic):
        step = float(slopes.h[corner.start])
        return Ruling(Status.KINK, numeric, corner.slack, "kink-at-point", detail, kink_within=step)
    outside = min(abs(analytic - corner.low), abs(analytic - corner.high))
    if guards.flat_stretch_at(slopes, analytic, outside, corner.start + 1):
        detail = "small steps show a corner, larger ones agree with the gradient: rounding inside the function"
        return Ruling(Status.UNCLEAR, numeric, bar, "rounding-dominates", detail)
    return Ruling(Status.INVALID_AT_KINK, numeric, corner.slack, "invalid-at-kink", detail)


def _convicts_within(slopes: Slopes, analytic: float, evidence: Evidence) -> bool:
    """Tell whether steps within the element's own scale convict as well; larger ones may confirm, not convict."""
    within = slopes.h <= evidence.reach
    if not within.any():
        return False
    best, error = best_step(slopes.h[within], slopes.central[within], slopes.sigma[within])
    numeric, bar = float(slopes.central[within][best]), SAFETY * error
    return abs(analytic - numeric) > GREY * bar and bar <= _BLURRED * max(abs(analytic), abs(numeric))


def _doubt(
    slopes: Slopes, best: int, numeric: float, error: float, analytic: float, evidence: Evidence
) -> tuple[str, str] | None:
    """Return the finding and the words of the guard that keeps a difference from convicting."""
    if guards.unsettled_side(slopes, best):
        return "left-domain", f"only one side of it lies in the domain: {evidence.outside}"
    if slopes.two_sided and slopes.h[best] > evidence.reach and not _convicts_within(slopes, analytic, evidence):
        return "rounding-dominates", "only steps larger than the element itself rise above the rounding of the value"
    largest_change = float(np.max(np.abs([slopes.rise, slopes.fall])))
    size = max(scaled_norm((evidence.u * evidence.base)[slopes.moved]), largest_change)
    if guards.mostly_noise(slopes, best, size):
        return "rounding-dominates", "the value changes from point to point as noise does, or oscillates too fast"
    if guards.agrees_below(slopes, best, analytic, abs(analytic - numeric)):
        return "rounding-dominates", "smaller steps agree with the gradient, but noise seems to drown them"
    digit = 0.0 if slopes.moved.any() else scaled_norm(evidence.u * last_digits(evidence.base))
    if guards.below_quantum(slopes, best, analytic, size, OWN_SCALE * evidence.own, digit):
        return "rounding-dominates", "the change that the gradient predicts is below the rounding of the value"
    bar = SAFETY * error

    def close_enough(shifted: float) -> float:
        return max(bar, tolerance(shifted, numeric, evidence.rtol))

    if guards.in_unmoved_outputs(
        slopes, evidence.u, evidence.base, evidence.noise.epsilon, numeric, close_enough, analytic, evidence.gradient_of
    ):
        return "rounding-dominates", "the difference sits in outputs that rounding keeps from moving"
    if slopes.two_sided and guards.agrees_after_onset(slopes, best, numeric, error, analytic):
        return "rounding-dominates", "small steps see one stair of a staircase, larger ones agree with the gradient"
    return None
