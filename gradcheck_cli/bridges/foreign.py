"""What all bridges share: foreign code with a forward and a backward becomes an `Operator`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import field
from typing import Any, Protocol

import numpy as np

from gradcheck_cli.bridges.gradients import Slots, gradients_by_slot
from gradcheck_cli.core.arguments import REQUIRED, Attribute, Binder, Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.definition import keep
from gradcheck_cli.core.operands import holds_variable
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.core.returned import WITHOUT_GRADIENT
from gradcheck_cli.errors import Location, OperatorError, Problem, Skipped
from gradcheck_cli.light_dataclass import dataclass

_MEMORY = "kept values"
"""The name under which a node keeps what the code remembers: no argument of Python code can be called that."""

_PLAIN = "plain arguments"
"""The name under which a node keeps what the forward left in arguments that are no arrays."""

_IMMUTABLE = (bool, int, float, complex, str, bytes, type(None), np.generic)


@dataclass(frozen=True, eq=False)
class Call:
    """One application of foreign code, as its backward sees it: cotangents, and what the forward had and made.

    `cotangents` has an array for each output, None for one that isn't floating. Operands that are no
    arrays, and attributes, are as the forward left them: it may have put something into a mapping.
    `memory` is what the forward returned beside its outputs.
    """

    cotangents: tuple[Any, ...]
    operands: tuple[Any, ...]
    outputs: tuple[Any, ...]
    attributes: Mapping[str, Any]
    memory: Any


class Foreign(Protocol):
    """Code with a forward and a backward, in terms that the engine can use."""

    def forward(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[tuple[Any, ...], Any]:
        """Return the outputs, and what the backward will need beside them."""

    def backward(self, call: Call) -> Any:
        """Return the gradients in the form in which the code returns them."""


@dataclass(frozen=True)
class Description:
    """What is known of foreign code beside how it is called.

    `places` are where forward and backward are written. `gradient_order` names inputs in the order in
    which the backward returns their gradients; empty for that of the arguments. `home` makes the
    modules that the code may still import importable. `hints` says more about a finding, by its name.
    `memory` is what findings call that which the code remembers: no argument or output has that name.
    """

    name: str
    inputs: tuple[Input, ...]
    attributes: tuple[Attribute, ...]
    outputs: tuple[str, ...]
    places: tuple[Location, Location]
    doc: str = ""
    gradient_order: tuple[str, ...] = ()
    own: Mapping[str, Array] = field(default_factory=dict)
    label: str = ""
    partial: bool = False
    home: Callable[[], AbstractContextManager[None]] = nullcontext
    hints: Mapping[str, str] = field(default_factory=dict)
    memory: str = _MEMORY


def operator_of(foreign: Foreign, described: Description) -> Operator:
    """Build the record of an operator that is computed by `foreign`.

    Its forward raises `Skipped` where the foreign one returns None or raises NotImplementedError: it
    isn't written yet.
    """
    forward_place, backward_place = described.places
    inputs, attributes, outputs = described.inputs, described.attributes, described.outputs
    cotangents = _cotangent_names(inputs, attributes, outputs)

    binder = Binder(described.name, inputs, attributes, described.own)
    names = Slots(described.name, inputs, (), backward_place).name

    def forward(*operands: Any, **given: Any) -> Any:
        operands, given = _bound(binder, operands, given)
        _refuse_hidden_variables(described.name, inputs, operands)
        # Plain values may be mutable, as a mapping of settings that the code keeps running means in.
        ready = [value if isinstance(value, np.ndarray) else _copied(value) for value in operands]
        own = {each.name: each.default for each in attributes if each.default is not REQUIRED}
        # A default stays itself: what the code hides in a mutable one, it finds there in every call.
        changed = {name: _copied(value) for name, value in given.items() if value is not own.get(name)}
        settings = own | changed
        try:
            made, memory = _at_home(described, lambda: foreign.forward(ready, settings))
        except NotImplementedError as error:
            raise not_written(described.name, forward_place) from error
        if any(output is None for output in made):
            raise not_written(described.name, forward_place)
        plain = {names(slot): value for slot, value in enumerate(ready) if not isinstance(value, np.ndarray)}
        still = getattr(memory, "without_gradient", ())
        return keep(*made, **{described.memory: memory, _PLAIN: plain | settings, WITHOUT_GRADIENT: still})

    def backward(*asked: Any) -> Any:
        values = list(asked)
        g = tuple(values.pop(0) for _ in cotangents)
        operands = [part for item in inputs for part in _operands(item, values.pop(0))]
        made = tuple(values.pop(0) for _ in outputs)
        memory, plain = values
        operands = [plain.get(names(slot), operand) for slot, operand in enumerate(operands)]
        settings = {each.name: plain[each.name] for each in attributes if each.name in plain}
        call = Call(g, tuple(operands), made, settings, memory)
        try:
            returned = _at_home(described, lambda: foreign.backward(call))
        except NotImplementedError as error:
            raise not_written(described.name, backward_place, "backward") from error
        if _is_nothing(returned):
            raise not_written(described.name, backward_place, "backward")
        slots = Slots(described.name, inputs, tuple(operands), backward_place)
        return gradients_by_slot(returned, slots, described.gradient_order)

    asks = (*cotangents, *(item.name for item in inputs), *outputs, described.memory, _PLAIN)
    differentiable = tuple(item.name for item in inputs if item.domain.differentiable)
    rule = Rule(
        backward,
        differentiable,
        asks,
        backward_place.file,
        backward_place.line,
        lenient=True,
        partial=described.partial,
    )
    return Operator(
        described.name,
        forward,
        inputs,
        attributes,
        outputs,
        (rule,) if differentiable else (),
        described.doc,
        forward_place.file,
        forward_place.line,
        own=described.own,
        label=described.label,
        hints=described.hints,
        bridged="alone",
    )


def not_written(name: str, where: Location, what: str = "forward") -> Skipped:
    """Say that a function has no body yet, as a course hands it out."""
    return Skipped(Problem(f"not written yet: the {what} of {name} returns nothing", where, "not-written"))


def _is_nothing(returned: Any) -> bool:
    """Tell whether a backward returned None, or nothing else than None."""
    parts = list(returned.values()) if isinstance(returned, Mapping) else returned
    return returned is None or (isinstance(parts, tuple | list) and bool(parts) and all(r is None for r in parts))


def _at_home(described: Description, call: Callable[[], Any]) -> Any:
    """Call code again where its own modules can be imported, if it needs one of them only now."""
    try:
        return call()
    except ImportError:
        with described.home():
            return call()


def _bound(binder: Binder, operands: tuple[Any, ...], given: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Sort the arguments of a direct call; one that records has sorted them already."""
    named = set(given) - {each.name for each in binder.attributes}
    if named or (len(operands) < len(binder.inputs) and not binder.variadic):
        return binder.bind(operands, given)
    return operands, given


def _refuse_hidden_variables(name: str, inputs: Sequence[Input], operands: Sequence[Any]) -> None:
    """Raise OperatorError for Variables inside a list or a mapping: their gradients would be lost."""
    for slot, operand in enumerate(operands):
        inside = operand.values() if isinstance(operand, Mapping) else operand
        if (
            not isinstance(operand, np.ndarray)
            and isinstance(operand, Mapping | list | tuple)
            and holds_variable(inside)
        ):
            item = inputs[min(slot, len(inputs) - 1)]
            message = (
                f"{name} got Variables inside a {type(operand).__name__} as '{item.name}': no gradient flows there"
            )
            hint = "give every array as an argument of its own, through a function that puts them together"
            raise OperatorError(Problem(message, None, "wrong-argument", hint))


def _copied(value: Any) -> Any:
    """Copy a plain value with all that is in it; what can't be copied (a module, a lock) stays itself."""
    if isinstance(value, _IMMUTABLE):
        return value
    try:
        return deepcopy(value)
    except Exception:
        return value


def _operands(item: Input, value: Any) -> Sequence[Any]:
    return value if item.variadic else (value,)


def _cotangent_names(
    inputs: Sequence[Input], attributes: Sequence[Attribute], outputs: Sequence[str]
) -> tuple[str, ...]:
    """Name the cotangents: `g` where no argument has that name."""
    taken = {item.name for item in inputs} | {attribute.name for attribute in attributes}
    return ("g",) if len(outputs) == 1 and "g" not in taken else tuple(f"g_{output}" for output in outputs)
