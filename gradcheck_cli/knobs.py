"""The knobs of a check: name, meaning, range and default, for specs, options and the Python API alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any

from gradcheck_cli.errors import near
from gradcheck_cli.light_dataclass import dataclass

ALLOWED = ("input-modified", "not-repeatable", "not-linear-in-g", "layout-dependent")
"""Broken contracts that a spec may allow: what is checked after them still means something."""


@dataclass(frozen=True)
class HealthLimits:
    """From where on a graph is called ill.

    `vanishing` and `exploding`: the gradient of a layer relative to that of the layer next to the output. `dead`: share
    of the units of a ReLU that give zero for every sample. `saturated`: share of elements at a limit of a sigmoid.
    """

    vanishing: float = 1e-4
    exploding: float = 1e4
    dead: float = 0.9
    saturated: float = 0.5


@dataclass(frozen=True)
class Knobs:
    """How a case is checked.

    `rtol`: largest relative error of a right gradient. `eps`: relative step of the central
    difference, None for the cube root of the machine's epsilon. `sweep`: show the error at other
    steps for every parameter. `sample`: check so many elements of a parameter, None for all.
    `dtype`: the floating type in which the case computes. `timeout`: seconds that a case may take.
    `accuracy`: relative error that gradients may have which are right but inexact (an iterative
    solver). `kinks`: "pass" lets a valid subgradient at a kink pass, "fail" doesn't. `directions`: check so
    many random directions of each parameter instead of its elements. `repeat`: relative difference
    that identical calls may have, None for 1000 machine epsilons. `allow`: contract findings to accept.
    `memory`: MiB that perturbations which are evaluated together may take. `budget`: seconds that a case may be
    expected to take before elements are left out, infinity ("none") to check all whatever it takes. `health`: from
    where on the graph is called ill.
    """

    rtol: float = 1e-7
    eps: float | None = None
    sweep: bool = False
    sample: int | None = None
    dtype: str = "float64"
    timeout: float | None = None
    accuracy: float | None = None
    kinks: str = "pass"
    directions: int | None = None
    repeat: float | None = None
    allow: tuple[str, ...] = ()
    memory: float = 256.0
    budget: float = 60.0
    health: HealthLimits = field(default_factory=HealthLimits)

    @classmethod
    def names(cls) -> list[str]:
        """List the knobs that a spec may name."""
        return [field.name for field in fields(cls)]


def read_knob(name: str, value: Any) -> Any:
    """Return `value` as the knob `name` takes it. Raises ValueError saying what it should be."""
    if name not in Knobs.names():
        raise ValueError(f"unknown knob '{name}'. {near(name, Knobs.names())}".strip())
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
    if name in ("sample", "directions"):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} should be a whole number{' of elements' * (name == 'sample')}, 1 or more")
        return value
    if name == "allow":
        return _read_allowed(value)
    if name == "health":
        return _read_limits(value)
    if name == "budget" and value in ("none", float("inf")):
        return float("inf")
    high = float("inf") if name in ("timeout", "memory", "budget") else 1.0
    try:
        number = float("nan") if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
    except OverflowError:  # a whole number of hundreds of digits
        number = float("inf")
    if not 0.0 < number < high:
        above = "a positive number" if high == float("inf") else "a number between 0 and 1"
        raise ValueError(f"{name} should be {above}{' of seconds, or none' * (name == 'budget')}")
    return number


def _read_allowed(value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple):
        raise ValueError("allow should be a list of contract findings, as in [input-modified]")
    for name in names:
        if name not in ALLOWED:
            hint = near(str(name), ALLOWED) or f"these can be: {', '.join(ALLOWED)}"
            raise ValueError(f"'{name}' can't be allowed. {hint}")
    return tuple(names)


def _read_limits(value: Any) -> HealthLimits:
    if isinstance(value, HealthLimits):
        return value
    known = [field.name for field in fields(HealthLimits)]
    if not isinstance(value, dict):
        raise ValueError(f"health should be a mapping of limits to numbers; there are: {', '.join(known)}")
    for name, limit in value.items():
        if name not in known:
            raise ValueError(f"unknown limit '{name}' of health. {near(str(name), known)}".strip())
        number = not isinstance(limit, bool) and isinstance(limit, int | float)
        above = name == "exploding"
        if not number or not (1 < limit < float("inf") if above else 0 < limit <= 1):
            between = "a number above 1" if above else "a number between 0 and 1"
            raise ValueError(f"{name} of health should be {between}")
    return HealthLimits(**{name: float(limit) for name, limit in value.items()})


def read_knobs(values: Mapping[str, Any], base: Knobs | None = None) -> Knobs:
    """Return `base` (default: the defaults) with `values` put over it; None values change nothing."""
    given = {name: read_knob(name, value) for name, value in values.items() if value is not None}
    return Knobs(**{**vars(base or Knobs()), **given})
