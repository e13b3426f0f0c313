"""Compiled expressions: a flat list of steps over numbered slots, run many times for one check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.core import execution
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.checkpoint import recomputed
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.variable import Variable, array_of, value_of
from gradcheck_cli.errors import Location, OperatorError, Problem
from gradcheck_cli.light_dataclass import dataclass

Registers: TypeAlias = list[Any]


@dataclass(frozen=True)
class Slot:
    """Stands in an index for the array that the slot will hold."""

    number: int


@dataclass(frozen=True, eq=False)
class Recipe:
    """How a constant is made in the case's floating type: `make(dtype, *numbers in slots)`.

    It is an array unless it is `plain`: a value for an argument that takes more than arrays.
    """

    slot: int
    make: Callable[..., Any]
    operands: tuple[int, ...] = ()
    plain: bool = False


@dataclass(frozen=True, eq=False)
class Apply:
    """Apply `operator` to the values in `operands`; `key` is an index with arrays in it."""

    operator: Operator
    operands: tuple[int, ...]
    attributes: dict[str, Any]
    outputs: tuple[int, ...]
    position: tuple[int, int]
    key: Any = None

    @property
    def reads(self) -> set[int]:
        """The slots that this step needs."""
        parts = self.key if isinstance(self.key, tuple) else (self.key,)
        return {*self.operands, *(part.number for part in parts if isinstance(part, Slot))}

    def run(self, registers: Registers, recording: bool) -> None:
        """Put the outputs into their slots; `recording` says that values are Variables."""
        operands = [registers[slot] for slot in self.operands]
        attributes = self.attributes
        if self.key is not None:
            attributes = {**attributes, "key": _filled(self.key, registers)}
        if recording:
            made = self.operator.apply(operands, attributes)
            outputs = made if isinstance(made, tuple) else (made,)
        else:
            outputs, _ = execution.current().forward(self.operator, operands, attributes)
        for slot, output in zip(self.outputs, outputs, strict=True):
            registers[slot] = output


@dataclass(frozen=True, eq=False)
class Compare:
    """Apply a NumPy comparison or logical function: a constant, with no gradient."""

    function: np.ufunc
    symbol: str
    operands: tuple[int, ...]
    outputs: tuple[int, ...]
    position: tuple[int, int]
    logical: bool = False

    @property
    def reads(self) -> set[int]:
        """The slots that this step needs."""
        return set(self.operands)

    def run(self, registers: Registers, recording: bool) -> None:  # noqa: ARG002 (the form that steps share)
        """Put the boolean array into its slot."""
        arrays = [np.asarray(array_of(registers[slot])) for slot in self.operands]
        for array in arrays:
            if self.logical and array.dtype.kind != "b":
                message = f"'{self.symbol}' joins comparisons and masks, this is {array.dtype}"
                raise OperatorError(Problem(message, None, "wrong-type", "compare first: (x > 0) & (y > 0)"))
        try:
            made = registers[self.outputs[0]] = np.asarray(self.function(*arrays))
        except ValueError as error:
            message = f"'{self.symbol}' can't be applied: {error}"
            raise OperatorError(Problem(message, None, "operator-raised")) from error
        execution.current().compared(self.function, arrays, made)


Step: TypeAlias = Apply | Compare


@dataclass(frozen=True, eq=False)
class Program:
    """Steps in evaluation order, with where each array and constant stands.

    `loads` are slots and names of arrays. `done` lists, for each step, the slots that no later step
    reads. `problem` describes a problem at a position of the text.
    """

    size: int
    loads: tuple[tuple[int, str], ...]
    recipes: tuple[Recipe, ...]
    steps: tuple[Step, ...]
    done: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]
    problem: Callable[..., Problem]
    _registers: dict[Any, Registers] = field(default_factory=dict, repr=False)

    @property
    def calls(self) -> tuple[tuple[Operator, Location | None], ...]:
        """The operator of every call in the order of evaluation, and where the call stands."""
        applied = [step for step in self.steps if isinstance(step, Apply)]
        return tuple((step.operator, self.problem(*step.position, "", "").location) for step in applied)

    def run(self, values: Mapping[str, Variable | Array], dtype: np.dtype[Any]) -> tuple[Variable | Array, ...]:
        """Evaluate with numbers of the floating type `dtype`; one entry per output.

        Raises OperatorError at the position of the step that couldn't be evaluated;
        ContractViolation passes.
        """
        registers = self._prepared(dtype).copy()
        recording = False
        for slot, name in self.loads:
            value = values[name]
            recording = recording or isinstance(value, Variable)
            registers[slot] = value if isinstance(value, Variable) else np.asarray(value)
        for step, done in zip(self.steps, self.done, strict=True):
            try:
                step.run(registers, recording)
            except OperatorError as error:
                raise OperatorError(self._located(step, registers, error.problems[0])) from error
            except BaseException as error:
                if (told := execution.take_told(error)) is not None:
                    execution.tell(error, OperatorError(self._located(step, registers, told.problems[0])))
                raise
            for slot in done:
                registers[slot] = None
        return tuple(registers[slot] for slot in self.outputs)

    def _prepared(self, dtype: np.dtype[Any]) -> Registers:
        """Return registers that hold the constants in `dtype`, which are computed once."""
        if dtype not in self._registers:
            registers: Registers = [None] * self.size
            with np.errstate(all="ignore"):
                for recipe in self.recipes:
                    made = recipe.make(dtype, *(registers[slot] for slot in recipe.operands))
                    registers[recipe.slot] = made if recipe.plain else np.asarray(made)
            self._registers[dtype] = registers
        return self._registers[dtype]

    def _located(self, step: Step, registers: Registers, problem: Problem) -> Problem:
        """Put an operator's own error at the position of the call, with the shapes that it was given."""
        operands = [value_of(registers[slot]) for slot in step.operands]
        shapes = [str(operand.shape) for operand in operands if isinstance(operand, np.ndarray)]
        clash = problem.code == "operator-raised" and shapes
        hints = [problem.hint, f"the shapes here are {' and '.join(shapes)}" if clash else ""]
        if isinstance(step, Apply) and step.operator.file:
            home = Location(step.operator.file, step.operator.line)
            raised = "" if problem.location in (None, home) else f", and raised at {problem.location}"
            hints.append(f"{step.operator.name} is defined at {home}{raised}")
        return self.problem(*step.position, problem.message, problem.code, "; ".join(filter(None, hints)))


def recompute(
    steps: Sequence[Step], reads: tuple[int, ...], output: int, position: tuple[int, int], where: Location
) -> Apply:
    """Return one step in place of `steps`: it gives `output`, and keeps only the slots `reads` for the backward."""

    def function(*values: Any) -> Any:
        # A slot that nobody fills stands for an array that was left out.
        registers: Any = defaultdict(lambda: None, zip(reads, values, strict=True))
        recording = any(isinstance(value, Variable) for value in values)
        for step in steps:
            step.run(registers, recording)
        return registers[output]

    return Apply(recomputed(function, len(reads), where), reads, {}, (output,), position)


class Builder:
    """Collects slots, constants and steps while an expression is compiled."""

    def __init__(self) -> None:
        self.size = 0
        self.loads: dict[str, int] = {}
        self.recipes: list[Recipe] = []
        self.steps: list[Step] = []

    def slot(self) -> int:
        """Take a new slot; it holds None until something is put there."""
        self.size += 1
        return self.size - 1

    def array(self, name: str) -> int:
        """Return the slot of the array `name`."""
        if name not in self.loads:
            self.loads[name] = self.slot()
        return self.loads[name]

    def literal(self, value: Any, kind: str = "float") -> int:
        """Put numbers (one, or nested lists) into a slot: in the case's floating type, or as `int` or `bool`.

        Raises ValueError, TypeError or OverflowError for what is no array of numbers.
        """
        fixed: Any = {"int": np.int64, "bool": np.bool_}.get(kind)
        array = np.array(value, dtype=fixed or np.float64)
        return self._make(lambda dtype: array if fixed else array.astype(dtype))

    def computed(self, function: Callable[..., Any], operands: Sequence[int]) -> int:
        """Put a NumPy function of other constants into a slot."""
        return self._make(lambda _, *numbers: function(*numbers), operands)

    def plain(self, value: Any) -> int:
        """Put a value as it is into a slot."""
        return self._make(lambda _: value, plain=True)

    def _make(self, make: Callable[..., Any], operands: Sequence[int] = (), plain: bool = False) -> int:
        recipe = Recipe(self.slot(), make, tuple(operands), plain)
        self.recipes.append(recipe)
        return recipe.slot

    def add(self, step: Step) -> None:
        """Append a step."""
        self.steps.append(step)

    def keep_inputs_only(self, start: int, output: int, position: tuple[int, int], where: Location) -> None:
        """Let the steps from `start` on, which give `output`, be computed again in the backward."""
        steps = self.steps[start:]
        if steps:
            made = {slot for step in self.steps[:start] for slot in step.outputs}
            known = {*made, *self.loads.values(), *(recipe.slot for recipe in self.recipes)}
            reads = {slot for step in steps for slot in step.reads}
            self.steps[start:] = [recompute(steps, tuple(sorted(reads & known)), output, position, where)]

    def build(self, outputs: Sequence[int], problem: Callable[..., Problem]) -> Program:
        """Return the program, with what each step leaves behind freed after its last use."""
        made = {slot for step in self.steps for slot in step.outputs}
        last = {slot: number for number, step in enumerate(self.steps) for slot in (*step.outputs, *step.reads)}
        done: list[list[int]] = [[] for _ in self.steps]
        for slot, number in last.items():
            if slot in made and slot not in outputs:
                done[number].append(slot)
        return Program(
            self.size,
            tuple((slot, name) for name, slot in self.loads.items()),
            tuple(self.recipes),
            tuple(self.steps),
            tuple(map(tuple, done)),
            tuple(outputs),
            problem,
        )


def _filled(key: Any, registers: Registers) -> Any:
    """Put arrays in the place of the slots of an index."""
    if isinstance(key, tuple):
        return tuple(array_of(registers[part.number]) if isinstance(part, Slot) else part for part in key)
    return array_of(registers[key.number])
