"""What a forward method returns: outputs, and what its backward gets from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcheck_cli.bridges.functions.forms import form_of
from gradcheck_cli.bridges.gradients import SKIPPED
from gradcheck_cli.bridges.objects.method_text import attributes_set
from gradcheck_cli.errors import Location, OperatorError, Problem

_CACHES = ("cache", "caches", "ctx", "context", "saved", "tape", "memory", "memo", "residuals", "intermediates")
"""Names of what a forward returns behind its outputs, for its backward alone."""

_ATTRIBUTES = ("output", "out", "outputs", "y")
"""Where a forward leaves its output that returns nothing."""

_ALONE = ("out", "value", "result", "out_")
"""Names for the only output: the first that no argument has."""


@dataclass(frozen=True, eq=False)
class Returned:
    """How the values that a forward returns are sorted.

    `places` has the name of the output, or of what is `kept` for the backward, for each value, and `_`
    for one that counts for nothing. `aliases` maps what the forward calls an output to the output. A
    forward that returns nothing leaves its output in one of the attributes `left`.
    """

    outputs: tuple[str, ...]
    kept: tuple[str, ...]
    places: tuple[str, ...]
    aliases: Mapping[str, str]
    left: tuple[str, ...]

    def sort(self, instance: Any, returned: Any, name: str, where: Location) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the outputs, and what is kept by name. Raises OperatorError for another number of values."""
        if returned is None:
            found = (getattr(instance, key, None) for key in self.left)
            returned = next((value for value in found if value is not None), None)
            if returned is None:
                return (None,) * len(self.outputs), {}
        values = returned if _are_several(returned) else (returned,)
        if len(values) != len(self.places):
            message = f"the forward of {name} returned {_values(len(values))}, not {len(self.places)}"
            names = [f"out{position + 1}" for position in range(len(values))]
            hint = f"name them, with _ for what is no output: outputs: [{', '.join(names)}]"
            raise OperatorError(Problem(message, where, "output-count", hint))
        pairs = list(zip(self.places, values, strict=True))
        kept = {place: value for place, value in pairs if place in self.kept}
        return tuple(value for place, value in pairs if place in self.outputs), kept


def returned_by(
    forward: Callable[..., Any], cls: type, asked: Sequence[str], taken: Sequence[str], said: Sequence[str] | None
) -> Returned:
    """Read from the text of a forward what it returns.

    `asked` are the parameters of its backward, `taken` the names of arguments, that no output may have;
    `said` are names for all returned values, `_` for what is no output.
    """
    form = form_of(forward)
    own = tuple(name or "" for name in form.names) if form else ("",)
    cached = len(own) > 1 and own[-1] in _CACHES and own[-1] in asked and (said is None or len(said) < len(own))
    kept = own[-1:] if cached else ()
    names = tuple(said) if said else _names(own[: len(own) - len(kept)], taken)
    outputs = tuple(name for name in names if name != SKIPPED)
    aliases = {ours: name for ours, name in zip(own, names, strict=False) if ours and ours not in taken}
    left = tuple(key for key in _ATTRIBUTES if key in attributes_set(forward, cls))
    return Returned(outputs, kept, (*names, *kept), aliases, left)


def _names(own: tuple[str, ...], taken: Sequence[str]) -> tuple[str, ...]:
    """Name outputs as the forward does where that is possible: names of cotangents are reserved."""
    if len(own) == 1:
        return (next(name for name in _ALONE if name not in taken),)
    free = all(name and name not in taken and name != "g" and not name.startswith("g_") for name in own)
    return own if free and len(set(own)) == len(own) else tuple(f"out{place + 1}" for place in range(len(own)))


def _are_several(returned: Any) -> bool:
    """Tell whether a forward returned several values: a list of numbers is one array."""
    if isinstance(returned, list):
        return any(isinstance(part, np.ndarray) for part in returned)
    return isinstance(returned, tuple)


def _values(count: int) -> str:
    return f"{count} value{'s' * (count != 1)}"
