"""The backward sweep: every node once, after all of its consumers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from gradcheck_cli.core import execution
from gradcheck_cli.core.arrays import Array

if TYPE_CHECKING:
    from gradcheck_cli.core.node import Node
    from gradcheck_cli.core.variable import Variable


def sweep(roots: Iterable[tuple[Variable, Array]]) -> dict[Variable, Array]:
    """Return the gradient of every leaf that the roots were made from.

    `roots` are pairs of a value and its cotangent. Contributions are summed out of place; the
    arrays returned are the caller's own. Kahn's algorithm on the nodes, without recursion.
    Raises ContractViolation when an operator's backward breaks its contract.
    """
    cotangents: dict[Node, list[Array | None]] = {}
    gradients: dict[Variable, Array] = {}

    def arrive(parent: tuple[Node, int] | Variable, gradient: Array) -> None:
        if isinstance(parent, tuple):
            node, index = parent
            slots = cotangents.setdefault(node, [None] * len(node.output_shapes))
            before = slots[index]
            slots[index] = gradient if before is None else before + gradient
        else:
            # A copy, since a backward may return its cotangent or an array it keeps.
            gradients[parent] = gradients[parent] + gradient if parent in gradients else np.array(gradient)

    for root, cotangent in roots:
        if root.creator is not None:
            arrive((root.creator, root.output_index), cotangent)
        elif root.requires_grad:
            arrive(root, cotangent)

    waiting = _count_consumers(list(cotangents))
    ready = [node for node in cotangents if waiting[node] == 0]
    while ready:
        node = ready.pop()
        slots = cotangents.pop(node)
        if any(slot is not None for slot in slots):
            flowing = execution.current().backward(node, slots)
        else:
            flowing = (None,) * len(node.parents)
        for parent, gradient in zip(node.parents, flowing, strict=True):
            if parent is None:
                continue
            if gradient is not None:
                arrive(parent, gradient)
            if isinstance(parent, tuple):
                cotangents.setdefault(parent[0], [None] * len(parent[0].output_shapes))
                waiting[parent[0]] -= 1
                if waiting[parent[0]] == 0:
                    ready.append(parent[0])
    return gradients


def _count_consumers(starts: list[Node]) -> dict[Node, int]:
    """Count, for each node reachable from `starts`, the edges that lead to it."""
    waiting = dict.fromkeys(starts, 0)
    stack = list(starts)
    while stack:
        for parent in stack.pop().parents:
            if isinstance(parent, tuple):
                if parent[0] not in waiting:
                    waiting[parent[0]] = 0
                    stack.append(parent[0])
                waiting[parent[0]] += 1
    return waiting
