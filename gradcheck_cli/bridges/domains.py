"""Domains of foreign code, as a spec writes them: `{x: {shape: n d, low: 0}, labels: {shape: n, below: 3}}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from gradcheck_cli.core.domain import Domain, arr, ints, mask
from gradcheck_cli.errors import Location, OperatorError, Problem, near

Domains: TypeAlias = Mapping[str, Domain | tuple[Any, ...]]
"""The domain of each array by name, and the values to try of each attribute."""

_OF_ARRAYS = ("shape", "low", "high", "avoid", "distinct", "nondiff", "spd")
_KEYS = (*_OF_ARRAYS, "below", "mask")


def read_domains(written: Mapping[str, Any]) -> Domains:
    """Read domains: shape words (a text), a mapping of limits, or the list of an attribute's values.

    A `Domain` made with `arr`, `ints` or `mask` is taken as it is. Raises ValueError with the name in
    front for what is none of these.
    """
    return {str(name): _read(str(name), value) for name, value in written.items()}


def domains_at(written: Mapping[str, Any] | None, where: Location) -> Domains:
    """Read the domains of an operator that is written at `where`. Raises OperatorError for what is none."""
    try:
        return read_domains(written or {})
    except ValueError as error:
        raise OperatorError(Problem(str(error), where, "wrong-domain")) from None


def _read(name: str, value: Any) -> Domain | tuple[Any, ...]:
    if isinstance(value, Domain):
        return value
    if isinstance(value, list | tuple):
        if not value:
            raise ValueError(f"'{name}' lists no value to try")
        return tuple(value)
    if isinstance(value, str):
        value = {"shape": value}
    if not isinstance(value, Mapping):
        hint = f"write {name}: {{shape: n d}} for an array, {name}: [{value}] for an attribute"
        raise ValueError(f"the domain of '{name}' should be shape words, a mapping or a list of values: {hint}")
    unknown = next((key for key in value if key not in _KEYS), None)
    if unknown is not None:
        raise ValueError(f"'{name}' has no '{unknown}': {near(str(unknown), _KEYS) or 'there are ' + ', '.join(_KEYS)}")
    given = dict(value)
    if isinstance(given.get("shape"), int) and not isinstance(given.get("shape"), bool):
        given["shape"] = str(given["shape"])
    try:
        return _domain(given)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the domain of '{name}': {error}") from None


def _domain(given: dict[str, Any]) -> Domain:
    """Make a domain of checked keys. Raises TypeError and ValueError for values that don't fit, or not together."""
    for key in ("mask", "distinct", "nondiff", "spd"):
        if not isinstance(given.get(key, False), bool):
            raise TypeError(f"{key}={given[key]!r} should be true or false")
    if not isinstance(given.get("avoid"), int | float | list | tuple | None):
        raise TypeError(f"avoid={given['avoid']!r} should be a number or a list of numbers")
    is_mask = given.pop("mask", False)
    kind = "a mask" if is_mask else "an array of whole numbers" if "below" in given else ""
    beside = [key for key in given if key not in ("shape", "below")] if kind else []
    if is_mask and "below" in given:
        beside.append("below")
    if beside:
        raise ValueError(f"{kind} has no '{beside[0]}'")
    if is_mask:
        return mask(**given)
    return ints(**given) if kind else arr(**given)
