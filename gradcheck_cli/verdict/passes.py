"""Elements that pass and have nothing else to say, in columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from functools import cached_property

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.verdict.outcome import Outcome, Status, rel_errs


@dataclass(frozen=True, eq=False)
class Passes:
    """Outcomes that are plain passes: one row for each element under each cotangent, columns of one length.

    `truncated` tells where truncation limits `numeric` rather than rounding, `kink_within` is the smallest step
    that shows a kink beside the point, NaN where none does.
    """

    element: Array
    cotangent: Array
    analytic: Array
    numeric: Array
    bar: Array
    truncated: Array
    kink_within: Array

    @staticmethod
    def none() -> Passes:
        """Return no passes."""
        nothing = np.empty(0)
        whole = nothing.astype(int)
        return Passes(whole, whole, nothing, nothing, nothing, nothing.astype(bool), nothing)

    @staticmethod
    def of(
        elements: Array,
        analytic: Array,
        numeric: Array,
        bar: Array,
        truncated: Array | None = None,
        kink_within: Array | None = None,
    ) -> Passes:
        """Return the passes of `elements`, shape (n,), with figures of shape (cotangents, n)."""
        count, many = analytic.shape
        return Passes(
            np.tile(elements, count) if count > 1 else elements,
            np.repeat(np.arange(count), many) if count > 1 else np.zeros(many, dtype=int),
            analytic.ravel(),
            numeric.ravel(),
            bar.ravel(),
            np.zeros(count * many, dtype=bool) if truncated is None else truncated.ravel(),
            np.full(count * many, np.nan) if kink_within is None else kink_within.ravel(),
        )

    @staticmethod
    def joined(parts: Iterable[Passes]) -> Passes:
        """Return the rows of all `parts`, in their order."""
        listed = [part for part in parts if len(part)]
        if len(listed) < 2:
            return listed[0] if listed else Passes.none()
        return Passes(*(np.concatenate([getattr(part, field.name) for part in listed]) for field in fields(Passes)))

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.element)

    @cached_property
    def _magnitudes(self) -> tuple[Array, Array]:
        return np.abs(self.analytic), np.abs(self.numeric)

    @cached_property
    def size(self) -> Array:
        """The larger magnitude of the two gradients."""
        return np.maximum(*self._magnitudes)

    def rel_err(self, rtol: float) -> Array:
        """Return the numbers that decide; see `outcome.rel_err`."""
        if rtol not in self._rel_errs:
            self._rel_errs[rtol] = rel_errs(self.analytic, self.numeric, self.bar, rtol)
        return self._rel_errs[rtol]

    @cached_property
    def _rel_errs(self) -> dict[float, Array]:
        return {}

    def outcome(self, row: int) -> Outcome:
        """Return one row as an outcome."""
        return Outcome(
            int(self.element[row]),
            int(self.cotangent[row]),
            Status.PASS,
            float(self.analytic[row]),
            float(self.numeric[row]),
            float(self.bar[row]),
            "truncation-dominates" if self.truncated[row] else "",
            kink_within=None if np.isnan(self.kink_within[row]) else float(self.kink_within[row]),
        )

    def beside_kinks(self) -> list[Outcome]:
        """Return the rows with a kink beside the point as outcomes."""
        if np.isnan(self.kink_within).all():
            return []
        return [self.outcome(int(row)) for row in np.flatnonzero(~np.isnan(self.kink_within))]

    @cached_property
    def plain(self) -> Passes:
        """The rows under the plain cotangent, which is the first."""
        if not self.cotangent.any():
            return self
        rows = self.cotangent == 0
        return Passes(*(getattr(self, field.name)[rows] for field in fields(Passes)))

    def worst(self, rtol: float, among: Array | None = None) -> Outcome | None:
        """Return the row with the largest deciding number, then the widest bar, of those that the mask `among` keeps.

        None if it keeps none; without a mask all count. The first of equals.
        """
        rows = np.arange(len(self)) if among is None else np.flatnonzero(among)
        if not rows.size:
            return None
        for key in (self.rel_err(rtol), self.bar, -self.cotangent):
            chosen = key if len(rows) == len(key) else key[rows]
            rows = rows[chosen == chosen.max()]
            if len(rows) == 1:
                break
        return self.outcome(int(rows[0]))
