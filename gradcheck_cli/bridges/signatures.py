"""The arguments of foreign functions: which are arrays, which are attributes, as far as can be told."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from gradcheck_cli.bridges.domains import Domains
from gradcheck_cli.core.arguments import REQUIRED, Attribute, Input
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.source import Source
from gradcheck_cli.errors import Location, OperatorError, Problem, near

NO_SIGNATURE = "no-signature"
"""The code of a function whose arguments can't be known."""

_DEEPEST = 20
"""Wrappers around wrappers that are looked behind: one may wrap itself."""


def parameters_of(function: Callable[..., Any], skip: int = 0) -> list[inspect.Parameter]:
    """Return the parameters of a function, without the first `skip` (self, ctx); `**kwargs` left out.

    Raises OperatorError for what has no signature.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        name = name_of(function)
        hint = "wrap it in a Python function"
        raise OperatorError(
            Problem(f"{name} has no signature that can be read", code=NO_SIGNATURE, hint=hint)
        ) from error
    return [parameter for parameter in parameters[skip:] if parameter.kind is not parameter.VAR_KEYWORD]


def arguments_of(
    parameters: Sequence[inspect.Parameter], domains: Domains, where: Location | None, more: Sequence[str] = ()
) -> tuple[tuple[Input, ...], tuple[Attribute, ...]]:
    """Sort parameters into inputs and attributes.

    A parameter with a domain is an array, one with a list of values an attribute. Of the others, those
    that stand behind a * or have a default (other than None or an array) are attributes, and the rest are
    loose inputs: arrays if they are given arrays. `*xs` comes last. `more` names further inputs that may
    have domains. Raises OperatorError for a domain of something that is no parameter, and for a `below`
    that no shape has.
    """
    inputs: list[Input] = []
    attributes: list[Attribute] = []
    _check_domains(domains, [*(parameter.name for parameter in parameters), *more], where)
    for parameter in parameters:
        declared = domains.get(parameter.name)
        variadic = parameter.kind is parameter.VAR_POSITIONAL
        if isinstance(declared, Domain):
            optional = parameter.default is not parameter.empty
            inputs.append(Input(parameter.name, declared, optional, variadic))
        elif declared is not None or _is_attribute(parameter):
            default = REQUIRED if parameter.default is parameter.empty else parameter.default
            values = tuple(declared or ()) or (() if default is REQUIRED else (default,))
            attributes.append(Attribute(parameter.name, default, values))
        else:
            optional = parameter.default is not parameter.empty
            inputs.append(Input(parameter.name, optional=optional, variadic=variadic, loose=True))
    inputs.sort(key=lambda item: item.variadic)
    return tuple(inputs), tuple(attributes)


def _check_domains(domains: Domains, known: Sequence[str], where: Location | None) -> None:
    arrays = {name: domain for name, domain in domains.items() if isinstance(domain, Domain)}
    words = [word for domain in arrays.values() for word in domain.words or () if word != "..."]
    for name in domains:
        if name not in known:
            hint = near(name, known) or f"there are: {', '.join(known)}"
            raise OperatorError(
                Problem(f"the domain names '{name}', which is no argument", where, "unknown-name", hint)
            )
    for name, domain in arrays.items():
        if isinstance(domain.below, str) and domain.below not in words:
            message = f"the values of '{name}' are below '{domain.below}', which is no word of a shape"
            raise OperatorError(Problem(message, where, "unknown-name", near(domain.below, words)))


def _is_attribute(parameter: inspect.Parameter) -> bool:
    """Tell whether a parameter without a domain is no array: it is passed by name, or has a plain default."""
    left_out = parameter.default is parameter.empty or parameter.default is None
    plain = not left_out and not isinstance(parameter.default, np.ndarray)
    return parameter.kind is parameter.KEYWORD_ONLY or plain


def placed(
    parameters: Sequence[inspect.Parameter],
    inputs: Sequence[Input],
    operands: Sequence[Any],
    attributes: Mapping[str, Any],
) -> tuple[list[Any], dict[str, Any]]:
    """Return operands and attributes as the arguments of the function itself: by position, and by name.

    An optional operand that is None is left to the function's own default.
    """
    fixed = [item.name for item in inputs if not item.variadic]
    named = dict(zip(fixed, operands, strict=False))
    spread = operands[len(fixed) :]
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    by_position = True
    for parameter in parameters:
        name, default = parameter.name, parameter.default
        if parameter.kind is parameter.VAR_POSITIONAL:
            args.extend(spread)
            continue
        # A default is left to the function: one written in C may not take all of its own at once.
        if name in attributes and attributes[name] is not default:
            value = attributes[name]
        elif named.get(name) is not None or (name in named and default is parameter.empty):
            value = named[name]
        elif default is not parameter.empty and (parameter.kind is parameter.POSITIONAL_ONLY or spread):
            value = default  # what follows can't be named
        else:
            by_position = False
            continue
        if parameter.kind is not parameter.KEYWORD_ONLY and by_position:
            args.append(value)
        else:
            kwargs[name] = value
    return args, kwargs


def underlying(function: Callable[..., Any]) -> FunctionType | None:
    """Return the Python function behind a wrapper, a method, a `partial` or a callable object, if there is one."""
    found: Any = function
    for _ in range(_DEEPEST):
        if isinstance(found, functools.partial):
            found = found.func
        elif isinstance(found, MethodType):
            found = found.__func__
        elif hasattr(found, "__wrapped__") and not isinstance(found, type):
            found = found.__wrapped__
        elif isinstance(found, FunctionType):
            return found
        else:
            called = None if isinstance(found, type) else vars(type(found)).get("__call__")
            if not isinstance(called, FunctionType):
                return None
            found = called
    return None


def place_of(function: Callable[..., Any]) -> Location:
    """Return where a function is written; an unknown place for what isn't written in Python."""
    found = underlying(function)
    if found is not None:
        source = Source(found)
        return Location(source.file, source.line)
    if isinstance(function, type):
        return _place_of_class(function)
    try:
        return Location(inspect.getsourcefile(function) or "", inspect.getsourcelines(function)[1])
    except (TypeError, OSError):  # written in C
        return Location("")


def _place_of_class(cls: type) -> Location:
    """Find a class by its methods: `inspect` knows only those of modules that can be imported by their name."""
    methods = (underlying(getattr(value, "__func__", value)) for value in vars(cls).values() if callable(value))
    source = next((Source(method) for method in methods if method and method.__module__ == cls.__module__), None)
    if source is None:
        return Location("")
    opening = re.compile(rf"\s*class\s+{cls.__name__}\b")
    before = enumerate(source.lines[: source.line], start=1)
    found = [number for number, line in before if opening.match(line)]
    return Location(source.file, found[-1] if found else source.line)


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of the function behind a wrapper; an object that is called goes by its type."""
    found = underlying(function)
    named = function if found is None or found.__name__ == "__call__" else found
    return str(getattr(named, "__name__", type(function).__name__))


def doc_of(function: Callable[..., Any]) -> str:
    """Return the docstring without its indentation; that of the function behind a `partial` or an object."""
    return inspect.cleandoc((underlying(function) or function).__doc__ or "")
