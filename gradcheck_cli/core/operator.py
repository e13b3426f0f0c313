"""Operators as records: a named forward with its backward rules, whatever they were made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcheck_cli.core import execution
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.execution import Kept
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.variable import Variable, is_recording
from gradcheck_cli.errors import Location, OperatorError, Problem, near

REQUIRED = object()
"""The default of an attribute that has none."""


@dataclass(frozen=True, eq=False)
class Input:
    """An array argument. A variadic one (`*xs`) stands for any number of arrays."""

    name: str
    domain: Domain = field(default_factory=Domain)
    optional: bool = False
    variadic: bool = False


@dataclass(frozen=True, eq=False)
class Attribute:
    """A keyword-only argument that is no array; `values` are those to try when it is sampled."""

    name: str
    default: Any = REQUIRED
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class Rule:
    """A backward function: the inputs that it serves, and the names that it asks for, in order."""

    function: Callable[..., Any]
    inputs: tuple[str, ...]
    asks: tuple[str, ...]
    file: str
    line: int


@dataclass(frozen=True, eq=False)
class Operator:
    """A named forward with its backward.

    `forward` takes the arrays by position and the attributes by name, and returns one array, a
    tuple of them, or `keep(...)`. `sampler` takes a NumPy Generator and returns arguments.
    """

    name: str
    forward: Callable[..., Any]
    inputs: tuple[Input, ...]
    attributes: tuple[Attribute, ...] = ()
    outputs: tuple[str, ...] = ("out",)
    rules: tuple[Rule, ...] = ()
    doc: str = ""
    file: str = ""
    line: int = 0
    sampler: Callable[[np.random.Generator], Any] | None = None

    @property
    def signature(self) -> str:
        """The call as a person writes it: `leaky_relu(x, *, slope=0.01)`."""
        parts = [("*" if i.variadic else "") + i.name + ("=None" if i.optional else "") for i in self.inputs]
        if self.attributes and not any(i.variadic for i in self.inputs):
            parts.append("*")
        parts += [a.name if a.default is REQUIRED else f"{a.name}={a.default!r}" for a in self.attributes]
        return f"{self.name}({', '.join(parts)})"

    def input_at(self, slot: int) -> Input:
        """Return the declaration of the array at position `slot`."""
        return self.inputs[min(slot, len(self.inputs) - 1)]

    def slot_name(self, slot: int) -> str:
        """Name the array at position `slot`: `x`, or `xs[2]` for a variadic input."""
        item = self.input_at(slot)
        return f"{item.name}[{slot - len(self.inputs) + 1}]" if item.variadic else item.name

    def slots_of(self, rule: Rule, count: int) -> list[int]:
        """List the positions, of `count` arrays, whose gradients `rule` returns."""
        return [
            slot
            for slot in range(count)
            if (item := self.input_at(slot)).domain.differentiable and item.name in rule.inputs
        ]

    def cotangent_output(self, name: str) -> int | None:
        """Return which output's cotangent `name` stands for, None if it is no cotangent."""
        if name == "g":
            return 0
        if name.startswith("g_") and name[2:] in self.outputs:
            return self.outputs.index(name[2:])
        return None

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Sort the arguments of a call into arrays (by position) and attributes (by name).

        Positional arguments fill the arrays, then the attributes in order. Raises OperatorError
        for a missing, repeated or unknown argument.
        """
        arrays: list[Any] = list(args)
        attributes = dict(kwargs)
        variadic = bool(self.inputs) and self.inputs[-1].variadic
        if not variadic:
            arrays, rest = arrays[: len(self.inputs)], arrays[len(self.inputs) :]
            if len(rest) > len(self.attributes):
                raise self._misuse(f"takes {self._arity()}, got {len(args)}")
            for attribute, value in zip(self.attributes, rest, strict=False):
                if attribute.name in attributes:
                    raise self._misuse(f"got '{attribute.name}' twice")
                attributes[attribute.name] = value
        for item in self.inputs[len(arrays) :]:
            if item.variadic:
                break
            if item.name not in attributes and not item.optional:
                raise self._misuse(f"needs '{item.name}'")
            arrays.append(attributes.pop(item.name, None))
        if variadic and len(arrays) < len(self.inputs):
            raise self._misuse(f"needs at least one array for '*{self.inputs[-1].name}'")
        self._check_attributes(attributes)
        return tuple(arrays), attributes

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the operator: to arrays as the plain function, to Variables recording a node."""
        if not (any(isinstance(a, Variable) for a in args) or any(isinstance(v, Variable) for v in kwargs.values())):
            returned = self.forward(*args, **kwargs)
            if isinstance(returned, Kept):
                return returned.outputs if len(returned.outputs) > 1 else returned.outputs[0]
            return returned
        operands, attributes = self.bind(args, kwargs)
        return self.apply(operands, attributes)

    def apply(self, operands: Sequence[Any], attributes: dict[str, Any]) -> Any:
        """Apply the operator to bound operands (Variables, arrays, numbers, None) and record a node."""
        arrays = tuple(_array(operand) for operand in operands)
        outputs, kept = execution.current().forward(self, arrays, attributes)
        node = None
        if is_recording():
            parents = tuple(
                _parent(operand) if self.input_at(slot).domain.differentiable else None
                for slot, operand in enumerate(operands)
            )
            if any(parent is not None for parent in parents):
                rules = self._needed_rules(parents)
                saved = self._saved(rules, arrays, attributes, outputs, kept)
                node = Node(self, parents, rules, saved, arrays, outputs)
        made = tuple(
            Variable.from_node(data, node if data.dtype.kind == "f" else None, index)
            for index, data in enumerate(outputs)
        )
        return made if len(made) > 1 else made[0]

    def _needed_rules(self, parents: tuple[Any, ...]) -> tuple[Rule, ...]:
        needed = tuple(
            rule for rule in self.rules if any(parents[slot] is not None for slot in self.slots_of(rule, len(parents)))
        )
        served = {name for rule in needed for name in rule.inputs}
        for slot, parent in enumerate(parents):
            if parent is not None and self.input_at(slot).name not in served:
                where = Location(self.file, self.line)
                name = self.input_at(slot).name
                message = f"{self.name} has no backward for '{name}'"
                hint = f"write one with @{self.name}.backward, or declare {name}=arr(nondiff=True)"
                raise OperatorError(Problem(message, where, "no-backward", hint))
        return needed

    def _saved(
        self,
        rules: tuple[Rule, ...],
        arrays: tuple[Array | None, ...],
        attributes: dict[str, Any],
        outputs: tuple[Array, ...],
        kept: dict[str, Any],
    ) -> dict[str, Any]:
        asked = {name for rule in rules for name in rule.asks}
        saved: dict[str, Any] = {}
        for position, item in enumerate(self.inputs):
            if item.name in asked:
                saved[item.name] = arrays[position:] if item.variadic else arrays[position]
        for attribute in self.attributes:
            if attribute.name in asked:
                saved[attribute.name] = attributes.get(attribute.name, attribute.default)
        saved.update((name, value) for name, value in zip(self.outputs, outputs, strict=True) if name in asked)
        saved.update((name, value) for name, value in kept.items() if name in asked)
        missing = [name for name in asked if name not in saved and self.cotangent_output(name) is None]
        if missing:
            message = f"the forward of {self.name} kept no '{missing[0]}', which its backward asks for"
            hint = f"return keep(..., {missing[0]}={missing[0]}) on every path"
            raise OperatorError(Problem(message, Location(self.file, self.line), "unknown-name", hint))
        return saved

    def _check_attributes(self, attributes: dict[str, Any]) -> None:
        known = [attribute.name for attribute in self.attributes]
        for name in attributes:
            if name not in known:
                taken = " twice" if name in {item.name for item in self.inputs} else ""
                raise self._misuse(f"got '{name}'{taken}" if taken else f"has no argument '{name}'", near(name, known))
        for attribute in self.attributes:
            if attribute.default is REQUIRED and attribute.name not in attributes:
                raise self._misuse(f"needs '{attribute.name}'")

    def _arity(self) -> str:
        count = len(self.inputs) + len(self.attributes)
        return f"{count} argument{'s' * (count != 1)}"

    def _misuse(self, message: str, hint: str = "") -> OperatorError:
        return OperatorError(
            Problem(f"{self.name} {message}", None, "wrong-argument", hint or f"it is {self.signature}")
        )


def _array(operand: Any) -> Array | None:
    if isinstance(operand, Variable):
        return operand.data
    return None if operand is None else np.asarray(operand)


def _parent(operand: Any) -> tuple[Node, int] | Variable | None:
    if not isinstance(operand, Variable) or not operand.requires_grad:
        return None
    return operand if operand.creator is None else (operand.creator, operand.output_index)
