"""Operators of which an example can be written: those whose inputs somebody knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gradcheck_cli.bridges.guess import guess_domains
from gradcheck_cli.bridges.guess_words import guessed_words
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import GradcheckError, Problem
from gradcheck_cli.spec.arrays.values import number_of


@dataclass(frozen=True)
class ExampleCases:
    """Operators with a domain for every input, what was guessed of them, and why others are left out."""

    operators: tuple[Operator, ...]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]


def example_cases(operators: Iterable[Operator]) -> ExampleCases:
    """Return the operators that an expression can call and that have a gradient, each name once.

    Domains that nobody declared are guessed, as `check-ops` does.
    """
    found: dict[str, Operator] = {}
    notes: list[str] = []
    problems: list[Problem] = []
    for operator in operators:
        if operator.name in found:  # the same one on another device
            continue
        try:
            known = guess_domains(operator, np.random.default_rng([0, number_of(operator.name)]))
        except GradcheckError as error:
            problems.extend(replace(each, message=f"{operator.name}: {each.message}") for each in error.problems)
            continue
        if why := _unusable(known):
            problems.append(Problem(f"{operator.name}: {why}", operator.location, "no-example"))
            continue
        found[operator.name] = known
        if guessed := guessed_words(operator, known):
            notes.append(f"{operator.name}: {guessed}")
    return ExampleCases(tuple(found.values()), tuple(notes), tuple(problems))


def _unusable(operator: Operator) -> str:
    if operator.name.startswith("_"):
        return "an expression can't call what begins with _"
    if not any(item.domain.differentiable for item in operator.inputs):
        return "no input of it has a gradient"
    return ""
