"""What is known of a pair before it is called: arguments, returned values, names, and what a person says."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gradcheck_cli.bridges.functions.conventions import CODE, Asked, Operand, Setting
from gradcheck_cli.bridges.functions.forms import Form
from gradcheck_cli.bridges.gradients import SKIPPED
from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.errors import Location, OperatorError, Problem

OUTPUT_WORDS = ("out", "output")
"""Names for the one output, whatever the forward calls it."""

_CACHES = {"cache", "caches", "ctx", "context", "saved", "tape", "memory", "memo", "residuals", "intermediates"}

LAST_LAYER = "if it is the last layer, whose g is 1, say loss: true"


@dataclass(frozen=True)
class Places:
    """Where the outputs stand among the values that a forward returns, and what counts for nothing there."""

    outputs: tuple[int, ...]
    ignored: tuple[int, ...] = ()

    def __contains__(self, place: int) -> bool:
        return place in self.outputs or place in self.ignored


@dataclass(frozen=True)
class Facts:
    """What is known of a pair.

    `form` is what the forward returns, `parameters` are those of the backward, written at `where`. A
    person may say the `outputs` (`_` for a value that has no gradient) and what the backward `takes`, None
    where nothing is said. The backward of a `loss` may take no cotangent.
    """

    name: str
    inputs: tuple[Input, ...]
    attributes: tuple[Attribute, ...]
    form: Form | None
    parameters: tuple[inspect.Parameter, ...]
    where: Location
    outputs: tuple[str, ...] | None = None
    takes: tuple[str, ...] | None = None
    loss: bool = False

    @property
    def names(self) -> tuple[str | None, ...]:
        """The names of the values that the forward returns, as far as they are known."""
        return self.form.names if self.form else ()

    def is_again(self, place: int) -> bool:
        """Tell whether a returned value has the name of one before it, as the second in `return out, out`."""
        return self.names[place] is not None and self.names[place] in self.names[:place]

    @property
    def count(self) -> int | None:
        """How many values the forward returns, None where that isn't sure."""
        return len(self.names) if self.form and (self.form.sure or not self.form.alone) else None

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return tuple(item.name for item in self.inputs)

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """The names of inputs and attributes."""
        return (*self.operands, *(attribute.name for attribute in self.attributes))

    @property
    def said_outputs(self) -> tuple[str, ...]:
        """The names that a person gives to the outputs, without what has no gradient."""
        return tuple(name for name in self.outputs or () if name != SKIPPED)

    @property
    def said_places(self) -> Places:
        """Where the outputs stand by what a person says."""
        places: tuple[list[int], list[int]] = ([], [])
        for place, name in enumerate(self.outputs or ()):
            places[name == SKIPPED].append(place)
        return Places(tuple(places[0]), tuple(places[1]))

    def check_outputs(self) -> None:
        """Raise OperatorError for said outputs that are none, or have names that mean something else already."""
        found: list[str] = []
        for name in self.said_outputs:
            if not self._is_free(name, found):
                what = "is named twice" if name in found else "is taken, or no name"
                raise self.error(f"can't have '{name}' as an output: that {what}", "give each output another name")
            found.append(name)
        if self.outputs and not found:
            raise self.error("has no output by what outputs says", "name at least one")

    def argument(self, name: str) -> Asked:
        """Return what the backward is given for the name of an argument."""
        return Operand(name) if name in self.operands else Setting(name)

    def output_names(self, places: Places, cotangents: Sequence[str] = ()) -> tuple[str, ...]:
        """Name the outputs as the forward does, or after their cotangents, where that name is free."""
        if self.outputs is not None:
            return self.said_outputs
        found: list[str] = []
        for number, place in enumerate(places.outputs):
            own = self.names[place] if place < len(self.names) else None
            if own is None and len(places.outputs) == len(cotangents) > 1:
                own = stem(cotangents[number])
            longer, plain = own and f"{own}_out", f"out{number}"
            if len(places.outputs) == 1:
                longer, plain = "out", f"{own or 'the'}_out"
            tried = [own, longer, plain, f"{plain}_", f"{plain}_{number}"]
            found.append(next(name for name in tried if name and self._is_free(name, found)))
        return tuple(found)

    def words(self, outputs: Sequence[str] = ("out",)) -> list[str]:
        """List the words that `takes` can say."""
        cotangents = ["g"] if len(outputs) == 1 else [f"g_{output}" for output in outputs]
        return [*cotangents, *self.arguments, *outputs, "cache"]

    def error(self, message: str, hint: str = "") -> OperatorError:
        """Describe what can't be told of the backward, or doesn't fit what is said of it."""
        return OperatorError(Problem(f"the backward of {self.name} {message}", self.where, CODE, hint))

    def say_outputs(self, places: Places | None = None) -> str:
        """Show how it is said which of the returned values are outputs."""
        real = places.outputs if places else (0,)
        returned = list(self.names)
        while returned and is_cache(returned[-1]):
            returned.pop()
        names = [(name or f"out{place}") if place in real else SKIPPED for place, name in enumerate(returned)]
        return f"say which of them are outputs, in order (_ for what has no gradient): outputs: {' '.join(names)}"

    def _is_free(self, name: str, others: Sequence[str]) -> bool:
        taken = (*self.arguments, *others, "g", SKIPPED)
        return name.isidentifier() and not name.startswith("g_") and name not in taken and f"g_{name}" not in taken


def is_cache(name: str | None) -> bool:
    """Tell whether a name is one of those for what a forward saves."""
    return name is not None and (name.lower() in _CACHES or "cache" in name.lower())


def counted(count: int, noun: str) -> str:
    """Write a number with its noun: `2 outputs`."""
    return f"{count} {noun}{'s' * (count != 1)}"


def stem(cotangent: str) -> str | None:
    """Return what a cotangent is named after: `h` for dh."""
    match = re.fullmatch(r"(?:grad_|delta_|g_|d_|d)([a-zA-Z]\w*)", cotangent)
    return match[1] if match else None
