"""The function under check: what a case's expression and a Python function have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.sweep import sweep
from gradcheck_cli.core.variable import Variable, array_of
from gradcheck_cli.numeric.call import EXPRESSION, Subject, Values, call_read_only, call_watched
from gradcheck_cli.numeric.own_gradient import as_array, as_number, gradients_by_name, value_and_gradients

__all__ = ["Function", "PlainFunction", "Recording", "TracedFunction", "Values"]


class Recording(Protocol):
    """One evaluation that remembers how to go back."""

    outputs: tuple[Array, ...]

    def vjp(self, cotangents: Sequence[Array]) -> dict[str, Array]:
        """Return the gradient of sum(cotangent * output) for every parameter by name."""


class Function(Protocol):
    """A function of named parameters with one or more outputs."""

    def record(self, values: Values) -> Recording:
        """Evaluate at `values` (parameter by name) and remember how to go back."""

    def outputs(self, values: Values) -> tuple[Array, ...]:
        """Evaluate at `values`, recording nothing."""


class TracedFunction:
    """A function over Variables, differentiated by the backward sweep.

    `call` takes the parameters (Variables) and `inputs` (arrays) by name and returns one value or a
    tuple of values; `subject` is what it is called in findings. Evaluating raises
    ContractViolation when the function writes to one of the arrays, TypeError when it returns
    something else than real numbers.
    """

    def __init__(
        self, call: Callable[[Mapping[str, Any]], Any], subject: Subject = EXPRESSION, inputs: Values | None = None
    ) -> None:
        self.call = call
        self.subject = subject
        self.inputs = inputs or {}

    def record(self, values: Values) -> TracedRecording:
        """Evaluate with every parameter as a leaf Variable."""

        def recording(arrays: Values) -> TracedRecording:
            leaves = {name: Variable(arrays[name], name=name) for name in values}
            return TracedRecording(leaves, as_tuple(self.call({**arrays, **leaves})))

        return call_watched(recording, {**self.inputs, **values}, self.subject)

    def outputs(self, values: Values) -> tuple[Array, ...]:
        """Evaluate with constant Variables: operators are called the same way, and record nothing."""

        def outputs(arrays: Values) -> tuple[Array, ...]:
            constants = {name: Variable(arrays[name], requires_grad=False) for name in values}
            return tuple(map(as_output, as_tuple(self.call({**arrays, **constants}))))

        return call_read_only(outputs, {**self.inputs, **values}, self.subject)


class TracedRecording:
    """A recorded evaluation of a `TracedFunction`: `values` are its outputs, arrays where they are no Variables."""

    def __init__(self, leaves: Mapping[str, Variable], values: tuple[Any, ...]) -> None:
        self.leaves = leaves
        self.outputs: tuple[Array, ...] = tuple(map(as_output, values))
        self.values: tuple[Any, ...] = tuple(
            value if isinstance(value, Variable) else array for value, array in zip(values, self.outputs, strict=True)
        )

    def vjp(self, cotangents: Sequence[Array]) -> dict[str, Array]:
        """Sweep back; a parameter that the outputs don't depend on gets zeros."""
        roots = [
            (value, cotangent)
            for value, cotangent in zip(self.values, cotangents, strict=True)
            if isinstance(value, Variable) and value.requires_grad
        ]
        gradients = sweep(roots)
        return {name: gradients.get(leaf, np.zeros_like(leaf.data)) for name, leaf in self.leaves.items()}


class PlainFunction:
    """A NumPy function of one number with a gradient of its own.

    `value` takes the parameters and `inputs` (arrays) by name and returns the number, `gradient`
    returns the gradients (see `gradients_by_name`); without a `gradient`, `value` returns both.
    `subject` and `gradient_subject` are what they are called in findings. Evaluating raises
    ContractViolation when one of them writes to an array, and for a wrong number of gradients.
    """

    def __init__(
        self,
        value: Callable[[Values], Any],
        subject: Subject,
        gradient: Callable[[Values], Any] | None = None,
        gradient_subject: Subject | None = None,
        inputs: Values | None = None,
    ) -> None:
        self.value = value
        self.subject = subject
        self.gradient = gradient
        self.gradient_subject = gradient_subject or subject
        self.inputs = inputs or {}

    def record(self, values: Values) -> PlainRecording:
        """Evaluate value and gradient."""
        arrays = {**self.inputs, **values}
        value = call_watched(self.value, arrays, self.subject)
        if self.gradient is None:
            value, gradients = value_and_gradients(value)
        else:
            gradients = call_watched(self.gradient, arrays, self.gradient_subject)
        return PlainRecording((as_number(value),), gradients_by_name(gradients, values, self.gradient_subject))

    def outputs(self, values: Values) -> tuple[Array, ...]:
        """Evaluate the value."""
        returned = call_read_only(self.value, {**self.inputs, **values}, self.subject)
        return (as_number(returned if self.gradient else value_and_gradients(returned)[0]),)


class PlainRecording:
    """The value and the gradients that a `PlainFunction` returned together."""

    def __init__(self, outputs: tuple[Array, ...], gradients: Mapping[str, Array]) -> None:
        self.outputs = outputs
        self.gradients = gradients

    def vjp(self, cotangents: Sequence[Array]) -> dict[str, Array]:
        """Scale the gradients by the cotangent of the one number."""
        (cotangent,) = cotangents
        scale = cotangent.item()
        return {name: gradient if scale == 1 else scale * gradient for name, gradient in self.gradients.items()}


def as_tuple(values: Any) -> tuple[Any, ...]:
    """Return `values` as a tuple of outputs. Raises TypeError for none at all."""
    outputs = tuple(values) if isinstance(values, tuple | list) else (values,)
    if not outputs:
        raise TypeError("the function returned no value")
    return outputs


def as_output(value: Any) -> Array:
    """Return the array of one output. Raises TypeError for what isn't made of real numbers."""
    array = as_array(array_of(value))
    if array.dtype.kind not in "fiub":
        got = f"{array.dtype} numbers" if array.dtype.kind == "c" else type(value).__name__
        raise TypeError(f"the function returned {got}: a value is a Variable or an array of real numbers")
    return array
