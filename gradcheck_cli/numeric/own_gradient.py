"""What a plain function with a gradient of its own returned: one number, and a gradient per parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.returned import shape_hint
from gradcheck_cli.errors import ContractViolation, near
from gradcheck_cli.numeric.call import Subject, Values


def as_number(value: Any) -> Array:
    """Return the value as a floating-point array of one element.

    Raises TypeError for what is no real number, ValueError for another number of elements.
    """
    array = as_array(value)
    if array.dtype.kind not in "fiu":
        got = str(array.dtype) if isinstance(value, np.ndarray | np.generic) else type(value).__name__
        raise TypeError(f"a function with a gradient of its own returns a real number, not {got}")
    if array.size != 1:
        raise ValueError(f"a function with a gradient of its own returns one number, not an array of {array.shape}")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def as_array(value: Any) -> Array:
    """Return what a function returned as an array; one of objects for what makes none."""
    try:
        return np.asarray(value)
    except (ValueError, TypeError):  # rows of different lengths, a Variable
        return np.asarray(None)


def value_and_gradients(returned: Any) -> tuple[Any, Any]:
    """Split what a function of value and gradient returned: `(value, gradients)`, or `(value, *gradients)`.

    Raises TypeError for anything else.
    """
    if not isinstance(returned, tuple | list) or len(returned) < 2:
        raise TypeError("with value_and_grad=True the function returns (value, gradient)")
    value, *gradients = returned
    return value, gradients[0] if len(gradients) == 1 else tuple(gradients)


def gradients_by_name(gradients: Any, values: Values, subject: Subject) -> dict[str, Array]:
    """Return the gradient of every parameter in `values` from what `subject` returned.

    That is a mapping by name, a tuple or list in the order of the parameters, or the one array of
    a single parameter. Raises ContractViolation for a wrong number, for what is no array of real
    numbers, and for another shape than the parameter's.
    """
    names = list(values)
    if isinstance(gradients, Mapping):
        for name in names:
            if name not in gradients:
                keys = [str(key) for key in gradients]
                hint = near(name, keys) or f"it returned a mapping of {', '.join(keys) or 'nothing'}"
                raise _violation("gradient-count", f"there is no gradient for {name}", subject, hint)
        return {name: _gradient(name, gradients[name], values[name], subject) for name in names}
    if len(names) == 1 and not _is_sequence_of(gradients, values[names[0]]):
        gradients = (gradients,)
    if not isinstance(gradients, tuple | list) or len(gradients) != len(names):
        count = len(gradients) if isinstance(gradients, tuple | list) else 1
        parameters = f"{len(names)} parameter{'s' * (len(names) != 1)} ({', '.join(names)})"
        message = f"it returned {count} gradient{'s' * (count != 1)} for {parameters}"
        hint = "return one gradient per parameter, in order, or a mapping by name"
        raise _violation("gradient-count", message, subject, hint)
    return {n: _gradient(n, gradient, values[n], subject) for n, gradient in zip(names, gradients, strict=True)}


def _is_sequence_of(gradients: Any, x: Array) -> bool:
    """Tell whether `gradients` is a sequence of gradients of `x` rather than the gradient as a list of numbers."""
    if not isinstance(gradients, tuple | list) or not gradients or _shape(gradients) == x.shape:
        return False
    return isinstance(gradients[0], np.ndarray) or (len(gradients) == 1 and _shape(gradients[0]) == x.shape)


def _shape(value: Any) -> tuple[int, ...] | None:
    try:
        return np.asarray(value).shape
    except ValueError:  # rows of different lengths
        return None


def _gradient(name: str, gradient: Any, x: Array, subject: Subject) -> Array:
    array = as_array(gradient)
    if array.dtype.kind not in "fiub":
        got = str(array.dtype) if isinstance(gradient, np.ndarray | np.generic) else type(gradient).__name__
        message = f"the gradient of {name} is no array of real numbers but {got}"
        raise _violation("gradient-dtype", message, subject)
    if array.shape != x.shape:
        message = f"the gradient of {name} has shape {array.shape}, {name} has {x.shape}"
        raise _violation("gradient-shape", message, subject, shape_hint(name, array.shape, x.shape))
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _violation(finding: str, message: str, subject: Subject, hint: str = "") -> ContractViolation:
    return ContractViolation(finding, message, subject.name, subject.location, hint)
