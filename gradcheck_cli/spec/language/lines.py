"""Compile the lines of an expression: assignments, unpacking, and the last line, which is the value."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from gradcheck_cli.spec.language import calls, indexing, signs
from gradcheck_cli.spec.language.context import Assigned, Context
from gradcheck_cli.spec.language.kinds import BROKEN, Broken, Constant, Group, Result, Several, Value, Visit, described

_VISITS: dict[type[ast.expr], Callable[[Context, Any], Visit]] = {
    ast.BinOp: signs.binary,
    ast.UnaryOp: signs.unary,
    ast.Compare: signs.compare,
    ast.Call: calls.call,
    ast.Attribute: calls.attribute,
    ast.List: calls.group,
    ast.Tuple: calls.group,
    ast.Subscript: indexing.subscript,
    ast.Slice: indexing.slice_,
}
_NAME_IT = "give it a name, h = ..., or put brackets around an expression that goes on over several lines"


def compile_lines(context: Context, statements: Sequence[ast.stmt]) -> list[int]:
    """Compile all lines and return the slots of the outputs; problems go to the context."""
    assignments: list[Assigned] = []
    outputs: list[int] = []
    for statement in statements:
        last = statement is statements[-1]
        if isinstance(statement, ast.Assign):
            _assign(context, statement, assignments)
            if last:
                context.mark_read(statement)
                hint = "add a last line with what is to be checked"
                context.say(statement, "the last line is the value, this is an assignment", "no-value", hint)
        elif not isinstance(statement, ast.Expr):
            context.refuse(statement)
        elif last:
            outputs = _outputs(context, statement.value)
        elif not isinstance(_value(context, statement.value), Broken):
            context.say(statement, "this line's value is not used", "unused-value", _NAME_IT)
    for assignment in assignments:
        if not assignment.read:
            names = ", ".join(node.id for node in ast.walk(assignment.node) if isinstance(node, ast.Name))
            context.say(
                assignment.node, f"'{names}' is assigned and never used", "unused-name", "use it or leave it out"
            )
    return outputs


def _value(context: Context, root: ast.expr) -> Value:
    """Compile `root` part by part, innermost first."""
    visits: list[Visit] = []
    value = _start(context, root, visits)
    while visits:
        try:
            part = next(visits[-1]) if value is None else visits[-1].send(value)
        except StopIteration as stop:
            visits.pop()
            value = stop.value
        else:
            value = _start(context, part, visits)
    return value or BROKEN


def _start(context: Context, node: ast.expr, visits: list[Visit]) -> Value | None:
    """Return the value of a leaf; begin the visit of anything else."""
    if isinstance(node, ast.Name):
        return context.name(node)
    if isinstance(node, ast.Constant):
        return context.literal(node)
    visit = _VISITS.get(type(node))
    if visit is None:
        return context.refuse(node)
    visits.append(visit(context, node))
    return None


def _assign(context: Context, statement: ast.Assign, assignments: list[Assigned]) -> None:
    value = _value(context, statement.value)
    for target in statement.targets:
        if isinstance(target, ast.Tuple | ast.List):
            _unpack(context, target, statement.value, value, assignments)
        else:
            _bind(context, target, _single(context, statement.value, value), Assigned(target), assignments)


def _single(context: Context, node: ast.expr, value: Value) -> Value:
    """Return a value that one name can hold: an array or a number."""
    if isinstance(value, Result | Broken):
        return value
    if isinstance(value, Several):
        names = ", ".join(value.operator.outputs)
        return context.say(node, f"{value.operator.name} gives {described(value)}", "wrong-count", f"{names} = ...")
    plain = not isinstance(value, Group) and not isinstance(value.value, str | dict)
    items = value.value if plain and isinstance(value, Constant) and isinstance(value.value, list | tuple) else ()
    if plain and not any(isinstance(item, list | tuple | str | dict) for item in items):
        return value
    hint = "write it where it is used: in a call or in an index"
    return context.say(node, f"a name holds an array or a number, this is {described(value)}", "wrong-type", hint)


def _unpack(
    context: Context, target: ast.Tuple | ast.List, node: ast.expr, value: Value, assignments: list[Assigned]
) -> None:
    """Give the values of `node` to several names, one each."""
    names = target.elts
    parts = _parts(value)
    if not isinstance(value, Broken) and len(parts) != len(names):
        giver = (
            f"{node.func.id} gives"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            else "the right side has"
        )
        count = described(value) if isinstance(value, Several) else f"{len(parts)} values" if parts else "one value"
        taken = f"{len(names)} name{'s' * (len(names) != 1)}"
        context.say(target, f"{giver} {count} for {taken}", "wrong-count", "give one name to each value")
    if len(parts) != len(names):
        parts = [BROKEN] * len(names)
    # Of an operator's outputs some may be left alone; a value that is written out is there to be used.
    together = Assigned(target) if isinstance(value, Several) else None
    for name, part in zip(names, parts, strict=True):
        if together is None or not (isinstance(name, ast.Name) and name.id == "_"):
            _bind(context, name, _single(context, name, part), together or Assigned(name), assignments)


def _parts(value: Value) -> Sequence[Value]:
    """Return the values that can be unpacked; none for an array, which is one value."""
    if isinstance(value, Several):
        return value.results
    if isinstance(value, Group):
        return value.items
    if isinstance(value, Constant) and isinstance(value.value, list | tuple):
        return [Constant(item) for item in value.value]
    return []


def _bind(context: Context, target: ast.expr, value: Value, assignment: Assigned, assignments: list[Assigned]) -> None:
    """Give `value` the name of a target."""
    if not isinstance(target, ast.Name):
        context.mark_read(target)
        context.say(target, "only names are assigned to", "not-allowed", "h = ..., or loss, probs = f(x)")
        return
    name = target.id
    if name.startswith("_"):
        context.say(target, "names that start with _ are not available", "not-allowed")
    elif name in context.arrays:
        hint = "give the new value another name"
        context.say(target, f"'{name}' is a parameter or an input, it can't be assigned over", "assigned-over", hint)
    elif name in context.constants:
        hint = "give the new value another name"
        context.say(target, f"'{name}' is a dim or a matrix value, it can't be assigned over", "assigned-over", hint)
    else:
        context.assigned[name] = (value, assignment)
        if assignment not in assignments and not isinstance(value, Broken):
            assignments.append(assignment)


def _outputs(context: Context, node: ast.expr) -> list[int]:
    """Return the slots of the value of the last line: one, or one for each item of a tuple."""
    value = _value(context, node)
    if isinstance(value, Several):
        return [result.slot for result in value.results]
    if isinstance(value, Group):
        parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node] * len(value.items)
        return [_output(context, part, item) for part, item in zip(parts, value.items, strict=True)]
    return [_output(context, node, value)]


def _output(context: Context, node: ast.expr, value: Value) -> int:
    if isinstance(value, Result) and not value.boolean:
        return value.slot
    if isinstance(value, Broken):
        return -1
    if isinstance(value, Several):
        hint = f"{', '.join(value.operator.outputs)} = ..."
        context.say(node, f"{value.operator.name} gives {described(value)}", "wrong-count", hint)
        return -1
    what = "a comparison" if isinstance(value, Result) else described(value)
    context.say(node, f"the value is {what}: it has no gradient", "no-gradient", "the last line computes with arrays")
    return -1
