"""The outputs of PyTorch code: how many there are and their names, as far as its text tells, and their values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.bridges.foreign import Description
from gradcheck_cli.bridges.torch_code.tensors import torch_module
from gradcheck_cli.core.source import Source
from gradcheck_cli.errors import OperatorError, Problem


def output_names(function: Callable[..., Any], taken: Collection[str] = ()) -> tuple[str, ...]:
    """Name the outputs of a function by its return statements: one, unless they return a tuple.

    `taken` are names that other things have.
    """
    try:
        source = Source(function)
    except AttributeError:  # written in C
        return ("out",)
    counts = source.returned_counts()
    if not counts or source.tree is None or counts[0][1] < 2:
        return ("out",)
    line = counts[0][0].line
    returned = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Return) and node.lineno == line)
    assert isinstance(returned.value, ast.Tuple)
    names = [part.id if isinstance(part, ast.Name) else "" for part in returned.value.elts]
    unusable = {name for name in names if names.count(name) > 1 or name in taken or name.startswith("_")}
    return tuple(
        name if name and name not in unusable else f"out{position}" for position, name in enumerate(names, start=1)
    )


def output_values(returned: Any, described: Description) -> list[Any]:
    """Return one value per output: a tensor, an array, or None where the code returned nothing at all.

    Tuples and mappings are opened. An output that holds no numbers stands as an empty array of
    integers, which has no gradient. Raises OperatorError for another number of outputs than is known.
    """
    count = len(described.outputs)
    if returned is None and count == 1:
        return [None]
    values = _items(returned)
    if len(values) != count or any(_is_container(value) for value in values):
        values = flat(returned)
    if len(values) != count:
        values = [value for value in values if _is_number(value)]
    if len(values) != count:
        names = " ".join(f"out{position}" for position in range(1, len(values) + 1))
        known = f"{count} output{'s' * (count != 1)}"
        message = f"{described.name} returned {len(values)} outputs, and its text shows {known}"
        hint = f"name them in its `ops` mapping: outputs: {names}" if values else "it returned no tensor"
        raise OperatorError(Problem(message, described.places[0], "output-count", hint))
    return [_value(value) for value in values]


def _items(returned: Any) -> list[Any]:
    if isinstance(returned, Mapping):
        return list(returned.values())
    return list(returned) if isinstance(returned, tuple | list) else [returned]


def flat(returned: Any) -> list[Any]:
    """Return the values inside tuples, lists and mappings, however deep, in order."""
    if not _is_container(returned):
        return [returned]
    return [value for part in _items(returned) for value in flat(part)]


def _is_container(value: Any) -> bool:
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes)


def _is_number(value: Any) -> bool:
    return torch_module().is_tensor(value) or isinstance(value, np.ndarray | np.generic | int | float)


def _value(value: Any) -> Any:
    if torch_module().is_tensor(value):
        return value
    return np.asarray(value) if _is_number(value) else np.zeros(0, dtype=np.int64)
