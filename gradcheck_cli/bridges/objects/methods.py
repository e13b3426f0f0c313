"""How a forward and a backward method are called, as far as their signatures and texts tell."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradcheck_cli.bridges.domains import Domains
from gradcheck_cli.bridges.objects.backward_call import BackwardCall, Known
from gradcheck_cli.bridges.objects.method_text import attributes_set, is_used_as_array, unpacked_names
from gradcheck_cli.bridges.objects.outputs import returned_by
from gradcheck_cli.bridges.objects.stateful import Method, Methods
from gradcheck_cli.bridges.signatures import arguments_of, place_of
from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain, arr
from gradcheck_cli.errors import OperatorError, Problem

_TOGETHER = ("gys", "gs", "grad_outputs", "grads", "dys", "douts", "cotangents")
"""Names of a backward's parameter that holds the cotangents of several outputs."""

_SEQUENCES = ("xs", "inputs", "args", "arrays", "tensors", "values")
"""Names of a forward's parameter that holds several arrays, if it is unpacked."""


def methods_of(
    forward: tuple[Method, Sequence[inspect.Parameter]],
    backward: tuple[Method, Sequence[inspect.Parameter]],
    bind: Callable[[Any], tuple[Method, Method]],
    cls: type,
    domains: Domains,
    weights: Sequence[str],
    *,
    outputs: str | Sequence[str] | None = None,
    loss: bool = False,
) -> tuple[Methods, tuple[Input, ...], tuple[Attribute, ...]]:
    """Read two methods of a class, each given with its parameters; return them with their inputs and attributes.

    `bind` takes an object and gives its methods. `weights` are names that a backward may ask for, too.
    Raises OperatorError for a domain of what is no argument.
    """
    function, parameters = forward
    reverse, asked = backward
    packed = _packed(function, parameters)
    places = (place_of(function), place_of(reverse))
    further = [*weights, *(parameter.name for parameter in asked)]
    data, attributes = arguments_of(packed or parameters, domains, places[0], further)
    names = [item.name for item in data]
    others = [*weights, *(attribute.name for attribute in attributes)]
    said = outputs.split() if isinstance(outputs, str) else outputs
    returned = returned_by(function, cls, [parameter.name for parameter in asked], [*names, *others], said)
    known = Known(
        tuple(names), (*others, *returned.kept), returned.outputs, returned.aliases, packed=packed is not None
    )

    def is_sequence(name: str) -> bool:
        several = packed is not None or len(returned.outputs) > 1
        return len(unpacked_names(reverse, name)) == len(returned.outputs) or (several and name in _TOGETHER)

    call = BackwardCall(asked, known, domains, is_sequence)
    if call.lacks:
        message = f"the backward takes no cotangent for {', '.join(returned.outputs[-call.lacks :])}"
        hint = f"if these are no outputs, say so: outputs: [{', '.join([*returned.outputs[: -call.lacks], '_'])}]"
        raise OperatorError(Problem(message, places[1], "no-cotangent", hint))
    methods = Methods(
        bind=bind,
        places=places,
        parameters=parameters,
        returned=returned,
        call=call,
        packed=packed is not None,
        loss=loss or call.is_loss,
        sets=attributes_set(reverse, cls),
    )
    return methods, data, (*attributes, *call.attributes)


def weight_inputs(weights: Sequence[str], own: Mapping[str, Array], domains: Domains) -> tuple[Input, ...]:
    """Return weights as inputs: with the domain that the user declared, else the shape of the value that they have."""
    inputs = []
    for name in weights:
        declared = domains.get(name)
        if not isinstance(declared, Domain):
            declared = arr(" ".join(map(str, own[name].shape))) if name in own else Domain()
        inputs.append(Input(name, declared))
    return tuple(inputs)


def _packed(function: Method, parameters: Sequence[inspect.Parameter]) -> list[inspect.Parameter] | None:
    """Return the arguments of a forward that takes them as one sequence and unpacks it: `x, w = inputs`."""
    if len(parameters) != 1 or parameters[0].kind is parameters[0].VAR_POSITIONAL:
        return None
    name = parameters[0].name
    names = unpacked_names(function, name) if name in _SEQUENCES else ()
    if names:
        return [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    if name == "xs" and not is_used_as_array(function, name):
        return [inspect.Parameter("xs", inspect.Parameter.VAR_POSITIONAL)]
    return None
