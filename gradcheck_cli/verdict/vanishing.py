"""Gradients that vanish at the point, but for its roundings.

The gradient of a determinant vanishes where the rank is less by two. Of such a matrix in floating point both sides show
what the rounding of its elements makes of it, and a forward that rounds alike at every step shows that as a slope. How
large such a gradient may be is seen from what the backward returns at points that are a few roundings away.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation
from gradcheck_cli.numeric.noise import scaled_norms
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.steps import element_scales
from gradcheck_cli.verdict.compare import Basis
from gradcheck_cli.verdict.gradient import Gradient
from gradcheck_cli.verdict.outcome import Outcome, Status
from gradcheck_cli.verdict.summary import Elements

_NEAR, _FAR = 4.0, 4e4
"""Roundings by which the elements of the point move: to see what they do, and whether more do more."""

_GROWTH = 0.03
"""A smooth gradient changes by at least so much of what the ratio of both lets expect."""

_POINTS = 6
"""So many points are tried for each."""

_MARGIN = 16.0
"""Rounding may take a gradient so many times as far as these points showed."""

_DRAWS = 3
"""Draws of how far all elements move together."""

_SMALL = 1e-9
"""A gradient that vanishes predicts less than so much of the change of the value over the scale of its element."""

_BLUNT = 1e-3
"""Bars may hide so much of that change, where both gradients are smaller."""

_SEED = 20_252
"""Of a generator of its own, so that what is looked for here changes no other draw."""


class Vanishing:
    """Tells which gradients of the parameter that moves at `point` are zero but for roundings of the point."""

    def __init__(self, basis: Basis, gradient: Gradient, point: Point) -> None:
        self._basis = basis
        self._gradient = gradient
        self._point = point

    def excused(self, outcome: Outcome) -> Outcome:
        """Return an outcome as a pass, if roundings of the point account for both gradients."""
        if not self._is_small(np.full(1, outcome.size), self._point.scales[outcome.element]):
            return outcome
        bar = outcome.bar + _MARGIN * float(self._spreads[outcome.cotangent][outcome.element])
        if outcome.size > bar:
            return outcome
        return _passing(outcome, bar)

    def settled(self, elements: Elements) -> Elements:
        """Return the elements as passes, with what roundings account for in their bars, if these hide all gradients."""
        largest = elements.largest().get(0, np.inf)
        if not self._is_small(np.full(1, largest), self._point.scales.min()):
            return elements
        passes, limits = elements.passes, _MARGIN * np.array(self._spreads)
        bars = passes.bar + limits[passes.cotangent, passes.element]
        outcomes = [_passing(o, float(np.fmax(o.bar, 0) + limits[o.cotangent, o.element])) for o in elements.outcomes]
        own = np.array([o.bar for o in outcomes])
        if not (passes.size <= bars).all() or not all(o.size <= o.bar for o in outcomes):
            return elements
        # Where the value doesn't move at all, its bar is the widest that there can be.
        moved = np.array([o.numeric != 0 for o in outcomes], dtype=bool)
        at = np.array([o.element for o in outcomes], dtype=int)
        scales = self._point.scales
        blunt = np.concatenate([(bars * scales[passes.element])[passes.numeric != 0], (own * scales[at])[moved]])
        if blunt.max(initial=0.0) > _BLUNT * self._change:
            return elements
        widest = float(max(bars.max(initial=0.0), own.max(initial=0.0)))
        return replace(elements, outcomes=outcomes, passes=replace(passes, bar=bars), vanishing=widest)

    def _is_small(self, sizes: Array, scales: Array | float) -> bool:
        """Tell whether gradients predict next to nothing of how far the value moves over the scales of elements."""
        return bool((sizes * scales <= _SMALL * self._change).all())

    @cached_property
    def _change(self) -> float:
        """How far the value moves when every element does, by about its scale: the least of a few draws."""
        rng = np.random.default_rng(_SEED)
        shape = (_DRAWS, self._point.x.size)
        displacements = rng.uniform(0.2, 1.0, shape) * rng.choice([-1.0, 1.0], shape) * self._point.scales
        changes = scaled_norms(self._basis.cotangents[0].u * self._point.together(displacements))
        return float(np.min(changes, where=np.isfinite(changes), initial=np.inf)) if np.isfinite(changes).any() else 0.0

    @cached_property
    def _spreads(self) -> list[Array]:
        """How far roundings of the point take each element, for every cotangent; 0 where it isn't they that do it.

        What a branch decides changes at once and then stays, whereas the gradient of a smooth function changes in
        proportion to how far the point moves. What stays negligible farther away is rounding of the backward.
        """
        near, far = self._changes(_NEAR), self._changes(_FAR)
        negligible = _SMALL * self._change / self._point.scales
        return [
            np.where((f >= _GROWTH * (_FAR / _NEAR) * n) | (f <= negligible), n, 0.0)
            for n, f in zip(near, far, strict=True)
        ]

    def _changes(self, roundings: float) -> list[Array]:
        """Return the largest changes of the gradients as all parameters move by so many roundings."""
        cotangents = self._basis.cotangents
        rng, largest = np.random.default_rng(_SEED), [np.zeros_like(cotangent.gradient) for cotangent in cotangents]
        for _ in range(_POINTS):
            values = {name: _rounded(x, roundings, rng) for name, x in self._point.values.items()}
            self._point.announce(1)
            try:
                moved = [self._gradient.at(values, cotangent.u) for cotangent in cotangents]
            except (ContractViolation, MemoryError):
                raise
            except Exception:  # outside of its domain
                return [np.zeros_like(cotangent.gradient) for cotangent in cotangents]
            changes = (np.abs(m - c.gradient) for m, c in zip(moved, cotangents, strict=True))
            largest = [np.fmax(most, change) for most, change in zip(largest, changes, strict=True)]
        return largest


def _passing(outcome: Outcome, bar: float) -> Outcome:
    return Outcome(outcome.element, outcome.cotangent, Status.PASS, outcome.analytic, outcome.numeric, bar)


def _rounded(x: Array, roundings: float, rng: np.random.Generator) -> Array:
    """Return x with each element off by up to so many roundings of its scale, as what is stable may have them off."""
    flat = np.ravel(x).astype(np.float64)
    off = roundings * float(np.finfo(x.dtype).eps) * rng.uniform(-1.0, 1.0, flat.size) * element_scales(flat)
    return np.asarray((flat + off).reshape(x.shape), dtype=x.dtype)
