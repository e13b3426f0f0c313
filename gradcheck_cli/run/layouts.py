"""How arrays lie in memory: the same numbers in another order, or with gaps between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.operator import Input, Operator, Rule
from gradcheck_cli.core.variable import Variable

PLAIN, FORTRAN, STRIDED = "C", "Fortran", "strided"


def in_layout(array: Array, layout: str) -> Array:
    """Return the numbers of `array` in another layout: that of a transposed array, or of every second element."""
    if layout == FORTRAN and array.ndim > 1:
        return np.asfortranarray(array)
    if layout == STRIDED and array.ndim:
        return np.asarray(np.stack([array, array], axis=-1)[..., 0])
    return array


def lay_out(value: Any, layout: str) -> Any:
    """Bring an argument into a layout. A Variable goes through a node of its own, so that gradients flow back."""
    if layout == PLAIN or value is None:
        return value
    if isinstance(value, Variable):
        return _OPERATORS[layout].apply([value], {})
    return in_layout(value, layout) if isinstance(value, np.ndarray) else value


def _operator(layout: str) -> Operator:
    rule = Rule(lambda g: g, ("x",), ("g",), __file__, 0)
    return Operator(layout, lambda x: in_layout(x, layout), (Input("x"),), rules=(rule,), file=__file__)


_OPERATORS = {layout: _operator(layout) for layout in (FORTRAN, STRIDED)}
