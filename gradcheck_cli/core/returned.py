"""What an operator returned, held to the contract: outputs of a forward, gradients of a backward."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation, OperatorError, Problem

if TYPE_CHECKING:
    from gradcheck_cli.core.node import Node
    from gradcheck_cli.core.operator import Operator, Rule

Shape = tuple[int, ...]

REAL = "fiub"
"""Kinds of dtypes that hold real numbers: floating, integer, unsigned, boolean."""


WITHOUT_GRADIENT = "outputs without a gradient"
"""The name under which a forward keeps the positions of floating outputs that it declares to have no gradient."""

MISSING = object()
"""Stands for a gradient that foreign code left out, where it returned fewer than there are inputs."""


class Kept:
    """What a forward returned through `keep`: its outputs, and values for the backward."""

    __slots__ = ("outputs", "values")

    def __init__(self, outputs: tuple[Any, ...], values: dict[str, Any]) -> None:
        self.outputs = outputs
        self.values = values


def read_outputs(operator: Operator, returned: Any) -> tuple[tuple[Array, ...], dict[str, Any]]:
    """Return the outputs of a forward as arrays, and its kept values.

    Raises OperatorError for another number of outputs than declared, and for what is no array of
    real numbers.
    """
    if type(returned) is np.ndarray and len(operator.outputs) == 1 and returned.dtype.kind in REAL:
        return (returned,), {}
    kept: dict[str, Any] = {}
    if isinstance(returned, Kept):
        returned, kept = returned.outputs, returned.values
    elif not isinstance(returned, tuple):
        returned = (returned,)
    if len(returned) != len(operator.outputs):
        raise _wrong_count(operator, len(returned))
    outputs = tuple(map(real_array, returned))
    for value, array in zip(returned, outputs, strict=True):
        if array is None:
            got = str(value.dtype) if isinstance(value, np.ndarray) else type(value).__name__
            message = f"{operator.name} returned {got}: outputs are arrays of real numbers"
            hint = "the forward has no return statement" if value is None else ""
            raise OperatorError(Problem(message, operator.location, "output-type", hint))
    return outputs, kept  # type: ignore[return-value] # the loop leaves no None


def read_gradients(node: Node, rule: Rule, returned: Any) -> dict[int, Array]:
    """Return the gradients of a backward rule by input slot, in the dtypes of the inputs.

    Slots that need no gradient are left out, whatever was returned for them. Raises
    ContractViolation for a wrong number, None, a wrong shape or a wrong dtype.
    """
    slots = node.operator.slots_of(rule, len(node.parents))
    if not isinstance(returned, tuple | list):
        returned = (returned,)
    if len(returned) != len(slots):
        raise _wrong_gradient_count(node, rule, len(returned), slots)
    gradients: dict[int, Array] = {}
    for slot, value in zip(slots, returned, strict=True):
        if node.parents[slot] is None:
            continue
        gradient = value if type(value) is np.ndarray else real_array(value)
        if gradient is None or (gradient.shape, gradient.dtype) != node.inputs[slot]:
            gradient = _mended(node, rule, slot, value, gradient)
        gradients[slot] = gradient
    return gradients


def real_array(value: Any) -> Array | None:
    """Convert to an array of real numbers; None where that isn't possible."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):  # rows of different lengths, a Variable
        return None
    return array if array.dtype.kind in REAL else None


def _wrong_count(operator: Operator, got: int) -> OperatorError:
    message = f"{operator.name} declares {_counted(len(operator.outputs), 'output')} and returned {got}"
    hint = 'name several outputs in the decorator: outputs="loss probs"' if got > 1 else ""
    return OperatorError(Problem(message, operator.location, "output-count", hint))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _wrong_gradient_count(node: Node, rule: Rule, got: int, slots: tuple[int, ...]) -> ContractViolation:
    operator = node.operator
    names = ", ".join(map(operator.slot_name, slots))
    message = f"its backward returned {_counted(got, 'gradient')} for {_counted(len(slots), 'input')} ({names})"
    without = [
        f"{item.name} ({'nondiff' if item.domain.nondiff else item.domain.kind})"
        for item in operator.inputs
        if not item.domain.differentiable
    ]
    hint = "return one gradient per input, in order"
    if without and got == len(node.parents):
        hint += f"; {', '.join(without)} is declared to have none"
    return ContractViolation("gradient-count", message, operator.name, rule.location, hint)


def _mended(node: Node, rule: Rule, slot: int, value: Any, gradient: Array | None) -> Array:
    """Convert a gradient of a wider floating type; raise ContractViolation for any other difference."""
    operator, name = node.operator, node.operator.slot_name(slot)
    layout = node.inputs[slot]
    assert layout is not None, name
    shape, dtype = layout
    if value is None or value is MISSING:
        message = f"its backward returned {'None' if value is None else 'no gradient'} for {name}"
        own = operator.input_at(slot).name
        declared = f"domain: {{{own}: {{nondiff: true}}}}" if rule.lenient else f"@op({own}=arr(nondiff=True))"
        hint = f"return zeros, or declare that it has no gradient: {declared}"
        raise ContractViolation("gradient-count", message, operator.name, rule.location, hint)
    if gradient is None:
        got = str(value.dtype) if isinstance(value, np.ndarray) else type(value).__name__
        message = f"the gradient of {name} is no array of real numbers but {got}"
        raise ContractViolation("gradient-dtype", message, operator.name, rule.location)
    if gradient.shape != shape:
        message = f"the gradient of {name} has shape {gradient.shape}, {name} has {shape}"
        hint = shape_hint(name, gradient.shape, shape)
        raise ContractViolation("gradient-shape", message, operator.name, rule.location, hint)
    # What is given promotes, and loses nothing when it is converted back: an input of a wider type, or integers beside
    # float32. Wider than that means that the operator itself leaves the type (mask * float32).
    wider = gradient.dtype.kind == "f" and gradient.dtype.itemsize >= dtype.itemsize
    if not wider or not (operator.trusted or gradient.dtype.itemsize <= _promoted(node).itemsize):
        message = f"the gradient of {name} has dtype {gradient.dtype}, {name} has {dtype}"
        hint = f"convert before it is returned: gradient.astype({name}.dtype)"
        raise ContractViolation("gradient-dtype", message, operator.name, rule.location, hint)
    return gradient.astype(dtype)


def _promoted(node: Node) -> np.dtype[Any]:
    """Return the type in which NumPy computes with the inputs of a call."""
    return np.result_type(*(layout[1] for layout in node.inputs if layout and layout[1].kind in REAL))


def shape_hint(name: str, got: Shape, wanted: Shape) -> str:
    """Name the missing sum or transpose that would turn a gradient of shape `got` into `wanted`."""
    if len(got) == len(wanted) and sorted(got) == sorted(wanted):
        moved = [axis for axis, (a, b) in enumerate(zip(got, wanted, strict=True)) if a != b]
        if got == wanted[::-1]:
            return "the gradient is transposed: return its .T"
        return f"the gradient is transposed: its axes {' and '.join(map(str, moved))} are in another order"
    axes = _axes_to_sum(got, wanted)
    if axes:
        where = f"axis {axes[0]}" if len(axes) == 1 else f"axes {', '.join(map(str, axes))}"
        helper = f": unbroadcast(gradient, {name}.shape)" if _broadcasts(wanted, got) else ""
        return f"a sum over {where} is missing{helper}"
    if np.prod(got, dtype=int) == np.prod(wanted, dtype=int):
        return f"same number of elements: reshape it to {wanted}"
    if _broadcasts(got, wanted):
        return f"it is summed too far: np.broadcast_to(gradient, {name}.shape)"
    return "a gradient has the shape of its input"


def _axes_to_sum(got: Shape, wanted: Shape) -> tuple[int, ...]:
    """Find the axes of `got` over which a sum gives `wanted`: those of a broadcast, else any."""
    added = len(got) - len(wanted)
    if added < 0:
        return ()
    if _broadcasts(wanted, got):
        stretched = [added + axis for axis, size in enumerate(wanted) if size != got[added + axis]]
        return (*range(added), *stretched)
    for axes in combinations(range(len(got)), added):
        if tuple(size for axis, size in enumerate(got) if axis not in axes) == wanted:
            return axes
    return ()


def _broadcasts(shape: Shape, to: Shape) -> bool:
    """Tell whether an array of `shape` broadcasts to the shape `to`."""
    added = len(to) - len(shape)
    return added >= 0 and all(a in (1, b) for a, b in zip(shape, to[added:], strict=True))
