"""Parameters and inputs: from what a spec says about an array to its record."""

from __future__ import annotations

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.errors import Location
from gradcheck_cli.spec.arrays.bounds import BOUNDS, read_below, read_domain
from gradcheck_cli.spec.arrays.entry import Entry
from gradcheck_cli.spec.arrays.shapes import read_shape, shape_text
from gradcheck_cli.spec.arrays.types import read_kind
from gradcheck_cli.spec.case import ArraySpec
from gradcheck_cli.spec.folders import Unusable

_WITHOUT_BOUNDS = ("normal", "zeros", "ones", "he", "xavier", "spd")


def read_array(entry: Entry) -> ArraySpec | None:
    """Return the record of an array; None if too much is wrong with it. What is wrong is said."""
    setting = entry.setting
    _report_contradictions(entry)
    data = _data(entry)
    shape = _shape(entry, data)
    kind = read_kind(entry, data)
    if shape is None or kind is None:
        return None
    below = read_below(entry, kind, data)
    domain = read_domain(entry, kind, below) if not entry.given else Domain()
    init = entry.plain("init") or ""
    _report_not_square(entry, shape, init, domain)
    dtype = {"int": "int64", "bool": "bool"}.get(kind) or entry.plain("dtype") or setting.dtype
    value = None
    if data is not None:
        value = setting.values.cast(data, dtype)
        if value is None:
            message = f"{entry.name} holds a number that is too large for {dtype}"
            entry.say_of_value(entry.given, message, "number-too-large")
    location = Location(setting.problems.file, entry.mark.line, entry.mark.column)
    return ArraySpec(entry.name, location, shape, dtype, value, init, domain, below, entry.plain("sample"))


def _report_contradictions(entry: Entry) -> None:
    """Report keys that don't go together, or not with what the array is."""
    name, given, init = entry.name, entry.given, entry.plain("init")
    if "value" in entry and "file" in entry:
        entry.say("file", f"{name} has both a value and a file", "contradiction", "keep one of them")
    if not given and "shape" not in entry:
        entry.say("", f"{name} has no shape, no value and no file", "no-shape", "shape: '' is a single number")
    for key in ("init", *BOUNDS):
        if key not in entry:
            continue
        if given:
            hint = f"{key} is about arrays that are drawn: leave it or the {given} out"
            entry.say(key, f"'{key}' means nothing beside a {given}", "contradiction", hint)
        elif key != "init" and init in _WITHOUT_BOUNDS:
            hint = "bounds go with init: uniform, or with no init"
            entry.say(key, f"'{key}' means nothing with init: {init}", "contradiction", hint)
    if entry.is_parameter and "below" in entry:
        message = f"'below' is for integers, and the parameter {name} is differentiated"
        entry.say("below", message, "contradiction", "make it an input")
    if not entry.is_parameter and "sample" in entry:
        message = f"'sample' is for parameters: the input {name} isn't checked"
        entry.say("sample", message, "contradiction", "leave it out")


def _data(entry: Entry) -> Array | None:
    """Return the array that a value or a file gives; None for none, and if it can't be read, which is said."""
    if entry.given == "value":
        return entry.setting.values.read(entry.keys.items["value"], entry.name)
    if not entry.given:
        return None
    try:
        return entry.setting.files.read(str(entry.plain("file")))
    except Unusable as error:
        entry.say_of_value("file", str(error), "wrong-file", error.hint)
        return None


def _shape(entry: Entry, data: Array | None) -> tuple[int, ...] | None:
    node = entry.keys.items.get("shape")
    if node is None:
        return None if data is None else data.shape
    shape = read_shape(node, entry.setting.dims, entry.setting.problems)
    if shape is not None and data is not None and data.shape != shape:
        found, said = shape_text(data.shape), shape_text(shape)
        entry.say("shape", f"the {entry.given} of {entry.name} is {found}, its shape says {said}", "shape-mismatch")
    return shape


def _report_not_square(entry: Entry, shape: tuple[int, ...], init: str, domain: Domain) -> None:
    wanted = init == "spd" or (domain.spd and not init)
    if wanted and (len(shape) < 2 or shape[-1] != shape[-2]):
        message = f"a symmetric positive definite matrix is square, and {entry.name} is {shape_text(shape)}"
        entry.say("init" if init else "shape", message, "wrong-shape")
