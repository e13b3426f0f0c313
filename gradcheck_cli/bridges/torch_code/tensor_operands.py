"""What PyTorch code was given and what it returned, watched for writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcheck_cli.bridges.torch_code.tensors import Tensor, same_bits
from gradcheck_cli.core.generators import Generators


class Given:
    """One operand as the code gets it: `value` is a tensor, or a plain value as it is.

    `leaf` is where its gradient arrives if it has one, and `value` a recorded copy of it, since code may
    write to a tensor where PyTorch knows of it, but never to a leaf.
    """

    __slots__ = ("before", "leaf", "origin", "value")

    def __init__(self, value: Any, leaf: Tensor | None = None, watched: bool = False) -> None:
        self.value = value
        self.leaf = leaf
        self.origin = None if leaf is None else value.grad_fn
        self.before = value.detach().clone() if watched else None

    @property
    def target(self) -> Tensor:
        """The tensor whose gradient is asked for: the one that the code got, if that is still the same and real."""
        leaf: Tensor = self.leaf
        return self.value if self.value.grad_fn is self.origin and self.value.dtype == leaf.dtype else leaf

    def written(self) -> bool:
        """Tell whether the numbers changed since the last look, and look again from here on."""
        if self.before is None or same_bits(self.before, self.value):
            return False
        self.before = self.value.detach().clone()
        return True

    def declared(self, outputs: Sequence[Any]) -> bool:
        """Tell whether PyTorch knows of a write: it was recorded, or the tensor itself is returned (`mark_dirty`)."""
        recorded = self.leaf is not None and self.value.grad_fn is not self.origin
        return recorded or any(output is self.value for output in outputs)


class Run:
    """One forward: what was given, and what came out (None for an output that is no tensor).

    `generators` is the state of the random generators before it. `without_gradient` are the positions of
    floating outputs that are declared to have none.
    """

    # No attributes that could be looked into: what PyTorch recorded is not to be copied.
    __slots__ = ("generators", "given", "outputs", "without_gradient")

    def __init__(
        self, given: Sequence[Given], outputs: Sequence[Tensor | None], generators: Generators | None = None
    ) -> None:
        self.given = given
        self.outputs = outputs
        self.generators = generators
        self.without_gradient: tuple[int, ...] = ()

    @property
    def targets(self) -> list[Tensor]:
        """The tensors whose gradients are asked for."""
        return [each.target for each in self.given if each.leaf is not None]

    def leave_out(self) -> None:
        """Take outputs that PyTorch doesn't differentiate for declared ones, where it differentiates others."""
        floating = {at: out for at, out in enumerate(self.outputs) if out is not None and out.is_floating_point()}
        still = tuple(at for at, out in floating.items() if not out.requires_grad)
        self.without_gradient = still if len(still) < len(floating) else ()
