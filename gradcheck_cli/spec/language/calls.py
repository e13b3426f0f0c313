"""Compile calls, methods, dotted names, and the lists and tuples that are given to operators."""

from __future__ import annotations

import ast
from typing import Any

from gradcheck_cli.core.checkpoint import CHECKPOINT
from gradcheck_cli.core.numpy_names import JOINS, OTHER_MEANINGS
from gradcheck_cli.errors import Location, near
from gradcheck_cli.spec.language import constants, signs
from gradcheck_cli.spec.language.binding import Argument, Call
from gradcheck_cli.spec.language.context import Context
from gradcheck_cli.spec.language.kinds import BROKEN, Broken, Constant, Group, Result, Value, Visit, described
from gradcheck_cli.spec.language.lookup import dotted_names, numpy_name

_BOOLEAN_FUNCTIONS = {sign.name: sign for sign in (*constants.COMPARISONS.values(), *constants.LOGIC.values())}
_SPREAD_METHODS = ("reshape", "transpose")
_SIZES = ("shape", "size", "ndim")


def call(context: Context, node: ast.Call) -> Visit:
    """Compile a call by name, by method, or from NumPy's namespace."""
    named_by = node.func if isinstance(node.func, ast.Name) else None
    dotted = numpy_name(node.func, context.has)
    method = node.func if isinstance(node.func, ast.Attribute) and dotted is None else None
    if named_by is None and dotted is None and method is None:
        context.mark_read(node)
        hint = "write each call on a line of its own: h = ..."
        return context.say(node.func, "only operators are called, by their name", "not-allowed", hint)
    name = named_by.id if named_by else method.attr if method else dotted or ""
    if name.startswith("_"):
        return _underscore(context, node)
    positional: list[Argument] = []
    start = len(context.builder.steps)
    if method is not None and _is_foreign(context, method):
        hint = f"operators have no namespace: write {name}(...)"
        namespace = ".".join(dotted_names(method.value))
        context.say(method.value, f"undefined name '{namespace}'", "undefined-name", hint)
        positional.append(Argument(BROKEN, method.value))
    elif method is not None:
        value = yield method.value
        positional.append(Argument(value, method.value))
    for part in node.args:
        value = yield part
        positional.append(Argument(value, part))
    named: list[tuple[str, Argument]] = []
    for keyword in node.keywords:
        value = yield keyword.value
        if keyword.arg is None:
            context.say(
                keyword, "'**' is not part of the language", "not-allowed", "write the arguments out one by one"
            )
        named.append((keyword.arg or "", Argument(value, keyword)))
    if any(isinstance(part, ast.Starred) for part in node.args) or any(not name for name, _ in named):
        return BROKEN
    if method is not None:
        return _method(context, node, name, positional, named)
    if name == CHECKPOINT and not context.lookup.is_operator(name):
        return _checkpoint(context, node, positional, named, start)
    if dotted and name in JOINS and len(positional) == 1 and isinstance(positional[0].value, Result):
        message = f"np.{name} of one array joins its rows"
        return context.say(node, message, "wrong-argument", f"here {name} takes several arrays: {name}([x[0], x[1]])")
    return _by_name(context, node, name, positional, named)


def _checkpoint(
    context: Context, node: ast.Call, positional: list[Argument], named: list[tuple[str, Argument]], start: int
) -> Value:
    """Let what was compiled from step `start` on be computed again in the backward."""
    if len(positional) != 1 or named:
        hint = "checkpoint(tanh(x @ W)) keeps x and W, and computes the rest again"
        return context.say(node, "checkpoint takes one expression", "wrong-argument", hint)
    value = positional[0].value
    if isinstance(value, Broken):
        return BROKEN
    if not isinstance(value, Result):
        return context.say(node, f"checkpoint takes a value, not {described(value)}", "wrong-argument")
    position = context.source.position(node)
    where = context.source.problem(*position, "", "").location or Location("")
    context.builder.keep_inputs_only(start, value.slot, position, where)
    return value


def attribute(context: Context, node: ast.Attribute) -> Visit:
    """Compile `x.T`, and the constants of NumPy's namespace."""
    name = numpy_name(node, context.has)
    if name is not None:
        return _numpy_constant(context, node, name)
    if node.attr.startswith("_"):
        return _underscore(context, node)
    value = yield node.value
    if isinstance(value, Broken):
        return BROKEN
    if node.attr == "T":
        return context.apply_builtin(node, "transpose", [Argument(value, node.value)])
    hint = "a size is a name under dims:" if node.attr in _SIZES else f"a method is called: .{node.attr}(...)"
    return context.say(node, f"'.{node.attr}' is not available", "not-allowed", hint)


def group(_: Context, node: ast.List | ast.Tuple) -> Visit:
    """Compile a list or a tuple: a constant if all of its items are."""
    items: list[Value] = []
    for part in node.elts:
        item = yield part
        items.append(item)
    if any(isinstance(item, Broken) for item in items):
        return BROKEN
    values = [item.value for item in items if isinstance(item, Constant)]
    if len(values) == len(items):
        return Constant(values if isinstance(node, ast.List) else tuple(values))
    return Group("list" if isinstance(node, ast.List) else "tuple", tuple(items))


def _by_name(
    context: Context, node: ast.Call, name: str, positional: list[Argument], named: list[tuple[str, Argument]]
) -> Value:
    if "." in name:
        usual = "np., np.linalg. and np.fft. stand for the operators of their name"
        hint = OTHER_MEANINGS.get(name, usual)
        return context.say(node, f"{name} is not available", "unknown-operator", hint)
    known = context.lookup.is_operator(name)
    if name == "dict" and not positional and not known:
        return _mapping(context, named)
    if name in _BOOLEAN_FUNCTIONS and not named and not known:
        return _boolean_function(context, node, name, positional)
    chosen = None if known else context.constant(name)
    # A name under matrix: may stand for several operators.
    operator = context.lookup.called(chosen if isinstance(chosen, str) else name)
    if operator is not None:
        return context.apply(Call(operator, node, positional, named))
    if isinstance(chosen, str):
        message = f"unknown operator '{chosen}', the value of '{name}' here"
        return context.say(node, message, "unknown-operator", context.lookup.suggestion(chosen))
    if context.has(name):
        what = "a parameter or an input" if name in context.arrays else "a number" if chosen is not None else "a value"
        hint = f"a product needs its *: {name} * (...)"
        return context.say(node, f"'{name}' is {what}, not an operator", "unknown-operator", hint)
    return context.say(node, f"unknown operator '{name}'", "unknown-operator", context.lookup.suggestion(name))


def _method(
    context: Context,
    node: ast.Call,
    name: str,
    positional: list[Argument],
    named: list[tuple[str, Argument]],
) -> Value:
    """Apply a built-in operator to what stands before the dot: `x.reshape(2, 3)` is `reshape(x, (2, 3))`."""
    if isinstance(positional[0].value, Broken):
        return BROKEN
    if context.lookup.builtin(name) is None:
        if context.lookup.called(name):
            hint = f"methods are the built-in operators: write {name}(...)"
        else:
            hint = near(name, context.lookup.builtins) or context.lookup.suggestion(name)
        return context.say(node, f"unknown operator '{name}'", "unknown-operator", hint)
    rest = positional[1:]
    if name in _SPREAD_METHODS and len(rest) > 1 and all(isinstance(part.value, Constant) for part in rest):
        sizes = Constant(tuple(part.value.value for part in rest if isinstance(part.value, Constant)))
        positional = [positional[0], Argument(sizes, rest[0].node)]
    return context.apply_builtin(node, name, positional, named)


def _numpy_constant(context: Context, node: ast.Attribute, name: str) -> Value:
    if name in constants.NAMED:
        return Constant(constants.NAMED[name])
    if context.lookup.is_operator(name):
        return context.say(node, f"'{name}' is an operator, not a value", "undefined-name", f"call it: {name}(...)")
    hint = near(name, constants.NAMED) or f"of NumPy's constants there are {', '.join(constants.NAMED)}"
    shown = name if "." in name else f"np.{name}"
    return context.say(node, f"{shown} is not available", "undefined-name", hint)


def _mapping(context: Context, named: list[tuple[str, Argument]]) -> Value:
    """Make the mapping that `dict(mode=mode)` writes."""
    values: dict[str, Any] = {}
    sound = True
    for name, argument in named:
        value = argument.value
        if isinstance(value, Constant) and name not in values:
            values[name] = value.value
            continue
        sound = False
        if isinstance(value, Constant):
            context.say(argument.node, f"dict got '{name}' twice", "wrong-argument")
        elif not isinstance(value, Broken):
            message = f"{described(value)} can't be in a dict"
            context.say(argument.node, message, "wrong-argument", "attributes are constants")
    return Constant(values) if sound else BROKEN


def _boolean_function(context: Context, node: ast.Call, name: str, positional: list[Argument]) -> Value:
    """Compile `np.greater(x, 0)` and `np.logical_and(a, b)` as the signs that they are."""
    sign = _BOOLEAN_FUNCTIONS[name]
    count = 1 if name == "logical_not" else 2
    if len(positional) != count:
        message = f"{name} takes {count} argument{'s' * (count != 1)}, got {len(positional)}"
        return context.say(node, message, "wrong-argument")
    make = signs.logical if name.startswith("logical") else signs.compared
    return make(context, node, sign, positional)


def _is_foreign(context: Context, method: ast.Attribute) -> bool:
    """Tell whether `F.relu(x)` or `torch.nn.functional.relu(x)` is written for `relu(x)`."""
    names = dotted_names(method.value)
    return bool(names) and not context.has(names[0]) and context.lookup.called(method.attr) is not None


def _underscore(context: Context, node: ast.expr) -> Value:
    context.mark_read(node)
    return context.say(node, "names that start with _ are not available", "not-allowed")
