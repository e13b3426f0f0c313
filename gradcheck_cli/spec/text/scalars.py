"""Scalars as YAML 1.2 reads them: what an unquoted word means."""

from __future__ import annotations

import math
import re

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"(?P<sign>[-+]?)\.(?:inf|Inf|INF)|\.(?P<nan>nan|NaN|NAN)")

# Every integer with fewer digits is a float64 too, and is read in no time.
_MOST_DIGITS = 308


def read_plain(text: str) -> str | int | float | bool | None:
    """Return the value of an unquoted scalar: only decimal numbers, so `010` is ten and `0x10` a text.

    `on`, `yes` and `1_000` are texts. Raises ValueError for a number that is too large.
    """
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        if len(text.lstrip("+-")) > _MOST_DIGITS:
            raise ValueError("the number has too many digits")
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isinf(number):
            raise ValueError("the number is too large for a float64")
        return number
    special = _SPECIAL.fullmatch(text)
    if special:
        return math.nan if special["nan"] else -math.inf if special["sign"] == "-" else math.inf
    return text
