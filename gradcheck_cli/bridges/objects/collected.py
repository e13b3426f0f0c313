"""Gradients from wherever a method puts them: what it returned, and what it left on its object."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from gradcheck_cli.bridges.gradients import Slots, gradients_by_slot
from gradcheck_cli.bridges.objects.paths import NoSuchPath, value_at
from gradcheck_cli.bridges.objects.weights import FORMS, Gradients
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.returned import MISSING


@dataclass(frozen=True, eq=False)
class Collector:
    """Sorts the gradients of one backward by the name of their input.

    `data` are the forward's arguments that are inputs, of all its `parameters`; `sets` names the
    attributes that the backward sets.
    """

    data: tuple[Input, ...]
    parameters: Sequence[inspect.Parameter]
    weights: tuple[Input, ...]
    gradients: Gradients
    sets: Collection[str]

    def collect(self, instance: Any, returned: Any, data: Sequence[Any], weights: Sequence[Any]) -> Any:
        """Return the gradients by name; None where the backward returned none and left none.

        `data` and `weights` are the operands. Raises ContractViolation for more gradients than there are
        inputs, OperatorError for a weight whose gradient is in none of the usual places.
        """
        left = self.gradients.found(instance)
        found = self._left_for_data(instance) if returned is None else self._returned(returned, data, weights, left)
        found = left | found if self.gradients.said is None else found | left
        if returned is None and not found and not self.sets:
            return None
        missing = [item.name for item in self.weights if item.name not in found]
        return found | {name: self.gradients.of(instance, name) for name in missing}

    def _returned(
        self, returned: Any, data: Sequence[Any], weights: Sequence[Any], left: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Sort what a backward returned: gradients of the arguments, of arguments and weights, or of the weights."""
        operator, where = self.gradients.operator, self.gradients.where
        own = Slots(operator, self.data, tuple(data), where)
        # A variadic argument comes last in a declaration.
        fixed = len([item for item in self.data if not item.variadic])
        inputs = (*self.data[:fixed], *self.weights, *self.data[fixed:])
        everyone = Slots(operator, inputs, (*data[:fixed], *weights, *data[fixed:]), where)
        if isinstance(returned, Mapping):
            return _named(returned, everyone)
        if isinstance(returned, tuple | list):
            returned = self._without_attributes(returned)
            if self.weights and len(returned) == 2 and isinstance(returned[1], Mapping | tuple | list):
                return self._of_weights(returned[1]) | _named(returned[0], own)
            if self.weights and len(own.floating) < len(returned) == len(own.floating) + len(weights):
                return _named(returned, everyone)
        elif not own.floating and len(self.weights) == 1 and not left:
            return {self.weights[0].name: returned}
        return _named(returned, own)

    def _of_weights(self, returned: Any) -> dict[str, Any]:
        """Read the gradients of the weights from a mapping or sequence of their own."""
        inside = Gradients(self.gradients.operator, self.gradients.paths, "grads", self.gradients.where)
        return inside.found(SimpleNamespace(grads=returned))

    def _without_attributes(self, returned: Sequence[Any]) -> Sequence[Any]:
        """Drop None for the attributes from gradients of all arguments, as autograd functions return them."""
        inputs = {item.name for item in self.data}
        if len(returned) != len(self.parameters) or any(item.variadic for item in self.data):
            return returned
        pairs = list(zip(self.parameters, returned, strict=True))
        if any(gradient is not None for parameter, gradient in pairs if parameter.name not in inputs):
            return returned
        return tuple(gradient for parameter, gradient in pairs if parameter.name in inputs)

    def _left_for_data(self, instance: Any) -> dict[str, Any]:
        """Return the gradients of the forward's arguments that a backward left on the object: `self.dinputs`."""
        found: dict[str, Any] = {}
        said = self.gradients.said if isinstance(self.gradients.said, Mapping) else {}
        for item in self.data:
            usual = [form.format(item.name) for form in FORMS if form.format(item.name) in self.sets]
            for place in [said[item.name]] if item.name in said else usual:
                gradient = _value_or_none(instance, place)
                if gradient is not None:
                    found.setdefault(item.name, gradient)
        return found


def _named(returned: Any, slots: Slots) -> dict[str, Any]:
    by_slot = gradients_by_slot(returned, slots)
    pairs = zip(map(slots.name, slots.differentiable), by_slot, strict=True)
    return {name: gradient for name, gradient in pairs if gradient is not MISSING}


def _value_or_none(instance: Any, path: str) -> Any:
    try:
        return value_at(instance, path)
    except NoSuchPath:
        return None
