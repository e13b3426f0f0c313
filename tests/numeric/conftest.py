"""A function around a point, and NumPy's warnings as they are while a function is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.point import Outputs, Point


def make_point(call: Callable[..., Any], x: Any, name: str = "x", **others: Any) -> Point:
    """Return `call`, a NumPy function of x and of other arrays by name, at these arrays while `name` moves."""
    values = {"x": np.asarray(x) if isinstance(x, np.ndarray) else np.asarray(x, dtype=np.float64), **others}

    def evaluate(variables: Any) -> Any:
        arrays = {key: value.data for key, value in variables.items()}
        return call(arrays.pop("x"), **arrays)

    function = TracedFunction(evaluate)
    return Point(function, values, name, Outputs(function.outputs(values)))


@pytest.fixture(scope="session")
def point() -> Callable[..., Point]:
    return make_point


@pytest.fixture
def unwarned() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield
