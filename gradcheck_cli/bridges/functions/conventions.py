"""How a pair is called: what its forward returns, and what its backward is given."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from gradcheck_cli.bridges.foreign import Call
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.errors import Location, OperatorError, Problem
from gradcheck_cli.light_dataclass import dataclass

CODE = "pair-convention"
"""The code of what can't be told of a pair, and of what turns out to be otherwise."""


@dataclass(frozen=True)
class Cotangent:
    """The gradient that arrives for the output at a position."""

    output: int


@dataclass(frozen=True)
class Operand:
    """What the forward was given for an input: `*xs` stands for several arrays."""

    name: str


@dataclass(frozen=True)
class Output:
    """What the forward returned as the output at a position."""

    output: int


@dataclass(frozen=True)
class Setting:
    """The value of an attribute."""

    name: str


@dataclass(frozen=True)
class Saved:
    """What the forward returned beside its outputs: all of it, or only the value at a position of what it returned."""

    position: int | None = None


Asked: TypeAlias = Cotangent | Operand | Output | Setting | Saved
Ask: TypeAlias = tuple[inspect.Parameter, tuple[Asked, ...]]
"""A parameter of a backward with what it is given: several values for `*xs`."""


@dataclass(frozen=True)
class Convention:
    """How a pair is called.

    The outputs stand at `positions` of the `count` values that the forward returns (None: of at least so
    many as there are outputs, which is what a person said); the others are what it saves for the backward.
    `ignored` ones have no gradient, and are given to the backward only one by one. A parameter that isn't
    asked for keeps its default.
    """

    outputs: tuple[str, ...]
    positions: tuple[int, ...]
    count: int | None
    asks: tuple[Ask, ...]
    ignored: tuple[int, ...] = ()

    @cached_property
    def gives_something(self) -> bool:
        """Whether the backward is given anything beside cotangents."""
        return any(not isinstance(asked, Cotangent) for asked in self._asked)

    @property
    def cache_name(self) -> str | None:
        """What the backward calls the only thing that was saved."""
        saved = [parameter.name for parameter, group in self.asks if any(isinstance(one, Saved) for one in group)]
        return saved[0] if len(saved) == 1 and not self._picks else None

    def split(self, returned: Any, name: str, where: Location) -> tuple[tuple[Any, ...], Any]:
        """Split what the forward returned into outputs, and what it saves: a tuple, or the only value itself.

        The outputs are None where it returned nothing. Raises OperatorError for another number of values.
        """
        if returned is None:
            return (None,) * len(self.outputs), None
        values = self._values(returned)
        if len(values) < self._least if self.count is None else len(values) != self.count:
            raise self._wrong_count(len(values), name, where)
        outputs = tuple(values[position] for position in self.positions)
        if self._picks:
            return outputs, tuple(value for position, value in enumerate(values) if position not in self.positions)
        saved = tuple(value for position, value in enumerate(values) if position not in self._taken)
        return outputs, saved[0] if len(saved) == 1 else saved

    def arguments(self, call: Call, inputs: Sequence[Input]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments of the backward, by position and by name."""
        operands = _by_name(call.operands, inputs)
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        by_position = True
        for parameter, group in self.asks:
            values = [self._value(asked, call, operands) for asked in group]
            if parameter.kind is parameter.VAR_POSITIONAL:
                for asked, value in zip(group, values, strict=True):
                    spread = isinstance(asked, Operand) and any(i.variadic and i.name == asked.name for i in inputs)
                    args.extend(value if spread else [value])
            elif not group:
                by_position = False
            elif by_position and parameter.kind is not parameter.KEYWORD_ONLY:
                args.append(values[0])
            else:
                kwargs[parameter.name] = values[0]
        return args, kwargs

    @cached_property
    def _asked(self) -> list[Asked]:
        return [asked for _, group in self.asks for asked in group]

    @cached_property
    def _picked(self) -> list[int]:
        return [asked.position for asked in self._asked if isinstance(asked, Saved) and asked.position is not None]

    @cached_property
    def _picks(self) -> bool:
        """Whether the backward is given saved values one by one; the only one is all that is saved."""
        only = self.count is not None and self.count - len(self.positions) == 1
        return bool(self._picked) and not only

    @cached_property
    def _taken(self) -> tuple[int, ...]:
        return (*self.positions, *self.ignored)

    @cached_property
    def _least(self) -> int:
        """The number of values that the forward returns at least."""
        return max((*self._taken, *self._picked)) + 1 + (Saved() in self._asked)

    def _values(self, returned: Any) -> Sequence[Any]:
        """Return what the forward returned as separate values; a list is one value unless several are due."""
        least = self._least if self.count is None else self.count
        several = isinstance(returned, tuple) or (isinstance(returned, list) and least > 1)
        return returned if several else (returned,)

    def _wrong_count(self, got: int, name: str, where: Location) -> OperatorError:
        wanted = f"at least {self._least}" if self.count is None else str(self.count)
        message = f"the forward of {name} returned {got} value{'s' * (got != 1)}, not {wanted}"
        hint = "say which of them are outputs, in order (_ for what has no gradient): outputs: out"
        if got == 1:
            hint = "say what the backward is given, in order, for instance takes: g x"
        return OperatorError(Problem(message, where, CODE, hint))

    def _value(self, asked: Asked, call: Call, operands: Mapping[str, Any]) -> Any:
        match asked:
            case Cotangent():
                return call.cotangents[asked.output]
            case Operand():
                return operands[asked.name]
            case Output():
                return call.outputs[asked.output]
            case Setting():
                return call.attributes[asked.name]
            case Saved():
                return self._saved(asked.position, call.memory)

    def _saved(self, position: int | None, memory: Any) -> Any:
        if not self._picks:
            return memory
        if position is not None:
            return memory[position - sum(other < position for other in self.positions)]
        places = [place for place in range(len(memory) + len(self.positions)) if place not in self.positions]
        kept = zip(places, memory, strict=True)
        rest = tuple(value for place, value in kept if place not in (*self.ignored, *self._picked))
        return rest[0] if len(rest) == 1 else rest


def _by_name(operands: Sequence[Any], inputs: Sequence[Input]) -> dict[str, Any]:
    """Return the operand of each input; that of `*xs`, which comes last, is a tuple."""
    fixed = [item for item in inputs if not item.variadic]
    named = dict(zip([item.name for item in fixed], operands, strict=False))
    return named | {item.name: tuple(operands[len(fixed) :]) for item in inputs if item.variadic}
