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
    # What arrived so far at each output of a node that still waits for some of its consumers.
    cotangents: dict[Node, list[Array | None]] = {}
    gradients: dict[Variable, Array] = {}

    def arrive(origin: tuple[Node, int] | Variable, gradient: Array) -> None:
        if isinstance(origin, tuple):
            node, index = origin
            slots = cotangents.get(node)
            if slots is None:
                slots = cotangents[node] = [None] * len(node.outputs)
            before = slots[index]
            # asarray, since NumPy's sum of two arrays without axes is a bare number.
            slots[index] = gradient if before is None else np.asarray(before + gradient)
        elif origin in gradients:
            gradients[origin] = np.asarray(gradients[origin] + gradient)
        else:
            # A copy, since a backward may return its cotangent or an array that it keeps.
            gradients[origin] = np.array(gradient)

    for root, cotangent in roots:
        if root.requires_grad:
            arrive(root.origin, cotangent)

    waiting = _count_consumers(list(cotangents))
    ready = [node for node in cotangents if waiting[node] == 0]
    run = execution.current().backward
    while ready:
        node = ready.pop()
        flowing = run(node, cotangents.pop(node))
        for parent, gradient in zip(node.parents, flowing, strict=True):
            if parent is None:
                continue
            assert gradient is not None, f"{node} gave no gradient for an input that needs one"
            arrive(parent, gradient)
            if isinstance(parent, tuple):
                producer = parent[0]
                waiting[producer] -= 1
                if waiting[producer] == 0:
                    ready.append(producer)
    return gradients


def _count_consumers(starts: list[Node]) -> dict[Node, int]:
    """Count, for each node reachable from `starts`, the edges that lead to it."""
    waiting = dict.fromkeys(starts, 0)
    stack = list(starts)
    while stack:
        for parent in stack.pop().parents:
            if isinstance(parent, tuple):
                producer = parent[0]
                if producer in waiting:
                    waiting[producer] += 1
                else:
                    waiting[producer] = 1
                    stack.append(producer)
    return waiting
