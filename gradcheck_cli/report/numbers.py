"""Figures as a person reads them: relative errors, gradients, steps, counts."""

from __future__ import annotations

import math

MISSING = "-"
"""What stands where there is no figure."""

_DIGITS = 6
_MOST_DIGITS = 17


def relative(value: float | None) -> str:
    """Write a relative error with two digits: `2.4e-11`."""
    return MISSING if value is None else f"{value:.1e}"


def rounded_up(value: float | None) -> str:
    """Write a bound with one digit, never smaller than it is: `1e-07`, and `3e-07` for 2.1e-07.

    A resolution or an error bar is a promise; rounding it down would promise too much.
    """
    if value is None:
        return MISSING
    if not math.isfinite(value) or value <= 0:
        return f"{value:g}"
    digit, exponent = f"{value:.0e}".split("e")
    # The tolerance is for 1e-7 computed as 1.0000000000000001e-07.
    if float(f"{digit}e{exponent}") < value * (1 - 1e-9):
        digit = str(int(digit) + 1)
    return f"{float(f'{digit}e{exponent}'):.0e}"


def short(value: float) -> str:
    """Write a step or an error of the sweep as shortly as it goes: `1e-2`, `3.2e-5`, `1.00`."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    if 0.095 <= abs(value) < 99.5:
        return f"{value:.2f}"
    return scientific(value)


def scientific(value: float) -> str:
    """Write a number with at most two digits and a bare exponent: `1e-2`, `3.2e-5`."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits.removesuffix('.0')}e{int(exponent)}"


def pair(analytic: float, numeric: float) -> tuple[str, str]:
    """Write two gradients, signed, with as many digits as it takes to tell them apart (at least six)."""
    for digits in range(_DIGITS, _MOST_DIGITS):
        if _signed(analytic, digits) != _signed(numeric, digits):
            # One more, so that the size of the difference shows as well.
            shown = digits + (digits > _DIGITS)
            return _signed(analytic, shown), _signed(numeric, shown)
    digits = _DIGITS if analytic == numeric else _MOST_DIGITS
    return _signed(analytic, digits), _signed(numeric, digits)


def count(number: int, noun: str, plural: str = "") -> str:
    """Write a number of things: `1 element`, `48 elements`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def dimensions(shape: tuple[int, ...], times: str) -> str:
    """Write a shape with the sign for times between its sizes; a scalar is `()`."""
    return times.join(map(str, shape)) if shape else "()"


def _signed(value: float, digits: int) -> str:
    return f"{value:+#.{digits}g}" if math.isfinite(value) else f"{value:+}" if math.isinf(value) else "nan"
