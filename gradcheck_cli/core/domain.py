"""Domains: what an operator accepts, so that inputs can be drawn for it.

A shape is given in words: `"m k"` and `"k n"` share `k`, a number is a size, `"..."` is any
leading axes, `""` is a scalar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True)
class Domain:
    """The values that one array argument may take.

    `kind` is float, int or bool. `shape` is a text of shape words, None where the input shares
    the operator's common shape. A float is drawn from the standard normal, or uniformly between
    `low` and `high`, at least 0.1 away from each value of `avoid`; `distinct` keeps elements
    apart from one another; `spd` draws symmetric positive definite matrices. Integers are drawn
    from 0 to `below` (a size or a shape word), exclusive.
    """

    kind: Literal["float", "int", "bool"] = "float"
    shape: str | None = None
    low: float | None = None
    high: float | None = None
    avoid: tuple[float, ...] = ()
    distinct: bool = False
    nondiff: bool = False
    spd: bool = False
    below: int | str | None = None

    @property
    def differentiable(self) -> bool:
        """Whether the argument has a gradient slot: follows the declaration, never a dtype."""
        return self.kind == "float" and not self.nondiff

    @property
    def words(self) -> tuple[str, ...] | None:
        """The shape words, None where the shape is the common one."""
        return None if self.shape is None else tuple(self.shape.split())

    def narrowed(self, other: Domain) -> Domain:
        """Return the values that both domains accept (for a parameter used by two operators)."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        return replace(
            self,
            low=max(lows, default=None),
            high=min(highs, default=None),
            avoid=tuple(dict.fromkeys(self.avoid + other.avoid)),
            distinct=self.distinct or other.distinct,
            spd=self.spd or other.spd,
        )


def arr(
    shape: str | None = None,
    low: float | None = None,
    high: float | None = None,
    *,
    avoid: float | Sequence[float] | None = None,
    distinct: bool = False,
    nondiff: bool = False,
    spd: bool = False,
) -> Domain:
    """Declare a floating-point input; see `Domain`. `nondiff` says that it has no gradient.

    Raises ValueError for limits that leave nothing to draw from.
    """
    if low is not None and high is not None and low >= high:
        raise ValueError(f"arr: low={low} is not below high={high}")
    kinks = () if avoid is None else (float(avoid),) if isinstance(avoid, int | float) else tuple(map(float, avoid))
    return Domain("float", shape, low, high, kinks, distinct, nondiff, spd)


def ints(shape: str | None = None, *, below: int | str) -> Domain:
    """Declare an integer input with values from 0 to `below` (a number or a shape word), exclusive."""
    return Domain("int", shape, below=below)


def mask(shape: str | None = None) -> Domain:
    """Declare a boolean input."""
    return Domain("bool", shape)
