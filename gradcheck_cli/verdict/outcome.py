"""What became of one element: its status, its figures, and the number that decides."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple, TypeAlias

import numpy as np

from gradcheck_cli.core.arrays import Array


class Status(IntEnum):
    """The status of an element, mildest first."""

    PASS = 0
    KINK = 1
    JUMP = 2
    UNCLEAR = 3
    INVALID_AT_KINK = 4
    FAIL = 5


ZERO = 100.0
"""A gradient of so many roundings of the value is zero."""

CONVICTED = (Status.INVALID_AT_KINK, Status.FAIL)
"""What makes a parameter wrong."""


class Cotangent(NamedTuple):
    """Weights `u` of the outputs, and the analytic gradient (one number per element) that they give."""

    u: Array
    gradient: Array


GradientOf: TypeAlias = Callable[[Array], Array]
"""Runs the backward with a cotangent, and returns the gradient of a parameter as a vector."""


class Outcome(NamedTuple):
    """One element under one cotangent.

    `numeric` is believed to within `bar`. `cause` names a finding where the status has one, and
    `detail` says in words what was seen. `kink_within` is how near a kink beside the point may be.
    """

    element: int
    cotangent: int
    status: Status
    analytic: float
    numeric: float
    bar: float
    cause: str = ""
    detail: str = ""
    kink_within: float | None = None

    @property
    def difference(self) -> float:
        """How far analytic and numeric gradient are apart."""
        return abs(self.analytic - self.numeric)

    @property
    def size(self) -> float:
        """The larger magnitude of the two gradients."""
        return max(abs(self.analytic), abs(self.numeric))

    def rel_err(self, rtol: float) -> float:
        """Return the number that decides."""
        return rel_err(self.analytic, self.numeric, self.bar, rtol)


def rel_err(analytic: float, numeric: float, bar: float, rtol: float) -> float:
    """Return |a-n| / max(|a|+|n|, bar/rtol): right if it is at most `rtol`.

    The usual relative error with the error bar as the floor of its denominator, so that
    rounding beside a gradient of zero doesn't count, a missing small gradient does, and nothing
    depends on the size of an array.
    """
    difference = abs(analytic - numeric)
    floor = max(abs(analytic) + abs(numeric), bar / rtol)
    return 0.0 if difference == 0 else difference / floor


def rel_errs(analytic: Array, numeric: Array, bar: Array, rtol: float) -> Array:
    """Return `rel_err` of many elements at once."""
    difference = np.abs(analytic - numeric)
    floor = np.maximum(np.abs(analytic) + np.abs(numeric), bar / rtol)
    return np.where(difference == 0, 0.0, difference / np.where(floor > 0, floor, 1.0))


def plain_rel_err(analytic: float, numeric: float) -> float:
    """Return |a-n| / (|a|+|n|), the usual relative error; 0 where both are zero."""
    size = abs(analytic) + abs(numeric)
    return abs(analytic - numeric) / size if size else 0.0


def tolerance(analytic: float, numeric: float, rtol: float) -> float:
    """Return the difference that is `rtol` relative to both gradients."""
    return rtol * (abs(analytic) + abs(numeric))
