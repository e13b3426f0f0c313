"""The numbers that a backward could have used: arguments, outputs and kept values, and their common derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.findings.suspect import Application

_DEEPEST = 3
"""Containers inside containers that kept values are looked for in."""

_MOST = 40
"""Values that are looked at: a backward with more than that isn't understood by trying."""


LARGE = 30_000
"""Elements beyond which not everything is tried: there are some forty factors of each value."""

WIDEST = 200_000
"""Elements of arrays beyond which their factors aren't held at once: these would take hundreds of megabytes."""


@dataclass(frozen=True, eq=False)
class Value:
    """A number or array that stood around an application, and what to call it."""

    text: str
    array: Array
    is_output: bool = False


@dataclass(frozen=True, eq=False)
class Factor:
    """What a chain rule may multiply by: an array with the formula that it comes from.

    `meaning` names the function whose derivative it is, where it is one.
    """

    text: str
    array: Array
    meaning: str = ""


_Function = Callable[[Array], Array]


def _sigmoid(v: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * v)))


# Formula, function, and what it is the derivative of; the first that fits is named.
_OF_OUTPUTS: tuple[tuple[str, _Function, str], ...] = (
    ("1 - {}**2", lambda v: 1 - v * v, "tanh"),
    ("{} * (1 - {})", lambda v: v * (1 - v), "sigmoid"),
    ("({} > 0)", lambda v: (v > 0).astype(float), "relu"),
    ("{}", lambda v: v, ""),
    ("1 / (2 * {})", lambda v: 1 / (2 * v), "sqrt"),
    ("1 - exp(-{})", lambda v: -np.expm1(-v), "softplus"),
    ("-{}**2", lambda v: -v * v, "1/x"),
    ("(1 - abs({}))**2", lambda v: (1 - np.abs(v)) ** 2, "softsign"),
    ("1 + {}**2", lambda v: 1 + v * v, "tan"),
    ("1 - {}", lambda v: 1 - v, ""),
)
_OF_INPUTS: tuple[tuple[str, _Function, str], ...] = (
    ("({} > 0)", lambda v: (v > 0).astype(float), "relu"),
    ("{}", lambda v: v, ""),
    ("1 - tanh({})**2", lambda v: 1 - np.tanh(v) ** 2, "tanh"),
    ("sigmoid({}) * (1 - sigmoid({}))", lambda v: _sigmoid(v) * (1 - _sigmoid(v)), "sigmoid"),
    ("sigmoid({})", _sigmoid, "softplus"),
    ("1 / {}", lambda v: 1 / v, "log"),
    ("exp({})", np.exp, "exp"),
    ("2 * {}", lambda v: 2 * v, "the square"),
    ("3 * {}**2", lambda v: 3 * v * v, "the cube"),
    ("{}**2", lambda v: v * v, ""),
    ("cos({})", np.cos, "sin"),
    ("-sin({})", lambda v: -np.sin(v), "cos"),
    ("1 / (2 * sqrt({}))", lambda v: 0.5 / np.sqrt(v), "sqrt"),
    ("sqrt({})", np.sqrt, ""),
    ("-1 / {}**2", lambda v: -1 / (v * v), "1/x"),
    ("1 / {}**2", lambda v: 1 / (v * v), ""),
    ("sign({})", np.sign, "abs"),
    ("abs({})", np.abs, ""),
    ("1 / (1 + {}**2)", lambda v: 1 / (1 + v * v), "arctan"),
    ("1 / sqrt(1 - {}**2)", lambda v: 1 / np.sqrt(1 - v * v), "arcsin"),
    ("1 / (1 + abs({}))**2", lambda v: (1 + np.abs(v)) ** -2.0, "softsign"),
    ("1 / (1 + abs({}))", lambda v: 1 / (1 + np.abs(v)), ""),
    ("1 / (1 + {})", lambda v: 1 / (1 + v), "log1p"),
    ("exp(-{}**2)", lambda v: np.exp(-v * v), ""),
    ("2 / sqrt(pi) * exp(-{}**2)", lambda v: 2 / np.sqrt(np.pi) * np.exp(-v * v), "erf"),
    ("exp(-{}**2 / 2) / sqrt(2 * pi)", lambda v: np.exp(-v * v / 2) / np.sqrt(2 * np.pi), "the normal distribution"),
    ("cosh({})", np.cosh, "sinh"),
    ("sinh({})", np.sinh, "cosh"),
    ("1 / cos({})**2", lambda v: np.cos(v) ** -2.0, "tan"),
    ("exp(-{})", lambda v: np.exp(-v), ""),
    ("log({})", np.log, ""),
    ("tanh({})", np.tanh, "log(cosh)"),
    ("({} > 0) + ({} <= 0) * exp({})", lambda v: np.where(v > 0, 1.0, np.exp(np.minimum(v, 0))), "elu"),
    ("({} < 0)", lambda v: (v < 0).astype(float), ""),
)


def values_around(application: Application) -> list[Value]:
    """List the arrays of an application: its arguments, outputs and kept values, each once."""
    found: dict[int, Value] = {}
    for is_output, group in ((False, application.arguments), (True, application.outputs), (False, application.kept)):
        for text, array in _arrays(group):
            if id(array) not in found and len(found) < _MOST:
                found[id(array)] = Value(text, array, is_output)
    return list(found.values())


def factors_of(values: list[Value]) -> Iterator[Factor]:
    """Yield the values and their common derivatives, those that a chain rule needs most first."""
    with np.errstate(all="ignore"):
        for value in values:
            v = value.array.astype(np.float64)
            rules = (*_OF_OUTPUTS, *_OF_INPUTS) if value.is_output else (*_OF_INPUTS, *_OF_OUTPUTS)
            if value.array.dtype.kind == "b":  # a mask
                rules = (("{}", lambda v: v, ""), ("~{}", lambda v: 1 - v, ""))
            for template, function, meaning in rules:
                array = np.asarray(function(v))
                if np.isfinite(array).all():
                    yield Factor(template.replace("{}", value.text), array, meaning)


def products(g: str, cotangent: Array, text: str, value: Array, shape: tuple[int, ...]) -> Iterator[tuple[str, Array]]:
    """Yield the products of two stacks of matrices in every arrangement that gives `shape`, the usual ones first."""
    one, other = cotangent.astype(np.float64), value.astype(np.float64)
    for first, second, left, right in ((one, other, g, text), (other, one, text, g)):
        for turned_first in (False, True):
            for turned_second in (False, True):
                a = first.swapaxes(-1, -2) if turned_first else first
                b = second.swapaxes(-1, -2) if turned_second else second
                if a.shape[-1] != b.shape[-2]:
                    continue
                try:
                    product = np.asarray(a @ b)
                except ValueError:  # stacks that don't fit
                    continue
                if product.shape == shape:
                    yield f"{left}{'.T' * turned_first} @ {right}{'.T' * turned_second}", product


def epsilon_of(application: Application) -> float:
    """Return the machine epsilon of the coarsest array of an application."""
    groups = (application.arguments, application.outputs, application.cotangents)
    dtypes = [array.dtype for group in groups for _, array in _arrays(group) if array.dtype.kind == "f"]
    return max((float(np.finfo(dtype).eps) for dtype in dtypes), default=2.0**-52)


def numbers_of(application: Application) -> dict[str, float]:
    """Return the plain numbers among attributes, arguments and kept values by name."""
    found: dict[str, float] = {}
    for group in (application.attributes, application.arguments, application.kept):
        for name, value in group.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                found[name] = float(value)
            elif isinstance(value, np.ndarray | np.generic) and value.size == 1 and value.dtype.kind in "fiu":
                found[name] = float(value.reshape(-1)[0])
    return found


def _arrays(group: Mapping[str, Any]) -> Iterator[tuple[str, Array]]:
    for name, value in group.items():
        yield from _arrays_in(name, value, _DEEPEST)


def _arrays_in(text: str, value: Any, depth: int) -> Iterator[tuple[str, Array]]:
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fiub":
            yield text, value
    elif depth and isinstance(value, tuple | list):
        for position, item in enumerate(value):
            yield from _arrays_in(f"{text}[{position}]", item, depth - 1)
    elif depth and isinstance(value, Mapping):
        for key, item in value.items():
            yield from _arrays_in(f"{text}[{key!r}]", item, depth - 1)
