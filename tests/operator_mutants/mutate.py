"""Operators with one mistake in a backward, made mechanically from the source of the right ones."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from gradcheck_cli.core.operator import Operator, Rule

KINDS = ("sign", "factor 2", "dropped term", "swapped arguments")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A wrong twin of an operator: the kind of its mistake, and the changed code."""

    operator: Operator
    kind: str
    code: str


def mutants(operator: Operator) -> Iterator[Mutant]:
    """Yield the operator with one mistake in one of its backward rules, in every way that its source allows."""
    for number, rule in enumerate(operator.rules):
        source = textwrap.dedent(inspect.getsource(rule.function))
        tree = ast.parse(source)
        for kind, place, change in _changes(tree):
            changed = copy.deepcopy(tree)
            target = [node for node in ast.walk(changed) if type(node) is type(place)][_rank(tree, place)]
            change(target)
            rules = [_with(rule, changed) if at == number else each for at, each in enumerate(operator.rules)]
            code = ast.unparse(target)
            yield Mutant(dataclasses.replace(operator, rules=tuple(rules)), kind, code)


def _rank(tree: ast.AST, place: ast.AST) -> int:
    return [node for node in ast.walk(tree) if type(node) is type(place)].index(place)


def _changes(tree: ast.Module) -> Iterator[tuple[str, ast.AST, Any]]:
    """Yield the kinds of mistakes with where they are made."""
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield "sign", node, lambda node: _each(node, lambda part: ast.UnaryOp(ast.USub(), part))
            yield "factor 2", node, lambda node: _each(node, lambda part: ast.BinOp(ast.Constant(2), ast.Mult(), part))
            if isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
                yield "swapped arguments", node, _swap_returned
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            yield "dropped term", node, _drop
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.MatMult):
            yield "swapped arguments", node, _swap_operands


def _each(node: ast.Return, wrapped: Any) -> None:
    """Change every gradient that is returned."""
    value = node.value
    assert value is not None
    if isinstance(value, ast.Tuple | ast.List):
        value.elts = [
            ast.Starred(_mapped(part.value, wrapped), ast.Load()) if isinstance(part, ast.Starred) else wrapped(part)
            for part in value.elts
        ]
    else:
        node.value = _mapped(value, wrapped)


def _mapped(value: ast.expr, wrapped: Any) -> ast.expr:
    """Change what a call returns, which may be several gradients."""
    made = ast.parse(f"_several(lambda part: {ast.unparse(wrapped(ast.Name('part')))}, 0)", mode="eval").body
    assert isinstance(made, ast.Call)
    made.args[1] = value
    return made


def _several(change: Any, returned: Any) -> Any:
    return [change(part) for part in returned] if isinstance(returned, tuple | list) else change(returned)


def _swap_returned(node: ast.Return) -> None:
    assert isinstance(node.value, ast.Tuple)
    node.value.elts[:2] = node.value.elts[1::-1]


def _drop(node: ast.BinOp) -> None:
    """Leave the second term out: x + y becomes x."""
    node.op, node.right = ast.Mult(), ast.Constant(1)


def _swap_operands(node: ast.BinOp) -> None:
    node.left, node.right = node.right, node.left


def _with(rule: Rule, tree: ast.Module) -> Rule:
    """Return the rule with its function compiled from `tree`, in the names of the module that it stands in."""
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    names = {**rule.function.__globals__, "_several": _several}
    exec(compile(ast.fix_missing_locations(tree), rule.file, "exec"), names)
    return dataclasses.replace(rule, function=names[definition.name])
