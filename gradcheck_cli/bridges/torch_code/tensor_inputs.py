"""A function of given tensors: those with a gradient become inputs, in their own types, devices and layouts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gradcheck_cli.bridges.foreign import Description, operator_of
from gradcheck_cli.bridges.torch_code.autograd import Autograd
from gradcheck_cli.bridges.torch_code.tensor_outputs import flat
from gradcheck_cli.bridges.torch_code.tensors import Placement, Tensor, laid_out, same_bits, to_array, torch_module
from gradcheck_cli.bridges.torch_code.torch_jvp import jvp_of
from gradcheck_cli.bridges.torch_code.torch_names import Identity
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import current
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import ContractViolation


class TensorInputs(Autograd):
    """A function called with `arguments`, of which the tensors with a gradient are its inputs.

    Complex numbers are pairs of real ones, in a last axis: inputs and outputs. Outputs that the function has
    no gradient for are left out where others have one.
    """

    def __init__(self, identity: Identity, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
        torch = torch_module()
        self.arguments = arguments
        self.moving = [slot for slot, each in enumerate(arguments) if torch.is_tensor(each) and each.requires_grad]
        self._code = function
        kept = self._kept()
        outputs = ("out",) if len(kept) == 1 else tuple(f"out{position + 1}" for position in kept)
        names = identity.argument_names(len(arguments))
        inputs = tuple(Input(names[slot]) for slot in self.moving)
        described = Description(identity.name, inputs, (), outputs, identity.places)
        super().__init__(described, lambda operands, _: self._call(operands, kept), Placement())

    def arrays(self) -> dict[str, Array]:
        """Return the inputs as arrays by name."""
        items = zip(self.described.inputs, self.moving, strict=True)
        return {item.name: to_array(as_real(self.arguments[slot].detach())).copy() for item, slot in items}

    def operator(self, forward_mode: bool = False) -> Operator:
        """Return the operator of this code, with its derivative in forward mode if that is asked for."""
        jvp = jvp_of(self, self.described.places[1]) if forward_mode else None
        return replace(operator_of(self, self.described), jvp=jvp, epsilon=self.epsilon)

    def source(self, slot: int, array: Array) -> Tensor:
        """Return the numbers of an input in its own type, on its own device."""
        like = self.arguments[self.moving[slot]]
        return Placement(str(like.device)).like(array, as_real(like.detach()).dtype)

    def shaped(self, slot: int, array: Array, source: Tensor) -> Tensor:
        """Return a copy in the layout of the tensor that was given."""
        del array
        like = self.arguments[self.moving[slot]]
        return torch_module().view_as_complex(source.clone()) if like.is_complex() else laid_out(source, like.stride())

    def _kept(self) -> list[int]:
        """Call the function once, and return the positions of the outputs that can be checked.

        Raises ValueError if there is no tensor among them.
        """
        torch = torch_module()
        with torch.enable_grad():
            returned = flat(self._code(*self._filled({slot: _copy(self.arguments[slot]) for slot in self.moving})))
        tensors = [position for position, each in enumerate(returned) if torch.is_tensor(each)]
        if not tensors:
            raise ValueError(f"{self._code!r} returned no tensor")
        inexact = [p for p in tensors if returned[p].is_floating_point() or returned[p].is_complex()]
        return [position for position in inexact if returned[position].requires_grad] or inexact or tensors

    def _filled(self, given: Mapping[int, Any]) -> list[Any]:
        return [given.get(slot, each) for slot, each in enumerate(self.arguments)]

    def _call(self, operands: Sequence[Tensor], kept: Sequence[int]) -> Any:
        torch = torch_module()
        others = [slot for slot, each in enumerate(self.arguments) if torch.is_tensor(each) and slot not in self.moving]
        fixed = {slot: self.arguments[slot].detach().clone() for slot in others}
        returned = flat(self._code(*self._filled({**dict(zip(self.moving, operands, strict=True)), **fixed})))
        for slot, given in fixed.items():
            if given.layout == torch.strided and not same_bits(self.arguments[slot].detach(), given):
                hint = "work on a copy: x.clone()"
                message = f"its forward writes to argument {slot}, which has no gradient"
                where = self.described.places[0]
                current().violated(ContractViolation("input-modified", message, self.described.name, where, hint))
        return tuple(as_real(each) if torch.is_tensor(each) else each for each in (returned[p] for p in kept))


def _copy(tensor: Tensor) -> Tensor:
    """Return a recorded copy in the same layout: no leaf, to which a function may not write."""
    leaf = tensor.detach().clone().requires_grad_()
    return leaf.clone() if tensor.is_complex() else laid_out(leaf, tensor.stride())


def as_real(tensor: Tensor) -> Tensor:
    """Return complex numbers as pairs of real ones in a last axis, others as they are."""
    return torch_module().view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor
