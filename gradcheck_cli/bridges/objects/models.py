"""Operators from models: objects that hold weights, with a loss and its gradients by the weights."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from gradcheck_cli.bridges.domains import domains_at
from gradcheck_cli.bridges.foreign import Call, Description, operator_of
from gradcheck_cli.bridges.gradients import of_gradient, require_one_number, scaled
from gradcheck_cli.bridges.objects.construction import Given, owner_of
from gradcheck_cli.bridges.objects.instances import Memory, Source, floating_type, report_writes
from gradcheck_cli.bridges.objects.methods import weight_inputs
from gradcheck_cli.bridges.objects.weights import Gradients, Where, check_names
from gradcheck_cli.bridges.signatures import arguments_of, doc_of, place_of, placed
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.generators import Generators
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import ContractViolation, Location, OperatorError, Problem, near


def from_model(
    name: str,
    cls: Any,
    *,
    params: Where = "params",
    value_and_grad: str | None = None,
    value: str | None = None,
    grad: str | None = None,
    grads: Where = None,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    domain: Mapping[str, Any] | None = None,
    home: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Operator:
    """Build an operator from a class with weights and a loss: its value is one number.

    `value_and_grad` names the method that returns (loss, gradients), with the gradients by the name of
    the weight or in their order; or `value` and `grad` name one for each. `grads` says where the
    gradients stand that a method leaves on the object instead. `cls`, `args`, `kwargs` and `params` are
    those of `from_layer`. The operator takes the arguments of the loss, then the weights. Raises
    OperatorError for a class that can't be used so.
    """
    given = Given(name, cls, args, kwargs or {}, home)
    domains = domains_at(domain, given.place)
    loss, gradient = _method_names(given, value_and_grad, value, grad, grads)
    owner = owner_of(given, [loss, gradient] if gradient else [loss], params, grads)
    function, parameters = owner.method(loss)
    reverse, asked = owner.method(gradient) if gradient else (function, parameters)
    places = (place_of(function), place_of(reverse))
    weights = list(owner.paths)
    data, attributes = arguments_of(parameters, domains, places[0], weights)
    check_names(owner.paths, [*(item.name for item in data), *(each.name for each in attributes)], name, given.place)
    model = _Model(
        name,
        owner.source,
        _Method(loss, tuple(parameters), returns_both=loss == value_and_grad, leaves_gradients=grads is not None),
        _Method(gradient, _renamed(asked, data, name, places[1]), gradient == value_and_grad) if gradient else None,
        data,
        weight_inputs(weights, owner.own, domains),
        Gradients(name, owner.paths, grads, places[1]),
        places,
    )
    names = [*(item.name for item in model.inputs), *(each.name for each in attributes)]
    output = next(word for word in ("loss", "out", "value", "result") if word not in names)
    return operator_of(
        model,
        Description(
            name,
            model.inputs,
            attributes,
            (output,),
            places,
            doc=doc_of(given.kind),
            own=owner.own,
            partial=True,
            home=home,
        ),
    )


@dataclass(frozen=True)
class _Method:
    """A method of a model with its parameters: what it returns, or leaves on the object."""

    name: str
    parameters: tuple[inspect.Parameter, ...]
    returns_both: bool = False
    leaves_gradients: bool = False


class _Model:
    """A model, as the engine calls it; see `foreign.Foreign`.

    `loss` makes the value; without a method `gradient` it makes the gradients, too.
    """

    def __init__(
        self,
        name: str,
        source: Source,
        loss: _Method,
        gradient: _Method | None,
        data: Sequence[Input],
        weights: Sequence[Input],
        gradients: Gradients,
        places: tuple[Location, Location],
    ) -> None:
        self.name = name
        self._source = source
        self._loss = loss
        self._gradient = gradient
        self._data = tuple(data)
        self._weights = tuple(weights)
        self._gradients = gradients
        self._places = places
        self._fixed = len([item for item in data if not item.variadic])
        self.inputs = (*data[: self._fixed], *weights, *data[self._fixed :])

    def forward(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[tuple[Any, ...], Any]:
        """Return the loss of a new object. Raises OperatorError where it isn't one number."""
        data, weights = self._split(operands)
        given = dict(zip((item.name for item in self._weights), weights, strict=True))
        made = self._source.make(given, floating_type(operands))
        # A gradient that computes everything again draws the numbers again, too: a mask has to be the same.
        state = Generators() if self._gradient and self._gradient.parameters else None
        returned = self._call(made.instance, self._loss, data, attributes)
        copies = [(name, given[name], array) for name, array in made.standing.items() if array is not given[name]]
        report_writes(copies, self.name, self._loss.name, self._places[0])
        value, gradients = self._parts(returned, self._loss)
        if value is not None:
            value = require_one_number(value, f"{self.name}.{self._loss.name}", self._places[0])
        standing = [*zip((item.name for item in self._data), data, strict=False), *made.standing.items()]
        return (value,), (Memory((made.instance, gradients), standing), state)

    def backward(self, call: Call) -> Any:
        """Return the gradients times the cotangent, by the name of the input; None if there are none."""
        memory, state = call.memory
        data, _ = self._split(call.operands)
        (instance, gradients), watch = memory.copy()
        if self._gradient:
            with state.again() if state else nullcontext():
                returned = self._call(instance, self._gradient, data, call.attributes)
            watch.report(self.name, self._gradient.name, self._places[1])
            gradients = self._parts(returned, self._gradient)[1] if self._gradient.returns_both else returned
        found = self._by_name(instance, gradients, data)
        return scaled(found, call.cotangents[0]) if found or _is_something(gradients) else None

    def _split(self, operands: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Split operands into the arguments of the loss and the weights."""
        last = self._fixed + len(self._weights)
        return [*operands[: self._fixed], *operands[last:]], list(operands[self._fixed : last])

    def _call(self, instance: Any, method: _Method, data: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        args, kwargs = placed(method.parameters, self._data, data, attributes)
        return getattr(instance, method.name)(*args, **kwargs)

    def _parts(self, returned: Any, method: _Method) -> tuple[Any, Any]:
        """Split what a method returned into value and gradients. Raises OperatorError if it returned no pair."""
        several = isinstance(returned, tuple | list)
        if method.leaves_gradients:
            return returned[0] if several else returned, None
        if not method.returns_both or returned is None:
            return returned, None
        if not several or len(returned) < 2:
            message = f"{self.name}: {method.name} returned {_shown(returned)}, not (loss, gradients)"
            hint = "value and grad name a method for each; grads says where on the object the gradients stand"
            raise OperatorError(Problem(message, self._places[0], "output-count", hint))
        value, *gradients = returned
        return value, gradients[0] if len(gradients) == 1 else gradients

    def _by_name(self, instance: Any, gradients: Any, data: Sequence[Any]) -> dict[str, Any]:
        """Return the gradients that there are, by the name of the input."""
        if gradients is None:
            return self._left_on(instance)
        paths = self._gradients.paths
        if isinstance(gradients, tuple | list):
            return self._by_position(gradients, data)
        if isinstance(gradients, np.ndarray | np.generic | float):
            return self._by_position([gradients], data)
        holder = SimpleNamespace(grads=gradients)
        found = Gradients(self.name, paths, "grads", self._places[1]).found(holder)
        if isinstance(gradients, Mapping):
            self._require_known(gradients, found)
            names = [item.name for item in self._data]
            for key, gradient in gradients.items():
                name = str(key) if str(key) in names else of_gradient(str(key), names)
                if name is not None and gradient is not None:
                    found[name] = gradient
        return found

    def _by_position(self, gradients: Sequence[Any], data: Sequence[Any]) -> dict[str, Any]:
        """Sort gradients in the order of the weights, or of floating-point arguments and weights."""
        names = list(self._gradients.paths)
        arrays = [
            item.name
            for item, value in zip(self._data, data, strict=False)
            if isinstance(value, np.ndarray) and value.dtype.kind == "f" and item.domain.differentiable
        ]
        chosen = names if len(gradients) == len(names) else [*arrays, *names]
        if len(chosen) != len(gradients):
            weights = f"{len(names)} weights ({', '.join(names)})" if names else f"{len(arrays)} arrays"
            message = f"it returned {len(gradients)} gradient{'s' * (len(gradients) != 1)} for {weights}"
            hint = "return a mapping by name, or one gradient per weight, in order"
            raise ContractViolation("gradient-count", message, self.name, self._places[1], hint)
        return {name: gradient for name, gradient in zip(chosen, gradients, strict=True) if gradient is not None}

    def _require_known(self, gradients: Mapping[Any, Any], found: Mapping[str, Any]) -> None:
        """Raise ContractViolation for a gradient under a name that is a misspelt weight's."""
        for weight in self._gradients.paths:
            hint = near(weight, [str(key) for key in gradients]) if weight not in found else ""
            if hint:
                message = f"it returned no gradient for {weight}"
                raise ContractViolation("gradient-count", message, self.name, self._places[1], hint)

    def _left_on(self, instance: Any) -> dict[str, Any]:
        """Return the gradients that stand on the object. Raises OperatorError where one was said to, and doesn't."""
        found = self._gradients.found(instance)
        said = self._gradients.said
        expected = [] if said is None else [name for name in self._gradients.paths if name not in found]
        if isinstance(said, Mapping):
            expected = [name for name in expected if name in said]
        for weight in expected:
            self._gradients.of(instance, weight)
        return found


def _method_names(
    given: Given, value_and_grad: str | None, value: str | None, grad: str | None, grads: Where
) -> tuple[str, str | None]:
    """Return the method that makes the loss, and the one that makes the gradients if it is another.

    Raises OperatorError where one is missing.
    """
    gradient = grad or (value_and_grad if value else None)
    if value_and_grad and grad:
        message = f"{given.name}: value_and_grad and grad both make gradients"
        raise OperatorError(Problem(message, given.place, "wrong-ops", "keep one of them"))
    if value and (gradient or grads is not None):
        return value, gradient
    if value_and_grad:
        return value_and_grad, None
    missing = "grad" if value else "value" if grad else "value_and_grad"
    message = f"{given.name}: {missing} is missing"
    hint = "value_and_grad: METHOD returns (loss, gradients); or value: METHOD and grad: METHOD return one each"
    raise OperatorError(Problem(message, given.place, "wrong-ops", hint))


def _renamed(
    asked: Sequence[inspect.Parameter], data: Sequence[Input], name: str, where: Location
) -> tuple[inspect.Parameter, ...]:
    """Return the parameters of a gradient method under the names that the loss has for them.

    Raises OperatorError for parameters that are none of the loss's.
    """
    names = [item.name for item in data]
    needed = [each for each in asked if each.default is each.empty and each.kind is not each.VAR_POSITIONAL]
    unknown = [each.name for each in needed if each.name not in names]
    if not unknown:
        return tuple(asked)
    if len(needed) == len(names):
        new = iter(names)
        return tuple(each.replace(name=next(new)) if each in needed else each for each in asked)
    message = f"{name}: the gradient takes {', '.join(unknown)}, and the loss doesn't"
    raise OperatorError(Problem(message, where, "wrong-ops", f"the loss takes {', '.join(names)}"))


def _is_something(gradients: Any) -> bool:
    """Tell whether a mapping holds gradients, whatever their names; a course hands out code that returns {} or None."""
    return isinstance(gradients, Mapping) and any(gradient is not None for gradient in gradients.values())


def _shown(value: Any) -> str:
    return f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
