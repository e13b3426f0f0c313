"""Custom operators of torch.library, described by their schema."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from typing import Any

from gradcheck_cli.bridges.signatures import place_of
from gradcheck_cli.bridges.torch_code.tensors import torch_module
from gradcheck_cli.errors import Location, OperatorError, Problem


def overload_of(thing: Any) -> Any:
    """Return the operator that `thing` is or holds; None for other things.

    It may be an overload, a packet of them, a `custom_op`, or a function of PyTorch written in C, which has
    no signature. Raises OperatorError for a packet whose overloads can't be told apart.
    """
    torch = torch_module()
    ops = torch._ops
    if inspect.isbuiltin(thing) and isinstance(getattr(torch.ops.aten, thing.__name__, None), ops.OpOverloadPacket):
        return _only_overload(getattr(torch.ops.aten, thing.__name__))
    if isinstance(thing, ops.OpOverload):
        return thing
    if isinstance(thing, ops.OpOverloadPacket):
        return _only_overload(thing)
    held = getattr(thing, "_opoverload", None)
    return held if isinstance(held, ops.OpOverload) else None


def _only_overload(packet: Any) -> Any:
    """Return the one overload of a packet that takes tensors and makes its outputs itself."""
    overloads = [getattr(packet, name) for name in packet.overloads()]
    usual = [
        each
        for each in overloads
        if each._schema.arguments
        and str(each._schema.arguments[0].type).startswith(("Tensor", "List[Tensor"))
        and not any(argument.is_out for argument in each._schema.arguments)
    ]
    if len(usual) == 1:
        return usual[0]
    names = [str(each).rpartition(".")[2] for each in usual or overloads]
    message = f"{packet} has several overloads: {', '.join(names)}"
    raise OperatorError(Problem(message, code="wrong-ops", hint=f"name one of them: {packet}.{names[0]}"))


def schema_parameters(overload: Any) -> list[inspect.Parameter]:
    """Return the arguments of an operator as the parameters of a Python function."""
    made = []
    for argument in overload._schema.arguments:
        kind = inspect.Parameter.KEYWORD_ONLY if argument.kwarg_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        optional = argument.has_default_value()
        default = argument.default_value if optional else inspect.Parameter.empty
        made.append(inspect.Parameter(argument.name, kind, default=default))
    return made


def schema_outputs(overload: Any, taken: Collection[str]) -> tuple[str, ...]:
    """Name the outputs of an operator."""
    returns = overload._schema.returns
    if len(returns) == 1:
        return ("out",)
    names = [each.name if each.name and each.name not in taken else "" for each in returns]
    return tuple(name or f"out{position}" for position, name in enumerate(names, start=1))


def written_arguments(overload: Any) -> frozenset[str]:
    """Name the arguments that an operator declares to change."""
    arguments = overload._schema.arguments
    return frozenset(each.name for each in arguments if each.alias_info is not None and each.alias_info.is_write)


def places_of(overload: Any, thing: Any) -> tuple[Location, Location]:
    """Return where forward and backward of an operator are written, where that is Python."""
    known = getattr(torch_module()._library.custom_ops, "OPDEFS", {})
    definition = thing if hasattr(thing, "_opoverload") else known.get(overload._schema.name)
    forward, backward = getattr(definition, "_init_fn", None), getattr(definition, "_backward_fn", None)
    place = place_of(forward) if forward else Location("")
    return place, place_of(backward) if backward else place
