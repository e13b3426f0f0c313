"""Operators as records: a named forward with its backward rules, whatever they were made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy import ndarray

from gradcheck_cli.core import execution, recording
from gradcheck_cli.core.arguments import REQUIRED, Attribute, Binder, Input, signature
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.builtin import is_built_in
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.node_plan import NodePlan, make_plan
from gradcheck_cli.core.operands import as_arrays, holds_variable
from gradcheck_cli.core.returned import Kept
from gradcheck_cli.core.variable import Variable, from_node
from gradcheck_cli.errors import Location, OperatorError, Problem
from gradcheck_cli.light_dataclass import dataclass

if TYPE_CHECKING:
    from gradcheck_cli.core.batching import Batch, Linear
    from gradcheck_cli.core.jvp import Jvp

__all__ = ["REQUIRED", "Attribute", "Input", "Operator", "Rule"]


@dataclass(frozen=True, eq=False)
class Rule:
    """A backward function: the inputs that it serves, and the names that it asks for, in order.

    A lenient one may ask for the cotangent of an output that isn't floating, and gets None. A partial one
    names its gradients, and has none for the inputs that it leaves out.
    """

    kind: ClassVar[str] = "backward"

    function: Callable[..., Any]
    inputs: tuple[str, ...]
    asks: tuple[str, ...]
    file: str
    line: int
    lenient: bool = field(default=False, kw_only=True)
    partial: bool = field(default=False, kw_only=True)

    @property
    def location(self) -> Location:
        """Where the function is defined."""
        return Location(self.file, self.line)

    @cached_property
    def trusted(self) -> bool:
        """Whether it is one of ours, known not to write to what it is given."""
        return is_built_in(self.function)


@dataclass(frozen=True, eq=False)
class Operator:
    """A named forward with its backward.

    `forward` takes the arrays by position and the attributes by name, and returns one array, a tuple of them,
    or `keep(...)`. `sampler` takes a NumPy Generator and returns arguments. `own` holds the values of inputs
    that a call may leave out, a layer's weights. `label` says on which device and in which dtype it computes,
    where that isn't plain float64: "cuda float32"; `elsewhere` holds the same operator on other devices.
    `bridged` says that it was made of foreign code, "alone" or as one of the "pairs" of a file. `dtype` is the
    floating type in which it computes, where that isn't its arrays'. A `kernel` is compared with this operator,
    its reference. `jvp` is the derivative in forward mode, if there is one. `batch` and `linear` say how many
    perturbations can go through at once. `hints` says more about a finding, by its name. `epsilon` returns the
    machine epsilon with which the last forward computed, where neither arrays nor `dtype` tell. `requires` is a package
    that it needs beside NumPy.
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
    own: Mapping[str, Array] = field(default_factory=dict)
    label: str = ""
    elsewhere: tuple[Operator, ...] = ()
    bridged: str = ""
    dtype: str = ""
    kernel: Operator | None = None
    hints: Mapping[str, str] = field(default_factory=dict)
    jvp: Jvp | None = None
    epsilon: Callable[[], float] | None = None
    batch: Batch | None = None
    linear: Linear | None = None
    requires: str = ""

    @property
    def signature(self) -> str:
        """The call as a person writes it: `leaky_relu(x, *, slope=0.01)`."""
        return signature(self.name, self.inputs, self.attributes)

    @property
    def location(self) -> Location:
        """Where the forward is defined."""
        return Location(self.file, self.line)

    @cached_property
    def trusted(self) -> bool:
        """Whether the forward is one of ours, known not to write to what it is given."""
        return is_built_in(self.forward)

    @cached_property
    def simple(self) -> bool:
        """Whether it is trusted and has one output, as nearly all of ours."""
        return self.trusted and len(self.outputs) == 1

    def input_at(self, slot: int) -> Input:
        """Return the declaration of the array at position `slot`."""
        return self.inputs[min(slot, len(self.inputs) - 1)]

    def slot_name(self, slot: int) -> str:
        """Name the array at position `slot`: `x`, or `xs[2]` for a variadic input."""
        item = self.input_at(slot)
        return f"{item.name}[{slot - len(self.inputs) + 1}]" if item.variadic else item.name

    def slots_of(self, rule: Rule, count: int) -> tuple[int, ...]:
        """List the positions, of `count` arrays, whose gradients `rule` returns, in its order."""
        key = (rule, count)
        if key not in self._slots:
            self._slots[key] = tuple(
                slot
                for name in rule.inputs
                for slot in range(count)
                if self.input_at(slot).name == name and self.input_at(slot).domain.differentiable
            )
        return self._slots[key]

    def cotangent_output(self, name: str) -> int | None:
        """Return which output's cotangent `name` stands for, None if it is no cotangent."""
        if name in self._arguments:  # code that isn't ours may call a weight g
            return None
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
        return self._binder.bind(args, kwargs)

    def check_given(self, slot: int, array: Any) -> None:
        """Raise OperatorError for None in place of an array that isn't optional."""
        self._binder.check_given(slot, array)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the operator: to arrays as the plain function, to Variables recording a node."""
        complete = not kwargs and len(args) == self.complete
        if complete and isinstance(args[0], Variable):
            return self.apply(args, {})
        if not (holds_variable(args) or (kwargs and holds_variable(kwargs.values()))):
            return self._plain(args, kwargs)
        return self.apply(args, {}) if complete else self.apply(*self.bind(args, kwargs))

    def apply(self, operands: Sequence[Any], attributes: dict[str, Any]) -> Any:
        """Apply the operator to bound operands (Variables, arrays, numbers, None) and record a node.

        Returns a Variable per output. Raises OperatorError for an attribute that is a Variable,
        and what `Execution.forward` raises.
        """
        if attributes and holds_variable(attributes.values()):
            raise self._variable_as_attribute(attributes)
        # One loop and few calls: this runs once per node, and costs as much as a small array's arithmetic.
        arrays: list[Any] = []
        parents: list[tuple[Node, int] | Variable | None] = []
        flags = 1  # a bit for each operand: whether it needs a gradient
        plain = True
        needed = False
        for operand in operands:
            if isinstance(operand, Variable):
                array = operand._data
                if operand.requires_grad:
                    creator = operand.creator
                    parents.append(operand if creator is None else (creator, operand.output_index))
                    flags += flags + 1
                    needed = True
                else:
                    parents.append(None)
                    flags += flags
            else:
                array = operand
                parents.append(None)
                flags += flags
            arrays.append(array)
            if type(array) is not ndarray:
                plain = False
        if not plain:
            arrays = as_arrays(self, arrays)
        run = execution.in_use
        outputs, kept = run.forward(self, arrays, attributes)
        node = None
        if needed and recording.on:
            plan = self._plans.get(flags) or self._plan(flags, parents)
            if plan.rules and (outputs[0].dtype.kind == "f" or any(data.dtype.kind == "f" for data in outputs)):
                node = Node(plan, parents, arrays, attributes, outputs, kept)
                if self.jvp is not None or self.kernel is not None or run.attentive:
                    run.recorded(node, arrays, attributes, outputs, kept)
        if len(outputs) == 1:
            return from_node(outputs[0], node, 0)
        return tuple(
            from_node(data, node if data.dtype.kind == "f" else None, index) for index, data in enumerate(outputs)
        )

    @cached_property
    def _arguments(self) -> frozenset[str]:
        return frozenset([*(item.name for item in self.inputs), *(each.name for each in self.attributes)])

    @cached_property
    def _variadic(self) -> bool:
        return any(item.variadic for item in self.inputs)

    @cached_property
    def complete(self) -> int:
        """How many positional arguments are all arrays, with nothing left to sort; -1 where that isn't enough."""
        required = any(attribute.default is REQUIRED for attribute in self.attributes)
        return -1 if self._variadic or required or not self.inputs else len(self.inputs)

    @cached_property
    def _binder(self) -> Binder:
        return Binder(self.name, self.inputs, self.attributes, self.own)

    @cached_property
    def _slots(self) -> dict[tuple[Rule, int], tuple[int, ...]]:
        return {}

    @cached_property
    def _plans(self) -> dict[int, NodePlan]:
        return {}

    def _plain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the forward on arrays; sort arguments that the plain function wouldn't take."""
        variadic = self._variadic
        if (
            self.own
            or (variadic and any(isinstance(a, list | tuple | str) for a in args))
            or (not variadic and len(args) > len(self.inputs))
        ):
            args, kwargs = self.bind(args, kwargs)
        returned = self.forward(*args, **kwargs)
        if isinstance(returned, Kept):
            return returned.outputs if len(returned.outputs) > 1 else returned.outputs[0]
        return returned

    def _plan(self, flags: int, parents: Sequence[Any]) -> NodePlan:
        plan = self._plans[flags] = make_plan(self, tuple(parent is not None for parent in parents))
        return plan

    def _variable_as_attribute(self, attributes: dict[str, Any]) -> OperatorError:
        name = next(name for name, value in attributes.items() if holds_variable([value]))
        message = f"{self.name} got a Variable as '{name}', which is an attribute: no gradient flows through it"
        return OperatorError(Problem(message, None, "wrong-argument", f"give a plain value: {name}.item() or .data"))
