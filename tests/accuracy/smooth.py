"""Smooth functions of one number with their exact slopes, in forms that lose no digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Smooth(NamedTuple):
    """A function and its slope; both take arrays of any floating type, `value` also complex ones."""

    name: str
    value: Callable[[Any], Any]
    slope: Callable[[Any], Any]


def _sigmoid(t):
    return 1 / (1 + np.exp(-t))


SMOOTH = (
    Smooth("sin", np.sin, np.cos),
    Smooth("tanh", np.tanh, lambda t: np.cosh(t) ** -2),
    Smooth("exp", np.exp, np.exp),
    Smooth("sigmoid", _sigmoid, lambda t: _sigmoid(t) * _sigmoid(-t)),
    Smooth("softplus", lambda t: np.log(1 + np.exp(t)), _sigmoid),
    Smooth("arctan", np.arctan, lambda t: 1 / (1 + t * t)),
    Smooth("hypot1", lambda t: np.sqrt(1 + t * t), lambda t: t / np.sqrt(1 + t * t)),
    Smooth("log1p2", lambda t: np.log(1 + t * t), lambda t: 2 * t / (1 + t * t)),
    Smooth("gauss", lambda t: np.exp(-t * t / 2), lambda t: -t * np.exp(-t * t / 2)),
    Smooth("cubic", lambda t: t**3 / 9 - t, lambda t: t * t / 3 - 1),
)
"""What random functions are composed of."""
