"""Calls of PyTorch code on tensors, differentiated by PyTorch's own backward, and watched for what it writes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.bridges.foreign import Call, Description
from gradcheck_cli.bridges.gradients import Slots
from gradcheck_cli.bridges.torch_code.tensor_operands import Given, Run
from gradcheck_cli.bridges.torch_code.tensor_outputs import output_values
from gradcheck_cli.bridges.torch_code.tensors import (
    Placement,
    Tensor,
    computing_in,
    laid_out,
    strides_of,
    to_array,
    torch_module,
)
from gradcheck_cli.bridges.torch_code.torch_errors import explaining
from gradcheck_cli.bridges.torch_code.torch_graph import epsilon_of
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import current
from gradcheck_cli.core.generators import Generators
from gradcheck_cli.core.recording import is_recording
from gradcheck_cli.errors import ContractViolation, Location, MissingDevice, OperatorError, Problem

TensorFunction: TypeAlias = Callable[[Sequence[Any], Mapping[str, Any]], Any]
"""Takes operands (tensors, and plain values as they are) and attributes, and returns what the code returns."""


class Autograd:
    """Foreign code on tensors: its backward is the one that PyTorch has for it.

    `may_write` names inputs that the code declares to change. `marks` says that outputs without a gradient
    are marked so, as a Function's are, rather than detached somewhere.
    """

    def __init__(
        self,
        described: Description,
        function: TensorFunction,
        placement: Placement,
        may_write: frozenset[str] = frozenset(),
        marks: bool = False,
    ) -> None:
        self.described = described
        self.function = function
        self.placement = placement
        self.may_write = may_write
        self.marks = marks
        self._last: Run | None = None

    def epsilon(self) -> float:
        """Return the machine epsilon of the coarsest type in which the last recorded forward computed."""
        return epsilon_of(self._last.outputs) if self._last else 0.0

    def forward(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[tuple[Any, ...], Any]:
        """Call the code; PyTorch records it if the engine does."""
        run, made = self.run(operands, attributes, is_recording())
        return tuple(made), run

    def run(self, operands: Sequence[Any], attributes: Mapping[str, Any], record: bool) -> tuple[Run, list[Any]]:
        """Call the code once; return the run, and each output as an array (None for one that is None).

        Raises MissingDevice, ContractViolation for a write that PyTorch doesn't know of, OperatorError
        for outputs that are none.
        """
        self.require_device()
        torch = torch_module()
        given = [self._given(slot, value, record) for slot, value in enumerate(operands)]
        generators = Generators() if record else None
        with explaining(self.described), torch.set_grad_enabled(record), computing_in(self.computing(operands)):
            returned = self.function([each.value for each in given], attributes)
        tensors = output_values(returned, self.described)
        if record:
            self._require_unwritten(given, tensors)
        made = [self._array(value) for value in tensors]
        run = Run(given, [value if torch.is_tensor(value) else None for value in tensors], generators)
        if record:
            self._last = run
            if self.marks:
                run.leave_out()
        return run, made

    def backward(self, call: Call) -> Any:
        """Return the gradients by the name of the input, zeros where PyTorch has none: that is what it means."""
        run: Run = call.memory
        cotangents = [self.cotangent(*pair) for pair in zip(call.cotangents, run.outputs, strict=True)]
        sent = [pair for pair in zip(run.outputs, cotangents, strict=True) if pair[1].value is not None]
        # Nobody used an output whose cotangent is zero: then PyTorch sends none.
        used = [pair for pair in sent if pair[1].value.any()] or sent
        gradients = self.gradients(used, run.targets, call.operands)
        self.require_same(cotangents, "its cotangent")
        self.require_unchanged(run.given)
        return self.by_name(run.given, call.operands, gradients)

    def cotangent(self, g: Any, output: Tensor | None, leaf: bool = False) -> Given:
        """Return a cotangent in the type of its output, laid out as it is; a `leaf` gets a gradient itself.

        It has no value where PyTorch doesn't differentiate the output.
        """
        if g is None or output is None or not output.requires_grad:
            return Given(None)
        source = Placement(str(output.device)).like(g, output.dtype)
        source.requires_grad_(leaf)
        with torch_module().set_grad_enabled(leaf):
            return Given(laid_out(source, strides_of(g)), source if leaf else None, watched=True)

    def gradients(
        self, sent: Sequence[tuple[Tensor, Given]], targets: Sequence[Tensor], operands: Sequence[Any], **options: Any
    ) -> list[Tensor | None]:
        """Go back from outputs with their cotangents to `targets`. Raises ContractViolation for wrong gradients."""
        torch = torch_module()
        if not sent or not targets:
            return [None] * len(targets)
        outputs, cotangents = zip(*sent, strict=True)
        with explaining(self.described, operands), computing_in(self.computing(operands)):
            found = torch.autograd.grad(
                outputs, targets, [each.value for each in cotangents], allow_unused=True, retain_graph=True, **options
            )
        return list(found)

    def by_name(
        self, given: Sequence[Given], operands: Sequence[Any], gradients: Sequence[Tensor | None]
    ) -> dict[str, Array]:
        """Return gradients of the operands that have one as arrays of their types, by the name of the input."""
        names = self._slots(operands)
        waiting = list(gradients)
        found: dict[str, Array] = {}
        for slot, (each, like) in enumerate(zip(given, operands, strict=True)):
            gradient = waiting.pop(0) if each.leaf is not None else None
            if gradient is not None:
                array = to_array(gradient)
                found[names.name(slot)] = array if array.dtype == like.dtype else array.astype(like.dtype)
            elif isinstance(like, np.ndarray) and like.dtype.kind == "f":
                found[names.name(slot)] = np.zeros(like.shape, like.dtype)
        return found

    def require_device(self) -> None:
        """Raise MissingDevice if this machine lacks the device."""
        why = self.placement.missing()
        if why:
            raise MissingDevice(self.placement.device, why)

    def require_same(self, given: Sequence[Given], what: str) -> None:
        """Hold the backward to leaving tensors as they are. Raises ContractViolation, unless the check accepts it."""
        written = [each.written() for each in given]  # all of them, so that each is told once
        if any(written):
            hint = "work on a copy, g.clone(): other consumers of the same value read it, too"
            self._violated(f"its backward writes to {what}", self.described.places[1], hint)

    def require_unchanged(self, given: Sequence[Given]) -> None:
        """Hold the backward to leaving the operands as they are. Raises ContractViolation, unless it is accepted."""
        for slot, each in enumerate(given):
            if each.written():
                name = self._slots(given).name(slot)
                message = f"its backward writes to {name}"
                self._violated(message, self.described.places[1], f"work on a copy: {name} is read by others, too")

    def computing(self, operands: Sequence[Any]) -> Any:
        """Return the torch dtype in which the operands compute together."""
        return self.placement.floating(
            *(value.dtype for value in operands if isinstance(value, np.ndarray) and value.dtype.kind == "f")
        )

    def source(self, slot: int, array: Array) -> Tensor:
        """Return the numbers of an operand as a contiguous tensor, which has the gradient if there is one."""
        del slot  # for classes that know more of each operand
        return self.placement.tensor(array)

    def shaped(self, slot: int, array: Array, source: Tensor) -> Tensor:
        """Return what the code gets: a copy of `source` with the layout of the operand."""
        del slot
        return laid_out(source, strides_of(array))

    def _given(self, slot: int, value: Any, record: bool) -> Given:
        if not isinstance(value, np.ndarray):
            return Given(value)
        item = self._slots(()).input_at(slot)
        tracked = record and value.dtype.kind == "f" and item.domain.differentiable
        source = self.source(slot, value).requires_grad_(tracked)
        with torch_module().set_grad_enabled(tracked):
            return Given(self.shaped(slot, value, source), source if tracked else None, watched=record)

    def _array(self, value: Any) -> Any:
        """Return an output as an array. Raises OperatorError for complex numbers."""
        if value is None or isinstance(value, np.ndarray):
            return value
        if value.is_complex():
            message = f"{self.described.name} returned {value.dtype}: outputs are arrays of real numbers"
            hint = "return torch.view_as_real(...) of it, or its .real"
            raise OperatorError(Problem(message, self.described.places[0], "output-type", hint))
        return to_array(value)

    def _require_unwritten(self, given: Sequence[Given], outputs: Sequence[Any]) -> None:
        for slot, each in enumerate(given):
            name = self._slots(given).name(slot)
            if each.written() and name not in self.may_write and not each.declared(outputs):
                hint = f"work on a copy, {name}.clone(), or declare it in a Function: ctx.mark_dirty({name})"
                self._violated(f"its forward writes to {name}", self.described.places[0], hint)

    def _violated(self, message: str, where: Location, hint: str) -> None:
        current().violated(ContractViolation("input-modified", message, self.described.name, where, hint))

    def _slots(self, operands: Sequence[Any]) -> Slots:
        return Slots(self.described.name, self.described.inputs, tuple(operands), self.described.places[1])
