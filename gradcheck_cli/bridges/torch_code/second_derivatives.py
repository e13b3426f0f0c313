"""Second derivatives of PyTorch code: its gradient as an operator of its own, differentiated by double backward."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcheck_cli.bridges.foreign import Call, Description, operator_of
from gradcheck_cli.bridges.torch_code.autograd import Autograd
from gradcheck_cli.bridges.torch_code.tensor_operands import Run
from gradcheck_cli.bridges.torch_code.tensors import Tensor, to_array
from gradcheck_cli.bridges.torch_code.torch_graph import once_differentiable
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.draw import sample_arguments
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.recording import is_recording
from gradcheck_cli.errors import OperatorError, Problem


def gradient_operator(first: Autograd, operator: Operator, model: Operator) -> Operator:
    """Return the operator `<name>_grad(*inputs, g)`: the gradients of `operator` as functions of inputs and cotangent.

    It has an output `d_x` for each input x, empty for one without a gradient, and takes a g for each output.
    Its arguments are drawn as those of `model`, which may be a reference that computes elsewhere.
    Raises OperatorError for code that takes any number of arrays.
    """
    described = first.described
    if any(item.variadic for item in described.inputs):
        message = f"gradgrad can't be used for {operator.name}, which takes any number of arrays"
        hint = "wrap it in a function that names them"
        raise OperatorError(Problem(message, operator.location, "no-gradgrad", hint))
    taken = {item.name for item in described.inputs} | {each.name for each in described.attributes}
    cotangents = [Input(name) for name in _cotangent_names(described.outputs, taken)]
    # The operator's own arrays come last, so that the cotangents can be given by position.
    called = [item for item in described.inputs if item.name not in described.own]
    own = [item for item in described.inputs if item.name in described.own]
    order = [*called, *cotangents, *own]
    backward = described.places[1]
    second = Description(
        f"{described.name}_grad",
        tuple(order),
        described.attributes,
        tuple(f"d_{item.name}" for item in described.inputs if item.domain.differentiable),
        (backward, backward),
        f"The gradient of {described.name}, from its inputs and the cotangent.",
        own=described.own,
        label=described.label,
        home=described.home,
    )
    slots = [order.index(item) for item in (*described.inputs, *cotangents)]
    made = operator_of(_SecondDerivative(first, second, slots), second)
    sampler = _sampler(model, [item.name for item in cotangents])
    return replace(made, sampler=sampler, dtype=operator.dtype, epsilon=operator.epsilon)


class _SecondDerivative:
    """The gradient of code as foreign code itself; `slots` has the operands' positions of its inputs and cotangents."""

    def __init__(self, first: Autograd, described: Description, slots: Sequence[int]) -> None:
        self.first = first
        self.second = Autograd(described, first.function, first.placement)
        self.slots = slots

    def forward(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[tuple[Any, ...], Any]:
        """Go forward and back, and record how if the engine does."""
        first, record = self.first, is_recording()
        count = len(first.described.inputs)
        ordered = [operands[slot] for slot in self.slots]
        run, _ = first.run(ordered[:count], attributes, record=True)
        cotangents = [first.cotangent(*pair, leaf=record) for pair in zip(ordered[count:], run.outputs, strict=True)]
        sent = [pair for pair in zip(run.outputs, cotangents, strict=True) if pair[1].value is not None]
        found = first.gradients(sent, run.targets, ordered[:count], create_graph=record)
        if record and once_differentiable(found):
            raise RuntimeError("it is marked with @once_differentiable, so there is no second derivative to check")
        first.require_same(cotangents, "its cotangent")
        first.require_unchanged(run.given)
        gradients = [found.pop(0) if each.leaf is not None else None for each in run.given]
        by_slot = dict(zip(self.slots, [*run.given, *cotangents], strict=True))
        outputs = [
            (gradient, value)
            for item, gradient, value in zip(first.described.inputs, gradients, ordered, strict=False)
            if item.domain.differentiable
        ]
        memory = Run([by_slot[slot] for slot in range(len(operands))], [gradient for gradient, _ in outputs])
        return tuple(_array(*pair) for pair in outputs), memory

    def backward(self, call: Call) -> Any:
        """Go back through the backward."""
        return self.second.backward(call)


def _array(gradient: Tensor | None, value: Any) -> Array:
    """Return a gradient as an array: zeros where PyTorch has none, empty where the operand has none."""
    if gradient is not None:
        return to_array(gradient)
    floating = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return np.zeros_like(value) if floating else np.zeros(0, dtype=np.int64)


def _cotangent_names(outputs: Sequence[str], taken: set[str]) -> list[str]:
    names = ["g"] if len(outputs) == 1 else [f"g_{output}" for output in outputs]
    return [name if name not in taken else f"{name}_out" for name in names]


def _sampler(operator: Operator, cotangents: Sequence[str]) -> Callable[[np.random.Generator], dict[str, Any]]:
    """Return a function that draws arguments: those of `operator`, and cotangents like its outputs."""

    def sample(rng: np.random.Generator) -> dict[str, Any]:
        arrays, attributes = sample_arguments(operator, rng)
        named = {item.name: array for item, array in zip(operator.inputs, arrays, strict=False)} | dict(operator.own)
        outputs = operator(**named, **attributes)
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        drawn = [np.asarray(rng.standard_normal(np.shape(out))) for out in several]
        return named | attributes | dict(zip(cotangents, drawn, strict=True))

    return sample
