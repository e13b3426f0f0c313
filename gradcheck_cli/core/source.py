"""The text of a user's function: where its parts stand, and what its syntax tree tells."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from gradcheck_cli.errors import Location, Problem

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Source:
    """Where one Python function is written. `tree` is None where its text can't be read (an interpreter's prompt)."""

    def __init__(self, function: Callable[..., Any]) -> None:
        code = inspect.unwrap(function).__code__
        self.file: str = code.co_filename
        linecache.checkcache(self.file)
        self.lines = linecache.getlines(self.file)
        found = _functions_by_line("".join(self.lines)).get(code.co_firstlineno)
        # Another name means that the file was edited since it was imported.
        self.tree = found if found is not None and found.name == code.co_name else None
        # The code object's first line is that of the first decorator; a person looks for the def.
        self.line: int = self.tree.lineno if self.tree else code.co_firstlineno

    def problem(self, message: str, at: Location | None = None, hint: str = "", code: str = "") -> Problem:
        """Describe a problem at a place of this file, by default at the `def`, with the line's text."""
        at = at or Location(self.file, self.line)
        source = self.lines[at.line - 1].rstrip("\n") if 0 < at.line <= len(self.lines) else ""
        return Problem(message, at, code, hint, source)

    def of_parameter(self, name: str) -> Location | None:
        """Return where the parameter `name` stands in the signature."""
        if self.tree is None:
            return None
        given = self.tree.args
        extra = [arg for arg in (given.vararg, given.kwarg) if arg]
        everyone = [*given.posonlyargs, *given.args, *given.kwonlyargs, *extra]
        return next((self._at(arg) for arg in everyone if arg.arg == name), None)

    def of_option(self, name: str) -> Location | None:
        """Return where a decorator names the keyword `name`."""
        calls = [node for node in (self.tree.decorator_list if self.tree else []) if isinstance(node, ast.Call)]
        return next((self._at(key) for call in calls for key in call.keywords if key.arg == name), None)

    def kept_names(self) -> tuple[str, ...] | None:
        """List the names that a forward keeps through `keep`; None where the text doesn't tell."""
        if self.tree is None:
            return None
        if not any("keep" in line for line in self.lines[self.tree.lineno - 1 : self.tree.end_lineno]):
            return ()
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call) and _is_keep(node)]
        calls.sort(key=lambda call: (call.lineno, call.col_offset))
        keywords = [keyword for call in calls for keyword in call.keywords]
        if any(keyword.arg is None for keyword in keywords):  # keep(out, **values)
            return None
        return tuple(dict.fromkeys(keyword.arg for keyword in keywords if keyword.arg))

    def returned_counts(self) -> list[tuple[Location, int]]:
        """List the `return` statements that tell how many outputs they return, with that number."""
        counts = []
        for statement in self.returns():
            value, parts = statement.value, None
            if isinstance(value, ast.Tuple):
                parts = value.elts
            elif isinstance(value, ast.Call) and _is_keep(value):
                parts = value.args
            if parts is not None and not any(isinstance(part, ast.Starred) for part in parts):
                counts.append((self._at(statement), len(parts)))
        return counts

    def returns(self) -> list[ast.Return]:
        """List the function's own `return` statements, without those of functions inside it."""
        statements = _statements(self.tree, inner=False) if self.tree else ()
        return [statement for statement in statements if isinstance(statement, ast.Return)]

    def assigned(self, name: str) -> list[ast.expr] | None:
        """List what is assigned to a local variable; None where it gets its value in another way, too."""
        values: list[ast.expr] = []
        for statement in _statements(self.tree, inner=False) if self.tree else ():
            for target, value in _assignments(statement):
                if isinstance(target, ast.Subscript | ast.Attribute):  # out[0] = 1 leaves `out` what it is
                    continue
                if isinstance(target, ast.Name) and target.id == name and value is not None:
                    values.append(value)
                elif any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(target)):
                    return None
        return values

    def _at(self, node: ast.Return | ast.arg | ast.keyword) -> Location:
        # Columns of the tree count bytes, those of a person characters.
        before = self.lines[node.lineno - 1].encode()[: node.col_offset].decode(errors="ignore")
        return Location(self.file, node.lineno, len(before) + 1)


@lru_cache(maxsize=32)
def _functions_by_line(text: str) -> dict[int, _Function]:
    """Find the functions of a file by the line where they start, decorators included."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    functions = [node for node in _statements(tree, inner=True) if isinstance(node, _Function)]
    return {min([node.lineno, *(part.lineno for part in node.decorator_list)]): node for node in functions}


def _statements(tree: ast.AST, inner: bool) -> Iterator[ast.AST]:
    """Walk the statements of a tree, and those of functions and classes inside it if `inner`."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for statement in getattr(tree, block, ()):
            yield statement
            if inner or not isinstance(statement, _Function | ast.ClassDef):
                yield from _statements(statement, inner)


def _assignments(statement: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Yield the targets of a statement with what each is assigned; None where that is no single expression."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            pair = (target, statement.value)
            if isinstance(target, ast.Tuple | ast.List) and isinstance(statement.value, ast.Tuple):
                same = len(target.elts) == len(statement.value.elts)
                starred = any(isinstance(part, ast.Starred) for part in (*target.elts, *statement.value.elts))
                if same and not starred:  # out, cache = None, None
                    yield from zip(target.elts, statement.value.elts, strict=True)
                    continue
            yield pair
    elif isinstance(statement, ast.AnnAssign) and statement.value:
        yield statement.target, statement.value
    elif isinstance(statement, ast.For | ast.AsyncFor):
        yield statement.target, None
    elif isinstance(statement, ast.With | ast.AsyncWith):
        yield from ((item.optional_vars, None) for item in statement.items if item.optional_vars)


def _is_keep(call: ast.Call) -> bool:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    return name == "keep"
