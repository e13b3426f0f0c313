"""Time for memory: the backward computes again what wasn't kept (Griewank and Walther, 2000; Chen et al., 2016)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradcheck_cli.core import recording
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.core.sweep import sweep
from gradcheck_cli.core.variable import Variable, array_of
from gradcheck_cli.errors import Location

CHECKPOINT = "checkpoint"

_DOC = """\
x, an expression of which the backward computes again what it needs: only the arrays that it takes are kept.

checkpoint(tanh(x @ W)) keeps x and W. Its gradients are those of the expression, which is one value. It belongs to the
expressions of specs; a Python program calls gradcheck_cli.checkpoint(function, *xs)."""


def checkpoint(function: Callable[..., Any], *xs: Any) -> Any:
    """Return `function(*xs)`, a Variable, and keep `xs` alone for the backward, which evaluates the function again.

    Gradients are those of the function, for `xs` that are Variables; what it takes from elsewhere is a constant.
    It has to return one Variable, the same each time: randomness needs a seed. Raises TypeError for anything else.
    """
    if not xs:
        raise TypeError("checkpoint takes the arguments of the function, one at least")
    code = getattr(function, "__code__", None)
    where = Location(code.co_filename, code.co_firstlineno) if code else Location("")
    return recomputed(function, len(xs), where).apply(list(xs), {})


def in_expressions() -> Operator:
    """Return what `checkpoint(...)` of a spec's expressions is, for lists of operators: as one of a single array."""
    code = checkpoint.__code__
    identity = recomputed(lambda x: x, 1, Location(code.co_filename, code.co_firstlineno))
    return replace(identity, inputs=(Input("x"),), rules=(), doc=_DOC)


def recomputed(function: Callable[..., Any], count: int, where: Location) -> Operator:
    """Return an operator of `count` arrays that applies `function`, and keeps only these arrays for its backward."""
    names = tuple(f"x{number}" for number in range(count))

    def forward(*arrays: Array) -> Any:
        with recording.no_grad():
            return np.array(array_of(_one(function(*arrays))))  # a copy: it is no output of what happened inside

    def backward(g: Array, *arrays: Array) -> list[Array]:
        with recording.grad():
            variables = [Variable(x, requires_grad=x.dtype.kind == "f") for x in map(np.asarray, arrays)]
            out = _one(function(*variables))
            found = sweep([(out, g)]) if isinstance(out, Variable) else {}
        return [found[each] if each in found else np.zeros_like(each.data) for each in variables]

    rule = Rule(backward, names, ("g", *names), where.file, where.line)
    inputs = tuple(map(Input, names))
    doc = "The value of an expression, of which the backward computes again what it needs."
    return Operator(CHECKPOINT, forward, inputs, rules=(rule,), doc=doc, file=where.file, line=where.line)


def _one(value: Any) -> Any:
    if isinstance(value, tuple | list):
        raise TypeError("checkpoint takes a function that returns one value, not several")
    return value
