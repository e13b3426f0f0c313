"""Kinks that no element shows when it moves alone: gradients that are right there, and were called wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcheck_cli.numeric.point import Point
from gradcheck_cli.verdict.compare import Basis
from gradcheck_cli.verdict.outcome import CONVICTED, Outcome, Status
from gradcheck_cli.verdict.subgradients import Kinked, is_subgradient

_SEED = 20_253
"""Of a generator of its own, so that what is looked for here changes no other draw."""

_DETAIL = "elements tie here, and the gradient lies between the slopes beside the point"


def whole(point: Point, basis: Basis, number: int = 0) -> Kinked:
    """Return all elements of the parameter that moves at `point`, with their gradient under a cotangent."""
    u, gradient = basis.cotangents[number]
    noise = basis.noise.of(u, np.abs(point.base), np.ones(point.base.shape, dtype=bool))
    return Kinked(point, np.arange(point.x.size), gradient, noise=float(noise))


def at_hidden_kinks(
    outcomes: Sequence[Outcome], point: Point, basis: Basis, along_directions: bool = False
) -> list[Outcome] | None:
    """Return the outcomes with what was convicted at a kink, if the gradient is a subgradient; else None.

    They are those of elements, or `along_directions`, which don't say which elements are wrong.
    """
    convicted = [outcome for outcome in outcomes if outcome.status in CONVICTED]
    if not convicted or point.x.size < 2:
        return None
    for number in sorted({outcome.cotangent for outcome in convicted}):
        mine = [outcome for outcome in convicted if outcome.cotangent == number]
        suspects, difference = None, max(outcome.difference for outcome in mine)
        if not along_directions:
            elements = np.array([outcome.element for outcome in mine])
            off = np.array([outcome.difference for outcome in mine]) * point.scales[elements]
            suspects, difference = elements[np.argsort(-off, kind="stable")], float(off.max())
        part, rng = whole(point, basis, number), np.random.default_rng(_SEED)
        if not is_subgradient([part], basis.cotangents[number].u, suspects, difference, rng):
            return None
    return [
        outcome._replace(status=Status.KINK, cause="kink-at-point", detail=_DETAIL, kink_within=None)
        if outcome.status in CONVICTED
        else outcome
        for outcome in outcomes
    ]
