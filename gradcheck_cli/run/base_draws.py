"""The draws that an operator has to take: values from its domains, over the attribute values that it declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.run.base_arguments import Arguments, base_arguments
from gradcheck_cli.run.trial import written

Choice: TypeAlias = Mapping[str, Any]
"""A value for every attribute that has values to try."""

RngOf: TypeAlias = Callable[..., np.random.Generator]
"""Makes the generator that belongs to some words."""

_SAMPLED = 16
"""Calls of a sample function; the draws that differ in shapes or attributes are used."""

_MOST_SAMPLED = 200
"""Calls of a sample function that doesn't give every value of the attributes that it draws."""


def base_draws(operator: Operator, choices: Sequence[Choice], samples: int, rng_of: RngOf) -> list[Arguments]:
    """Draw arguments: `samples` for each choice of attribute values, all shapes that a sample function returns.

    Where the sample function gives attributes itself, these stand. Raises OperatorError when nothing can be drawn.
    """
    if operator.sampler is None:
        draws = [(number, draw, chosen) for number, chosen in enumerate(choices) for draw in range(samples)]
        return [combined(base_arguments(operator, rng_of("base", number, draw)), to) for number, draw, to in draws]
    drawn = _sampled(operator, max(_SAMPLED, samples), rng_of)
    first: dict[str, int] = {}
    for number, arguments in enumerate(drawn):
        first.setdefault(_signature(arguments), number)
    others = [number for number in range(len(drawn)) if number not in first.values()]
    kept = [drawn[number] for number in [*first.values(), *others[: max(0, samples - len(first))]]]
    free = remaining(choices, kept[0][1])
    pairs = islice(zip(cycle(kept), cycle(free), strict=False), max(len(kept), samples * len(free)))
    return [combined(arguments, chosen) for arguments, chosen in pairs]


def _sampled(operator: Operator, count: int, rng_of: RngOf) -> list[Arguments]:
    """Call the sample function `count` times, and on while that brings declared values that no draw has yet."""
    drawn = [base_arguments(operator, rng_of("base", number)) for number in range(count)]
    for number in range(count, _MOST_SAMPLED):
        wanted = [name for name, _ in _unseen(operator, drawn) if name in drawn[0][1]]
        if not wanted:
            break
        another = base_arguments(operator, rng_of("base", number))
        if len(_unseen(operator, [*drawn, another])) < len(_unseen(operator, drawn)):
            drawn.append(another)
    return drawn


def combined(arguments: Arguments, chosen: Choice) -> Arguments:
    """Add chosen attribute values to those that a draw brings along."""
    arrays, given = arguments
    return arrays, {**chosen, **given}


def remaining(choices: Sequence[Choice], given: Choice) -> list[Choice]:
    """Return the choices without the attributes that a draw brings along, each once."""
    rest = [{name: value for name, value in chosen.items() if name not in given} for chosen in choices]
    return list({repr(chosen): chosen for chosen in rest}.values())


def unseen_values(operator: Operator, draws: Sequence[Arguments]) -> list[str]:
    """List the attribute values that are declared and that no draw has: `axis=2`."""
    return [f"{name}={written(value)}" for name, value in _unseen(operator, draws)]


def _unseen(operator: Operator, draws: Sequence[Arguments]) -> list[tuple[str, Any]]:
    return [
        (attribute.name, value)
        for attribute in operator.attributes
        for value in attribute.values
        if all(repr(value) != repr(given.get(attribute.name, attribute.default)) for _, given in draws)
    ]


def _signature(arguments: Arguments) -> str:
    arrays, attributes = arguments
    shapes = [None if array is None else np.shape(array) for array in arrays]
    return f"{shapes} { ({name: written(value) for name, value in attributes.items()}) }"
