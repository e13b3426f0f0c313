"""Tier 2 in columns: which elements pass plainly on their ladders of decades, as `rule` would say."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.ladder import ENOUGH
from gradcheck_cli.numeric.ladders import Ladders
from gradcheck_cli.numeric.step_choice import SAFETY
from gradcheck_cli.verdict.kinks import CLEAR, RUN
from gradcheck_cli.verdict.ruling import BACKWARD, OWN_SCALE, SETTLED

LATE = 2
"""An element is stirred late that moves nothing but by so many of its largest steps."""


_TRACE = 5.0
"""A gap of so many times the noise may be the trace of a kink; it is one from `CLEAR` times 2.5."""

_NEARLY = 3 * SETTLED
"""A bar of so many rtol is nearly sharp."""


class Settled(NamedTuple):
    """Which of n elements pass, shape (n,), with their figures, shape (cotangents, n).

    `kink_within` is the smallest step that shows a kink beside the point, NaN where none does. `blunt`, shape (n,),
    tells which others would pass if their bars were sharp, and may become so by steps in between.
    """

    passed: Array
    numeric: Array
    bar: Array
    truncated: Array
    kink_within: Array
    blunt: Array


def settle(ladders: Ladders, analytic: Array, scales: Array, rtol: float) -> Settled:
    """Settle the elements that pass sharply under every cotangent, with no sign of anything odd.

    `analytic` has the shape (cotangents, n), `scales`, shape (n,), is the larger of |x| and the typical
    magnitude of each. The figures are those of `rule`. What may be a corner at the point, a leap, a second flat
    stretch or the edge of the domain is left to it.
    """
    if len(ladders.h) < ENOUGH:
        return _nothing(ladders)
    seen = _look(ladders, analytic, scales, rtol)
    plain = seen.all(seen.plain)
    passed = plain & seen.all(seen.bar <= SETTLED * rtol * seen.size)
    zero = ~analytic.any(axis=0) & seen.all(seen.numeric == 0)
    # What noise blurs up to the largest step wants larger ones, unless little is missing.
    hopeful = (seen.best < len(ladders.h) - 1) | seen.truncated | (seen.bar <= _NEARLY * rtol * seen.size)
    hopeful = np.where(zero, _stirred_late(ladders), seen.all(hopeful))
    return seen.settled(passed, plain & ~passed & hopeful)


def _stirred_late(ladders: Ladders) -> Array:
    """Tell which elements move nothing but by their largest steps, if at all."""
    below = (ladders.rise[:, :-LATE] == 0) & (ladders.fall[:, :-LATE] == 0)
    return np.asarray(below.all(axis=(0, 1)))


def settle_from_above(ladders: Ladders, analytic: Array, scales: Array, rtol: float) -> Settled:
    """Settle elements by the largest steps of their ladders alone; see `settle`.

    These are enough where the smallest of them isn't the best, and where they show no trace of a kink, which smaller
    ones would show better.
    """
    if len(ladders.h) < ENOUGH:
        return _nothing(ladders)
    seen = _look(ladders, analytic, scales, rtol)
    sharp = seen.bar <= SETTLED * rtol * seen.size
    plain = seen.plain & sharp & (seen.best > 0) & np.isnan(seen.kink_within)
    passed = seen.all(plain & ~_traces_of_corner(ladders))
    return seen.settled(passed, np.zeros_like(passed))


def _traces_of_corner(ladders: Ladders) -> Array:
    """Tell where the one-sided slopes part at the smallest step by more than the next one lets expect.

    What hides a kink there is curvature, whose gap shrinks like the step. A kink that is lost in noise at this step is
    lost at smaller ones.
    """
    h = ladders.h[:2]
    gap = (ladders.forward[:, :2] - ladders.backward[:, :2]).transpose(1, 0, 2)
    rest = np.abs(gap[0] - gap[1] * (h[0] / h[1]))
    plain = (rest <= _TRACE * ladders.sigma[:, 0] / h[0]) & (h[0] < h[1])  # a shorter ladder repeats its smallest
    return np.asarray(~plain).ravel()


def settle_finally(ladders: Ladders, analytic: Array, scales: Array, rtol: float) -> Settled:
    """Settle the elements that pass, sharply or not, and that larger steps wouldn't sharpen; see `settle`.

    The ladders are those to which nothing is added any more, with the noise along each element.
    """
    if len(ladders.h) < ENOUGH:
        return _nothing(ladders)
    seen = _look(ladders, analytic, scales, rtol)
    below = np.arange(len(ladders.h))[:, None] <= seen.best
    unmoved = ~(below & (_flat(ladders.central) != 0)).any(axis=0)
    sharp = seen.bar <= 0.1 * rtol * seen.size
    final = ~unmoved & (sharp | (seen.best < len(ladders.h) - 2))
    passed = seen.all(seen.plain & final)
    return seen.settled(passed, np.zeros_like(passed))


class _Look(NamedTuple):
    """What columns of ladders show, one for each element under each cotangent.

    `plain` tells where the gradient agrees, and there is no sign of anything odd, `size` is the larger of both.
    """

    elements: int
    plain: Array
    best: Array
    size: Array
    numeric: Array
    bar: Array
    truncated: Array
    kink_within: Array

    def joined(self, column: Array) -> Array:
        """Return a column with the shape (cotangents, n)."""
        return column.reshape(-1, self.elements)

    def all(self, column: Array) -> Array:
        """Tell which elements a column holds for under every cotangent."""
        return np.asarray(self.joined(column).all(axis=0))

    def settled(self, passed: Array, blunt: Array) -> Settled:
        """Return the figures of all elements with which of them pass."""
        joined = self.joined
        numeric, bar, truncated = joined(self.numeric), joined(self.bar), joined(self.truncated)
        return Settled(passed, numeric, bar, truncated, joined(self.kink_within), blunt)


def _look(ladders: Ladders, analytic: Array, scales: Array, rtol: float) -> _Look:
    count, depth, elements = ladders.central.shape
    h, reach = ladders.h, OWN_SCALE * scales
    if count > 1:
        h, reach = np.tile(h, (1, count)), np.tile(reach, count)
    central, sigma = _flat(ladders.central), _flat(ladders.sigma)
    a = analytic.ravel()
    best, numeric, error = _best(h, central, sigma, reach)
    least = np.maximum(ladders.rounding.ravel(), BACKWARD * sigma.min(axis=0))
    error = np.where(np.abs(numeric) <= SAFETY * error, np.maximum(error, least), error)
    bar = SAFETY * error
    difference, size = np.abs(a - numeric), np.maximum(np.abs(a), np.abs(numeric))
    plain = difference <= np.maximum(rtol * (np.abs(a) + np.abs(numeric)), bar)
    plain &= np.isfinite(central).all(axis=0)
    forward, backward = _flat(ladders.forward), _flat(ladders.backward)
    smooth, kink = _look_for_corner(h, forward, backward, sigma, rtol)
    plain &= smooth & ~_may_leap(_flat(ladders.rise), _flat(ladders.fall), sigma, ladders.table.ravel())
    plain &= ~_may_part(h, central, np.abs(forward - backward), sigma, best, numeric, bar)
    truncated = ((np.arange(depth)[:, None] < best) & (sigma / h < 0.1 * error)).any(axis=0)
    return _Look(elements, plain, best, size, numeric, bar, np.asarray(truncated), kink)


def _nothing(ladders: Ladders) -> Settled:
    """Return that nothing is settled."""
    count, _, elements = ladders.central.shape
    empty, none = np.zeros((count, elements)), np.zeros(elements, dtype=bool)
    return Settled(none, empty, empty, empty.astype(bool), empty, none)


def settle_still(
    ladders: Ladders, rows: Array, more: Ladders, settled: Settled, rtol: float, late: bool = False
) -> Settled:
    """Settle elements whose gradient is zero, and that move nothing on their `ladders`: those in `rows`.

    `more` are further steps of theirs, up to the scale of each, `settled` what was found of all of the ladders. `late`
    elements move something by their largest steps, between which there are some of the further ones. A corner there is
    beside the point; a flat stretch of another slope is a staircase, which is left to `rule`.
    """
    count = len(settled.bar)
    h = np.concatenate([ladders.h[:, rows], more.h])
    order = np.argsort(h[:, 0], kind="stable")

    def flat(below: Array, above: Array) -> Array:
        return _flat(np.concatenate([below[:, :, rows], above], axis=1)[:, order])

    h = np.tile(h[order], (1, count))
    central, sigma = flat(ladders.central, more.central), flat(ladders.sigma, more.sigma)
    bar = settled.bar[:, rows]
    forward, backward = flat(ladders.forward, more.forward), flat(ladders.backward, more.backward)
    smooth, kink = _look_for_corner(h, forward, backward, sigma, rtol)
    last = np.full(bar.size, len(ladders.h) - 1 - (LATE if late else 0))
    plain = smooth & np.isfinite(central).all(axis=0) & np.isfinite(bar.ravel())
    plain &= ~_may_part(h, central, np.abs(forward - backward), sigma, last, np.zeros(bar.size), bar.ravel())
    passed = np.asarray(plain.reshape(bar.shape).all(axis=0))
    truncated, nothing = settled.truncated[:, rows], np.zeros_like(passed)
    return Settled(passed, settled.numeric[:, rows], bar, truncated, kink.reshape(bar.shape), nothing)


def _flat(column: Array) -> Array:
    """Return (C, S, n) as (S, C * n)."""
    return column[0] if len(column) == 1 else column.transpose(1, 0, 2).reshape(column.shape[1], -1)


def _best(h: Array, central: Array, sigma: Array, reach: Array) -> tuple[Array, Array, Array]:
    """Return (step, slope, error) of the best step or extrapolation of every column; see `step_choice`."""
    best, error = _best_step(h, central, sigma, reach)
    repeated = h[1:] == h[:-1]
    shrink = 1.0 / np.where(repeated, np.nan, (h[1:] / h[:-1]) ** 2 - 1.0)
    refined = central[:-1] + (central[:-1] - central[1:]) * shrink
    noise = (1.0 + shrink) * sigma[:-1] / h[:-1] + shrink * sigma[1:] / h[1:]
    larger, refined_error = _best_step(h[1:], refined, noise * h[1:], reach)
    use = refined_error < 0.5 * error
    numeric = np.where(use, _entry(refined, larger), _entry(central, best))
    return np.where(use, larger + 1, best), numeric, np.where(use, refined_error, error)


def _best_step(h: Array, slope: Array, sigma: Array, reach: Array) -> tuple[Array, Array]:
    noise = sigma / h
    excess = np.abs(slope[:, None] - slope[None, :]) - 2 * SAFETY * noise[None, :]
    excess *= _smaller(len(h))
    bias = np.fmax.reduce(excess, axis=1, initial=0.0)
    change = np.abs(np.diff(slope, axis=0))
    change[np.isnan(change)] = 0.0
    bias[1:] = np.maximum(bias[1:], change / 4)
    bias[:-1] = np.maximum(bias[:-1], change / 2)
    bias[-1] = np.maximum(bias[-1], change[-1])
    errors = noise + bias
    flat = np.zeros(h.shape, dtype=bool)
    flat[2:] = _spread(slope) <= 0.1 * np.abs(slope[2:])
    usable = np.isfinite(slope) & np.isfinite(errors) & ((h <= reach) | flat)
    errors = np.where(usable, errors, np.inf)
    best = np.argmin(errors, axis=0)
    return best, _entry(errors, best)


@functools.cache
def _smaller(count: int) -> Array:
    return np.tril(np.ones((count, count)), -1)[..., None]


def _entry(column: Array, at: Array) -> Array:
    """Return one entry of every column."""
    return np.asarray(column[at, np.arange(column.shape[1])])


def _spread(column: Array) -> Array:
    """Return the range of three values in a row, for every start."""
    first, second, third = column[:-2], column[1:-1], column[2:]
    largest = np.maximum(np.maximum(first, second), third)
    return np.asarray(largest - np.minimum(np.minimum(first, second), third))


def _look_for_corner(h: Array, forward: Array, backward: Array, sigma: Array, rtol: float) -> tuple[Array, Array]:
    """Tell where the one-sided slopes show no corner at x, and the step from which one beside it shows, else NaN.

    As `find_corner` does.
    """
    gap, noise = np.abs(forward - backward), 2.5 * sigma / h
    clear = gap > CLEAR * noise
    runs = clear[:-2] & clear[1:-1] & clear[2:]
    if not runs.any():
        return np.ones(runs.shape[1:], dtype=bool), np.full(runs.shape[1:], np.nan)
    start = np.argmax(runs, axis=0)
    end = start + RUN - 1
    first = _entry(gap, start)
    trend = np.log(_entry(gap, end) / first) / np.log(_entry(h, end) / _entry(h, start))
    steepest = np.maximum(np.abs(_entry(forward, start)), np.abs(_entry(backward, start)))
    smooth = ~runs.any(axis=0) | (trend >= 0.5) | (first <= rtol * steepest)
    below = np.arange(len(h))[:, None] < start
    beside = ~smooth & (trend >= -0.5) & (below & (CLEAR * noise < 0.3 * first)).any(axis=0)
    return smooth | beside, np.where(beside, _entry(h, start), np.nan)


def _may_leap(rise: Array, fall: Array, sigma: Array, table: Array) -> Array:
    """Tell where the value may leap across x by a constant amount."""
    leap = np.abs(rise - fall)[: RUN + 1]
    constant = np.ptp(leap, axis=0) <= 0.1 * leap.max(axis=0)
    return np.asarray(constant & (leap.min(axis=0) > np.maximum(10 * table, CLEAR * sigma[0])))


def _may_part(h: Array, central: Array, gap: Array, sigma: Array, best: Array, numeric: Array, bar: Array) -> Array:
    """Tell where larger steps may have a flat stretch of another slope, unkinked; as `other_stretch` does."""
    size = np.abs(central)
    least = np.minimum(np.minimum(size[:-2], size[1:-1]), size[2:])
    away = np.abs(central[:-2] - numeric)
    flat = _spread(central) <= np.minimum(0.1 * away, 0.02 * least)
    apart = away > bar + 2 * SAFETY * sigma[:-2] / h[:-2]
    apart &= np.maximum(np.maximum(gap[:-2], gap[1:-1]), gap[2:]) <= away
    return np.asarray((flat & apart & (np.arange(len(away))[:, None] > best)).any(axis=0))
