"""Operators from code that computes one number with its gradients: a loss and what an optimiser is given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradcheck_cli.bridges.domains import domains_at
from gradcheck_cli.bridges.foreign import Call, Description, operator_of
from gradcheck_cli.bridges.functions.conventions import CODE
from gradcheck_cli.bridges.functions.forms import Name, form_of
from gradcheck_cli.bridges.functions.order import by_name, order_hints, order_said, order_told
from gradcheck_cli.bridges.functions.value_names import is_gradients_first
from gradcheck_cli.bridges.gradients import require_one_number, scaled
from gradcheck_cli.bridges.signatures import arguments_of, doc_of, parameters_of, place_of, placed
from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.core.arrays import map_arrays
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Location, OperatorError, Problem

Function = Callable[..., Any]
Home = Callable[[], AbstractContextManager[None]]


def from_value_and_grad(
    name: str,
    function: Function,
    *,
    domain: Mapping[str, Any] | None = None,
    returns: str | Sequence[str] | None = None,
    home: Home = nullcontext,
) -> Operator:
    """Build an operator from a function that returns a number with its gradients.

    It returns (loss, dx), (loss, dx, dw), (loss, (dx, dw)), (loss, [dx, dw]) or (loss, {name: gradient}), also
    (grads, cost) in this order; an input that a mapping leaves out has no gradient. `returns` names the
    inputs in the order of their gradients. These are multiplied by the cotangent. Raises OperatorError for a
    domain, or a name in `returns`, of what is no argument.
    """
    where = place_of(function)
    parameters = parameters_of(function)
    inputs, attributes = arguments_of(parameters, domains_at(domain, where), where)
    form = form_of(function)
    gradients_first = form is not None and is_gradients_first(form.names)
    if form is not None and gradients_first:
        form = replace(form, names=form.names[::-1], inner=form.inner[::-1])
    names = () if form is None else form.inner[1] if form.inner and len(form.names) == 2 else form.names[1:]
    described, told = _described(name, function, (where, where), inputs, attributes, names, _words(returns), home)
    return operator_of(_ValueAndGradient(name, function, parameters, inputs, told, where, gradients_first), described)


def from_value(
    name: str,
    value: Function,
    grad: Function,
    *,
    domain: Mapping[str, Any] | None = None,
    returns: str | Sequence[str] | None = None,
    home: Home = nullcontext,
) -> Operator:
    """Build an operator from a function that returns a number, and one that returns its gradients.

    These are one array, several in order, or a mapping by name, and are multiplied by the cotangent. `grad`
    has the arguments of `value`, which go by their names, or by their places if it has other names for
    them all. Raises OperatorError for arguments of `grad` that `value` doesn't have, and as
    `from_value_and_grad` does.
    """
    where, grad_where = place_of(value), place_of(grad)
    parameters = parameters_of(value)
    inputs, attributes = arguments_of(parameters, domains_at(domain, where), where)
    grad_parameters = _matched(name, parameters, parameters_of(grad), grad_where)
    form = form_of(grad)
    names = () if form is None else form.inner[0] if form.inner and form.alone else form.names
    described, told = _described(name, value, (where, grad_where), inputs, attributes, names, _words(returns), home)
    foreign = _ValueWithGradient(name, value, grad, parameters, grad_parameters, inputs, told, where)
    return operator_of(foreign, described)


@dataclass(frozen=True, eq=False)
class _ValueAndGradient:
    """A function of value and gradients: what it returns beside the value is remembered for the backward."""

    name: str
    function: Function
    parameters: Sequence[inspect.Parameter]
    inputs: Sequence[Input]
    told: tuple[str, ...]
    where: Location
    gradients_first: bool

    def forward(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[tuple[Any, ...], Any]:
        args, kwargs = placed(self.parameters, self.inputs, operands, attributes)
        returned = self.function(*args, **kwargs)
        if returned is None:
            return (None,), None
        if not isinstance(returned, tuple | list) or len(returned) < 2:
            got = f"{len(returned)} value" if isinstance(returned, tuple | list) else type(returned).__name__
            hint = "it returns (value, gradient), or (value, {name: gradient})"
            raise OperatorError(Problem(f"{self.name} returned {got}, and no gradient", self.where, CODE, hint))
        value, *gradients = reversed(returned) if self.gradients_first or _is_reversed(returned) else returned
        if value is None:
            return (None,), None
        number = require_one_number(value, self.name, self.where)
        # A copy: an optimiser uses gradients at once, so the next call may fill the same arrays.
        return (number,), map_arrays(gradients[0] if len(gradients) == 1 else tuple(gradients), np.array)

    def backward(self, call: Call) -> Any:
        return scaled(by_name(call.memory, self.told, self.inputs, call.operands), call.cotangents[0])


@dataclass(frozen=True, eq=False)
class _ValueWithGradient:
    """A function of the value and one of the gradients; `grad_parameters` have the names of the value's arguments."""

    name: str
    value: Function
    grad: Function
    parameters: Sequence[inspect.Parameter]
    grad_parameters: Sequence[inspect.Parameter]
    inputs: Sequence[Input]
    told: tuple[str, ...]
    where: Location

    def forward(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[tuple[Any, ...], Any]:
        args, kwargs = placed(self.parameters, self.inputs, operands, attributes)
        value = self.value(*args, **kwargs)
        return (None if value is None else require_one_number(value, self.name, self.where),), None

    def backward(self, call: Call) -> Any:
        args, kwargs = placed(self.grad_parameters, self.inputs, call.operands, call.attributes)
        returned = by_name(self.grad(*args, **kwargs), self.told, self.inputs, call.operands)
        return scaled(returned, call.cotangents[0])


def _is_reversed(returned: Sequence[Any]) -> bool:
    """Tell whether a mapping of gradients stands before the value."""
    return len(returned) == 2 and isinstance(returned[0], Mapping) and not isinstance(returned[1], Mapping)


def _described(
    name: str,
    function: Function,
    places: tuple[Location, Location],
    inputs: tuple[Input, ...],
    attributes: tuple[Attribute, ...],
    gradients: Sequence[Name],
    returns: tuple[str, ...],
    home: Home,
) -> tuple[Description, tuple[str, ...]]:
    """Return the description, and the inputs after which the gradients are named in the text."""
    order = order_said(returns, inputs, places[1])
    told = () if order else order_told(gradients, inputs)
    outputs = (_value_name(function, {*(item.name for item in inputs), *(each.name for each in attributes)}),)
    hints = order_hints(told, inputs)
    doc = doc_of(function)
    described = Description(name, inputs, attributes, outputs, places, doc, order, partial=True, home=home, hints=hints)
    return described, told


def _words(said: str | Sequence[str] | None) -> tuple[str, ...]:
    return tuple(said.split() if isinstance(said, str) else said or ())


def _value_name(function: Function, taken: set[str]) -> str:
    """Name the value as the function does, `out` where that is another's name, or none."""
    form = form_of(function)
    own = form.names[-1 if is_gradients_first(form.names) else 0] if form else None
    names = [name for name in (own, "out", "value", "the_value") if name and not name.startswith("g_") and name != "g"]
    return next(name for name in names if name not in taken and f"g_{name}" not in taken)


def _matched(
    name: str, parameters: Sequence[inspect.Parameter], grad: Sequence[inspect.Parameter], where: Location
) -> list[inspect.Parameter]:
    """Return the parameters of a gradient function under the names of the value's arguments.

    Those that the value doesn't have keep their defaults. Raises OperatorError where neither names nor places tell.
    """
    names = [parameter.name for parameter in parameters]
    spread = [p for p in grad if p.kind is p.VAR_POSITIONAL and p.name not in names]
    unknown = [p for p in grad if p.name not in names and p.default is p.empty and p not in spread]
    known = [parameter for parameter in grad if parameter.name in names]
    if not unknown:
        return list(parameters) if spread and not known else known
    by_position = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in grad)
    if known or len(grad) != len(parameters) or not by_position:
        message = f"the gradient of {name} takes '{unknown[0].name}', which the value doesn't take"
        hint = f"give both the same arguments: {', '.join(names)}"
        raise OperatorError(Problem(message, where, CODE, hint))
    pairs = zip(grad, parameters, strict=True)
    return [own.replace(name=other.name, kind=own.POSITIONAL_ONLY) for own, other in pairs]
