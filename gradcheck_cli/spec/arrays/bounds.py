"""What an array is drawn from: its own bounds over those that its operator declares."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.spec.arrays.entry import Entry
from gradcheck_cli.spec.arrays.shapes import read_size
from gradcheck_cli.spec.arrays.types import Kind
from gradcheck_cli.spec.text.nodes import Listing, Scalar, plain

BOUNDS = ("low", "high", "avoid", "distinct")


def read_below(entry: Entry, kind: Kind, data: Array | None) -> int | None:
    """Return the exclusive bound of integers: the spec's own, else the operator's, else None.

    An array that is drawn needs one, which is said.
    """
    node = entry.keys.items.get("below")
    if kind != "int":
        return None
    if isinstance(node, Scalar):
        return _own_below(entry, node, data)
    declared = entry.declared.below
    size = entry.setting.dims.get(str(declared), declared)
    if isinstance(size, int) and not isinstance(size, bool) and size >= 1:
        return size
    drawn = data is None and entry.plain("init") not in ("zeros", "ones")
    if drawn and entry.setting.domains is not None:
        message = f"{entry.name} is drawn as integers, and nothing says below which number"
        entry.say("", message, "no-below", entry.or_floats(f"{entry.name}: {{shape: ..., below: 3}}"))
    return None


def _own_below(entry: Entry, node: Scalar, data: Array | None) -> int | None:
    problems = entry.setting.problems
    if isinstance(node.value, int):
        below: int | None = node.value
    else:
        below = read_size(str(node.value), node.mark, entry.setting.dims, problems)
    if below == 0:
        problems.add(node.mark, f"'{node.value}' is 0, and no whole number is below it", "contradiction")
    elif below and data is not None and data.size and not 0 <= data.min() <= data.max() < below:
        message = f"{entry.name} holds numbers that are not from 0 to {below - 1}"
        entry.say("below", message, "contradiction")
    return below


def read_domain(entry: Entry, kind: Kind, below: int | None) -> Domain:
    """Return what an array without a value is drawn from, unless its `init` says more.

    Own keys go before the domain that the operator declares, and that before the standard normal.
    """
    init = entry.plain("init")
    own = [key for key in BOUNDS if key in entry]
    if kind != "float":
        if init not in (None, "zeros", "ones"):
            entry.say("init", f"'init: {init}' is for floating-point numbers", "contradiction")
        for key in own:
            hint = entry.or_floats("integers are drawn from 0 up to below") if kind == "int" else ""
            entry.say(key, f"'{key}' is for floating-point numbers", "contradiction", hint)
        return Domain("int", below=below) if kind == "int" else Domain("bool")
    base = Domain(low=0.0, high=1.0) if init == "uniform" else Domain() if init else entry.declared
    if base.spd and own:
        message = f"'{own[0]}' means nothing for a symmetric positive definite matrix"
        entry.say(own[0], message, "contradiction", f"the operator that takes {entry.name} asks for one")
    domain = replace(base, **_own_bounds(entry))
    if own and domain.low is not None and domain.high is not None and domain.low >= domain.high:
        _report_crossed(entry, domain, "of init: uniform" if init else "that the operator declares")
    return domain


def _own_bounds(entry: Entry) -> dict[str, Any]:
    bounds: dict[str, Any] = {key: float(entry.plain(key)) for key in ("low", "high") if key in entry}
    for key, limit in bounds.items():
        if not math.isfinite(limit):
            entry.say_of_value(key, f"{key} should be a finite number", "wrong-type", "for no bound leave it out")
    if "avoid" in entry:
        node = entry.keys.items["avoid"]
        avoid = [plain(item) for item in node.items] if isinstance(node, Listing) else [plain(node)]
        bounds["avoid"] = tuple(map(float, avoid))
    if "distinct" in entry:
        bounds["distinct"] = entry.plain("distinct")
    return bounds


def _report_crossed(entry: Entry, domain: Domain, whose: str) -> None:
    key, other = ("high", "low") if "high" in entry else ("low", "high")
    hint = "" if other in entry else f"give {other} as well: {getattr(domain, other):g} is the one {whose}"
    entry.say(key, f"low: {domain.low:g} is not below high: {domain.high:g}", "contradiction", hint)
