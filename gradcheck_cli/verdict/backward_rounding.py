"""How far rounding inside a backward may take its gradient, measured with the backward alone.

Where large terms cancel, rounding is much larger than the last digits of what is left of them. It shows in small
changes of the cotangent: for g + s w with a small s, a backward that isn't linear in g is off by about s times as
much as for s = 1, while rounding is as large as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.light_dataclass import dataclass

Cotangents = Sequence[Array | None]
Gradients = Sequence[Array | None]
Vjp = Callable[[Cotangents], Gradients]

_DRAWS = 12
"""Small changes of each of three cotangents."""

_RANK = 2
"""The second largest of what they show counts: a threshold of g that a change crosses shows in few of them."""

_MARGIN = 16.0
"""Rounding may take a gradient so many times as far as the changes showed. Right ones needed 3 at most."""

_LEAST = 64.0
"""Changes of g of so many epsilons at least, which its own rounding doesn't blur."""

_MOST = 2.0**-6
"""Changes of g by this share at most, together: ten times as much is still less than a violation of linearity."""

_SINGLE_DRAWS = 6
"""So many cotangents that a backward rounds to single precision, to be sure that it does."""


@dataclass(frozen=True, eq=False)
class Place:
    """A cotangent and the gradients that the backward makes of it."""

    g: Cotangents
    gradients: Gradients


class BackwardRounding:
    """What rounding may do to the gradients of `vjp` at two cotangents and at their sum.

    `epsilon` is that of the numbers that the operator computes with.
    """

    def __init__(self, vjp: Vjp, u: Place, w: Place, epsilon: float, rng: np.random.Generator) -> None:
        self._vjp = vjp
        self._u = u
        self._w = w
        self._epsilon = epsilon
        self._rng = rng

    def explains(self, off: float, share: float, slot: int) -> bool:
        """Tell whether rounding to the operator's own precision may take the gradient of `slot` as far as `off`.

        `share` is how much of the gradient that is. Cotangents that are rounded to single precision are not excused.
        """
        return off <= _MARGIN * self._wandering(share, slot) and not self._rounds_cotangents(slot)

    def _wandering(self, share: float, slot: int) -> float:
        """Return how far the gradient is from linear for small changes of the cotangents.

        Changes by less than the share that is to be explained may leave rounding as it is.
        """
        sums = combined(self._u.g, self._w.g)
        places = ((self._u, self._w), (self._w, self._u), (Place(sums, copied(self._vjp(sums))), self._u))
        count = sum(g.size for g in self._u.g if g is not None)
        step = max(min(4 * share, _MOST / max(count, 1)), _LEAST * self._epsilon)
        # The middle one: a single cotangent may lie where a backward decides something else nearby.
        return sorted(self._wandering_at(base, other, step, slot) for base, other in places)[1]

    def _wandering_at(self, base: Place, other: Place, step: float, slot: int) -> float:
        """Return how far the gradient is from linear for changes of one cotangent by about `step`."""
        at_base, at_other = base.gradients[slot], other.gradients[slot]
        assert at_base is not None
        assert at_other is not None
        seen = []
        for _ in range(_DRAWS):
            s = float(step * self._rng.uniform(0.25, 1.0) * self._rng.choice([-1.0, 1.0]))
            got = self._vjp(combined(base.g, other.g, s))[slot]
            off = largest(np.asarray(got, dtype=np.float64) - at_base - s * at_other)
            seen.append(off if np.isfinite(off) else 0.0)
        return sorted(seen)[-_RANK]

    def _rounds_cotangents(self, slot: int) -> bool:
        """Tell whether cotangents in double precision are rounded to single precision.

        Then gradients change exactly where the nearest number of single precision to every g does.
        """
        if self._epsilon > 1e-10 or not all(g is None or g.dtype == np.float64 for g in self._u.g):
            return False
        for _ in range(_SINGLE_DRAWS):
            scale = float(self._rng.uniform(0.5, 2.0))
            nearest, inside, outside, following = (self._near_single(scale, k, slot) for k in (0.0, 0.45, 0.55, 1.0))
            if not np.array_equal(inside, nearest) or not np.array_equal(outside, following):
                return False
            if np.array_equal(nearest, following):
                return False
        return True

    def _near_single(self, scale: float, spacings: float, slot: int) -> Array:
        """Return the gradient for cotangents so many spacings above numbers of single precision."""
        moved: list[Array | None] = []
        for g in self._u.g:
            if g is None:
                moved.append(None)
                continue
            single = (scale * g).astype(np.float32)
            # Just above a power of two the spacing doubles, and downwards it is halved: away from zero alone.
            moved.append(single.astype(np.float64) + spacings * np.copysign(np.spacing(np.abs(single)), single))
        return np.array(self._vjp(moved)[slot], dtype=np.float64)


def combined(a: Cotangents, b: Cotangents, s: float = 1.0) -> list[Array | None]:
    """Return a + s b in the dtypes of a."""
    pairs = zip(a, b, strict=True)
    return [None if x is None or y is None else np.asarray(x + s * y, dtype=x.dtype) for x, y in pairs]


def copied(gradients: Gradients) -> list[Array | None]:
    """Return copies in double precision."""
    return [None if gradient is None else np.array(gradient, dtype=np.float64) for gradient in gradients]


def largest(array: Array) -> float:
    """Return the largest magnitude in an array, 0 for an empty one."""
    return float(np.abs(array).max(initial=0.0))
