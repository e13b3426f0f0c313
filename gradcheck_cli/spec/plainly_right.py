"""What is right at a glance: cases whose keys and types are those of the schema, without making its models.

Making the models takes longer than a small check, and they are needed to say what is wrong. What isn't plainly right
may still be right: the models decide.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from gradcheck_cli.knobs import read_knob

_Test: TypeAlias = Callable[[Any], bool]

_INITS = ("normal", "uniform", "zeros", "ones", "he", "xavier", "spd")

_EXACT = 2**53
"""Whole numbers below it are numbers of floating point, too."""


def is_plainly_right(case: dict[Any, Any]) -> bool:
    """Tell whether every key of a case is known, and has a value of the plainest form that it takes."""
    return _has_keys(case, _CASE)


def _has_keys(value: Any, tests: dict[str, _Test]) -> bool:
    return type(value) is dict and all(key in tests and tests[key](item) for key, item in value.items())


def _text(value: Any) -> bool:
    return type(value) is str


def _number(value: Any) -> bool:
    return type(value) is float or (type(value) is int and abs(value) < _EXACT)


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < _EXACT


def _positive(value: Any) -> bool:
    return _whole(value) and value > 0


def _several(value: Any) -> bool:
    return type(value) is list


def _number_or_list(value: Any) -> bool:
    return _number(value) or _several(value)


def _size(value: Any) -> bool:
    return _whole(value) or _text(value)


def _named(test: _Test) -> _Test:
    """Return the test of a mapping from names to what `test` takes."""

    def is_right(value: Any) -> bool:
        return type(value) is dict and all(_text(name) and test(item) for name, item in value.items())

    return is_right


def _array(value: Any) -> bool:
    return _number_or_list(value) or _text(value) or _has_keys(value, _ARRAY)


def _shape(value: Any) -> bool:
    return _size(value) or (_several(value) and all(map(_size, value)))


def _knobs(value: Any) -> bool:
    return _has_keys(value, {name: _knob(name, test) for name, test in _KNOBS.items()})


def _knob(name: str, test: _Test) -> _Test:
    def is_right(value: Any) -> bool:
        try:
            return test(value) and test(read_knob(name, value))
        except ValueError:
            return False

    return is_right


_KNOBS: dict[str, _Test] = {
    "rtol": _number,
    "eps": _number,
    "sample": _whole,
    "dtype": _text,
    "sweep": lambda value: type(value) is bool,
}
_ARRAY: dict[str, _Test] = {
    "shape": _shape,
    "value": _number_or_list,
    "file": _text,
    "init": lambda value: _text(value) and value in _INITS,
    "low": _number,
    "high": _number,
    "avoid": _number,
    "distinct": lambda value: type(value) is bool,
    "below": lambda value: _text(value) or _positive(value),
    "dtype": _text,
    "sample": _positive,
}
_CASE: dict[str, _Test] = {
    "name": _text,
    "expr": _text,
    "params": _named(_array),
    "inputs": _named(_array),
    "dims": _named(_whole),
    "ops": lambda value: value is not None,
    "tags": lambda value: _text(value) or (_several(value) and all(map(_text, value))),
    "seed": _whole,
    "check": _knobs,
    "matrix": _named(_several),
    "expect": lambda value: _text(value) or _named(_text)(value),
    "value": _number_or_list,
    "grad": _named(_number_or_list),
}
