"""Tier 1: two evaluations acquit an element, if noise allows their agreement to mean something."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.pairs import Pairs, take_pairs
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.step_choice import SAFETY
from gradcheck_cli.numeric.weights import Weights

WIDER = 32.0
"""A second pair, so many times wider, where noise blurs the first."""

_KINK_ALARM = 0.01
_NOISE_OF_GAP = 10.0
_NOISE_BETWEEN = 5.0


class First(NamedTuple):
    """The figures of pairs, each of shape (cotangents, elements)."""

    central: Array
    forward: Array
    backward: Array
    noise: Array

    @property
    def _gap(self) -> Array:
        return np.asarray(np.abs(self.forward - self.backward))

    @property
    def _steepest(self) -> Array:
        return np.maximum(np.abs(self.forward), np.abs(self.backward))

    @property
    def kinked(self) -> Array:
        """Whether the one-sided slopes differ by more than a hundredth, and more than by noise."""
        return np.asarray((self._gap > _KINK_ALARM * self._steepest) & (self._gap > _NOISE_OF_GAP * self.noise))

    @property
    def straight(self) -> Array:
        """The share of the slope by which the one-sided slopes differ: a measure of truncation."""
        steepest = self._steepest
        return np.asarray(self._gap / np.where(steepest > 0, steepest, 1.0))


def figures(pairs: Pairs) -> First:
    """Return the difference quotients of pairs."""
    return First(
        central=(pairs.rise - pairs.fall) / (pairs.above + pairs.below),
        forward=pairs.rise / pairs.above,
        backward=-pairs.fall / pairs.below,
        noise=pairs.noise,
    )


def screen(first: First, analytic: Array, rtol: float) -> tuple[Array, Array]:
    """Judge pairs: they acquit where they agree, are sharp enough, and show no kink.

    Returns where they agree, and where noise asks for a wider pair, which may be sharp enough.
    The rest is suspicious.
    """
    close = _tolerance(analytic, first.central, rtol)
    difference = np.abs(analytic - first.central)
    plain = np.isfinite(first.central) & ~first.kinked
    agrees = plain & (difference <= close) & (SAFETY * first.noise <= close)
    within_noise = difference <= _NOISE_BETWEEN * first.noise + close
    return agrees, plain & ~agrees & within_noise & (SAFETY * first.noise / WIDER <= close)


def confirms(wider: First, first: First, analytic: Array, rtol: float) -> Array:
    """Tell whether the wider pairs agree with the gradient and with the first pairs, free of truncation."""
    close = _tolerance(analytic, first.central, rtol)
    return np.asarray(
        np.isfinite(wider.central)
        & (np.abs(analytic - wider.central) <= close)
        & (np.abs(wider.central - first.central) <= _NOISE_BETWEEN * first.noise + close)
        & (wider.straight**2 <= rtol)
    )


def _tolerance(analytic: Array, numeric: Array, rtol: float) -> Array:
    return np.asarray(rtol * (np.abs(analytic) + np.abs(numeric)))


class Screened(NamedTuple):
    """What tier 1 says of n elements: `passed` and `silent` (nothing moved at all), shape (n,).

    `numeric` and `bar`, shape (cotangents, n), count where an element passed.
    """

    passed: Array
    silent: Array
    numeric: Array
    bar: Array

    def only(self, rows: Array) -> Screened:
        """Return what is said of some of the elements."""
        return Screened(self.passed[rows], self.silent[rows], self.numeric[:, rows], self.bar[:, rows])

    @property
    def suspicious(self) -> Array:
        """The elements that need another look."""
        return np.asarray(~self.passed & ~self.silent)


def screen_elements(
    point: Point,
    elements: Array,
    weights: Weights,
    steps: Array,
    analytic: Array,
    rtol: float,
    stopped: Callable[[Screened], None] | None = None,
) -> Screened:
    """Screen `elements` at their `steps`, shape (n,); `analytic` has the shape (cotangents, n).

    When an exception stops it, `stopped` hears of the first elements what one pair says.
    """

    def keep(pairs: Pairs) -> None:
        if stopped is not None:
            known = analytic[:, : pairs.stirred.size]
            first = figures(pairs)
            agrees = screen(first, known, rtol)[0].all(axis=0)
            silent = ~(pairs.stirred | (known != 0).any(axis=0))
            stopped(Screened(agrees & ~silent, silent, first.central, SAFETY * first.noise))

    pairs = take_pairs(point, elements, steps, weights, keep)
    first = figures(pairs)
    agrees, noisy = screen(first, analytic, rtol)
    numeric, noise = first.central, first.noise
    passed = np.asarray((agrees | noisy).all(axis=0))
    silent = ~(pairs.stirred | (analytic != 0).any(axis=0))
    again = np.flatnonzero(passed & noisy.any(axis=0) & ~silent)
    if again.size:
        try:
            wider = figures(take_pairs(point, elements[again], WIDER * steps[again], weights))
        except BaseException:
            keep(pairs)
            raise
        blurred = noisy[:, again]
        narrow = First(*(column[:, again] for column in (first.central, first.forward, first.backward, first.noise)))
        passed[again] = (confirms(wider, narrow, analytic[:, again], rtol) | ~blurred).all(axis=0)
        numeric[:, again] = np.where(blurred, wider.central, narrow.central)
        noise[:, again] = np.where(blurred, wider.noise, narrow.noise)
    return Screened(passed & ~silent, silent, numeric, SAFETY * noise)
