"""Names of operators as a Python file writes them: read from its text, without running it and without NumPy.

For completion at a prompt, where a name too many or too few does no harm, and waiting does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import gradcheck_cli

_LARGEST = 1 << 20
_FORWARDS = (re.compile(r"(?P<name>\w+?)_(?:forward|fwd)(?:_naive)?"), re.compile(r"(?:forward|fwd)_(?P<name>\w+)"))
_BACKWARDS = (re.compile(r"(?P<name>\w+?)_(?:backward|bwd)(?:_naive)?"), re.compile(r"(?:backward|bwd)_(?P<name>\w+)"))


def built_in_names() -> list[str]:
    """Return the names of the built-in operators in alphabetical order."""
    folders = [Path(entry) / "ops" for entry in gradcheck_cli.__path__]
    files = [file for folder in folders if folder.is_dir() for file in folder.glob("*.py")]
    return sorted({name for file in files for name in names_in(file)})


def names_in(path: Path) -> list[str]:
    """Return the names of the operators of a Python file: those marked, else pairs and classes.

    There are none in a file that can't be read; what only running it could tell is left out.
    """
    try:
        with path.open("rb") as stream:
            tree = ast.parse(stream.read(_LARGEST))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    defined = [each for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)]
    marks = {"op", *_aliases(tree)}
    marked = [each.name for each in defined if any(_is_mark(mark, marks) for mark in each.decorator_list)]
    return marked or list(dict.fromkeys([*_pairs(defined), *_classes(defined)]))


def _aliases(tree: ast.Module) -> Iterator[str]:
    """List the names under which the file imports `op`."""
    for each in tree.body:
        if isinstance(each, ast.ImportFrom) and each.module == "gradcheck_cli":
            yield from (name.asname for name in each.names if name.name == "op" and name.asname)


def _is_mark(decorator: ast.expr, marks: set[str]) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(called, ast.Attribute):
        return called.attr == "op"
    return isinstance(called, ast.Name) and called.id in marks


def _pairs(defined: list[ast.FunctionDef | ast.ClassDef]) -> Iterator[str]:
    functions = [each.name for each in defined if isinstance(each, ast.FunctionDef)]
    forwards = [match["name"] for name in functions for form in _FORWARDS if (match := form.fullmatch(name))]
    backwards = [match["name"] for name in functions for form in _BACKWARDS if (match := form.fullmatch(name))]
    yield from (name for name in backwards if name in forwards or name in functions)


def _classes(defined: list[ast.FunctionDef | ast.ClassDef]) -> Iterator[str]:
    """List the classes that have a forward and a backward, be it from a class above them in the file."""
    methods: dict[str, set[str]] = {}
    for each in defined:
        if isinstance(each, ast.ClassDef):
            own = {inner.name for inner in each.body if isinstance(inner, ast.FunctionDef)}
            bases = [methods.get(base.id, set()) for base in each.bases if isinstance(base, ast.Name)]
            methods[each.name] = own.union(*bases)
    yield from (name for name, known in methods.items() if {"forward", "backward"} <= known)
