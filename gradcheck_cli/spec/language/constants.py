"""Arithmetic of the numbers in an expression: in Python for attributes, in NumPy for values."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcheck_cli.light_dataclass import dataclass

Number = int | float

NAMED = {"pi": math.pi, "e": math.e, "inf": math.inf, "euler_gamma": 0.5772156649015329, "newaxis": None}
"""The constants of NumPy's namespace that expressions may use."""

_LARGEST_BITS = 1024  # what a float64 can hold: beyond, an integer would be infinite in arithmetic


@dataclass(frozen=True)
class Sign:
    """A sign of the language: the built-in operator that it stands for, and its meaning for plain numbers.

    `name` is empty where there is no such operator, `numpy` None where there is no such function.
    """

    symbol: str
    name: str
    python: Callable[..., Any]
    numpy: np.ufunc | None
    of_numbers: bool = True


BINARY: dict[type[ast.operator], Sign] = {
    ast.Add: Sign("+", "add", operator.add, np.add),
    ast.Sub: Sign("-", "subtract", operator.sub, np.subtract),
    ast.Mult: Sign("*", "multiply", operator.mul, np.multiply),
    ast.Div: Sign("/", "divide", operator.truediv, np.divide),
    ast.Mod: Sign("%", "mod", operator.mod, np.mod),
    ast.Pow: Sign("**", "power", operator.pow, np.power),
    ast.MatMult: Sign("@", "matmul", operator.matmul, None, of_numbers=False),
}
NEGATIVE = Sign("-", "negative", operator.neg, np.negative)

WHOLE: dict[type[ast.operator], Sign] = {
    ast.FloorDiv: Sign("//", "", operator.floordiv, None),
}
"""Arithmetic of sizes: in attributes and indices only, since it has no gradient."""

COMPARISONS: dict[type[ast.cmpop], Sign] = {
    ast.Lt: Sign("<", "less", operator.lt, np.less),
    ast.LtE: Sign("<=", "less_equal", operator.le, np.less_equal),
    ast.Gt: Sign(">", "greater", operator.gt, np.greater),
    ast.GtE: Sign(">=", "greater_equal", operator.ge, np.greater_equal),
    ast.Eq: Sign("==", "equal", operator.eq, np.equal),
    ast.NotEq: Sign("!=", "not_equal", operator.ne, np.not_equal),
}
LOGIC: dict[type[ast.AST], Sign] = {
    ast.BitAnd: Sign("&", "logical_and", operator.and_, np.logical_and),
    ast.BitOr: Sign("|", "logical_or", operator.or_, np.logical_or),
    ast.Invert: Sign("~", "logical_not", operator.not_, np.logical_not),
}


def compute(sign: Sign, *numbers: Number) -> Number:
    """Apply `sign` to plain numbers, whole numbers staying whole.

    Raises ArithmeticError, in plain words, where the result isn't a finite real number though
    `numbers` are finite; an integer too large for a float counts as infinite and is never built.
    """
    if sign.python is operator.pow and _bits_of_power(*numbers) > _LARGEST_BITS:
        raise ArithmeticError("the result is too large for a number")
    try:
        result = sign.python(*numbers)
    except ZeroDivisionError:
        raise ArithmeticError("this divides by zero") from None
    except OverflowError:
        raise ArithmeticError("the result is too large for a number") from None
    if isinstance(result, complex):
        raise ArithmeticError("the root of a negative number is no real number")
    if too_large(result) and not any(too_large(number) for number in numbers):
        raise ArithmeticError("the result is too large for a number")
    plain: Number = result
    return plain


def is_number(value: Any) -> bool:
    """Tell whether `value` is an integer or a float, and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Tell whether `value` is a number without a fraction."""
    return is_number(value) and (isinstance(value, int) or value.is_integer())


def too_large(number: Number) -> bool:
    """Tell whether `number` is infinite, NaN, or an integer that no float holds."""
    if isinstance(number, int):
        return number.bit_length() > _LARGEST_BITS - 1
    return not math.isfinite(number)


def _bits_of_power(base: Number, exponent: Number) -> float:
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0 and abs(base) > 1:
        return exponent * math.log2(abs(base))
    return 0
