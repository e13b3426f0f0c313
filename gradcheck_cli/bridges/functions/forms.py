"""What a function returns, as far as its text tells: one value or several, and their names."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.bridges.signatures import underlying
from gradcheck_cli.core.source import Source

Name: TypeAlias = str | None

_DEEPEST = 6
"""Functions that return what another one returns are followed so far."""


@dataclass(frozen=True)
class Form:
    """What a function returns. `names` has an entry for each value, None where it has no name of its own.

    One entry stands for a value that is returned alone. If it isn't `sure`, that value may be a tuple
    after all: the text doesn't tell what an unknown function returns. `inner` has, for each value, the names
    in it where it is written as a tuple or a list; it is empty where no value is.
    """

    names: tuple[Name, ...]
    sure: bool = True
    inner: tuple[tuple[Name, ...], ...] = ()

    @property
    def alone(self) -> bool:
        """Whether it is one value, not a tuple."""
        return len(self.names) == 1


_UNKNOWN = Form((None,), sure=False)
_SINGLE = Form((None,))


def form_of(function: Callable[..., Any]) -> Form | None:
    """Return what a function returns; None where its text can't be read, tells nothing, or says different things.

    A `return None` doesn't count: as a course hands functions out, nothing is written there yet.
    """
    return _form(underlying(function), _DEEPEST)


def _form(function: FunctionType | None, depth: int) -> Form | None:
    if function is None or not depth:
        return None
    source = Source(function)
    reader = _Reader(function, source, depth)
    found = [form for statement in source.returns() for form in reader.read(statement.value)]
    return _merged(found)


def _merged(forms: Sequence[Form]) -> Form | None:
    """Return the form on which all agree: those that aren't sure go by the others."""
    told = [form for form in forms if form.sure or not form.alone] or forms
    if not told or len({len(form.names) for form in told}) > 1:
        return None
    names = [{name for name in column if name} for column in zip(*(form.names for form in told), strict=True)]
    inner = {form.inner for form in told}
    return Form(
        tuple(column.pop() if len(column) == 1 else None for column in names),
        all(form.sure for form in told),
        inner.pop() if len(inner) == 1 else (),
    )


class _Reader:
    """Reads the expressions that one function returns."""

    def __init__(self, function: FunctionType, source: Source, depth: int) -> None:
        self.function = function
        self.source = source
        self.depth = depth
        self.reading: set[str] = set()

    def read(self, value: ast.expr | None) -> list[Form]:
        """Return the forms that an expression can have: none for None, which says nothing."""
        if _is_none(value):
            return []
        if isinstance(value, ast.Tuple):
            return self._tuple(value)
        if isinstance(value, ast.Name):
            return self._name(value.id)
        if isinstance(value, ast.IfExp):
            return [*self.read(value.body), *self.read(value.orelse)]
        if isinstance(value, ast.Call):
            return [self._call(value)]
        sums_tuples = isinstance(value, ast.BinOp) and (_is_tuple(value.left) or _is_tuple(value.right))
        single = isinstance(value, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Constant) and not sums_tuples
        if isinstance(value, ast.List):
            return [Form((None,), sure=False, inner=(_names(value.elts),))]
        return [_SINGLE if single else _UNKNOWN]

    def _tuple(self, value: ast.Tuple) -> list[Form]:
        if any(isinstance(part, ast.Starred) for part in value.elts):
            return [_UNKNOWN]
        if all(map(_is_none, value.elts)):
            return []
        inner = tuple(self._inner(part) for part in value.elts)
        return [Form(_names(value.elts), inner=inner if any(inner) else ())]

    def _inner(self, part: ast.expr) -> tuple[Name, ...]:
        """Return the names in a part that is written as a tuple or a list, there or where it is assigned."""
        values = self.source.assigned(part.id) or () if isinstance(part, ast.Name) else (part,)
        found = {_names(value.elts) if isinstance(value, ast.Tuple | ast.List) else () for value in values}
        return found.pop() if len(found) == 1 else ()

    def _name(self, name: str) -> list[Form]:
        """Read a variable by what is assigned to it: a tuple, or a value of that name."""
        values = self.source.assigned(name)
        if values is None or name in self.reading:
            return [Form((name,), sure=False)]
        self.reading.add(name)
        found = [form for value in values for form in self.read(value)]
        self.reading.remove(name)
        if not values or any(form.alone for form in found):
            sure = all(form.sure and form.alone for form in found)
            return [Form((name,), sure, found[0].inner if len(found) == 1 else ())]
        return found

    def _call(self, call: ast.Call) -> Form:
        called = self._value_of(call.func)
        if isinstance(called, np.ufunc):
            return _SINGLE if called.nout == 1 else Form((None,) * called.nout)
        if isinstance(called, type):
            fields = getattr(called, "_fields", None)
            return Form(tuple(fields)) if issubclass(called, tuple) and fields else _UNKNOWN
        return (_form(underlying(called), self.depth - 1) if callable(called) else None) or _UNKNOWN

    def _value_of(self, node: ast.expr) -> Any:
        """Return what a global name, or one of an outer function, stands for; None for anything else."""
        if isinstance(node, ast.Attribute):
            holder = self._value_of(node.value)
            return getattr(holder, node.attr, None) if isinstance(holder, ModuleType) else None
        if not isinstance(node, ast.Name) or node.id in self.function.__code__.co_varnames:
            return None
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=False))
        if node.id in cells:
            try:
                return cells[node.id].cell_contents
            except ValueError:  # not filled yet
                return None
        return self.function.__globals__.get(node.id, getattr(builtins, node.id, None))


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _names(parts: Sequence[ast.expr]) -> tuple[Name, ...]:
    return tuple(part.id if isinstance(part, ast.Name) else None for part in parts)


def _is_tuple(value: ast.expr) -> bool:
    return isinstance(value, ast.Tuple)
