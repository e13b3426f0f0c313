"""What PyTorch code is called, where it is written, and the names of its arguments."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from gradcheck_cli.bridges.signatures import place_of
from gradcheck_cli.bridges.torch_code.tensors import torch_module
from gradcheck_cli.errors import Location


@dataclass(frozen=True)
class Identity:
    """The name of something that is called, where its forward and its backward are written, and what it takes."""

    name: str
    places: tuple[Location, Location]
    parameters: tuple[str, ...] = ()

    def argument_names(self, count: int) -> list[str]:
        """Name the first `count` arguments, those beyond the signature by their position."""
        named = self.parameters[:count]
        return [*named, *(f"input{position}" for position in range(len(named), count))]


def function_places(cls: Any) -> tuple[Location, Location]:
    """Return where the forward and the backward of an autograd.Function are written."""
    base = torch_module().autograd.Function
    forward = place_of(cls.forward)
    rules = ((cls.backward, base.backward), (cls.vjp, base.vjp))
    return forward, next((place_of(rule) for rule, inherited in rules if rule is not inherited), forward)


def function_parameters(cls: Any) -> list[inspect.Parameter]:
    """Return the parameters of the forward of an autograd.Function, without the context."""
    known = list(inspect.signature(cls.forward).parameters.values())
    own_context = cls.setup_context is not torch_module().autograd.Function.setup_context
    return known if own_context else known[1:]


def identity_of(thing: Any) -> Identity:
    """Say what a callable is: a function, a module, or the `apply` of an autograd.Function."""
    torch = torch_module()
    held = getattr(thing, "__self__", None)
    if isinstance(held, type) and issubclass(held, torch.autograd.Function):
        return Identity(held.__name__, function_places(held), _positional(function_parameters(held)))
    name = getattr(thing, "__name__", type(thing).__name__)
    is_module = isinstance(thing, torch.nn.Module)
    place = place_of(type(thing).forward if is_module else thing)
    try:
        parameters = _positional(inspect.signature(thing.forward if is_module else thing).parameters.values())
    except (TypeError, ValueError):  # written in C
        parameters = ()
    return Identity(name, (place, place), parameters)


def _positional(parameters: Any) -> tuple[str, ...]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(parameter.name for parameter in parameters if parameter.kind in kinds)
