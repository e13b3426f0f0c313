"""How a backward rule is called: with the values that it asks for, whatever the kinds of its parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def adapted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the values that `function` names, in order and by position.

    Plain functions are returned as they are. Keyword-only parameters get their values by name, and
    `*xs` of a variadic operator gets its tuple spread.
    """
    parameters = inspect.signature(function).parameters
    kinds = [parameter.kind for parameter in parameters.values()]
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if all(kind in plain for kind in kinds):
        return function

    @functools.wraps(function)  # whose module says that it is one of ours
    def call(*values: Any) -> Any:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for (name, parameter), value in zip(parameters.items(), values, strict=True):
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[name] = value
            elif parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(value)
            else:
                positional.append(value)
        return function(*positional, **named)

    return call
