"""PyTorch code as operators: Functions, functions of tensors, modules, and custom operators of torch.library."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from gradcheck_cli.bridges.domains import Domains, read_domains
from gradcheck_cli.bridges.foreign import Description, operator_of
from gradcheck_cli.bridges.reference import with_reference
from gradcheck_cli.bridges.signatures import arguments_of, doc_of, parameters_of, place_of, placed
from gradcheck_cli.bridges.torch_code.autograd import Autograd, TensorFunction
from gradcheck_cli.bridges.torch_code.second_derivatives import gradient_operator
from gradcheck_cli.bridges.torch_code.tensor_outputs import output_names
from gradcheck_cli.bridges.torch_code.tensors import Placement, torch_module
from gradcheck_cli.bridges.torch_code.torch_jvp import jvp_of
from gradcheck_cli.bridges.torch_code.torch_library import (
    overload_of,
    places_of,
    schema_outputs,
    schema_parameters,
    written_arguments,
)
from gradcheck_cli.bridges.torch_code.torch_modules import FunctionalModule, make_module, takes_no_arrays
from gradcheck_cli.bridges.torch_code.torch_names import function_parameters, function_places
from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Location, OperatorError, Problem


def from_torch(
    name: str,
    thing: Any,
    *,
    device: Any = "cpu",
    dtype: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    domain: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | str | None = None,
    gradgrad: bool = False,
    reference: Any = None,
    home: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> tuple[Operator, ...]:
    """Build an operator from PyTorch code, and one of its gradient (`<name>_grad`) with `gradgrad`.

    `thing` is an `autograd.Function`, a function of tensors, a module (its parameters become inputs with
    values of their own), a class or function that makes one of these from `kwargs`, or a custom operator. It
    computes on `device` in `dtype`, by default that of the arrays. `outputs` names the outputs where the text
    of the code doesn't tell. A `reference`, another such thing or an operator, is checked in its place, and
    what it computes is compared with it. Raises OperatorError for what can't be called, for a device or a
    type that PyTorch doesn't know, and for domains that name no argument. The forward raises
    MissingDevice on a machine that lacks the device.
    """
    placement = Placement.read(device, dtype)
    try:
        domains = read_domains(domain or {})
    except ValueError as error:
        raise OperatorError(Problem(f"{name}: {error}", code="wrong-domain")) from error
    code = _code(name, thing, kwargs, domains)
    words = tuple(outputs.split() if isinstance(outputs, str) else outputs or code.outputs)
    described = Description(
        name, code.inputs, code.attributes, words, code.places, code.doc, own=code.own, label=placement.label, home=home
    )
    autograd = Autograd(described, code.function, placement, code.may_write, code.marks)
    jvp = jvp_of(autograd, code.jvp) if code.jvp else None
    record = operator_of(autograd, described)
    operator = record = replace(record, dtype=placement.dtype or "", epsilon=autograd.epsilon, jvp=jvp)
    if reference is not None:
        names = words if len(words) > 1 else None

        def build(code: Any) -> Operator:
            return from_torch(name, code, domain=domains, outputs=names, home=home)[0]

        operator = with_reference(record, reference, domains, home, build)
    return (operator, gradient_operator(autograd, record, operator)) if gradgrad else (operator,)


@dataclass(frozen=True, eq=False)
class _Code:
    """PyTorch code as a function of operands and attributes, and what is known of it.

    `jvp` is where a derivative in forward mode is written, if the code has one of its own. `marks` says that
    outputs without a gradient are declared to have none.
    """

    function: TensorFunction
    inputs: tuple[Input, ...]
    attributes: tuple[Attribute, ...]
    outputs: tuple[str, ...]
    places: tuple[Location, Location]
    doc: str = ""
    own: Mapping[str, Array] = field(default_factory=dict)
    may_write: frozenset[str] = frozenset()
    jvp: Location | None = None
    marks: bool = False


def _code(name: str, thing: Any, kwargs: Mapping[str, Any] | None, domains: Domains) -> _Code:
    torch = torch_module()
    if isinstance(thing, type) and issubclass(thing, torch.autograd.Function):
        return _function_class(thing, kwargs or {}, domains)
    if isinstance(thing, torch.nn.Module):
        return _module(name, thing, domains)
    overload = overload_of(thing)
    if overload is not None:
        return _library_operator(overload, thing, kwargs or {}, domains)
    if not callable(thing):
        message = f"{name}: PyTorch code is a function, a Function, a module or a custom operator, not {thing!r}"
        raise OperatorError(Problem(message, code="wrong-ops"))
    if isinstance(thing, type) or takes_no_arrays(thing, kwargs or {}):
        return _code(name, _made(name, thing, kwargs or {}), None, domains)
    return _plain_function(thing, kwargs or {}, domains)


def _made(name: str, make: Callable[..., Any], kwargs: Mapping[str, Any]) -> Any:
    try:
        made = make_module(make, kwargs)
    except Exception as error:
        message = f"{name} can't be made: {type(error).__name__}: {error}"
        hint = "give what it needs under kwargs"
        raise OperatorError(Problem(message, place_of(make), "wrong-ops", hint)) from error
    if isinstance(made, type) or not callable(made):
        message = f"{name}: calling it gave {made!r}, which is no module and no function"
        raise OperatorError(Problem(message, place_of(make), "wrong-ops"))
    return made


def _function_class(thing: Any, fixed: Mapping[str, Any], domains: Domains) -> _Code:
    """Describe an autograd.Function: its `apply` takes the arguments of its forward, all of them by position."""
    # Whatever stands behind a * can't be given to it.
    parameters = [each for each in function_parameters(thing) if each.kind not in (each.KEYWORD_ONLY, each.VAR_KEYWORD)]
    signature = inspect.Signature(parameters)
    places = function_places(thing)
    inputs, attributes = arguments_of(_without(parameters, fixed), domains, places[0])

    def call(operands: Sequence[Any], settings: Mapping[str, Any]) -> Any:
        args, kwargs = placed(parameters, inputs, operands, {**settings, **fixed})
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return thing.apply(*bound.args)

    outputs = output_names(thing.forward, signature.parameters)
    jvp = None if thing.jvp is torch_module().autograd.Function.jvp else place_of(thing.jvp)
    return _Code(call, inputs, attributes, outputs, places, doc_of(thing), jvp=jvp, marks=True)


def _plain_function(
    function: Callable[..., Any], fixed: Mapping[str, Any], domains: Domains, place: Location | None = None
) -> _Code:
    parameters = parameters_of(function)
    place = place or place_of(function)
    inputs, attributes = arguments_of(_without(parameters, fixed), domains, place)

    def call(operands: Sequence[Any], settings: Mapping[str, Any]) -> Any:
        args, kwargs = placed(parameters, inputs, operands, {**settings, **fixed})
        return function(*args, **kwargs)

    outputs = output_names(function, [parameter.name for parameter in parameters])
    return _Code(call, inputs, attributes, outputs, (place, place), doc_of(function))


def _module(name: str, module: Any, domains: Domains) -> _Code:
    """Describe a module: its arguments, then its parameters, which a call may leave out."""
    forward = type(module).forward
    parameters, place = parameters_of(module.forward), place_of(forward)
    functional = FunctionalModule(module, name, [parameter.name for parameter in parameters], place)
    arguments, attributes = arguments_of(parameters, domains, place, more=list(functional.own))
    if functional.own and any(item.variadic for item in arguments):
        message = f"{name}: its forward takes any number of arrays, beside which its parameters can't be told"
        raise OperatorError(Problem(message, place, "wrong-ops", "wrap it in a module whose forward names them"))
    own = tuple(Input(each, _domain(domains.get(each), value)) for each, value in functional.own.items())

    def call(operands: Sequence[Any], settings: Mapping[str, Any]) -> Any:
        count = len(operands) - len(own)
        args, kwargs = placed(parameters, arguments, operands[:count], settings)
        weights = {item.name: tensor for item, tensor in zip(own, operands[count:], strict=True)}
        return functional(weights, args, kwargs)

    outputs = output_names(forward, [*functional.own, *(parameter.name for parameter in parameters)])
    doc = doc_of(type(module))
    return _Code(call, (*arguments, *own), attributes, outputs, (place, place), doc, functional.own)


def _library_operator(overload: Any, thing: Any, fixed: Mapping[str, Any], domains: Domains) -> _Code:
    """Describe a custom operator by its schema; its places are those of its Python functions, if they are known."""
    places = places_of(overload, thing)
    parameters = schema_parameters(overload)
    inputs, attributes = arguments_of(_without(parameters, fixed), domains, places[0])

    def call(operands: Sequence[Any], settings: Mapping[str, Any]) -> Any:
        args, kwargs = placed(parameters, inputs, operands, {**settings, **fixed})
        return overload(*args, **kwargs)

    written = written_arguments(overload)
    inputs = tuple(
        replace(item, domain=replace(item.domain, nondiff=True)) if item.name in written else item for item in inputs
    )
    outputs = schema_outputs(overload, [parameter.name for parameter in parameters])
    return _Code(call, inputs, attributes, outputs, places, doc_of(thing), may_write=written)


def _without(parameters: Sequence[inspect.Parameter], fixed: Mapping[str, Any]) -> list[inspect.Parameter]:
    return [parameter for parameter in parameters if parameter.name not in fixed]


def _domain(declared: Any, value: Array) -> Domain:
    """Return the domain of a parameter: the declared one, or its own shape."""
    return declared if isinstance(declared, Domain) else Domain(shape=" ".join(map(str, value.shape)))
