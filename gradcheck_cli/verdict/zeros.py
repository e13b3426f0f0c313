"""Gradients that are zero but for rounding on the way back: terms that cancel, where the value doesn't move.

The direction in which a normalised vector only grows, or a constant is added before a softmax, has slope zero. The
forward may give that to the bit, with no rounding that could be measured; the backward gives what is left of its terms.
"""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.noise import scaled_norm
from gradcheck_cli.verdict.compare import Basis
from gradcheck_cli.verdict.outcome import ZERO, GradientOf, Outcome, Status

_DRAWS = 12
"""Multiples of the cotangent, each of which rounds otherwise."""

_SEED = 20_251
"""Of a generator of its own, so that an excuse that is looked for changes no other draw."""

_MARGIN = 16.0
"""Rounding may take a gradient so many times as far as the draws showed, as in `backward_rounding`."""


def rounding_of(basis: Basis, base: Array, number: int = 0) -> float:
    """Return the rounding of the value under a cotangent: a gradient of that size may be zero, whatever the magnitudes.

    In single precision at most, since nothing is zero for being small in a type with three digits.
    """
    epsilon = np.minimum(basis.noise.epsilon, np.finfo(np.float32).eps)
    return scaled_norm(epsilon * basis.cotangents[number].u * base)


class Zeros:
    """Lets elements pass that are convicted for rounding of the backward alone.

    `base` are the outputs at the point. A backward that isn't linear in its cotangent has been caught before.
    """

    def __init__(self, basis: Basis, gradient_of: GradientOf, base: Array) -> None:
        self._basis = basis
        self._gradient_of = gradient_of
        self._base = base
        self._wandering: dict[int, Array] = {}

    def excused(self, outcome: Outcome) -> Outcome:
        """Return the outcome with the rounding of the backward in its bar, if both gradients are zero within it."""
        number = outcome.cotangent
        if outcome.size > ZERO * rounding_of(self._basis, self._base, number):
            return outcome
        bar = outcome.bar + _MARGIN * float(self._wander(number)[outcome.element])
        if outcome.difference > bar:
            return outcome
        return outcome._replace(status=Status.PASS, bar=bar, cause="", detail="")

    def _wander(self, number: int) -> Array:
        """Return how far each element is from linear when the cotangent is multiplied."""
        if number not in self._wandering:
            u, gradient = self._basis.cotangents[number]
            factors = np.random.default_rng(_SEED).uniform(1.0, 2.0, _DRAWS)
            off = [np.abs(self._gradient_of(factor * u) / factor - gradient) for factor in factors]
            self._wandering[number] = np.asarray(np.max(off, axis=0))
        return self._wandering[number]
