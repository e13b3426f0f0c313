"""What PyTorch recorded on the way to a tensor: in which types it computes, and where it can't go back again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gradcheck_cli.bridges.torch_code.tensors import Tensor, torch_module

_MOST_NODES = 10_000


def epsilon_of(outputs: Iterable[Tensor | None]) -> float:
    """Return the machine epsilon of the coarsest type on the way to `outputs`, as far as it is recorded."""
    tensors = [out for out in outputs if out is not None]
    recorded = (made.dtype for node in _nodes(tensors) for made in getattr(node, "_input_metadata", ()))
    return max((_epsilon(dtype) for dtype in (*(out.dtype for out in tensors), *recorded)), default=0.0)


def once_differentiable(outputs: Iterable[Tensor | None]) -> bool:
    """Tell whether a node on the way to `outputs` refuses to be differentiated (`once_differentiable`).

    Asked for a gradient of inputs that such a node hides, PyTorch would say that there is none.
    """
    return any(type(node).__name__ == "Error" for node in _nodes(outputs))


def _nodes(outputs: Iterable[Tensor | None]) -> Iterator[Any]:
    waiting = [out.grad_fn for out in outputs if out is not None and out.grad_fn is not None]
    seen: set[Any] = set(waiting)
    while waiting and len(seen) < _MOST_NODES:
        node = waiting.pop()
        yield node
        following = {parent for parent, _ in node.next_functions if parent is not None} - seen
        seen |= following
        waiting.extend(following)


def _epsilon(dtype: Any) -> float:
    return float(torch_module().finfo(dtype).eps) if dtype.is_floating_point else 0.0
