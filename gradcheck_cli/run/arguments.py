"""Arguments of an operator: the names of its arrays, and combinations of its attribute values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.operator import REQUIRED, Attribute, Input, Operator
from gradcheck_cli.errors import OperatorError, Problem
from gradcheck_cli.run.declaration_hint import line_to_write

MOST_COMBINATIONS = 16
"""Combinations of attribute values that are tried, unless it takes more to try every value once."""


def argument_names(operator: Operator, count: int | None = None) -> Iterator[tuple[str, Input]]:
    """Name the arrays of a call as an expression does: a variadic `xs` stands for x1, x2.

    `count` is the number of arrays. No two names are alike, and none begins with _, which an
    expression can't hold.
    """
    taken: set[str] = set()

    def free(name: str) -> str:
        name = name.lstrip("_") or "arg"
        while name in taken or not name.isidentifier():
            name = f"{name}_" if name.isidentifier() else f"arg{name}"
        taken.add(name)
        return name

    for item in operator.inputs:
        if not item.variadic:
            yield free(item.name), item
            continue
        more = 2 if count is None else count - len(operator.inputs) + 1
        stem = item.name.removesuffix("s") or item.name
        yield from ((free(f"{stem}{position}"), item) for position in range(1, more + 1))


def combinations(operator: Operator) -> list[dict[str, Any]]:
    """Combine the values to try of all attributes: the product, or a part of it that holds every value.

    An attribute without such values is left to its default, or to the operator's sample function. Raises
    OperatorError for one that has neither.
    """
    for attribute in operator.attributes:
        if not attribute.values and attribute.default is REQUIRED and operator.sampler is None:
            message = f"{operator.name} needs a value for '{attribute.name}', and none is declared"
            hint = line_to_write(operator)
            raise OperatorError(Problem(message, operator.location, "nothing-declared", hint))
    varied = [attribute for attribute in operator.attributes if attribute.values]
    names = [attribute.name for attribute in varied]
    if math.prod(len(attribute.values) for attribute in varied) <= MOST_COMBINATIONS:
        chosen: list[tuple[int, ...]] = list(itertools.product(*(range(len(each.values)) for each in varied)))
    else:
        chosen = _covering(varied)
    return [
        dict(zip(names, (each.values[at] for each, at in zip(varied, row, strict=True)), strict=True)) for row in chosen
    ]


def _covering(varied: Sequence[Attribute]) -> list[tuple[int, ...]]:
    """Choose positions in the lists of values so that each value comes up, and fill up with others."""
    sizes = [len(attribute.values) for attribute in varied]
    rows = {tuple(step % size for size in sizes): None for step in range(max(sizes))}
    rng = np.random.default_rng(len(rows))  # the same for every run
    while len(rows) < MOST_COMBINATIONS:
        rows[tuple(int(rng.integers(size)) for size in sizes)] = None
    return list(rows)
