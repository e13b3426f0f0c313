"""A spec that checks one operator, written from what the operator declares."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.draw import draw, sample_arguments
from gradcheck_cli.core.operator import REQUIRED, Input, Operator

_COMMON = "3 4"
_LEADING = "2"
# Any sizes from 2 to 4 suit an operator's shape words; different ones tell the axes apart.
_SIZES = (3, 4, 2)
_DRAWS = 16
_MOST_VALUES = 48
_UNWRITTEN = object()
_NO_FILE = r"[^\w./-]"
_NO_EXPRESSION = r": | #|:$"


def example_spec(operator: Operator, ops: Sequence[str] = ()) -> str:
    """Return a spec, as YAML text, that checks `operator` alone; empty if no input has a gradient.

    `ops` are the operator files that it names. Arrays are given by shape and drawn from the
    declared domains. An operator with its own sample function knows more than its domains say, so
    its arrays are written out.
    """
    if not any(item.domain.differentiable for item in operator.inputs):
        return ""
    call = (_sampled(operator) if operator.sampler is not None else None) or _declared(operator)
    lines = [f"ops: [{', '.join(_quoted(file, _NO_FILE) for file in ops)}]"] if ops else []
    if call.dims:
        lines.append(f"dims: {{{', '.join(f'{word}: {size}' for word, size in call.dims.items())}}}")
    lines.append(f"expr: {_quoted(call.expression(operator), _NO_EXPRESSION)}")
    for title, differentiable in (("params", True), ("inputs", False)):
        entries = [
            f"  {name}: {value}" for name, item, value in call.arrays if item.domain.differentiable is differentiable
        ]
        lines += [f"{title}:", *entries] if entries else []
    return "".join(f"{line}\n" for line in lines)


@dataclass
class _Call:
    """The arguments of the example: each array's name, declaration and YAML value, then the attributes."""

    arrays: list[tuple[str, Input, str]]
    attributes: dict[str, Any]
    dims: dict[str, int] = field(default_factory=dict)

    def expression(self, operator: Operator) -> str:
        written = {name: _literal(value) for name, value in self.attributes.items() if value is not None}
        parts = [name for name, _, _ in self.arrays]
        parts += [f"{name}={text}" for name, text in written.items() if text is not _UNWRITTEN]
        return f"{operator.name}({', '.join(parts)})"


def _declared(operator: Operator) -> _Call:
    """Build the arguments from shape words: each word becomes a name in `dims`."""
    taken = {name for name, _ in _names(operator)}
    dims: dict[str, int] = {}
    sizes = itertools.cycle(_SIZES)

    def word(text: str) -> str:
        if text == "...":
            return _LEADING
        if text.isdigit():
            return text
        if text not in dims:
            dims[text] = next(sizes)
        return text if text.isidentifier() and text not in taken else str(dims[text])

    arrays = [(name, item, _declared_value(item.domain, word)) for name, item in _names(operator)]
    named = {text: size for text, size in dims.items() if text.isidentifier() and text not in taken}
    attributes = {attribute.name: _first_written(attribute.values) for attribute in operator.attributes}
    return _Call(arrays, attributes, named)


def _declared_value(domain: Domain, word: Any) -> str:
    """Write how an array is drawn: shape words, or a mapping where `x: 3` would be the value 3."""
    words = [word(text) for text in (_COMMON.split() if domain.words is None else domain.words)]
    below = word(str(domain.below)) if domain.below is not None else ""
    if not words:
        limit = domain.below if isinstance(domain.below, int) else 2
        return _written(draw(domain, (), np.random.default_rng(0), limit))
    shape = " ".join(words)
    if below:
        return f"{{shape: {shape}, below: {below}}}"
    return f"{{shape: {shape}}}" if shape.isdigit() else shape


def _sampled(operator: Operator) -> _Call | None:
    """Build the arguments from the smallest of a few samples; None if the sample function can't be used."""
    drawn = []
    for seed in range(_DRAWS):
        try:
            drawn.append(sample_arguments(operator, np.random.default_rng(seed)))
        except Exception:  # the user's code: the checks say what is wrong with it, a listing only goes without
            return None
    arrays, attributes = min(drawn, key=lambda arguments: sum(array.size for array in arguments[0]))
    if sum(array.size for array in arrays) > _MOST_VALUES:
        values = [_shape_value(array) for array in arrays]
    else:
        values = [_written(array) for array in arrays]
    named = zip(_names(operator, len(arrays)), values, strict=False)
    return _Call([(name, item, value) for (name, item), value in named], attributes)


def _shape_value(array: Array) -> str:
    shape = " ".join(map(str, array.shape))
    return f"{{shape: {shape}}}" if array.ndim == 1 else shape if array.ndim else _written(array)


def _names(operator: Operator, count: int | None = None) -> Iterator[tuple[str, Input]]:
    """Name the arrays of a call: a variadic `xs` stands for x1, x2."""
    for item in operator.inputs:
        if item.variadic:
            more = 2 if count is None else count - len(operator.inputs) + 1
            stem = item.name.removesuffix("s") or item.name
            yield from ((f"{stem}{position}", item) for position in range(1, more + 1))
        else:
            yield item.name, item


def _first_written(values: Sequence[Any]) -> Any:
    """Return the first value that an expression can hold, None (left out) if there is none."""
    return next((value for value in values if value is not REQUIRED and _literal(value) is not _UNWRITTEN), None)


def _literal(value: Any) -> Any:
    """Write an attribute's value as an expression has it; `_UNWRITTEN` for what it has no words for."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else _UNWRITTEN
    if isinstance(value, list | tuple):
        parts = [_literal(part) for part in value]
        if any(part is _UNWRITTEN for part in parts):
            return _UNWRITTEN
        inner = ", ".join(parts)
        return f"[{inner}]" if isinstance(value, list) else f"({inner},)" if len(parts) == 1 else f"({inner})"
    return _UNWRITTEN


def _written(array: Array) -> str:
    """Write an array as a YAML list of lists, its numbers with four digits."""
    if array.ndim:
        return f"[{', '.join(_written(part) for part in array)}]"
    if array.dtype.kind == "b":
        return str(bool(array)).lower()
    return str(int(array)) if array.dtype.kind in "iu" else f"{float(array):.4g}"


def _quoted(text: str, pattern: str) -> str:
    """Return text for YAML, quoted where it matches `pattern` and would otherwise mean something else."""
    return "'" + text.replace("'", "''") + "'" if re.search(pattern, text) else text
