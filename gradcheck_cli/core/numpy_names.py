"""What a NumPy function means when it is called on a Variable: an operator, a constant, or an error."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradcheck_cli.core.builtin import builtin

if TYPE_CHECKING:
    from gradcheck_cli.core.operator import Operator

NUMPY_NAMES = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "true_divide": "divide",
    "pow": "power",
    "concat": "concatenate",
    "permute_dims": "transpose",
    "remainder": "mod",
}
"""NumPy's other names of ufuncs and functions, and the operators' names."""
_MODULES = {"numpy": "np", "numpy.linalg": "np.linalg", "numpy.fft": "np.fft"}

OTHER_MEANINGS = {
    "np.linalg.trace": "trace(x, axis1=-2, axis2=-1) sums the diagonal of the last two axes",
    "np.linalg.diagonal": "diagonal(x, axis1=-2, axis2=-1) takes that of the last two axes",
    "np.fft.irfft": "irfft(real, imag) takes the real and the imaginary parts",
}
"""Functions of NumPy that aren't what the operator of their name is, and what to use instead."""

JOINS = ("concatenate", "concat", "stack")
"""Functions of a sequence of arrays, which one array is as well: that of its rows."""

# NumPy's arguments that an operator hasn't, and those that have another name there.
_LEFT_OUT = ("dtype", "out", "order", "kind")
_ARGUMENT_NAMES = {"a_min": "min", "a_max": "max"}

# Results that no small change of an element changes: they have no gradient to lose.
_CONSTANT_FUNCTIONS = (
    "greater greater_equal less less_equal equal not_equal isnan isinf isfinite signbit "
    "logical_and logical_or logical_not logical_xor "
    "shape ndim size result_type zeros_like ones_like full_like empty_like "
    "allclose isclose array_equal any all count_nonzero nonzero argmax argmin argsort "
    "array_repr array_str array2string"
)
CONSTANT_FUNCTIONS = frozenset(_CONSTANT_FUNCTIONS.split())


def other_names(name: str) -> list[str]:
    """Return NumPy's other names of the operator `name`."""
    return [other for other, own in NUMPY_NAMES.items() if own == name]


def numpy_operator(name: str) -> Operator:
    """Return the built-in operator that NumPy's function `name` means. Raises TypeError if there is none."""
    name = NUMPY_NAMES.get(name, name)
    try:
        return builtin[name]
    except AttributeError:
        raise TypeError(
            f"np.{name} has no operator here, so its gradient would be lost: use .data for its value"
        ) from None


def call_numpy(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Apply the operator that NumPy's function means to arguments that stand where NumPy has them.

    Raises TypeError where no operator means the same.
    """
    shown = f"{_MODULES.get(function.__module__, function.__module__)}.{function.__name__}"
    if function.__module__ not in _MODULES:
        raise TypeError(f"{shown} has no operator here, so its gradient would be lost: use .data for its value")
    if shown in OTHER_MEANINGS:
        raise TypeError(f"{shown} has no operator here, but gradcheck_cli.ops has: {OTHER_MEANINGS[shown]}")
    operator = numpy_operator(function.__name__)
    if any(item.variadic for item in operator.inputs):
        rows = function.__name__ in JOINS and args and not isinstance(args[0], list | tuple)
        return operator([*args[0]], *args[1:], **kwargs) if rows else operator(*args, **kwargs)
    names = _parameters(function)
    if len(args) > len(names):  # NumPy doesn't say what its arguments are called
        return operator(*args, **kwargs)
    named = {**dict(zip(names, args, strict=False)), **kwargs}
    arrays = [named.pop(name) for name in names[: len(operator.inputs)] if name in named]
    given = {name: value for name, value in named.items() if value is not None or name not in _LEFT_OUT}
    return operator(*arrays, **{_ARGUMENT_NAMES.get(name, name): value for name, value in given.items()})


@functools.cache
def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of what NumPy's function takes by position; none where it doesn't tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return ()
    return tuple(each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD))


def check_ufunc_call(ufunc: str, method: str, options: dict[str, Any]) -> None:
    """Refuse what an operator can't stand for: `np.add.reduce`, `out=`, `array += variable`. Raises TypeError."""
    if method != "__call__":
        raise TypeError(f"np.{ufunc}.{method} has no operator here, so its gradient would be lost")
    if "out" in options:
        raise TypeError(
            f"np.{ufunc} can't write the result for a Variable into an array, which would lose its gradient: "
            "write a = a + v, not a += v"
        )
    if options:
        raise TypeError(f"np.{ufunc} on a Variable takes no {', '.join(options)}")
