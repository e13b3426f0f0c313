"""Expressions: text over named arrays, compiled once and evaluated many times."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import Location, OperatorError, Problem
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.language.context import Context
from gradcheck_cli.spec.language.lines import compile_lines
from gradcheck_cli.spec.language.lookup import Lookup
from gradcheck_cli.spec.language.program import Program
from gradcheck_cli.spec.language.syntax import Source
from gradcheck_cli.spec.text.place import Place


@dataclass(frozen=True, eq=False)
class Expression:
    """A compiled expression.

    `names` are the arrays and constants that it uses. `domains` has an entry for each array that is
    a direct argument of an operator: what the operator accepts there, narrowed over all uses.
    `operators` are the distinct ones that it applies, in order. `indices` are the arrays that stand
    as an index themselves, so that they hold whole numbers or booleans. `own` holds arrays that belong to
    operators and are parameters of the case, too: `net.W` is the weight of the layer `net`.
    """

    text: str
    names: frozenset[str]
    domains: Mapping[str, Domain]
    operators: tuple[Operator, ...]
    indices: frozenset[str]
    program: Program = field(repr=False)
    own: Mapping[str, Array] = field(default_factory=dict)

    @property
    def calls(self) -> tuple[tuple[Operator, Location | None], ...]:
        """The operator of every call in the order of evaluation, and where the call stands in the file."""
        return self.program.calls

    def __call__(self, values: Mapping[str, Variable | Array], dtype: np.dtype[Any]) -> tuple[Variable | Array, ...]:
        """Evaluate at `values` (by name), its numbers being of the floating type `dtype`.

        Returns one entry per output: Variables if there is one among the values, else arrays.
        Raises OperatorError at the position of the call that can't be evaluated (shapes that clash,
        an operator that raised), and lets ContractViolation pass.
        """
        return self.program.run(values, dtype)


def compile_expression(
    text: str,
    *,
    scope: Scope,
    arrays: Collection[str],
    constants: Mapping[str, Any],
    place: Place,
    problems: list[Problem],
) -> Expression | None:
    """Compile `text`; return None, with every problem appended to `problems`, if there are any.

    `arrays` are the names of parameters and inputs. `constants` are dims and matrix values
    (numbers, text, booleans, lists of these) by name. `place` is where the text stands in its file.
    """
    source = Source(text, place)
    lookup = Lookup(scope, source.problems)
    try:
        context = Context(source, lookup, arrays, constants)
    except OperatorError as error:  # the built-in operators can't be collected
        problems.extend(error.problems)
        return None
    outputs = compile_lines(context, source.parse())
    if source.problems:
        problems.extend(dict.fromkeys(sorted(source.problems, key=_position)))
        return None
    program = context.builder.build(outputs, source.problem)
    names, indices = frozenset(context.names), frozenset(context.indices)
    binder = context.binder
    return Expression(text, names, binder.domains, tuple(context.operators), indices, program, binder.own)


def _position(problem: Problem) -> tuple[int, int]:
    return (problem.location.line, problem.location.column) if problem.location else (0, 0)
