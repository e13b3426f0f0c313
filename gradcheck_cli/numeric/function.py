"""The function under check: what a case's expression and a Python function have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gradcheck_cli.core.arrays import Array, read_only
from gradcheck_cli.core.sweep import sweep
from gradcheck_cli.core.variable import Variable, no_grad, value_of

Values = Mapping[str, Array]


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

    `call` takes the parameters by name (Variables, or arrays when nothing is recorded) and returns
    one value or a tuple of values.
    """

    def __init__(self, call: Callable[[Mapping[str, Any]], Any]) -> None:
        self.call = call

    def record(self, values: Values) -> TracedRecording:
        """Evaluate with every parameter as a leaf Variable."""
        leaves = {name: Variable(array, name=name) for name, array in values.items()}
        return TracedRecording(leaves, as_tuple(self.call(leaves)))

    def outputs(self, values: Values) -> tuple[Array, ...]:
        """Evaluate with Variables that record nothing, so that operators are called the same way."""
        with no_grad():
            constants = {name: Variable(array, requires_grad=False) for name, array in values.items()}
            return tuple(np.asarray(value_of(value)) for value in as_tuple(self.call(constants)))


class TracedRecording:
    """A recorded evaluation of a `TracedFunction`."""

    def __init__(self, leaves: Mapping[str, Variable], values: tuple[Any, ...]) -> None:
        self.leaves = leaves
        self.values = values
        self.outputs: tuple[Array, ...] = tuple(np.asarray(value_of(value)) for value in values)

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

    `value_and_grad` takes the parameters by name and returns the value and the gradients by name;
    `value` returns the value alone.
    """

    def __init__(
        self,
        value: Callable[[Values], Any],
        value_and_grad: Callable[[Values], tuple[Any, Mapping[str, Array]]],
    ) -> None:
        self.value = value
        self.value_and_grad = value_and_grad

    def record(self, values: Values) -> PlainRecording:
        """Evaluate value and gradient on read-only arrays."""
        value, gradients = self.value_and_grad({name: read_only(array) for name, array in values.items()})
        return PlainRecording((np.asarray(value),), gradients)

    def outputs(self, values: Values) -> tuple[Array, ...]:
        """Evaluate the value on read-only arrays."""
        return (np.asarray(self.value({name: read_only(array) for name, array in values.items()})),)


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
    """Return `values` as a tuple of outputs."""
    return tuple(values) if isinstance(values, tuple | list) else (values,)
