"""What JAX records of code, without running it: how precisely it computes, and whether it loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcheck_cli.bridges.jax_code.jax_arrays import jax_module
from gradcheck_cli.core.generators import Generators

_LOOPS = ("scan", "while", "cond")


@dataclass(frozen=True)
class Record:
    """The coarsest floating type to which code rounds its numbers, and whether it has loops or branches of JAX."""

    dtype: np.dtype[Any]
    loops: bool = False

    @property
    def epsilon(self) -> float:
        """The machine epsilon of the type."""
        return float(jax_module().numpy.finfo(self.dtype).eps)

    @property
    def half(self) -> bool:
        """Whether it has fewer digits than single precision."""
        return self.epsilon > float(np.finfo(np.float32).eps)


def record(function: Callable[..., Any], arguments: Sequence[Any], double: bool) -> Record:
    """Record a function of lists of arrays.

    Code that can't be recorded (Python's own control flow on values) counts as precise.
    """
    jax = jax_module()
    numpy = jax.numpy
    given = [array.dtype for group in arguments for array in group if numpy.issubdtype(array.dtype, numpy.floating)]
    dtypes = [np.dtype(np.float64 if double else np.float32), *given]
    loops = False
    try:
        with Generators().again():  # what the code draws meanwhile it will draw when it runs
            recorded = jax.make_jaxpr(function)(*arguments)
    except Exception:  # said where the code runs
        return _coarsest(dtypes, loops)
    for equation in _equations(recorded.jaxpr):
        loops = loops or equation.primitive.name in _LOOPS
        if equation.primitive.name == "convert_element_type":
            before, after = equation.invars[0].aval.dtype, equation.outvars[0].aval.dtype
            if all(numpy.issubdtype(dtype, numpy.floating) for dtype in (before, after)):
                dtypes += [after] if numpy.finfo(after).eps > numpy.finfo(before).eps else []
    return _coarsest(dtypes, loops)


def _coarsest(dtypes: Sequence[Any], loops: bool) -> Record:
    finfo = jax_module().numpy.finfo
    return Record(np.dtype(max(dtypes, key=lambda dtype: float(finfo(dtype).eps))), loops)


def _equations(jaxpr: Any) -> Iterator[Any]:
    """Yield the equations of recorded code, and of the functions and loops inside it."""
    for equation in jaxpr.eqns:
        yield equation
        for value in equation.params.values():
            for part in value if isinstance(value, tuple | list) else (value,):
                inner = getattr(part, "jaxpr", part)
                if hasattr(inner, "eqns"):
                    yield from _equations(inner)
