"""Domains: what an operator accepts, so that inputs can be drawn for it.

A shape is given in words: `"m k"` and `"k n"` share `k`, a number is a size, `"..."` is any
leading axes, `""` is a scalar.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from gradcheck_cli.light_dataclass import dataclass


@dataclass(frozen=True)
class Domain:
    """The values that one array argument may take.

    `kind` is float, int or bool. `shape` is a text of shape words, None where the input shares
    the operator's common shape. A float lies between `low` and `high`, away from the values in
    `avoid`; `distinct` keeps elements apart from one another; `spd` asks for symmetric positive
    definite matrices; `nondiff` says that it has no gradient. Integers run from 0 to `below` (a
    size or a shape word), exclusive; `floats` says where floats belong in their place, for hints. How
    values are drawn is said in `draw`.
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
    floats: str = ""

    @property
    def differentiable(self) -> bool:
        """Whether the argument has a gradient slot: follows the declaration, never a dtype."""
        return self.kind == "float" and not self.nondiff

    @property
    def words(self) -> tuple[str, ...] | None:
        """The shape words, None where the shape is the common one."""
        return None if self.shape is None else tuple(self.shape.split())

    def narrowed(self, other: Domain) -> Domain:
        """Return the values that both domains accept (for a parameter used by two operators).

        Kind and shape stay this domain's. The result may hold nothing, which `draw` says.
        """
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        sizes = [below for below in (self.below, other.below) if isinstance(below, int)]
        return replace(
            self,
            low=max(lows, default=None),
            high=min(highs, default=None),
            avoid=tuple(dict.fromkeys(self.avoid + other.avoid)),
            distinct=self.distinct or other.distinct,
            spd=self.spd or other.spd,
            below=min(sizes) if sizes else self.below if self.below is not None else other.below,
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

    Raises TypeError for a shape that isn't a text of words and for bounds that aren't numbers,
    ValueError for words that are no shape and for bounds that leave nothing to draw from.
    """
    _check_shape("arr", shape)
    kinks = () if avoid is None else (avoid,) if isinstance(avoid, int | float) else tuple(avoid)
    for name, bound in (("low", low), ("high", high), *(("avoid", kink) for kink in kinks)):
        if bound is None:
            continue
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            raise TypeError(f"arr: {name}={bound!r} should be a number")
        if not math.isfinite(bound):
            raise ValueError(f"arr: {name}={bound} should be finite: leave it out for no bound")
    if low is not None and high is not None and low >= high:
        raise ValueError(f"arr: low={low} is not below high={high}")
    if spd and (low is not None or high is not None or kinks or distinct):
        raise ValueError("arr: spd=True can't be combined with bounds, avoid or distinct")
    return Domain("float", shape, low, high, tuple(map(float, kinks)), distinct, nondiff, spd)


def ints(shape: str | None = None, *, below: int | str, floats: str = "") -> Domain:
    """Declare an integer input with values from 0 to `below` (a number or a shape word), exclusive.

    `floats` is a hint for who has floating-point numbers there: "soft_cross_entropy takes probabilities".
    Raises TypeError or ValueError for a shape that isn't one, and for a `below` that leaves nothing.
    """
    _check_shape("ints", shape)
    if isinstance(below, bool) or not isinstance(below, int | str):
        raise TypeError(f"ints: below={below!r} should be a number or a shape word")
    if isinstance(below, str) and not (below.isdigit() or below.isidentifier()):
        raise ValueError(f"ints: below={below!r} is no shape word")
    if str(below).isdigit():
        below = int(below)
    if isinstance(below, int) and below < 1:
        raise ValueError(f"ints: below={below} leaves no value: it should be 1 or more")
    return Domain("int", shape, below=below, floats=floats)


def mask(shape: str | None = None) -> Domain:
    """Declare a boolean input. Raises TypeError or ValueError for a shape that isn't one."""
    _check_shape("mask", shape)
    return Domain("bool", shape)


def _check_shape(function: str, shape: object) -> None:
    """Refuse what is no text of shape words: sizes, names, and `...` in front."""
    if shape is None:
        return
    if not isinstance(shape, str):
        raise TypeError(f"{function}: the shape is a text of words like 'm k', not {shape!r}")
    for position, word in enumerate(shape.split()):
        if word == "..." and position == 0:
            continue
        if word == "...":
            raise ValueError(f"{function}: '...' stands for leading axes, so it comes first in '{shape}'")
        if not (word.isdecimal() or word.isidentifier()):
            raise ValueError(f"{function}: '{word}' in '{shape}' is neither a size nor a name")
