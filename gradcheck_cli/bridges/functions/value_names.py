"""Find functions of a value and its gradients among those of a module, by their names and their text.

What counts, and nothing else: a function whose `return` statements all return one number together with names
of gradients of its own parameters (`dW` for W) or with one called `grad`, `grads`, `gradient` or `gradients`; and a
function that returns one number beside another of the same parameters that is called after it (J with dJ,
grad_J, J_grad or J_gradient). That it is one number is told by its name (loss, J), or by a sum or a mean over
everything. A function that calls what it is given takes code, not arrays, and is none.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from gradcheck_cli.bridges.functions.forms import Name, form_of
from gradcheck_cli.bridges.gradients import of_gradient
from gradcheck_cli.bridges.signatures import parameters_of, underlying
from gradcheck_cli.core.source import Source
from gradcheck_cli.errors import OperatorError

Function = Callable[..., Any]

_GRADIENT_OF = ("d{}", "d_{}", "grad_{}", "gradient_{}", "{}_grad", "{}_gradient")
_GRADIENTS = ("grad", "grads", "gradient", "gradients")
_NUMBERS = {"j", "cost", "loss", "objective", "misfit", "energy", "criterion", "nll", "value"}
_REDUCTIONS = {
    "sum",
    "mean",
    "vdot",
    "norm",
    "trace",
    "det",
    "max",
    "min",
    "prod",
    "float",
    "item",
    "len",
    "var",
    "std",
}
_OF_NUMBERS = {"sqrt", "log", "exp", "abs", "log1p"}


def values_with_gradients(functions: Mapping[str, Function]) -> dict[str, str]:
    """Return the functions of one number for which there is one of its gradients, with the name of that."""
    found: dict[str, str] = {}
    for name, function in functions.items():
        for gradient in (form.format(name) for form in _GRADIENT_OF):
            if gradient in functions and _is_value(name, function) and _same_arguments(function, functions[gradient]):
                found[name] = gradient
                break
    return found


def values_and_gradients(functions: Mapping[str, Function]) -> list[str]:
    """Return the functions that return one number together with its gradients."""
    return [name for name, function in functions.items() if _returns_both(name, function)]


def is_gradients_first(names: Sequence[Name]) -> bool:
    """Tell from the names of two returned values that the gradients come first: `return grads, cost`."""
    return len(names) == 2 and names[0] in _GRADIENTS and _names_number(names[1] or "")


def _is_value(name: str, function: Function) -> bool:
    form = form_of(function)
    if form is None or not form.alone or _takes_code(function):
        return False
    return _names_number(name) or _names_number(form.names[0] or "") or _returns_number(function, 0)


def _returns_both(name: str, function: Function) -> bool:
    form, parameters = form_of(function), _parameter_names(function)
    if form is None or form.alone or not parameters or _takes_code(function):
        return False
    if is_gradients_first(form.names) and not {*form.names} & {*parameters}:
        return True
    first, *rest = form.names
    if len(rest) == 1 and form.inner and form.inner[1]:
        rest = list(form.inner[1])
    told = [of_gradient(each, parameters) if each and each not in parameters else None for each in rest]
    one_for_all = len(rest) == 1 and rest[0] in _GRADIENTS and rest[0] not in parameters
    if not one_for_all and (None in told or len(set(told)) < len(told)):
        return False
    if first in parameters or (first and of_gradient(first, parameters)):
        return False
    return _names_number(name) or _names_number(first or "") or _returns_number(function, 0)


def _same_arguments(value: Function, gradient: Function) -> bool:
    names, asked = _parameter_names(value), _parameter_names(gradient)
    return bool(asked) and set(asked) <= set(names)


def _parameter_names(function: Function) -> list[str]:
    try:
        return [parameter.name for parameter in parameters_of(function)]
    except OperatorError:
        return []


def _names_number(name: str) -> bool:
    """Tell whether one of the words of a name is that of a number: softmax_loss, J, compute_cost."""
    return any(word in _NUMBERS for word in name.lower().split("_"))


def _takes_code(function: Function) -> bool:
    """Tell whether a function calls one of its arguments, or a method of it that no array has."""
    inner = underlying(function)
    tree = Source(inner).tree if inner else None
    if tree is None:
        return False
    names = set(_parameter_names(function))
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        if isinstance(call.func, ast.Name) and call.func.id in names:
            return True
        method = call.func if isinstance(call.func, ast.Attribute) else None
        of_argument = method and isinstance(method.value, ast.Name) and method.value.id in names
        if method and of_argument and not (hasattr(np.ndarray, method.attr) or hasattr(dict, method.attr)):
            return True
    return False


def _returns_number(function: Function, place: int) -> bool:
    """Tell whether the value at a place of what a function returns is one number in every `return` statement."""
    inner = underlying(function)
    if inner is None:
        return False
    reader = _Numbers(inner)
    values = [statement.value for statement in reader.source.returns() if statement.value is not None]
    parts = [value.elts[place] if isinstance(value, ast.Tuple) and value.elts else value for value in values]
    return bool(parts) and all(map(reader.is_number, parts))


class _Numbers:
    """Tells which expressions of a function are one number whatever the shapes of its arguments."""

    def __init__(self, function: FunctionType) -> None:
        self.source = Source(function)
        self.reading: set[str] = set()

    def is_number(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Constant):
            return isinstance(value.value, int | float)
        if isinstance(value, ast.BinOp):
            return self.is_number(value.left) and self.is_number(value.right)
        if isinstance(value, ast.UnaryOp):
            return self.is_number(value.operand)
        if isinstance(value, ast.Subscript):  # x.shape[0]
            return isinstance(value.value, ast.Attribute) and value.value.attr == "shape"
        if isinstance(value, ast.Attribute):
            return value.attr == "size"
        if isinstance(value, ast.Name):
            return self._is_variable(value.id)
        return isinstance(value, ast.Call) and self._is_result(value)

    def _is_variable(self, name: str) -> bool:
        values = self.source.assigned(name)
        if not values or name in self.reading:
            return False
        self.reading.add(name)
        found = all(map(self.is_number, values))
        self.reading.remove(name)
        return found

    def _is_result(self, call: ast.Call) -> bool:
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        if name in _OF_NUMBERS:
            return len(call.args) == 1 and self.is_number(call.args[0])
        along = len(call.args) > 1 and name not in ("vdot", "max", "min")
        return name in _REDUCTIONS and not along and not any(key.arg in ("axis", "keepdims") for key in call.keywords)
