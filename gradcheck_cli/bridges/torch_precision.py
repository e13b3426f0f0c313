"""In which floating types PyTorch code computes, whatever types it takes and returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradcheck_cli.bridges.tensors import Tensor, torch_module

_MOST_NODES = 10_000


def epsilon_of(outputs: Iterable[Tensor | None]) -> float:
    """Return the machine epsilon of the coarsest type on the way to `outputs`, as far as it is recorded."""
    tensors = [out for out in outputs if out is not None]
    coarsest = max((_epsilon(out.dtype) for out in tensors), default=0.0)
    waiting = [out.grad_fn for out in tensors if out.grad_fn is not None]
    seen: set[Any] = set(waiting)
    while waiting and len(seen) < _MOST_NODES:
        node = waiting.pop()
        for made in getattr(node, "_input_metadata", ()):
            coarsest = max(coarsest, _epsilon(made.dtype))
        following = {parent for parent, _ in node.next_functions if parent is not None} - seen
        seen |= following
        waiting.extend(following)
    return coarsest


def _epsilon(dtype: Any) -> float:
    return float(torch_module().finfo(dtype).eps) if dtype.is_floating_point else 0.0
