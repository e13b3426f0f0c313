"""Which gradient belongs to which input, whatever the form in which foreign code returns them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.returned import MISSING, real_array
from gradcheck_cli.errors import ContractViolation, Location, OperatorError, Problem, near
from gradcheck_cli.light_dataclass import dataclass

_FORMS = ("d{}", "d_{}", "g{}", "g_{}", "grad_{}", "{}_grad", "grad{}", "{}.grad", "gradient_{}", "{}_gradient")
"""The names under which code returns the gradient of an input, beside that of the input itself."""

_OF_VALUE = re.compile(r"d[A-Za-z]{1,8}_(?=d)|d[A-Z](?=d)")
"""What stands before a gradient that is named after the value, too: dJ_dw, dL_dw, dLdw."""

SKIPPED = "_"
"""Stands, in the order of the returned gradients, for something that is no gradient."""


@dataclass(frozen=True, eq=False)
class Slots:
    """The operands of one application, by position, and what is declared of them."""

    operator: str
    inputs: tuple[Input, ...]
    operands: tuple[Any, ...]
    backward: Location

    def input_at(self, slot: int) -> Input:
        """Return the declaration of the operand at position `slot`."""
        return self.inputs[min(slot, len(self.inputs) - 1)]

    def name(self, slot: int) -> str:
        """Name the operand at position `slot`."""
        item = self.input_at(slot)
        return f"{item.name}[{slot - len(self.inputs) + 1}]" if item.variadic else item.name

    def named(self, name: str) -> list[int]:
        """The positions that belong to the input `name`."""
        return [slot for slot in range(len(self.operands)) if self.input_at(slot).name == name]

    @property
    def differentiable(self) -> list[int]:
        """The positions that have a gradient as far as the declarations say."""
        return [slot for slot in range(len(self.operands)) if self.input_at(slot).domain.differentiable]

    @property
    def arrays(self) -> list[int]:
        """The positions that hold arrays."""
        return [slot for slot, operand in enumerate(self.operands) if isinstance(operand, np.ndarray)]

    @property
    def floating(self) -> list[int]:
        """The positions that hold arrays of floating-point numbers and are not declared to have no gradient."""
        return [slot for slot in self.arrays if self.operands[slot].dtype.kind == "f" and slot in self.differentiable]


def forms_of(name: str) -> frozenset[str]:
    """Return the names that the gradient of `name` goes by: dx, grad_x, x_grad."""
    return frozenset(form.format(name) for form in _FORMS)


def of_gradient(gradient: str, names: Iterable[str]) -> str | None:
    """Return the one of `names` whose gradient goes by the name `gradient`; None if there isn't exactly one."""
    known = list(names)
    for written in dict.fromkeys((gradient, _OF_VALUE.sub("", gradient, count=1))):
        matches = [name for name in known if written in forms_of(name)]
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def gradients_by_slot(returned: Any, slots: Slots, order: Sequence[str] = ()) -> tuple[Any, ...]:
    """Return one entry per differentiable input: its gradient, `MISSING` where the code returned none.

    A mapping is read by name. A tuple or list holds the gradients of the inputs that `order` names (`_`
    for what is none), or of the arguments in order: of the floating-point arrays, of all arrays, or of
    all arguments, by its length. A shorter one belongs to the first. A list of plain numbers may be the
    gradient of the only array. Raises ContractViolation for more than there are.
    """
    if isinstance(returned, Mapping):
        found = _by_name(returned, slots)
    else:
        several = isinstance(returned, tuple | list) and not _is_one_gradient(returned, slots)
        found = _by_position(list(returned) if several else [returned], slots, order)
    return tuple(found.get(slot, MISSING) for slot in slots.differentiable)


def require_one_number(value: Any, name: str, where: Location) -> Any:
    """Return the value of a loss, whole numbers as floating ones. Raises OperatorError if it isn't one number."""
    array = real_array(value)
    if array is None or array.dtype.kind == "b" or array.size != 1:
        got = type(value).__name__ if array is None or array.dtype.kind == "b" else f"an array of shape {array.shape}"
        message = f"{name} returned {got}: a value with gradients of its own is one number"
        raise OperatorError(Problem(message, where, "no-number"))
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def scaled(gradients: Any, g: Array) -> Any:
    """Multiply gradients, in the form in which code returned them, by the cotangent of its one number."""
    scale = g.item()
    if isinstance(gradients, Mapping):
        return {name: scaled(gradient, g) for name, gradient in gradients.items()}
    if isinstance(gradients, tuple | list):
        parts = [scaled(gradient, g) for gradient in gradients]
        return parts if isinstance(gradients, list) else tuple(parts)
    numbers = isinstance(gradients, np.ndarray | np.generic | int | float) and np.asarray(gradients).dtype.kind in "fiu"
    return scale * gradients if numbers else gradients


def _is_one_gradient(returned: Sequence[Any], slots: Slots) -> bool:
    """Tell whether a list of numbers is the gradient of the only floating-point array."""
    floating = slots.floating
    if not isinstance(returned, list) or len(floating) != 1 or not slots.operands[floating[0]].shape:
        return False
    return not any(isinstance(part, np.ndarray) for part in returned) and _shape(returned) == _shape(
        slots.operands[floating[0]]
    )


def _shape(value: Any) -> tuple[int, ...] | None:
    try:
        return tuple(np.shape(value))
    except ValueError:  # rows of different lengths
        return None


def _by_name(returned: Mapping[Any, Any], slots: Slots) -> dict[int, Any]:
    names = {slots.name(slot): slot for slot in range(len(slots.operands))}
    # A mapping of weights is an argument that isn't differentiated, and neither are those in it.
    beside = [str(key) for operand in slots.operands if isinstance(operand, Mapping) for key in operand]
    found: dict[int, Any] = {}
    for key, gradient in returned.items():
        name = str(key) if str(key) in names else of_gradient(str(key), names)
        if name is None and (str(key) in beside or of_gradient(str(key), dict.fromkeys(beside))):
            continue
        if name is None:
            message = f"its backward returned a gradient for '{key}', which is no argument"
            hint = near(str(key), names) or f"there are: {', '.join(names)}"
            raise ContractViolation("gradient-count", message, slots.operator, slots.backward, hint)
        if names[name] in found:
            message = f"its backward returned two gradients for {name}"
            raise ContractViolation("gradient-count", message, slots.operator, slots.backward)
        found[names[name]] = gradient
    return found


def _by_position(returned: list[Any], slots: Slots, order: Sequence[str]) -> dict[int, Any]:
    while len(returned) > max(len(slots.operands), len(order)) and returned[-1] is None:
        returned = returned[:-1]  # None for an attribute
    chosen: list[int | None]
    if order:
        chosen = [slot for name in order for slot in ([None] if name == SKIPPED else slots.named(name))]
    else:
        everyone = list(range(len(slots.operands)))
        lengths = [slots.floating, slots.differentiable, slots.arrays, everyone]
        chosen = list(next((group for group in lengths if len(group) == len(returned)), slots.floating))
    if len(returned) > len(chosen) or (order and len(returned) < len(chosen)):
        names = ", ".join(SKIPPED if slot is None else slots.name(slot) for slot in chosen)
        many = f"{len(returned)} gradient{'s' * (len(returned) != 1)}"
        message = f"its backward returned {many} for {len(chosen)} input{'s' * (len(chosen) != 1)} ({names})"
        hint = "return one gradient per array, in order"
        raise ContractViolation("gradient-count", message, slots.operator, slots.backward, hint)
    return {slot: gradient for slot, gradient in zip(chosen, returned, strict=False) if slot is not None}
