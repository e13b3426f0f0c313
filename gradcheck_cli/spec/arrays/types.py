"""Whether an array holds floating-point numbers, integers or booleans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import near
from gradcheck_cli.spec.arrays.entry import Entry
from gradcheck_cli.spec.text.nodes import Listing, Node, Scalar

Kind: TypeAlias = Literal["float", "int", "bool"]

FLOATS = ("float64", "float32")
INTEGERS = ("int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_HELD: dict[str, Kind] = {"f": "float", "i": "int", "b": "bool"}
_TAKES = {"int": "integers", "bool": "booleans"}


def read_kind(entry: Entry, data: Array | None) -> Kind | None:
    """Return the kind of numbers of an array, whose values are `data` if they are given.

    An input follows its own keys, then the operator that takes it, then a file of integers or
    booleans. None where the values or the operator don't allow it, which is said.
    """
    kind = _kind_of_parameter(entry) if entry.is_parameter else _kind_of_input(entry, data)
    if kind is None or data is None:
        return kind
    return kind if _fits(entry, data, kind) else None


def _kind_of_parameter(entry: Entry) -> Kind | None:
    if "dtype" in entry and _asked(entry) in ("int", "bool"):
        message = f"a parameter is differentiated, so it can't be {entry.plain('dtype')}"
        entry.say_of_value("dtype", message, "wrong-dtype", "make it an input")
    if entry.declared.kind != "float":
        message = f"{entry.name} is a parameter, and the operator that takes it takes {_TAKES[entry.declared.kind]}"
        entry.say("", message, "not-differentiable", entry.or_floats(f"move {entry.name} to inputs"))
        return None
    return "float"


def _kind_of_input(entry: Entry, data: Array | None) -> Kind:
    asked, declared = _asked(entry), entry.declared.kind
    if asked is not None and declared != "float" and asked != declared:
        key = "dtype" if "dtype" in entry else "below"
        message = f"the operator that takes {entry.name} takes {_TAKES[declared]}"
        entry.say(key, message, "contradiction", entry.or_floats(f"leave {key} out"))
    if asked is not None:
        return asked
    if declared != "float":
        return declared
    is_index = entry.name in entry.setting.indices
    if data is None:
        if is_index:
            entry.say("", f"{entry.name} stands as an index, so it holds integers", "wrong-type", "say how many: below")
        return "float"
    held = _HELD[data.dtype.kind]
    # Whole numbers that are written out are floating-point numbers without a point, but for an index.
    return "float" if held == "int" and "value" in entry and not is_index else held


def _asked(entry: Entry) -> Kind | None:
    """Return the kind that `dtype` or `below` ask for."""
    dtype = entry.plain("dtype")
    if dtype is None:
        return "int" if "below" in entry else None
    if dtype not in (*FLOATS, *INTEGERS, "bool"):
        hint = near(dtype, (*FLOATS, "int64", "bool")) or "there are float64, float32, int64 and bool"
        entry.say_of_value("dtype", f"no dtype '{dtype}'", "wrong-dtype", hint)
        return None
    kind: Kind = "float" if dtype in FLOATS else "bool" if dtype == "bool" else "int"
    if "below" in entry and kind != "int" and not entry.is_parameter:
        entry.say("below", f"'below' is for integers, and the dtype is {dtype}", "contradiction")
    return kind


def _fits(entry: Entry, data: Array, kind: Kind) -> bool:
    """Report numbers that can't be of the kind."""
    held = _HELD[data.dtype.kind]
    if kind == "float":
        wrong = "numbers, not true and false" if held == "bool" else ""
    elif kind == "bool":
        wrong = "" if held == "bool" or bool(np.isin(data, (0, 1)).all()) else "true and false"
    elif held == "bool":
        wrong = "whole numbers, not true and false"
    else:
        with np.errstate(invalid="ignore"):
            whole = held == "int" or (np.isfinite(data) & (data == np.round(data)) & (np.abs(data) < 2.0**63))
        wrong = "" if bool(np.all(whole)) else "whole numbers"
    if wrong:
        node = entry.keys.items[entry.given]
        hint = entry.or_floats() if kind == "int" else ""
        first = next((scalar for scalar in _scalars(node) if not _is_kind(scalar, kind)), node)
        entry.setting.problems.add(first.mark, f"{entry.name} should hold {wrong}", "wrong-type", hint)
    return not wrong


def _scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Listing):
        for item in node.items:
            yield from _scalars(item)
    elif isinstance(node, Scalar):
        yield node


def _is_kind(scalar: Scalar, kind: Kind) -> bool:
    value = scalar.value
    if kind == "bool":
        return isinstance(value, bool) or value in (0, 1)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return kind == "float" or float(value).is_integer()
