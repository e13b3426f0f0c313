"""`@op`: marks a function as an operator. It only marks; a loader collects what a file marked."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradcheck_cli.core.declare import declare
from gradcheck_cli.core.execution import Kept
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError


class Definition:
    """A marked forward function, to which `backward` and `sample` add the rest.

    It is called as the operator itself: with arrays it is the plain function, with Variables it
    records a node.
    """

    def __init__(self, forward: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, forward)
        self.forward = forward
        self.options = options
        self.rules: list[tuple[tuple[str, ...], Callable[..., Any]]] = []
        self.sampler: Callable[..., Any] | None = None

    def backward(self, *target: Any) -> Any:
        """Register the backward: `@name.backward`, or `@name.backward("x")` for the rule of one input."""
        if len(target) == 1 and callable(target[0]):
            self.rules.append(((), target[0]))
            return target[0]

        def register(rule: Callable[..., Any]) -> Callable[..., Any]:
            self.rules.append((tuple(target), rule))
            return rule

        return register

    def sample(self, sampler: Callable[..., Any]) -> Callable[..., Any]:
        """Register a function that takes a NumPy Generator and returns arguments."""
        self.sampler = sampler
        return sampler

    @property
    def file(self) -> Path:
        """The file of the forward."""
        return Path(self.forward.__code__.co_filename)

    @functools.cached_property
    def operator(self) -> Operator:
        """The record. Raises OperatorError with everything that is wrong in the declaration."""
        operator, problems = declare(self.forward, self.options, self.rules, self.sampler)
        if problems:
            raise OperatorError(problems)
        return operator

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.operator(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<operator {self.forward.__name__}>"


def op(forward: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Mark a function as an operator.

    Positional parameters are arrays, keyword-only parameters are attributes. A keyword named like
    an array gives its domain (`arr`, `ints`, `mask`); one named like an attribute lists values to
    try. `outputs="loss probs"` names several outputs. What is wrong with the declaration is said
    when the operator is loaded or first used with Variables.
    """
    if forward is not None:
        return Definition(forward, options)
    return functools.partial(Definition, options=options)


def keep(*outputs: Any, **values: Any) -> Any:
    """Return `outputs` from a forward together with `values` that its backward asks for by name."""
    return Kept(outputs, values)
