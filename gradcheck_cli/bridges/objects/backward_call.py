"""How a backward method is called: which of its parameters are cotangents, and what the others stand for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradcheck_cli.bridges.domains import Domains
from gradcheck_cli.core.arguments import REQUIRED, Attribute

_INPUT_WORDS = ("x", "xs", "inp", "input", "inputs", "in_data", "input_data", "data")
"""Names of a backward's parameter that can only be the input, whatever the forward calls it."""

_COTANGENT, _INPUTS, _LEFT_OUT = "a cotangent", "all inputs", "left out"
"""What a parameter stands for that is no name: no parameter can be called that."""


@dataclass(frozen=True, eq=False)
class Known:
    """Names that a backward may ask for: the forward's arguments, weights, attributes, and what the forward made.

    `outputs` are those of the operator, `aliases` what the forward itself calls them. `packed` says that
    it takes its arguments as one sequence.
    """

    data: tuple[str, ...]
    others: tuple[str, ...]
    outputs: tuple[str, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)
    packed: bool = False

    def holds(self, name: str) -> bool:
        """Tell whether a parameter of this name is told by it."""
        return name in self.data or name in self.others or name in self.outputs


class BackwardCall:
    """Sorts the parameters of a backward, and puts the values of a call in their places.

    Those that no name explains are the cotangents, as many as there are outputs; further ones are
    attributes of the operator (`attributes`). One without a cotangent (`is_loss`) is the backward of a
    loss, right for a cotangent of 1. `is_sequence` tells of a parameter whether it takes all cotangents
    at once. `lacks` counts outputs whose cotangent it doesn't take.
    """

    def __init__(
        self,
        parameters: Sequence[inspect.Parameter],
        known: Known,
        domains: Domains,
        is_sequence: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._known = known
        count = len(known.outputs)
        stands_for = self._stand_ins(parameters)
        free = [p for p in parameters if not known.holds(p.name) and p.name not in stands_for]
        if not free and not self._is_gradient_of_loss(parameters):
            # The cotangent is named like an input: nothing else is left for it.
            free, stands_for = list(parameters), {}
        positional = [p for p in free if p.kind is not p.KEYWORD_ONLY]
        spread = next((p for p in positional if p.kind is p.VAR_POSITIONAL), None)
        self._together = not spread and bool(positional) and is_sequence(positional[0].name)
        cotangents = [spread] if spread else positional[: 1 if self._together else count]
        self.is_loss = not cotangents
        self.lacks = 0 if self.is_loss or spread or self._together else count - len(cotangents)
        self.attributes: list[Attribute] = []
        self._roles: list[tuple[inspect.Parameter, str]] = []
        for parameter in parameters:
            self._roles.append((parameter, self._role(parameter, cotangents, stands_for, domains)))

    def arguments(
        self, cotangents: Sequence[Any], values: Mapping[str, Any], data: Sequence[Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments of a call: by position, and by name. `data` are those of the forward."""
        waiting: list[Any] = [tuple(cotangents)] if self._together else list(cotangents)
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        by_name = False
        for parameter, role in self._roles:
            if role == _LEFT_OUT:
                by_name = True
                continue
            if role == _COTANGENT and parameter.kind is parameter.VAR_POSITIONAL:
                args.extend(waiting)
                continue
            if role == _COTANGENT:
                value = waiting.pop(0)
            elif role == _INPUTS:
                value = tuple(data)
            else:
                value = values[role]
            if parameter.kind is parameter.KEYWORD_ONLY or by_name:
                kwargs[parameter.name] = value
            else:
                args.append(value)
        return args, kwargs

    def _role(
        self,
        parameter: inspect.Parameter,
        cotangents: Sequence[inspect.Parameter],
        stands_for: Mapping[str, str],
        domains: Domains,
    ) -> str:
        name = parameter.name
        if parameter in cotangents:
            return _COTANGENT
        if name in stands_for:
            return stands_for[name]
        if self._known.holds(name):
            return name
        required = parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
        values = domains.get(name)
        if not required and not isinstance(values, tuple):
            return _LEFT_OUT
        default = REQUIRED if required else parameter.default
        self.attributes.append(Attribute(name, default, values if isinstance(values, tuple) else ()))
        return name

    def _is_gradient_of_loss(self, parameters: Sequence[inspect.Parameter]) -> bool:
        """Tell whether a backward takes what the forward takes, prediction and target, and nothing from above."""
        alone = len(self._known.outputs) == 1 and len(parameters) > 1
        return alone and tuple(p.name for p in parameters) == self._known.data

    def _stand_ins(self, parameters: Sequence[inspect.Parameter]) -> dict[str, str]:
        """Return what parameters stand for that go by another name, if cotangents are left beside them."""
        known = self._known
        unknown = [p.name for p in parameters if not known.holds(p.name)]
        found = {name: known.aliases[name] for name in unknown if name in known.aliases}
        words = [name for name in unknown if name in _INPUT_WORDS and name not in found]
        if len(words) == 1 and known.packed:
            found[words[0]] = _INPUTS
        elif len(words) == 1 and len(known.data) == 1:
            found[words[0]] = known.data[0]
        return found if len(unknown) - len(found) >= 1 else {}
