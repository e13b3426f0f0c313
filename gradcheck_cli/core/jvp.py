"""Forward mode: the rule that pushes tangents from the inputs of an operator to its outputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from gradcheck_cli.core import execution
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.node_plan import SHAPE, shape_at
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.core.returned import real_array, shape_hint
from gradcheck_cli.core.rule_call import adapted
from gradcheck_cli.core.source import Source
from gradcheck_cli.errors import ContractViolation, Location, OperatorError, Problem, near
from gradcheck_cli.light_dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Jvp(Rule):
    """A function from tangents to tangents; `tangents` maps the names by which it asks for one to inputs.

    It may return NotImplemented where there is no derivative in forward mode.
    """

    kind: ClassVar[str] = "jvp"

    tangents: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Application:
    """One application of an operator, with everything that its jvp may ask for."""

    node: Node
    arrays: Sequence[Array | None]
    attributes: Mapping[str, Any]
    outputs: tuple[Array, ...]
    kept: Mapping[str, Any]

    @property
    def operator(self) -> Operator:
        """The operator that was applied."""
        return self.node.operator

    def push(self, tangents: Mapping[int, Array]) -> tuple[Array | None, ...] | None:
        """Return the tangent of every output, None for one that isn't floating; None if there is no forward mode.

        `tangents` are those of the inputs that move, by position; the others get zeros. Raises
        OperatorError when the jvp raises, ContractViolation for another number of tangents than there
        are floating outputs, and for a wrong shape or dtype.
        """
        rule = self.operator.jvp
        assert rule is not None, self.operator.name
        moving = [tangents.get(slot, self._still(slot)) for slot in range(len(self.arrays))]
        values = [self._asked(rule, name, moving) for name in rule.asks]
        returned = execution.current().called(self.node, rule, values)
        return None if returned is NotImplemented else _read_tangents(self, rule, returned)

    def _asked(self, rule: Jvp, name: str, moving: Sequence[Array | None]) -> Any:
        """Return a tangent, input, attribute, output or kept value."""
        operator = self.operator
        for slot, item in enumerate(operator.inputs):
            where = slice(slot, None) if item.variadic else slot
            if name in rule.tangents and rule.tangents[name] == item.name:
                return tuple(moving[where]) if isinstance(where, slice) else moving[where]
            if name not in rule.tangents and name == item.name:
                return tuple(self.arrays[where]) if isinstance(where, slice) else self.arrays[where]
        for attribute in operator.attributes:
            if attribute.name == name:
                return self.attributes.get(name, attribute.default)
        if name in operator.outputs:
            return self.outputs[operator.outputs.index(name)]
        if name in self.kept:
            return self.kept[name]
        for slot, item in enumerate(operator.inputs):
            if name == f"{item.name}{SHAPE}":
                return shape_at(self.node.inputs, slice(slot, None) if item.variadic else slot)
        message = f"the forward of {operator.name} kept no '{name}', which its jvp asks for"
        hint = f"return keep(..., {name}={name}) on every path"
        raise OperatorError(Problem(message, operator.location, "unknown-name", hint))

    def _still(self, slot: int) -> Array | None:
        """Return the tangent of an input that doesn't move; None where there is no array."""
        array = self.arrays[slot]
        if not isinstance(array, np.ndarray):
            return None
        return np.zeros(array.shape, array.dtype if array.dtype.kind == "f" else np.float64)


def _read_tangents(application: Application, rule: Jvp, returned: Any) -> tuple[Array | None, ...]:
    """Hold what a jvp returned to the layout of the outputs."""
    operator = application.operator
    floating = [index for index, out in enumerate(application.outputs) if out.dtype.kind == "f"]
    if not isinstance(returned, tuple | list):
        returned = (returned,)
    if len(returned) != len(floating):
        names = ", ".join(operator.outputs[index] for index in floating)
        got = f"{len(returned)} tangent{'s' * (len(returned) != 1)}"
        message = f"its jvp returned {got} for {len(floating)} output{'s' * (len(floating) != 1)} ({names})"
        hint = "return one tangent per floating-point output, in order"
        raise ContractViolation("gradient-count", message, operator.name, rule.location, hint)
    tangents: list[Array | None] = [None] * len(application.outputs)
    for index, value in zip(floating, returned, strict=True):
        tangents[index] = _read_tangent(application, rule, index, value)
    return tuple(tangents)


def _read_tangent(application: Application, rule: Jvp, index: int, value: Any) -> Array:
    """Return one tangent in the dtype of its output, to which a wider floating type is converted."""
    out, name = application.outputs[index], application.operator.outputs[index]
    tangent = real_array(value)
    finding, hint = "", ""
    if value is None:
        finding, message = "gradient-count", f"its jvp returned None for {name}"
        hint = f"return zeros: np.zeros_like({name})"
    elif tangent is None:
        got = str(value.dtype) if isinstance(value, np.ndarray) else type(value).__name__
        finding, message = "gradient-dtype", f"the tangent of {name} is no array of real numbers but {got}"
    elif tangent.shape != out.shape:
        finding, message = "gradient-shape", f"the tangent of {name} has shape {tangent.shape}, {name} has {out.shape}"
        hint = shape_hint(name, tangent.shape, out.shape) if tangent.ndim == out.ndim else "it has that of its output"
    elif tangent.dtype.kind != "f" or tangent.dtype.itemsize < out.dtype.itemsize:
        finding, message = "gradient-dtype", f"the tangent of {name} has dtype {tangent.dtype}, {name} has {out.dtype}"
        hint = f"convert before it is returned: tangent.astype({name}.dtype)"
    if finding:
        raise ContractViolation(finding, message, application.operator.name, rule.location, hint)
    assert tangent is not None
    return tangent.astype(out.dtype)


class Say(Protocol):
    """Notes a problem with the declaration of an operator."""

    def __call__(
        self, message: str, at: Location | None = ..., hint: str = ..., code: str = ..., source: Source | None = ...
    ) -> None:
        """Note it at a place, by default at the `def` of `source`."""


class JvpReader:
    """Reads the jvp of an operator, and says everything that is wrong with it.

    `others` are the attributes, outputs and kept values that it may ask for beside inputs and tangents;
    if they are not `complete`, any other name may be that of a kept value.
    """

    def __init__(self, name: str, inputs: Sequence[Input], others: Sequence[str], complete: bool, say: Say) -> None:
        self.name = name
        self.inputs = inputs
        self.values = [*(item.name for item in inputs), *others]
        self.complete = complete
        self.say = say
        self.moving = [item.name for item in inputs if item.domain.differentiable]
        self.names = self._tangent_names()

    def _tangent_names(self) -> dict[str, str]:
        """Return the names that tangents are asked for by: what has such a name itself keeps it."""
        names = {f"t_{name}": name for name in self.moving}
        if len(self.moving) == 1:
            names = {"t": self.moving[0], **names}
        return {name: moving for name, moving in names.items() if name not in self.values}

    def read(self, jvps: Sequence[Callable[..., Any]]) -> Jvp | None:
        """Return the rule, None if there is none."""
        for function in jvps[1:]:
            self.say("has two jvp rules", hint="keep one @jvp", source=Source(function))
        return self._read(jvps[0]) if jvps else None

    def _read(self, function: Callable[..., Any]) -> Jvp:
        source = Source(function)
        parameters = inspect.signature(function).parameters
        if not self.moving:
            self.say("has a jvp, but no input with a gradient", source=source)
        for name, parameter in parameters.items():
            self._check_parameter(name, parameter, source)
        asked = {name: self.names[name] for name in parameters if name in self.names}
        for moving in self.moving:
            if moving not in asked.values():
                self._say_missing(moving, source)
        return Jvp(adapted(function), tuple(asked.values()), tuple(parameters), source.file, source.line, asked)

    def _say_missing(self, moving: str, source: Source) -> None:
        forms = [name for name, of in self.names.items() if of == moving]
        if forms:
            first = {of: name for name, of in reversed(self.names.items())}
            hint = f"def _({', '.join(first[of] for of in self.moving if of in first)}, ...)"
            self.say(f"its jvp doesn't take the tangent of '{moving}', {' or '.join(forms)}", hint=hint, source=source)
        else:
            message = f"its jvp can't ask for the tangent of '{moving}': 't_{moving}' is something else here"
            self.say(message, hint=f"rename 't_{moving}'", source=source)

    def _check_parameter(self, name: str, parameter: inspect.Parameter, source: Source) -> None:
        """Say what a jvp asks for and no application has."""
        at = source.of_parameter(name)
        of = self.names.get(name, name)
        spreads = parameter.kind is parameter.VAR_POSITIONAL and any(i.variadic and i.name == of for i in self.inputs)
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) and not spreads:
            message = f"its jvp takes {parameter}: it asks for values by name"
            self.say(message, at, "name each value that it needs", source=source)
        elif name not in self.names and name not in self.values and (self.complete or self._is_known_wrong(name)):
            hint = self._hint(name)
            self.say(f"its jvp asks for '{name}', which isn't there", at, hint, "unknown-name", source=source)

    def _is_known_wrong(self, name: str) -> bool:
        return name in ("g", "t") or name.startswith(("g_", "t_"))

    def _hint(self, name: str) -> str:
        tangents = ", ".join(self.names)
        if name == "g" or name.startswith("g_"):
            return f"the cotangent belongs to the backward; a jvp gets tangents: {tangents}"
        if name == "t" and len(self.moving) > 1:
            return f"there is a tangent for each input: {tangents}"
        if name.startswith("t_") and name[2:] in self.values:
            return f"'{name[2:]}' has no tangent; there are: {tangents}"
        known = [*self.names, *self.values]
        return near(name, known) or f"there are: {', '.join(known)}; other values come from keep(..., {name}={name})"
