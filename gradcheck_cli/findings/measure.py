"""What there is to explain: the difference of two gradients, as far as it stands out from the error bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.verdict.evidence import Evidence

EXPLAINED = 0.99
"""Share of the squared mismatch that a cause has to explain."""

_MOST = 0.9
"""Share of the wrong elements that a cause has to explain one by one: a single large one mustn't speak for all."""

_CLOSER = 0.1
"""An element is explained when so much of its difference, or less, is left."""

_EXACT = 1e-4
"""What a story that is exact may leave of each difference."""

_SPECK = 1e-9
"""What it may leave anywhere, as a share of the largest difference."""

_MANY = 8
"""Of fewer wrong elements, a story that is nearly true may well be one by chance: it has to be exact."""

_GREY = 3.0
"""Differences up to so many error bars decide nothing."""

_RTOL = 1e-7
"""Relative differences up to this are rounding, whatever the bar."""

_ROUNDING = 1e-12
"""The rounding of a backward, at least."""

_SHARP = 0.3
"""Where the right gradient isn't known to within this part of the difference, no story can be told from another."""

SAME = 1e-6
"""How near two numbers that were measured have to be, relative to their size, to be called the same."""


@dataclass(frozen=True, eq=False)
class Mismatch:
    """A wrong gradient, element by element: `analytic` and `numeric` at the flat `elements` of an array of `shape`.

    `noise` is the difference that means nothing there, `blur` how well the right gradient is known.
    """

    name: str
    shape: tuple[int, ...]
    elements: Array
    analytic: Array
    numeric: Array
    noise: Array
    blur: Array

    @staticmethod
    def of(evidence: Evidence) -> Mismatch | None:
        """Return what has to be explained; None where no difference stands out, or a number isn't finite."""
        a, n, bar = evidence.analytic, evidence.numeric, evidence.bar
        if not (np.isfinite(a).all() and np.isfinite(n).all()):
            return None
        size = np.abs(a) + np.abs(n)
        blur = np.maximum(_GREY * np.nan_to_num(bar, nan=np.inf), _ROUNDING * size)
        noise = np.maximum(blur, _RTOL * size)
        found = Mismatch(evidence.parameter, evidence.shape, evidence.elements, a, n, noise, blur)
        return found if found.wrong.any() else None

    @cached_property
    def difference(self) -> Array:
        """Analytic less numeric gradient."""
        return np.asarray(self.analytic - self.numeric)

    @cached_property
    def wrong(self) -> Array:
        """Which elements are wrong."""
        return np.asarray(np.abs(self.difference) > self.noise)

    @cached_property
    def moved(self) -> Array:
        """Which elements have a right gradient that isn't zero."""
        return np.asarray(np.abs(self.numeric) > self.noise)

    @property
    def is_complete(self) -> bool:
        """Whether every element of the array was compared."""
        return self.elements.size == int(np.prod(self.shape))

    def explained(self, left: Array, blur: Array | None = None) -> bool:
        """Tell whether a story explains the mismatch that leaves the differences `left`, known to within `blur`.

        It has to explain 99 % of the squared mismatch, and nearly every wrong element by itself; where few are wrong,
        it has to be exact.
        """
        blur = self.blur if blur is None else blur
        left = np.abs(left)
        if not np.isfinite(left).all():
            return False
        difference = np.abs(self.difference)
        size = float(np.max(difference))
        excess = np.where(self.wrong, difference - self.noise, 0.0) / size
        rest = np.maximum(left - np.where(self.wrong, blur, np.maximum(blur, self.noise)), 0.0) / size
        if float(rest @ rest) > (1 - EXPLAINED) * float(excess @ excess):
            return False
        sharp = blur[self.wrong] < _SHARP * difference[self.wrong]
        closer = left[self.wrong] <= np.maximum(blur, _CLOSER * difference)[self.wrong]
        if sharp.mean() < _MOST or closer.mean() < _MOST:
            return False
        return int(self.wrong.sum()) >= _MANY or self._leaves_nothing(left, blur)

    def exactly(self, left: Array, blur: Array | None = None) -> bool:
        """Tell the same of a story that is either exact or untrue."""
        blur = self.blur if blur is None else blur
        return self.explained(left, blur) and self._leaves_nothing(left, blur)

    def _leaves_nothing(self, left: Array, blur: Array) -> bool:
        difference = np.abs(self.difference)
        slack = np.maximum(blur, np.maximum(_EXACT * difference, _SPECK * float(np.max(difference))))
        slack = np.where(self.wrong, slack, np.maximum(slack, self.noise))
        return bool((np.abs(left) <= slack).all())

    def grid(self, values: Array) -> Array:
        """Return one value for each compared element in the shape of the array, NaN where nothing was compared."""
        full = np.full(int(np.prod(self.shape)), np.nan)
        full[self.elements] = values
        return full.reshape(self.shape)

    def taken(self, array: Array) -> Array:
        """Return what an array that fits the shape holds at the compared elements."""
        return np.asarray(np.broadcast_to(array, self.shape).reshape(-1)[self.elements])

    def label(self, row: int) -> str:
        """Name a compared element: `x[0,4]`."""
        return element_label(self.name, np.unravel_index(int(self.elements[row]), self.shape) if self.shape else ())


def element_label(name: str, index: Sequence[Any]) -> str:
    """Name the element at `index` of an array; a single number by the name alone."""
    return f"{name}[{','.join(str(int(i)) for i in index)}]" if len(index) else name


def is_same_gradient(one: Evidence, other: Evidence) -> bool:
    """Tell whether two measurements are of one gradient, as far as their error bars can tell."""
    if one.shape != other.shape:
        return False
    _, mine, theirs = np.intersect1d(one.elements, other.elements, return_indices=True)
    first, second = one.numeric[mine], other.numeric[theirs]
    bar = _GREY * (one.bar[mine] + other.bar[theirs]) + SAME * np.abs(second)
    return bool(mine.size and (np.abs(first - second) <= bar).all())


def distinct(values: Array) -> int:
    """Count the distinct numbers among `values` by magnitude; zeros, and what is as good as zero, don't count."""
    sizes = np.sort(np.abs(np.ravel(values)))
    if not sizes.size or not np.isfinite(sizes[-1]):
        return 0
    sizes = sizes[sizes > SAME * sizes[-1]]
    return 0 if not sizes.size else 1 + int(np.count_nonzero(np.diff(sizes) > SAME * sizes[1:]))


def same(one: Array, other: Array, dtype_epsilon: float = 2.0**-52) -> bool:
    """Tell whether two arrays that were computed in different ways hold the same numbers, up to rounding."""
    if one.shape != other.shape or not one.size:
        return False
    size = max(float(np.max(np.abs(one))), float(np.max(np.abs(other))))
    return bool(np.isfinite(size) and size > 0 and np.max(np.abs(one - other)) <= 1e4 * dtype_epsilon * size)
