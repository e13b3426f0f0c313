"""Contributions that were lost: which of several are left in a gradient that should be their sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.findings.contributions import contributions, precision, wrong_rows
from gradcheck_cli.findings.measure import Mismatch
from gradcheck_cli.findings.suspect import Suspect

_TELLING = 0.02
"""A contribution that is left has to differ from the sum by this part of the largest, or nothing was lost."""


@dataclass(frozen=True)
class Picked:
    """What is left of an element's contributions: `where` is "first", "last" or one of both along some `axes`.

    `counts` says how many contributions the elements have, fewest and most. `is_any` tells that they are equal, so
    that the first, the last and the mean are the same.
    """

    where: str
    axes: tuple[int, ...]
    counts: tuple[int, int]
    is_any: bool = False

    @property
    def words(self) -> str:
        """What is left, in words."""
        low, high = self.counts
        where = "one" if self.is_any or self.where == "one" else f"the {self.where}"
        equal = "equal " if self.is_any else ""
        return f"{where} of {low if low == high else f'{low} to {high}'} {equal}contributions"


def find_picked(mismatch: Mismatch, suspect: Suspect) -> Picked | None:
    """Return which contributions are left in every wrong element that was looked at; None where it isn't that."""
    if suspect.application is None:
        return None
    rows = wrong_rows(mismatch)
    parts = contributions(suspect.application, mismatch.name, mismatch.elements[rows])
    if parts is None:
        return None
    common: set[tuple[str, tuple[int, ...]]] | None = None
    counts, known_to = [], precision(suspect.application)
    for row, part in zip(rows, parts, strict=True):
        slopes = _only(part)
        if slopes is None or not slopes.ndim:
            return None
        reached = np.nonzero(slopes)
        count = int(reached[0].size)
        if count < 2:
            return None
        counts.append(count)
        slack = max(known_to * float(np.max(np.abs(slopes))), float(mismatch.noise[row]))
        lost = abs(float(mismatch.difference[row]))
        if lost < _TELLING * float(np.max(np.abs(slopes))) and rows.size == 1:
            return None
        found = {key for key, left in _choices(slopes, reached) if abs(left - mismatch.analytic[row]) <= slack}
        common = found if common is None else common & found
        if not common:
            return None
    if not common:
        return None
    where, axes = min(common, key=lambda key: (key[0] != "last", len(key[1]), key))
    is_any = {("first", axes), ("last", axes)} <= common
    return Picked("first" if is_any else where, axes, (min(counts), max(counts)), is_any)


def _only(part: Mapping[str, Array]) -> Array | None:
    """Return the contributions through the only output that there are some of."""
    through = [slopes for slopes in part.values() if np.any(slopes)]
    return through[0] if len(through) == 1 else None


def _choices(slopes: Array, reached: Sequence[Array]) -> Iterator[tuple[tuple[str, tuple[int, ...]], float]]:
    """Yield sums of some of the contributions: the first or the last one along some axes, all along the others."""
    flat = slopes[tuple(reached)]
    yield ("first", ()), float(flat[0])
    yield ("last", ()), float(flat[-1])
    axes = [axis for axis, places in enumerate(reached) if len(np.unique(places)) > 1]
    for some in range(1, len(axes) + 1):
        for chosen in combinations(axes, some):
            for ends in product((0, -1), repeat=some):
                kept = np.ones(flat.size, dtype=bool)
                for axis, end in zip(chosen, ends, strict=True):
                    places = np.unique(reached[axis])
                    kept &= reached[axis] == places[end]
                if not kept.any() or kept.all():
                    continue
                where = "first" if not any(ends) else "last" if all(ends) else "one"
                yield (where, chosen), float(flat[kept].sum())
