"""`@op`: marks a function as an operator. It only marks; a loader collects what a file marked."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

from gradcheck_cli.core.declare import Marked, declare
from gradcheck_cli.core.operands import holds_variable
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.returned import Kept
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import OperatorError, Problem

_MARKS = "__gradcheck_marks__"


class Definition:
    """A marked forward function, to which `backward`, `jvp`, `batch` and `sample` add the rest.

    It is called as the operator itself: with arrays it is the plain function, with Variables it
    records a node. `home` names the module in which `@op` was applied.
    """

    def __init__(self, forward: Callable[..., Any], options: dict[str, Any], home: str = "") -> None:
        functools.update_wrapper(self, _python_function(forward, "@op"))
        self.forward = forward
        self.options = options
        self.home = home
        self.rules: list[Marked] = []
        self.jvps: list[Callable[..., Any]] = []
        self.batches: list[Callable[..., Any]] = []
        self.sampler: Callable[..., Any] | None = None

    def backward(self, *target: Any) -> Any:
        """Register the backward: `@name.backward`, or `@name.backward("x")` for the rule of one input."""
        if len(target) == 1 and callable(target[0]):
            self._add((), target[0])
            return target[0]

        def register(rule: Callable[..., Any]) -> Callable[..., Any]:
            self._add(tuple(target), rule)
            return rule

        return register

    def _add(self, targets: tuple[Any, ...], rule: Callable[..., Any]) -> None:
        self.rules.append((targets, _python_function(rule, f"@{self.forward.__name__}.backward")))
        self._read_again()

    def jvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Register the derivative in forward mode: from tangents (`t`, or `t_<input>`) to those of the outputs."""
        self.jvps.append(_python_function(rule, f"@{self.forward.__name__}.jvp"))
        self._read_again()
        return rule

    def batch(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Register how the forward takes many perturbations at once.

        `function` takes `moved`, the names of the inputs that have one more leading axis, and what the forward
        takes; it returns what the forward returns for each index along that axis, stacked along a leading axis.
        """
        self.batches.append(_python_function(function, f"@{self.forward.__name__}.batch"))
        self._read_again()
        return function

    def sample(self, sampler: Callable[..., Any]) -> Callable[..., Any]:
        """Register a function that takes a NumPy Generator and returns arguments."""
        self.sampler = _python_function(sampler, f"@{self.forward.__name__}.sample")
        self._read_again()
        return sampler

    def _read_again(self) -> None:
        self.__dict__.pop("declared", None)

    @functools.cached_property
    def declared(self) -> tuple[Operator, list[Problem]]:
        """The record, and everything that is wrong in the declaration."""
        return declare(self.forward, self.options, self.rules, self.sampler, self.jvps, self.batches)

    @property
    def operator(self) -> Operator:
        """The record. Raises OperatorError with everything that is wrong in the declaration."""
        operator, problems = self.declared
        if problems:
            raise OperatorError(problems)
        return operator

    @property
    def place(self) -> tuple[str, int]:
        """The file and line of the forward."""
        code = inspect.unwrap(self.forward).__code__
        return code.co_filename, code.co_firstlineno

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the operator; see `Operator.__call__`.

        With arrays this works from the moment when the forward is written, without a backward.
        """
        operator, problems = self.declared
        if not problems and not kwargs and len(args) == operator.complete and isinstance(args[0], Variable):
            return operator.apply(args, {})
        if problems and (holds_variable(args) or holds_variable(kwargs.values())):
            raise OperatorError(problems)
        return operator(*args, **kwargs)

    def __reduce__(self) -> str:
        # Copied and pickled by name, as a function is.
        return self.forward.__qualname__

    def __repr__(self) -> str:
        return f"<operator {self.forward.__name__}>"


def op(forward: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Mark a function as an operator.

    Positional parameters are arrays, keyword-only parameters are attributes. A keyword named like
    an array gives its domain (`arr`, `ints`, `mask`); one named like an attribute lists values to
    try. `outputs="loss probs"` names several outputs. `batch=` and `linear=` say how many perturbations go through
    at once (see `batching`). `requires="scipy"` names a package that it needs; where that isn't installed, what uses
    the operator is skipped, with the line that installs it. What is wrong with the declaration is said
    when the operator is loaded or first used with Variables. Raises TypeError for what is no
    function written in Python.
    """
    frame = sys._getframe(1)
    home = frame.f_globals
    # A second definition of one name hides the first from the module, so each mark is noted there.
    marks = home.setdefault(_MARKS, {}) if frame.f_locals is home else {}

    def mark(function: Callable[..., Any]) -> Definition:
        definition = Definition(function, options, home.get("__name__", ""))
        marks[definition.place] = definition
        return definition

    return mark if forward is None else mark(forward)


def marks_of(module: Any) -> list[Definition]:
    """List what was marked at the top level of a module, also what a later definition hides."""
    return list(vars(module).get(_MARKS, {}).values())


def _python_function(function: Any, decorator: str) -> Callable[..., Any]:
    if not callable(function) or not hasattr(inspect.unwrap(function), "__code__"):
        kind = type(function).__name__
        raise TypeError(f"{decorator} marks a function written in Python, not {function!r} of type {kind}")
    return function  # type: ignore[no-any-return] # callable, as was just seen


def keep(*outputs: Any, **values: Any) -> Any:
    """Return `outputs` from a forward together with `values` that its backward asks for by name."""
    return Kept(outputs, values)
