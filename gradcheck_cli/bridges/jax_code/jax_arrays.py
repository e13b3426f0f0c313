"""Arrays as JAX computes with them and back, and functions of them that are compiled once they are seen to be pure."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.bridges.signatures import underlying
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.extras import install_line
from gradcheck_cli.core.generators import Generators
from gradcheck_cli.errors import OperatorError, Problem, near

ArrayFunction: TypeAlias = Callable[..., Sequence[Any]]
"""Takes lists of arrays, and returns a list of arrays."""

_FLOATS = ("float64", "float32", "float16", "bfloat16")

_WORTH_COMPILING = 64
"""Elements of the arguments: for fewer, all evaluations of a check take less time than a compilation."""

_MOST_COMPILED = 64
"""Compilations of one operator: one that is called with ever new attributes isn't compiled for each."""

_EPSILONS = 1000
"""By how much a compiled function may differ, relative to each element: fused operations round elsewhere."""


def jax_module() -> Any:
    """Import JAX, which takes a second, now that it is needed. Raises OperatorError if it is missing."""
    try:
        return importlib.import_module("jax")
    except ImportError as error:
        hint = f"install it: {install_line('jax')}"
        raise OperatorError(Problem(f"JAX can't be imported: {error}", code="missing-framework", hint=hint)) from error


def read_dtype(dtype: Any) -> str | None:
    """Read the name of a floating type: float32, or jnp.float32. Raises OperatorError for what is none."""
    if dtype is None:
        return None
    name = str(getattr(dtype, "__name__", None) or getattr(dtype, "name", dtype))
    if name not in _FLOATS:
        hint = near(name, _FLOATS) or f"there are: {', '.join(_FLOATS)}"
        raise OperatorError(Problem(f"dtype should be a floating type, not '{name}'", code="wrong-dtype", hint=hint))
    return name


@contextmanager
def precision(double: bool) -> Iterator[None]:
    """Let JAX compute in double precision inside the `with` block, which it doesn't by default; or not.

    For the time of a call and not for good: the same process may run other code that counts on single
    precision. Functions that were compiled before are compiled again, since the setting is part of their key.
    """
    jax = jax_module()
    if hasattr(jax, "enable_x64"):
        with jax.enable_x64(double):
            yield
    else:  # before 0.8
        with importlib.import_module("jax.experimental").enable_x64(double):
            yield


def to_jax(array: Any, dtype: str | None = None) -> Any:
    """Copy an array for JAX, floats in `dtype`.

    JAX gets arrays of its own only: it may share the memory of NumPy's, which the checker writes to, and
    keeps no record of the precision in which it last saw one.
    """
    if not isinstance(array, np.ndarray):  # JAX's own, a random key
        return array
    return jax_module().numpy.array(array, dtype=dtype if array.dtype.kind == "f" else None)


def to_numpy(value: Any) -> Array:
    """Copy what JAX returned into an array; half precision as float32, a random key as its data."""
    jax = jax_module()
    if jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    array = np.array(value)
    return array if array.dtype.kind in "fiubc" and array.dtype != np.float16 else array.astype(np.float32)


class Compiler:
    """Runs functions of arrays, and compiles those that are called often enough.

    A complete check evaluates a function twice per element, and a compiled one is ten times faster. But
    compiling draws random numbers once and for all, and reads global state once: that would hide what a
    check looks for. So the first call with arguments of some layout runs the code twice as it is. Only
    if both agree to the last bit, no random generator moved, and the compiled code agrees but for
    rounding, that is used, from the first call on, so that all values are rounded alike.
    """

    def __init__(self) -> None:
        self._compiled: dict[Hashable, ArrayFunction | None] = {}

    def run(self, function: ArrayFunction, key: Hashable, loops: bool, *arguments: Sequence[Any]) -> list[Array]:
        """Call `function`; `key` tells it from others, None if nothing does.

        `loops` says that it has loops of JAX, whose bodies are compiled at every call if it isn't as a whole.
        """
        size = sum(array.size for group in arguments for array in group)
        if key is None or (size < _WORTH_COMPILING and not loops):
            return _run(function, arguments)
        layouts = tuple(tuple((array.shape, str(array.dtype)) for array in group) for group in arguments)
        known = (key, layouts)
        if known not in self._compiled:
            if len(self._compiled) >= _MOST_COMPILED:
                return _run(function, arguments)
            plain, self._compiled[known] = _compile(function, arguments)
            if self._compiled[known] is None:
                return plain
        return _run(self._compiled[known] or function, arguments)


def _run(function: ArrayFunction, arguments: Sequence[Sequence[Any]]) -> list[Array]:
    return [to_numpy(value) for value in function(*map(list, arguments))]


def _compile(function: ArrayFunction, arguments: Sequence[Sequence[Any]]) -> tuple[list[Array], ArrayFunction | None]:
    """Return what the function returns as it is, and a compiled one if that does the same."""
    generators = Generators()
    first = _run(function, arguments)
    if generators.moved() or not _equal(first, _run(function, arguments), 0):
        return first, None
    compiled = jax_module().jit(function)
    try:
        again = _run(compiled, arguments)
    except Exception:  # Python's own control flow on values, which runs as it is
        return first, None
    return first, compiled if _equal(first, again, _EPSILONS) else None


def _equal(first: Sequence[Array], second: Sequence[Array], epsilons: float) -> bool:
    """Tell whether arrays agree element by element up to so many of their epsilons."""
    if len(first) != len(second):
        return False
    for a, b in zip(first, second, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        share = epsilons * float(np.finfo(a.dtype).eps) if a.dtype.kind in "fc" else 0.0
        with np.errstate(all="ignore"):
            if not np.allclose(a, b, rtol=share, atol=0.0, equal_nan=a.dtype.kind in "fc"):
                return False
    return True


def frozen(value: Any) -> Hashable:
    """Return what tells a plain value from others, for containers and functions, too; None if nothing does."""
    if isinstance(value, Mapping):
        parts = [(str(key), frozen(part)) for key, part in value.items()]
        return None if any(part is None for _, part in parts) else (type(value).__name__, tuple(parts))
    if isinstance(value, tuple | list):
        inside = [frozen(part) for part in value]
        return None if None in inside else (type(value).__name__, tuple(inside))
    if callable(value) and hasattr(value, "__wrapped__"):
        value = underlying(value)  # a copy of a decorated function is another object around the same function
    try:
        hash(value)
    except TypeError:
        return None
    return type(value), value
