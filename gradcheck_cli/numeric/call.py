"""How a person's function is called: on read-only arrays, and again on copies where that made it raise."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np

from gradcheck_cli.core.arrays import Array, read_only, same_bytes
from gradcheck_cli.core.execution import current
from gradcheck_cli.errors import ContractViolation, GradcheckError, Location
from gradcheck_cli.light_dataclass import dataclass

Values: TypeAlias = Mapping[str, Array]
"""Arrays by the name of their parameter."""

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Subject:
    """A person's function as findings name it, and where it is defined."""

    name: str
    location: Location | None = None


EXPRESSION = Subject("the expression")


def call_read_only(call: Callable[[Values], _Result], values: Values, subject: Subject) -> _Result:
    """Call with read-only views of `values`, and with copies if that raises.

    Code that needs a writable buffer is right, code that changes the bytes is not. Raises the
    first exception if the second call raises as well, ContractViolation if it wrote to a value.
    """
    try:
        return call({name: read_only(array) for name, array in values.items()})
    except (GradcheckError, MemoryError):
        raise
    except Exception as error:
        copies = {name: np.array(array) for name, array in values.items()}
        returned: list[_Result] = []
        # The first exception is the one to show, once it is sure that nothing was written.
        with contextlib.suppress(Exception):
            returned.append(call(copies))
        _require_unchanged(values, copies, subject, error)
        if not returned:
            raise
        return returned[0]


def call_watched(call: Callable[[Values], _Result], values: Values, subject: Subject) -> _Result:
    """Call as `call_read_only` does, and compare all bytes: compiled code writes to read-only arrays as well."""
    before = {name: np.array(array) for name, array in values.items()}
    returned = call_read_only(call, values, subject)
    _require_unchanged(before, values, subject)
    return returned


def _require_unchanged(before: Values, after: Values, subject: Subject, cause: Exception | None = None) -> None:
    for name, array in before.items():
        if not same_bytes(array, after[name]):
            message, hint = f"it writes to {name}", f"work on a copy: {name} = {name}.copy()"
            violation = ContractViolation("input-modified", message, subject.name, subject.location, hint)
            violation.__cause__ = cause
            current().violated(violation)


def subject_of(function: Callable[..., Any]) -> Subject:
    """Return the name of a function and where it is defined; a callable object goes by its type."""
    name = getattr(function, "__name__", type(function).__name__)
    code = getattr(inspect.unwrap(function), "__code__", None)
    return Subject(name, Location(code.co_filename, code.co_firstlineno) if code else None)
