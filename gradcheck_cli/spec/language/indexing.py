"""Compile `x[...]`: whole numbers, slices, None, `...`, lists of whole numbers, index arrays and masks."""

from __future__ import annotations

import ast
from typing import Any

from gradcheck_cli.spec.language.binding import Argument
from gradcheck_cli.spec.language.context import Context
from gradcheck_cli.spec.language.kinds import BROKEN, Broken, Constant, Group, Result, Several, Value, Visit, described
from gradcheck_cli.spec.language.program import Slot


def subscript(context: Context, node: ast.Subscript) -> Visit:
    """Compile `x[key]` to the built-in getitem; `f(x)[0]` takes one of several outputs."""
    value = yield node.value
    in_index, context.binder.in_index = context.binder.in_index, True
    key = yield node.slice
    context.binder.in_index = in_index
    if isinstance(value, Broken) or isinstance(key, Broken):
        return BROKEN
    if isinstance(value, Several):
        return _one_of(context, node, value, key)
    if not isinstance(value, Result):
        return context.say(node, f"only arrays are indexed, this is {described(value)}", "wrong-index")
    parts = key.items if isinstance(key, Group) and key.kind == "tuple" else (key,)
    indices = [_index(context, node.slice, part) for part in parts]
    if any(index is BROKEN for index in indices):
        return BROKEN
    made: Any = tuple(indices) if len(parts) > 1 or isinstance(key, Group) else indices[0]
    filled = any(isinstance(index, Slot) for index in indices)
    named = [("key", Argument(Constant(made), node.slice))]
    return context.apply_builtin(node, "getitem", [Argument(value, node.value)], named, made if filled else None)


def slice_(context: Context, node: ast.Slice) -> Visit:
    """Compile `1:n`, whose limits are whole numbers."""
    limits: list[Any] = []
    sound = True
    for part in (node.lower, node.upper, node.step):
        value: Value = Constant(None)
        if part is not None:
            value = yield part
        if isinstance(value, Constant) and (value.value is None or _is_whole(value.value)):
            limits.append(value.value)
        elif part is not None:
            sound = False
            if not isinstance(value, Broken):
                context.say(part, f"the limits of a slice are whole numbers, this is {described(value)}", "wrong-index")
    return Constant(slice(*limits)) if sound else BROKEN


def _one_of(context: Context, node: ast.Subscript, several: Several, key: Value) -> Value:
    count = len(several.results)
    if isinstance(key, Constant) and _is_whole(key.value) and -count <= key.value < count:
        chosen: int = key.value
        return several.results[chosen]
    message = f"{several.operator.name} gives {count} values"
    hint = f"take one with [0] to [{count - 1}], or {', '.join(several.operator.outputs)} = ..."
    return context.say(node, message, "wrong-index", hint)


def _index(context: Context, node: ast.expr, part: Value) -> Any:
    """Return one part of an index, a Slot for an array; BROKEN, with a problem noted, for what can't be one."""
    if isinstance(part, Result):
        if part.name:
            context.indices.add(part.name)
        return Slot(part.slot)
    if isinstance(part, Constant) and _is_index(part.value):
        return part.value
    hint = "whole numbers divide with //" if isinstance(part, Constant) and isinstance(part.value, float) else ""
    allowed = "an index is whole numbers, slices, None, ..., lists of whole numbers or arrays"
    return context.say(node, f"{allowed}, this is {described(part)}", "wrong-index", hint)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_index(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_index, value))
    return value is None or value is ... or isinstance(value, int | slice)
