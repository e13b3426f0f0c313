"""The arguments that an operator has to take: drawn from what it declares."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.core.draw import sample_arguments
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError, Problem
from gradcheck_cli.run.sizes import Sizes, checkable, draw_arrays

Arguments: TypeAlias = tuple[list[Any], dict[str, Any]]
"""Arrays by position (None for one that is left out), and attributes by name."""


def base_arguments(operator: Operator, rng: np.random.Generator) -> Arguments:
    """Choose arguments that the operator has to take: what its domains or its sample function say.

    This is the one place where they are chosen. The attributes are those that a sample function gives; all
    others are combined elsewhere. An input of which the operator has a value of its own gets that value.
    Raises OperatorError when nothing can be drawn.
    """
    if operator.sampler is not None:
        arrays, attributes = sample_arguments(operator, rng)
        if not operator.inputs[-1].variadic:
            arrays += [None] * (len(operator.inputs) - len(arrays))  # optional ones that it leaves out
        return [checkable(operator, slot, array) for slot, array in enumerate(arrays)], attributes
    try:
        return draw_arrays(operator, Sizes.drawn(operator, rng), rng), {}
    except ValueError as error:
        message = f"can't draw arguments for {operator.name}: {error}"
        hint = f"write a function with @{operator.name}.sample that returns arguments"
        raise OperatorError(Problem(message, operator.location, "sample", hint)) from error
