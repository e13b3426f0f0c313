"""A case as a function of its parameters, at the point where it is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import Problem
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.run.options import Options
from gradcheck_cli.spec.arrays.values import draw_values
from gradcheck_cli.spec.case import Case


class CaseFunction(NamedTuple):
    """What a case computes, with the values of its parameters and of its inputs by name."""

    function: TracedFunction
    parameters: dict[str, Array]
    inputs: dict[str, Array]


def case_function(
    case: Case, options: Options, knobs: Knobs, still_wanted: Callable[[], None] = lambda: None
) -> CaseFunction:
    """Draw the arrays of a case; `still_wanted` is called before every evaluation, and raises to stop.

    Raises GradcheckError where they can't be drawn.
    """
    values = draw_values(case, options.seed)
    dtype = np.dtype(knobs.dtype)
    inputs = {item.name: values[item.name] for item in case.inputs}
    constants = {name: Variable(array, requires_grad=False) for name, array in inputs.items()}

    def evaluate(variables: Mapping[str, Any]) -> Any:
        still_wanted()
        return case.expression({**constants, **variables}, dtype)

    return CaseFunction(TracedFunction(evaluate), {item.name: values[item.name] for item in case.parameters}, inputs)


def out_of_time(case: Case, knobs: Knobs) -> Problem:
    """Say that a case ran out of its time."""
    hint = "give it more time, check: {timeout: ...}, or look for an operator that hangs"
    return Problem(f"the case ran out of its {knobs.timeout:g} s", case.location, "timeout", hint)
