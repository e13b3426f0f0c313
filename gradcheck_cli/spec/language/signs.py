"""Compile what is written with signs: arithmetic, comparisons and their joining."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradcheck_cli.spec.language import constants
from gradcheck_cli.spec.language.binding import Argument
from gradcheck_cli.spec.language.constants import Sign, is_number
from gradcheck_cli.spec.language.context import Context
from gradcheck_cli.spec.language.kinds import BROKEN, Broken, Constant, Result, Value, Visit, described
from gradcheck_cli.spec.language.program import Compare

_COMPARE_FIRST = "compare first, each in parentheses: (x > 0) & (y > 0)"


def binary(context: Context, node: ast.BinOp) -> Visit:
    """Compile `x + y` and its like."""
    left = yield node.left
    right = yield node.right
    arguments = [Argument(left, node.left), Argument(right, node.right)]
    kind = type(node.op)
    if sign := constants.LOGIC.get(kind):
        return logical(context, node, sign, arguments)
    if sign := constants.BINARY.get(kind) or constants.WHOLE.get(kind):
        return _arithmetic(context, node, sign, arguments)
    return context.refuse_sign(node, node.op)


def unary(context: Context, node: ast.UnaryOp) -> Visit:
    """Compile `-x`, `+x` and `~x`."""
    value = yield node.operand
    arguments = [Argument(value, node.operand)]
    if isinstance(node.op, ast.Not):
        return context.refuse_sign(node, node.op)
    if isinstance(node.op, ast.Invert):
        return logical(context, node, constants.LOGIC[ast.Invert], arguments)
    if isinstance(node.op, ast.UAdd) and (isinstance(value, Result) or _is_number(value)):
        return value
    return _arithmetic(context, node, constants.NEGATIVE, arguments)


def compare(context: Context, node: ast.Compare) -> Visit:
    """Compile `x > y`, a constant without a gradient."""
    left = yield node.left
    arguments = [Argument(left, node.left)]
    for part in node.comparators:
        value = yield part
        arguments.append(Argument(value, part))
    if len(node.ops) > 1:
        hint = "compare two at a time, each in parentheses: (0 < x) & (x < 1)"
        return context.say(node, "a chain of comparisons is not part of the language", "not-allowed", hint)
    sign = constants.COMPARISONS.get(type(node.ops[0]))
    if sign is None:
        return context.refuse_sign(node, node.ops[0])
    return compared(context, node, sign, arguments)


def compared(context: Context, node: ast.expr, sign: Sign, arguments: Sequence[Argument]) -> Value:
    """Compare numbers now, arrays when the expression is evaluated."""
    values = [argument.value for argument in arguments]
    numbers = [value.value for value in values if isinstance(value, Constant) and is_number(value.value)]
    if len(numbers) == len(arguments):
        return Constant(sign.python(*numbers))
    return _boolean(context, node, sign, arguments, joins=False)


def logical(context: Context, node: ast.expr, sign: Sign, arguments: Sequence[Argument]) -> Value:
    """Join comparisons."""
    values = [argument.value for argument in arguments]
    for argument in arguments:
        if isinstance(argument.value, Constant) and not isinstance(argument.value.value, bool):
            message = f"'{sign.symbol}' joins comparisons, this is {described(argument.value)}"
            return context.say(argument.node, message, "wrong-type", _COMPARE_FIRST)
    flags = [value.value for value in values if isinstance(value, Constant)]
    if len(flags) == len(arguments):
        return Constant(bool(sign.python(*flags)))
    return _boolean(context, node, sign, arguments, joins=True)


def _arithmetic(context: Context, node: ast.expr, sign: Sign, arguments: Sequence[Argument]) -> Value:
    values = [argument.value for argument in arguments]
    if any(isinstance(value, Broken) for value in values):
        return BROKEN
    if sign.of_numbers and all(map(_is_number, values)):
        return _folded(context, node, sign, [value for value in values if isinstance(value, Constant)])
    unfit = next((a for a in arguments if isinstance(a.value, Constant) and not _is_array_like(a.value)), None)
    if unfit or all(isinstance(value, Constant) for value in values):
        shown = described(unfit.value) if unfit else " and ".join(map(described, values))
        message = f"'{sign.symbol}' can't be applied to {shown}"
        return context.say(unfit.node if unfit else node, message, "wrong-type", "arithmetic is for numbers and arrays")
    if sign.name == "":
        hint = "it has no gradient to check; among numbers it stands in attributes and indices"
        return context.say(node, f"'{sign.symbol}' can't be applied to arrays", "not-allowed", hint)
    return context.apply_builtin(node, sign.name, arguments)


def _folded(context: Context, node: ast.expr, sign: Sign, numbers: Sequence[Constant]) -> Value:
    """Compute with numbers now: in Python for attributes, and by NumPy in the case's floating type for values."""
    try:
        result = constants.compute(sign, *(number.value for number in numbers))
    except ArithmeticError as error:
        return context.say(node, str(error), "wrong-number")
    if sign.numpy is None or any(number.whole for number in numbers):
        return Constant(result, whole=True)
    slots = [context.builder.literal(float(number.value)) if number.slot is None else number.slot for number in numbers]
    return Constant(result, context.builder.computed(sign.numpy, slots))


def _boolean(context: Context, node: ast.expr, sign: Sign, arguments: Sequence[Argument], joins: bool) -> Value:
    slots = [context.binder.operand(argument, f"each side of '{sign.symbol}'") for argument in arguments]
    operands = tuple(slot for slot in slots if slot is not None)
    if len(operands) < len(slots) or sign.numpy is None:
        return BROKEN
    output = context.builder.slot()
    position = context.source.position(node)
    context.builder.add(Compare(sign.numpy, sign.symbol, operands, (output,), position, joins))
    return Result(output, boolean=True)


def _is_number(value: Value) -> bool:
    return isinstance(value, Constant) and is_number(value.value)


def _is_array_like(value: Constant) -> bool:
    return is_number(value.value) or isinstance(value.value, list | tuple)
