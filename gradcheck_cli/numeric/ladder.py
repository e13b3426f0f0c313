"""A ladder of steps at one element: what the outputs do on both sides of x, from small steps to large."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.noise import Noise, scaled_norm
from gradcheck_cli.numeric.point import Point

ENOUGH = 4
"""So many steps with both sides in the domain are needed; with fewer, one side is used alone."""


class Pair(NamedTuple):
    """The outputs at x+h and x-h less those at x; `above` and `below` are the realised steps.

    `finite` tells whether the outputs are, above and below x.
    """

    h: float
    above: float
    below: float
    plus: Array
    minus: Array
    finite: tuple[bool, bool]


class Slopes(NamedTuple):
    """The difference quotients of sum(cotangent * output) at ascending steps `h`.

    `rise` and `fall` are its changes above and below x, `sigma` its noise at each step. Where one side
    of x lies outside of the domain, `two_sided` is false and the three slopes are those of the other.
    `terms_forward` and `terms_backward` are the one-sided slopes of every output, shape (steps, outputs),
    `moved` tells which outputs moved at any step, `rounding` is that of their sum at x.
    """

    h: Array
    central: Array
    forward: Array
    backward: Array
    sigma: Array
    rise: Array
    fall: Array
    terms_forward: Array
    terms_backward: Array
    moved: Array
    rounding: float
    two_sided: bool = True

    @property
    def gap(self) -> Array:
        """How far the one-sided slopes are apart."""
        return np.asarray(np.abs(self.forward - self.backward))

    @property
    def gap_noise(self) -> Array:
        """How far noise alone may drive the one-sided slopes apart."""
        return np.asarray(2.5 * self.sigma / self.h)


class Ladder:
    """The pairs of one element in the order of their steps.

    `positions` names the outputs that the element can move (see `Chunk`), None means all; the pairs, the ladder's
    `point` and the slopes are about these alone.
    """

    def __init__(self, point: Point, element: int, positions: Array | None = None) -> None:
        self.point = point.seen_by(positions)
        self.element = element
        self.positions = positions
        self._outputs = point.base.size
        self._pairs: dict[float, Pair] = {}
        self._spare: dict[float, Pair] = {}

    def seen(self, vector: Array) -> Array:
        """Return the entries of a vector of all outputs that belong to the outputs seen."""
        return vector if self.positions is None else vector[self.positions]

    def spread(self, vector: Array) -> Array:
        """Return a vector of all outputs from one of the outputs seen, zeros elsewhere."""
        if self.positions is None:
            return vector
        everything = np.zeros(self._outputs)
        everything[self.positions] = vector
        return everything

    @property
    def pairs(self) -> list[Pair]:
        """The pairs from the smallest step to the largest."""
        return [self._pairs[h] for h in sorted(self._pairs)]

    @property
    def top(self) -> float:
        """The largest step."""
        return max(self._pairs)

    def climb(self, steps: Iterable[float]) -> None:
        """Evaluate at further steps. A step that the spacing of x distorts is left out."""
        x, spacing = self.point.x[self.element], float(self.point.spacings[self.element])
        missing = [h for h in steps if h not in self._pairs]
        self._pairs.update({h: self._spare[h] for h in missing if h in self._spare})
        new = np.array([h for h in missing if h not in self._spare and h >= spacing and x + h != x])
        if new.size:
            realised, changes = self.point.alone(self.element, np.concatenate([new, -new]))
            self.take(new, realised[: new.size], -realised[new.size :], changes)

    def spare(self, other: Ladder) -> None:
        """Keep the pairs of another ladder of the element for when this one climbs to their steps."""
        if (self.positions is None) == (other.positions is None):
            self._spare.update(other._pairs)

    def take(self, steps: Array, above: Array, below: Array, changes: Array) -> None:
        """Take over pairs that were evaluated: `changes` has the rows of all x+h, then those of all x-h."""
        count, finite = len(steps), np.asarray(np.isfinite(changes).all(axis=1)).tolist()
        for k, (h, up, down) in enumerate(zip(steps.tolist(), above.tolist(), below.tolist(), strict=True)):
            self._pairs[h] = Pair(h, up, down, changes[k], changes[count + k], (finite[k], finite[count + k]))

    def reach(self) -> float:
        """Return the largest step up to which both sides are in the domain; 0 if none is, infinity if all are."""
        inside = 0.0
        for pair in self.pairs:
            if not all(pair.finite):
                return inside
            inside = pair.h
        return np.inf

    def slopes(self, u: Array, noise: Noise) -> Slopes | None:
        """Contract the ladder with the cotangent `u`; None where the domain leaves too few steps."""
        pairs = self.pairs
        two, up, down = (_inside(pairs, keep) for keep in ((True, True), (True, False), (False, True)))
        if len(two) >= ENOUGH:
            return _contract(two, u, self.point.base, noise, above=True, below=True)
        side = max(up, down, key=len)
        if len(side) < ENOUGH:
            return None
        return _contract(side, u, self.point.base, noise, above=side is up, below=side is not up)


def _inside(pairs: list[Pair], wanted: tuple[bool, bool]) -> list[Pair]:
    """Return the pairs from the bottom up while the wanted sides are finite."""
    inside = []
    for pair in pairs:
        if not all(finite or not want for finite, want in zip(pair.finite, wanted, strict=True)):
            break
        inside.append(pair)
    return inside


def _contract(pairs: list[Pair], u: Array, base: Array, noise: Noise, above: bool, below: bool) -> Slopes:
    """Subtract first, contract second: large outputs don't drown the change of small ones."""
    up, down = np.array([pair.above for pair in pairs]), np.array([pair.below for pair in pairs])
    plus, minus = np.array([pair.plus for pair in pairs]), np.array([pair.minus for pair in pairs])
    if not above:
        plus, up = -minus, down
    if not below:
        minus, down = -plus, up
    forward, backward = plus * u / up[:, None], -minus * u / down[:, None]
    rise, fall = (plus * u).sum(axis=1), (minus * u).sum(axis=1)
    moved = (plus != 0).any(axis=0) | (minus != 0).any(axis=0)
    # Where nothing moved, rounding may have hidden a change in any output.
    felt = moved if moved.any() else np.ones_like(moved)
    sigma = noise.of(u, np.maximum(np.abs(base + plus), np.abs(base + minus)), felt)
    return Slopes(
        h=np.array([pair.h for pair in pairs]),
        central=(rise - fall) / (up + down),
        forward=forward.sum(axis=1),
        backward=backward.sum(axis=1),
        sigma=np.maximum(sigma, noise.of(u, np.abs(base), felt)),
        rise=rise,
        fall=fall,
        terms_forward=forward,
        terms_backward=backward,
        moved=moved,
        # A value that is 0 wherever it is computed has no size: then that of its cotangent stands in.
        rounding=scaled_norm((noise.epsilon * u * (base if moved.any() or base.any() else 1.0))[felt]),
        two_sided=above and below,
    )
