"""What a part of an expression is known to be while it is compiled."""

from __future__ import annotations

import ast
from collections.abc import Generator
from typing import Any, Literal, TypeAlias

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.light_dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Constant:
    """A value that the text gives: number, text, boolean, None, list, tuple, dict, slice or `...`.

    `value` is what an attribute gets. `slot` is where a computed number stands in the case's
    floating type, None for what was not computed. `whole` marks a result of `//`, which
    stands in attributes and indices only.
    """

    value: Any
    slot: int | None = None
    whole: bool = False


@dataclass(frozen=True, eq=False)
class Result:
    """One array that is known when the expression is evaluated.

    `name` is that of a parameter or an input, empty for what an operator computes. `boolean`
    says that it comes from a comparison, so that it has no gradient.
    """

    slot: int
    name: str = ""
    boolean: bool = False


@dataclass(frozen=True, eq=False)
class Several:
    """The outputs of an operator that has more than one."""

    operator: Operator
    results: tuple[Result, ...]


@dataclass(frozen=True, eq=False)
class Group:
    """A list or a tuple that is no constant, because an array is among its items."""

    kind: Literal["list", "tuple"]
    items: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Broken:
    """A part with a problem that has been said; what is made of it is silently broken as well."""


BROKEN = Broken()

Value: TypeAlias = Constant | Result | Several | Group | Broken

Visit: TypeAlias = Generator[ast.expr, Value, Value]
"""How a part of the text is compiled: it yields the parts inside it and is sent what they are.

So a sum of a thousand terms needs no stack of calls.
"""


def described(value: Value) -> str:
    """Say in a message what `value` is."""
    match value:
        case Constant(value=bool() | None | slice() as content):
            return "a slice" if isinstance(content, slice) else str(content)
        case Constant(value=str()):
            return "a text"
        case Constant(value=list() | tuple() | dict() as content):
            return f"a {type(content).__name__}"
        case Constant(value=content):
            return "..." if content is ... else "a number"
        case Result(name=name):
            return f"the array '{name}'" if name else "a comparison" if value.boolean else "an array"
        case Several(operator=operator):
            return f"{len(value.results)} values ({', '.join(operator.outputs)})"
        case Group(kind=kind):
            return f"a {kind} of arrays"
    return "nothing"
