"""The knobs of a check: name, meaning, range and default, for specs, options and the Python API alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from gradcheck_cli.errors import near

LATER = frozenset({"directions", "repeat", "allow"})
"""Knobs that are part of the language and come with a later version."""


@dataclass(frozen=True)
class Knobs:
    """How a case is checked.

    `rtol`: largest relative error of a right gradient. `eps`: relative step of the central
    difference, None for the cube root of the machine's epsilon. `sweep`: show the error at other
    steps for every parameter. `sample`: check so many elements of a parameter, None for all.
    `dtype`: the floating type in which the case computes. `timeout`: seconds that a case may take.
    `accuracy`: relative error that gradients may have which are right but inexact (an iterative
    solver). `kinks`: "pass" lets a valid subgradient at a kink pass, "fail" doesn't.
    """

    rtol: float = 1e-7
    eps: float | None = None
    sweep: bool = False
    sample: int | None = None
    dtype: str = "float64"
    timeout: float | None = None
    accuracy: float | None = None
    kinks: str = "pass"

    @classmethod
    def names(cls) -> list[str]:
        """List the knobs that a spec may name, those that come later included."""
        return [*(field.name for field in fields(cls)), *sorted(LATER)]


def read_knob(name: str, value: Any) -> Any:
    """Return `value` as the knob `name` takes it. Raises ValueError saying what it should be."""
    if name not in Knobs.names():
        raise ValueError(f"unknown knob '{name}'. {near(name, Knobs.names())}".strip())
    if name in LATER:
        raise ValueError(f"'{name}' comes with a later version: leave it out for now")
    if name == "sweep":
        if not isinstance(value, bool):
            raise ValueError("sweep should be true or false")
        return value
    if name == "kinks":
        if value not in ("pass", "fail"):
            raise ValueError("kinks should be pass or fail")
        return value
    if name == "dtype":
        if value not in ("float64", "float32"):
            raise ValueError("dtype should be float64 or float32")
        return value
    if name == "sample":
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError("sample should be a whole number of elements, 1 or more")
        return value
    low, high = {"rtol": (0.0, 1.0), "eps": (0.0, 1.0), "accuracy": (0.0, 1.0), "timeout": (0.0, float("inf"))}[name]
    try:
        number = float("nan") if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
    except OverflowError:  # a whole number of hundreds of digits
        number = float("inf")
    if not low < number < high:
        above = "a positive number" if high == float("inf") else "a number between 0 and 1"
        raise ValueError(f"{name} should be {above}")
    return number


def read_knobs(values: Mapping[str, Any], base: Knobs | None = None) -> Knobs:
    """Return `base` (default: the defaults) with `values` put over it; None values change nothing."""
    given = {name: read_knob(name, value) for name, value in values.items() if value is not None}
    return Knobs(**{**vars(base or Knobs()), **given})
