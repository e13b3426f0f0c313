"""Operators from classes that stand for one application: forward and backward of small frameworks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from gradcheck_cli.bridges.domains import domains_at
from gradcheck_cli.bridges.foreign import Description, operator_of
from gradcheck_cli.bridges.objects.instances import Made
from gradcheck_cli.bridges.objects.layers import from_layer
from gradcheck_cli.bridges.objects.methods import methods_of
from gradcheck_cli.bridges.objects.stateful import Method, Stateful
from gradcheck_cli.bridges.objects.weights import Gradients
from gradcheck_cli.bridges.signatures import doc_of, parameters_of, place_of
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError, Problem

_METHODS = ("forward", "backward")


def from_function(
    name: str,
    cls: Any,
    *,
    outputs: str | Sequence[str] | None = None,
    loss: bool = False,
    kwargs: Mapping[str, Any] | None = None,
    domain: Mapping[str, Any] | None = None,
    home: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Operator:
    """Build an operator from a class with `forward(self, *xs)` and `backward(self, *gys)`.

    Every application has an instance of its own, on which the forward saves what the backward needs;
    `kwargs` go to the constructor. The forward may take its arrays as one sequence that it unpacks. An
    instance that has weights with gradients is a layer, see `from_layer`. Static methods
    `forward(ctx, *xs)` and `backward(ctx, *gys)` get a context that saves arrays and attributes. Raises
    OperatorError for a class that can't be used so.
    """
    options: dict[str, Any] = {"outputs": outputs, "loss": loss, "kwargs": kwargs, "domain": domain, "home": home}
    return _of_static_methods(name, cls, **options) if _is_static(cls) else from_layer(name, cls, **options)


def _of_static_methods(
    name: str,
    cls: type,
    *,
    outputs: str | Sequence[str] | None,
    loss: bool,
    kwargs: Mapping[str, Any] | None,
    domain: Mapping[str, Any] | None,
    home: Callable[[], AbstractContextManager[None]],
) -> Operator:
    where = place_of(cls)
    if kwargs:
        message = f"{name}: {cls.__name__} has static methods, so no object is made with kwargs"
        hint = f"they are arguments of the operator: {name}(x, {', '.join(f'{key}=...' for key in kwargs)})"
        raise OperatorError(Problem(message, where, "wrong-argument", hint))
    forward, backward = ((getattr(cls, each), parameters_of(getattr(cls, each), skip=1)) for each in _METHODS)
    methods, data, attributes = methods_of(
        forward, backward, _bound_to(cls), cls, domains_at(domain, where), (), outputs=outputs, loss=loss
    )
    function = Stateful(name, _Contexts(), methods, data, (), Gradients(name, {}, None, methods.places[1]))
    return operator_of(
        function,
        Description(
            name,
            function.inputs,
            attributes,
            methods.outputs,
            methods.places,
            doc=doc_of(cls),
            home=home,
            hints=methods.hints,
        ),
    )


class Context:
    """What static methods get to remember things on: saved arrays, and attributes."""

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *arrays: Any) -> None:
        """Remember arrays in order."""
        self.saved_tensors = arrays

    @property
    def saved_values(self) -> Any:
        """What was saved: the value itself where it is one alone."""
        return self.saved_tensors[0] if len(self.saved_tensors) == 1 else self.saved_tensors

    def mark_non_differentiable(self, *arrays: Any) -> None:
        """Take note of nothing: an output that isn't floating has no gradient anyway."""

    def set_materialize_grads(self, value: bool) -> None:
        """Take note of nothing: cotangents are always arrays."""


class _Contexts:
    """Makes a context for every application."""

    def make(self, given: Mapping[str, Array], floating: np.dtype[Any] | None) -> Made:  # noqa: ARG002 (has no weights)
        """Return a new context."""
        return Made(Context(), {})


def _is_static(cls: Any) -> bool:
    return inspect.isclass(cls) and all(
        isinstance(inspect.getattr_static(cls, method, None), staticmethod | classmethod) for method in _METHODS
    )


def _bound_to(cls: Any) -> Callable[[Any], tuple[Method, Method]]:
    """Return what gives a context to the static methods of a class."""

    def bind(context: Context) -> tuple[Method, Method]:
        def forward(*args: Any, **kwargs: Any) -> Any:
            arrays = (isinstance(arg, np.ndarray) and arg.dtype.kind == "f" for arg in (*args, *kwargs.values()))
            context.needs_input_grad = tuple(arrays)
            return cls.forward(context, *args, **kwargs)

        return forward, lambda *args, **kwargs: cls.backward(context, *args, **kwargs)

    return bind
