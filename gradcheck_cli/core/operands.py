"""The operands of a call: what counts as one, and how plain values become arrays beside the arrays given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcheck_cli.core.returned import REAL
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import OperatorError, Problem

if TYPE_CHECKING:
    from gradcheck_cli.core.operator import Operator


def holds_variable(values: Iterable[Any]) -> bool:
    """Tell whether a Variable is among `values` or inside their lists and tuples."""
    for value in values:
        if isinstance(value, Variable) or (isinstance(value, (list, tuple)) and holds_variable(value)):
            return True
    return False


def as_arrays(operator: Operator, values: Sequence[Any]) -> list[Any]:
    """Convert operands to arrays; a Python number takes the floating type of the arrays beside it.

    Loose inputs keep their plain values. Raises OperatorError for what is no array of real numbers.
    """
    try:
        arrays: list[Any] = [
            value
            if type(value) is np.ndarray
            or value is None
            or type(value) in (bool, int, float)
            or operator.input_at(slot).loose
            else np.asarray(value)
            for slot, value in enumerate(values)
        ]
    except ValueError as error:  # rows of different lengths
        raise OperatorError(Problem(f"{operator.name} takes arrays: {error}", None, "wrong-argument")) from error
    types = {array.dtype for array in arrays if isinstance(array, np.ndarray) and array.dtype.kind == "f"}
    floating = next(iter(types)) if len(types) == 1 else np.result_type(*types) if types else None
    for slot, array in enumerate(arrays):
        if isinstance(array, np.ndarray):
            if array.dtype.kind not in REAL:
                name = operator.slot_name(slot)
                message = f"{operator.name} takes arrays of real numbers: {name} is {array.dtype}"
                raise OperatorError(Problem(message, None, "wrong-argument", f"it is {operator.signature}"))
            continue
        item = operator.input_at(slot)
        if item.loose:
            continue
        if array is None:
            operator.check_given(slot, array)
        else:
            arrays[slot] = np.asarray(array, floating if item.domain.kind == "float" else None)
    return arrays
