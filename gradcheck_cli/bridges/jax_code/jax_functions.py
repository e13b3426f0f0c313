"""JAX: functions of arrays, `custom_vjp` and `custom_jvp` included."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from types import MethodType
from typing import Any

from gradcheck_cli.bridges.domains import Domains
from gradcheck_cli.bridges.foreign import Description, operator_of
from gradcheck_cli.bridges.jax_code.jax_arrays import jax_module, read_dtype
from gradcheck_cli.bridges.jax_code.jax_calls import JaxCode
from gradcheck_cli.bridges.signatures import arguments_of, doc_of, parameters_of, place_of, underlying
from gradcheck_cli.bridges.torch_code.tensor_outputs import output_names
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.jvp import Jvp
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Location, OperatorError, Problem, near

_DEEPEST = 20
"""Wrappers around wrappers that are looked behind."""


def from_jax(
    name: str,
    function: Callable[..., Any],
    *,
    kwargs: Mapping[str, Any] | None = None,
    domain: Domains | None = None,
    dtype: Any = None,
    outputs: Sequence[str] = (),
    home: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Operator:
    """Make an operator of a function that JAX can differentiate.

    Its backward is jax.vjp, which calls the rules of a `custom_vjp`; where jax.jvp works, too, the
    operator has a jvp. Arrays are arguments without a default; everything else stays the Python
    value that it is, as do the arguments that `nondiff_argnums` names. Floating-point arrays are
    computed with in double precision, or in `dtype`. `kwargs` are given to every call. Outputs may
    be nested in tuples, lists and mappings; `outputs` names them where the text of the function doesn't
    show how many there are. An integer given as a random `key` stands for jax.random.key of it.

    Raises OperatorError if JAX isn't there, and for a domain or keyword argument that the function
    doesn't have.
    """
    jax_module()
    precision = read_dtype(dtype)
    where = place_of(function)
    fixed = dict(kwargs or {})
    known = parameters_of(function)
    _check_fixed(name, function, fixed, [parameter.name for parameter in known], where)
    parameters = [parameter for parameter in known if parameter.name not in fixed]
    custom = _custom(function)
    static = _static_names(custom)
    inputs, attributes = arguments_of(parameters, domain or {}, where)
    inputs = tuple(_without_gradient(item) if item.name in static else item for item in inputs)
    backward = _backward_place(custom, where)
    taken = [*(item.name for item in inputs), *(attribute.name for attribute in attributes)]
    names = tuple(outputs) or output_names(underlying(function) or function, taken)
    label = "" if precision in (None, "float64") else precision
    described = Description(
        name, inputs, attributes, names, (where, backward), doc_of(function), label=label, home=home
    )
    code = JaxCode(function, described, parameters, fixed, static, precision, _gradient_names(custom))
    operator = replace(operator_of(code, described), dtype=precision or "", epsilon=code.epsilon)
    moving = tuple(item.name for item in inputs if item.domain.differentiable)
    if isinstance(custom, jax_module().custom_vjp) or not moving:
        return operator
    # No argument of Python code can have such a name.
    tangents = {f"the tangent of {name}": name for name in moving}
    asks = (*tangents, *(item.name for item in inputs), *(attribute.name for attribute in attributes))
    return replace(operator, jvp=Jvp(code.jvp, moving, asks, backward.file, backward.line, tangents))


def _check_fixed(
    name: str, function: Callable[..., Any], fixed: Mapping[str, Any], known: Sequence[str], where: Location
) -> None:
    """Raise OperatorError for keyword arguments that the function doesn't take."""
    kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
    for key in fixed:
        if key not in known and inspect.Parameter.VAR_KEYWORD not in kinds:
            hint = near(key, known) or f"there are: {', '.join(known)}"
            raise OperatorError(Problem(f"{name} has no argument '{key}'", where, "unknown-name", hint))


def _custom(function: Any) -> Any:
    """Return the `custom_vjp` or `custom_jvp` that a function is behind its wrappers, None if it is none."""
    jax = jax_module()
    for _ in range(_DEEPEST):
        if isinstance(function, jax.custom_vjp | jax.custom_jvp):
            return function
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, MethodType):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    return None


def _positional_names(custom: Any) -> list[str]:
    return [parameter.name for parameter in parameters_of(custom)]


def _static_names(custom: Any) -> frozenset[str]:
    """Return the arguments that `nondiff_argnums` names."""
    if custom is None or not custom.nondiff_argnums:
        return frozenset()
    names = _positional_names(custom)
    return frozenset(names[position] for position in custom.nondiff_argnums if position < len(names))


def _gradient_names(custom: Any) -> tuple[str, ...]:
    """Return the arguments whose gradients a `custom_vjp` returns, in order."""
    if custom is None:
        return ()
    static = _static_names(custom)
    return tuple(name for name in _positional_names(custom) if name not in static)


def _without_gradient(item: Input) -> Input:
    return replace(item, domain=replace(item.domain, nondiff=True))


def _backward_place(custom: Any, where: Location) -> Location:
    """Return where the rule of a custom derivative is written, else where the function is."""
    rule = getattr(custom, "bwd", None) or getattr(custom, "jvp", None)
    if rule is None:
        return where
    cells = [cell.cell_contents for cell in getattr(rule, "__closure__", None) or ()]
    parts = [part for cell in cells if isinstance(cell, tuple | list) for part in cell if callable(part)]
    # `defjvps` makes the rule of one function for each argument.
    if rule.__module__.partition(".")[0] == "jax" and parts:
        rule = parts[0]
    return place_of(rule) if underlying(rule) is not None else where
