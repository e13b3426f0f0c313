"""Find code in a Python file that marks no operator, and build operators from it."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from gradcheck_cli.bridges.functions.pair_names import functions_of, is_defined_in, pairs_in, unpaired_in
from gradcheck_cli.bridges.functions.pairs import pair_or_refusal
from gradcheck_cli.bridges.functions.value_names import values_and_gradients, values_with_gradients
from gradcheck_cli.bridges.functions.values import from_value, from_value_and_grad
from gradcheck_cli.bridges.signatures import parameters_of, underlying
from gradcheck_cli.core.definition import Definition
from gradcheck_cli.core.importing import importable_beside
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.source import Source
from gradcheck_cli.errors import Location, OperatorError, Problem

LOOKED_FOR = (
    "functions marked with @op, pairs (X_forward with X_backward, forward_X with backward_X, X with X_backward), "
    "classes with forward and backward, and functions of a value and its gradients (J with dJ, grad_J, J_grad or "
    "J_gradient, or one that returns loss, dx)"
)

_PLAIN = re.compile(r"[\w./-]+")


@dataclass(frozen=True)
class Found:
    """What a file without `@op` holds: operators, and for each the line under `ops:` that would name it.

    `notes` are sentences about what looks like one of them and isn't used.
    """

    operators: tuple[Operator, ...] = ()
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def discover(module: ModuleType, path: Path) -> Found:
    """Find what a module defines itself that can be checked, and build operators from it.

    That are pairs of functions (see `pairs_in`), classes with a forward and a backward that are made without
    arguments (subclasses of `torch.autograd.Function`, if PyTorch is imported), and functions of a value and its
    gradients (see `value_names`). What the module imports isn't its own. Raises OperatorError, saying what was
    looked for, where there is nothing; a file that imports marked operators is no such file, and has none.
    """
    search = _Search(module, path)
    search.pairs()
    search.classes()
    search.values()
    found = Found(tuple(search.operators.values()), tuple(search.lines), tuple(search.notes))
    if not found.operators and not any(isinstance(value, Definition) for value in vars(module).values()):
        hint = f"looked for {LOOKED_FOR}" + "".join(f"; {note}" for note in found.notes)
        raise OperatorError(Problem(f"nothing to check in '{path.name}'", Location(str(path)), "no-operator", hint))
    return found


class _Search:
    """Collects the operators of one module, each name once."""

    def __init__(self, module: ModuleType, path: Path) -> None:
        self.module = module
        self.file = path.name if path.is_absolute() else path.as_posix()
        self.home: Callable[[], AbstractContextManager[None]] = partial(importable_beside, path.resolve())
        self.operators: dict[str, Operator] = {}
        self.lines: list[str] = []
        self.notes: list[str] = []

    def pairs(self) -> None:
        """Collect pairs of functions."""
        for name, (forward, backward) in pairs_in(self.module).items():
            operator = pair_or_refusal(name, forward, backward, home=self.home)
            self._take((operator,), name, forward=self._name(forward), backward=self._name(backward))
        self.notes += unpaired_in(self.module)

    def classes(self) -> None:
        """Collect classes with a forward and a backward."""
        for name, cls in self._own_classes():
            function = _torch_function()
            try:
                if function is not None and issubclass(cls, function):
                    # Here, since PyTorch is needed for it.
                    from gradcheck_cli.bridges.torch_code.pytorch import from_torch

                    self._take(from_torch(name, cls, home=self.home), name, torch=name)
                elif needed := _needed(cls):
                    line, given = self._line(name, layer=name), ", ".join(f"{each}: ..." for each in needed)
                    self.notes.append(f"{name} is made with arguments: {line[:-1]}, kwargs: {{{given}}}}}")
                else:
                    # Here, since few files hold classes.
                    from gradcheck_cli.bridges.objects.classes import from_function

                    self._take((from_function(name, cls, home=self.home),), name, function=name)
            except OperatorError as error:
                self.notes.append(f"{name}: {error.problems[0].message}")

    def values(self) -> None:
        """Collect functions of a value and its gradients."""
        paired = {id(function) for pair in pairs_in(self.module).values() for function in pair}
        functions = {name: each for name, each in functions_of(self.module).items() if id(each) not in paired}
        for name, gradient in values_with_gradients(functions).items():
            operator = from_value(name, functions[name], functions[gradient], home=self.home)
            self._take((operator,), name, value=name, grad=gradient)
            functions = {other: each for other, each in functions.items() if other not in (name, gradient)}
        for name in values_and_gradients(functions):
            operator = from_value_and_grad(name, functions[name], home=self.home)
            self._take((operator,), name, value_and_grad=name)

    def _take(self, operators: tuple[Operator, ...], name: str, **keys: str) -> None:
        if name in self.operators:
            self.notes.append(f"there are two of the name {name}: {self._line(name, **keys)} is not used")
            return
        self.operators |= {operator.name: operator for operator in operators}
        self.lines.append(self._line(name, **keys))

    def _line(self, name: str, **keys: str) -> str:
        """Write the line under `ops:` that names code of the file."""
        written = ((key, f"{self.file}:{value}") for key, value in keys.items())
        parts = (f"{key}: {text if _PLAIN.fullmatch(self.file) else json.dumps(text)}" for key, text in written)
        return f"{name}: {{{', '.join(parts)}}}"

    def _name(self, function: Any) -> str:
        return next(name for name, value in functions_of(self.module).items() if value is function)

    def _own_classes(self) -> Iterator[tuple[str, type]]:
        """Yield the classes of the module that have a forward and a backward of their own, or of a class of theirs."""
        classes = {
            name: value
            for name, value in vars(self.module).items()
            if isinstance(value, type) and is_defined_in(value, self.module)
        }
        for name, cls in classes.items():
            methods = [_method(cls, each, self.module) for each in ("forward", "backward")]
            if None in methods or inspect.isabstract(cls):
                continue
            if not (
                _is_stub(methods[0]) and any(other is not cls and issubclass(other, cls) for other in classes.values())
            ):
                yield name, cls


def _method(cls: type, name: str, module: ModuleType) -> Any:
    """Return a method that a class has from itself or from another class of the module; None if there is none."""
    for base in cls.__mro__:
        if name in vars(base):
            found = vars(base)[name]
            return getattr(found, "__func__", found) if is_defined_in(base, module) else None
    return None


def _is_stub(method: Any) -> bool:
    """Tell whether a method has no body but a docstring, `pass`, or a `raise NotImplementedError`."""
    function = underlying(method)
    tree = Source(function).tree if function else None
    if tree is None:
        return False
    body = [s for s in tree.body if not (hasattr(s, "value") and type(s.value).__name__ == "Constant")]
    return all(type(statement).__name__ in ("Pass", "Raise") for statement in body)


def _needed(cls: type) -> list[str]:
    """Return the arguments without which a class can't be made."""
    try:
        parameters = parameters_of(cls)
    except OperatorError:
        return []
    return [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]


def _torch_function() -> type | None:
    """Return `torch.autograd.Function` if PyTorch is imported: it never is for a search."""
    torch = sys.modules.get("torch")
    return None if torch is None else torch.autograd.Function
