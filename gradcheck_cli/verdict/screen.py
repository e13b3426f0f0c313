"""Tier 1: two evaluations acquit an element, if noise allows their agreement to mean something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.ladder import Pair
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.step_choice import SAFETY
from gradcheck_cli.verdict.outcome import Cotangent, Outcome, Status, tolerance

WIDER = 32.0
"""A second pair, so many times wider, where noise blurs the first."""

_KINK_ALARM = 0.01
_NOISE_OF_GAP = 10.0
_NOISE_BETWEEN = 5.0


@dataclass(frozen=True)
class First:
    """The figures of one pair under one cotangent."""

    central: float
    forward: float
    backward: float
    noise: float

    @property
    def kinked(self) -> bool:
        """Whether the one-sided slopes differ by more than a hundredth, and more than by noise."""
        gap = abs(self.forward - self.backward)
        return gap > _KINK_ALARM * max(abs(self.forward), abs(self.backward)) and gap > _NOISE_OF_GAP * self.noise

    @property
    def straight(self) -> float:
        """The share of the slope by which the one-sided slopes differ: a measure of truncation."""
        return abs(self.forward - self.backward) / (max(abs(self.forward), abs(self.backward)) or 1.0)


def figures(pair: Pair, u: Array, base: Array, noise: Noise) -> First:
    """Contract a pair with the cotangent `u`."""
    moved = (pair.plus != 0) | (pair.minus != 0)
    rise, fall = float(np.sum(u * pair.plus)), float(np.sum(u * pair.minus))
    size = np.maximum(np.abs(base), np.abs(base + pair.plus))
    return First(
        central=(rise - fall) / (pair.above + pair.below),
        forward=rise / pair.above,
        backward=-fall / pair.below,
        noise=noise.of(u, size, moved) / pair.h,
    )


def screen(first: First, analytic: float, rtol: float) -> Literal["agrees", "noisy", "suspicious"]:
    """Judge one pair: it acquits where it agrees, is sharp enough, and shows no kink.

    "noisy" asks for a wider pair, which may be sharp enough.
    """
    close = tolerance(analytic, first.central, rtol)
    difference = abs(analytic - first.central)
    if not np.isfinite(first.central) or first.kinked:
        return "suspicious"
    if difference <= close and SAFETY * first.noise <= close:
        return "agrees"
    within_noise = difference <= _NOISE_BETWEEN * first.noise + close
    return "noisy" if within_noise and SAFETY * first.noise / WIDER <= close else "suspicious"


def confirms(wider: First, first: First, analytic: float, rtol: float) -> bool:
    """Tell whether the wider pair agrees with the gradient and with the first pair, free of truncation."""
    close = tolerance(analytic, first.central, rtol)
    return (
        bool(np.isfinite(wider.central))
        and abs(analytic - wider.central) <= close
        and abs(wider.central - first.central) <= _NOISE_BETWEEN * first.noise + close
        and wider.straight**2 <= rtol
    )


def acquitted(element: int, cotangent: int, of: Cotangent, seen: First) -> Outcome:
    """Return the outcome of an element that passes on `seen`."""
    return Outcome(element, cotangent, Status.PASS, float(of.gradient[element]), seen.central, bar=SAFETY * seen.noise)
