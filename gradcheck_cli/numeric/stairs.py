"""Outputs that stand still near a point: how high the stairs are on which rounding keeps them.

Outputs in float16, decimals or integers move in leaps. A table of values that is narrower than a stair shows
neither noise nor slope, and nothing of what rounding hides.
"""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.noise import are_single
from gradcheck_cli.numeric.point import Point

HIGHEST = 1e-2
"""Stairs above this share of an output are real, not rounding: the coarsest type has 0.8 percent."""

_STRIDE = 10.0**0.5
_FARTHEST = 0.1
"""Places a stride apart, up to this share of the elements."""

_LOOKS = 8
"""So many outputs are looked at closely; the others are believed to be like them."""

_MANY = 256
"""Outputs whose digits are looked at, at most."""

_HALVINGS = 14
"""After so many, what is continuous has hardly changed yet, and a leap is as high as before."""

_LEAP = 0.01
"""The share of a change that is left of it then if it was a leap."""

_ROUNDINGS = 64.0
"""Leaps up to so many roundings are those of the output's own type."""

_LONG = 16
"""Numbers with more significant bits than this are no round ones."""

_SHORT = 2.0**-6
"""A value below this share of the base has lost bits that tell it from single precision, where many are looked at."""

_DIGITS, _BITS = range(4, 11), range(8, 25)
"""Numbers of so many decimal digits, or bits, were rounded to them."""


def climb(point: Point, gap: Array) -> tuple[Array, Array]:
    """Move all elements along `gap` in growing strides; return the displacements and how the outputs changed.

    `gap`, shape (elements,), is small against the elements. Both returned arrays have a row for each place.
    """
    share = float(np.max(np.abs(gap) / np.maximum(np.abs(point.x), point.typical), initial=0.0))
    count = int(np.ceil(np.log(_FARTHEST / share) / np.log(_STRIDE))) if share > 0 else 0
    places = _STRIDE ** np.arange(1, max(count, 1) + 1)[:, None] * gap
    return places, point.together(places)


def heights(point: Point, places: Array, changes: Array, still: Array, epsilon: Array) -> Array:
    """Return how high the stairs are of the outputs that stand `still` near x; 0 for the others.

    `places` and `changes` are those of `climb`, `epsilon` is the machine epsilon of every output. What stands still
    and then moves smoothly has no stairs, nor has what leaps by more than `HIGHEST` of itself.
    """
    found = np.zeros(point.base.size)
    size = np.abs(point.base)
    moved = np.isfinite(changes) & (changes != 0)
    least = np.min(np.where(moved, np.abs(changes), np.inf), axis=0)
    high = np.flatnonzero(still & (least > _ROUNDINGS * epsilon * size) & (least < size))
    if high.size:
        looked = high[np.unique(np.linspace(0, high.size - 1, _LOOKS).astype(int))]
        leaps = _leaps(point, places, changes, looked)
        found[high] = least[high] if (leaps > 0).all() else 0.0
        found[looked] = leaps
    return np.where(found < HIGHEST * size, found, 0.0)


def _leaps(point: Point, places: Array, changes: Array, outputs: Array) -> Array:
    """Return by how much each of `outputs` leaps where it first moves on the way up, 0 where it moves smoothly."""
    row = np.arange(outputs.size)
    first = np.argmax(np.isfinite(changes[:, outputs]) & (changes[:, outputs] != 0), axis=0)
    begun = change = changes[first, outputs]
    far = places[first]
    near = np.where(first[:, None] > 0, places[first - 1], 0.0)
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        seen = point.together(middle)[row, outputs]
        moved = np.isfinite(seen) & (seen != 0)
        change = np.where(moved, seen, change)
        far = np.where(moved[:, None], middle, far)
        near = np.where(moved[:, None], near, middle)
    return np.where(np.abs(change) > _LEAP * np.abs(begun), np.abs(change), 0.0)


def are_long_singles(base: Array, changes: Array) -> Array:
    """Tell which outputs hold single precision values only, one of which needs most of the bits of a float32.

    `changes` has the shape (points, outputs), and says how the outputs differ from `base`. That is no chance, however
    few values there are, nor are they a staircase of round numbers.
    """
    with np.errstate(all="ignore"):
        values = base + changes
        # Beside a large base few bits are left of a small value, whatever it was computed in.
        values = np.where(np.abs(values) < _SHORT * np.abs(base), base, values)
        mantissa = np.frexp(values)[0] * 2.0**_LONG
    long = np.isfinite(values) & (mantissa != np.round(mantissa))
    return np.asarray(are_single(values).all(axis=0) & long.any(axis=0))


def last_digit(value: float) -> float:
    """Return what the last digit of a number counts if it was rounded to decimals or to bits of its own, else 0.

    A number in double precision has sixteen decimals and 53 bits, and a round one has very few.
    """
    if value == 0 or not np.isfinite(value):
        return 0.0
    mantissa, exponent = np.frexp(value)
    whole = int(np.ldexp(abs(mantissa), 53))
    trailing = (whole & -whole).bit_length() - 1
    if 53 - trailing < _BITS.stop:
        return float(np.ldexp(1.0, int(exponent) - 53 + trailing)) if 53 - trailing in _BITS else 0.0
    written, _, power = np.format_float_scientific(value, trim="-").partition("e")
    digits = len(written.lstrip("-").replace(".", "").rstrip("0"))
    return float(f"1e{int(power) - digits + 1}") if digits in _DIGITS else 0.0


def last_digits(values: Array) -> Array:
    """Return `last_digit` of every value; of many, the largest of some stands for all."""
    if values.size <= _MANY:
        return np.array([last_digit(float(value)) for value in values])
    some = values[np.linspace(0, values.size - 1, _MANY).astype(int)]
    return np.full(values.size, max(last_digit(float(value)) for value in some))
