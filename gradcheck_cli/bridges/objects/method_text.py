"""What the text of a method tells: what it unpacks, and what it sets on its object."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Collection, Iterator
from typing import Any

from gradcheck_cli.bridges.signatures import underlying
from gradcheck_cli.core.source import Source


def unpacked_names(function: Callable[..., Any], parameter: str) -> tuple[str, ...]:
    """Return the names to which a function unpacks a parameter, as in `x, y = inputs`; none if it doesn't."""
    for node in _own_nodes(_tree(function)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == parameter:
            for target in node.targets:
                if isinstance(target, ast.Tuple | ast.List):
                    names = [part.id for part in target.elts if isinstance(part, ast.Name)]
                    if len(names) == len(target.elts):
                        return tuple(names)
    return ()


def is_used_as_array(function: Callable[..., Any], parameter: str) -> bool:
    """Tell whether a function does with a parameter what only an array can: `xs.shape`, `xs[:, t]`, `xs @ W`."""

    def is_parameter(node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == parameter

    for node in _own_nodes(_tree(function)):
        if isinstance(node, ast.Attribute) and is_parameter(node.value):
            return True
        if isinstance(node, ast.Subscript) and is_parameter(node.value) and isinstance(node.slice, ast.Tuple):
            return True
        if isinstance(node, ast.BinOp) and (is_parameter(node.left) or is_parameter(node.right)):
            return True
    return False


def attributes_set(method: Callable[..., Any], cls: type) -> frozenset[str]:
    """Return the names of the attributes that a method of `cls` sets, itself or through other methods of it."""
    return frozenset(
        node.attr
        for function in _called(method, cls)
        for node in _own_nodes(_tree(function))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    )


def attributes_named(method: Callable[..., Any], cls: type) -> frozenset[str]:
    """Return the names of all attributes that a method of `cls` reads or sets, itself or through others."""
    return frozenset(name for function in _called(method, cls) for name in _attributes(function))


def names_put_into(function: Callable[..., Any], attributes: Collection[str]) -> set[str]:
    """Return the names in what a function assigns to one of these attributes: W and b of `self.params = [W, b]`."""
    return {
        part.id
        for node in _own_nodes(_tree(function))
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Attribute) and target.attr in attributes for target in node.targets)
        for part in ast.walk(node.value)
        if isinstance(part, ast.Name)
    }


def _called(method: Callable[..., Any], cls: type) -> list[Callable[..., Any]]:
    """List a method with the methods of its class that it mentions, and with those that these do."""
    found, waiting = [method], [method]
    names: set[str] = set()
    while waiting:
        for name in _attributes(waiting.pop()) - names:
            names.add(name)
            for kind in cls.__mro__:
                other = kind.__dict__.get(_mangled(name, kind))
                other = other.__func__ if isinstance(other, staticmethod | classmethod) else other
                if inspect.isfunction(other):
                    found.append(other)
                    waiting.append(other)
    return found


def _mangled(name: str, cls: type) -> str:
    """Return the name under which a class has what its text calls `name`: `_Layer__forward` for `__forward`."""
    private = name.startswith("__") and not name.endswith("__")
    return f"_{cls.__name__.lstrip('_')}{name}" if private else name


def _attributes(function: Callable[..., Any]) -> set[str]:
    return {node.attr for node in _own_nodes(_tree(function)) if isinstance(node, ast.Attribute)}


def _tree(function: Callable[..., Any]) -> ast.AST | None:
    found = underlying(function)
    return None if found is None else Source(found).tree


def _own_nodes(tree: ast.AST | None) -> Iterator[ast.AST]:
    """Yield the nodes of a function in order, without those of functions inside it."""
    if tree is None:
        return
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from _own_nodes(node)
