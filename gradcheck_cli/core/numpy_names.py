"""What a NumPy function means when it is called on a Variable: an operator, a constant, or an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcheck_cli.core.builtin import builtin

NUMPY_NAMES = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "true_divide": "divide",
    "pow": "power",
    "concat": "concatenate",
    "permute_dims": "transpose",
}
"""NumPy's other names of ufuncs and functions, and the operators' names."""

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


def numpy_operator(name: str) -> Callable[..., Any]:
    """Return the built-in operator that NumPy's function `name` means. Raises TypeError if there is none."""
    name = NUMPY_NAMES.get(name, name)
    try:
        return builtin[name]
    except AttributeError:
        raise TypeError(
            f"np.{name} has no operator here, so its gradient would be lost: use .data for its value"
        ) from None


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
