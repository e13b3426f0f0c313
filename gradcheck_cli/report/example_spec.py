"""A spec that checks one operator, written from what the operator declares."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.draw import draw, sample_arguments
from gradcheck_cli.core.operator import Input, Operator
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.report.spec_text import array_text, call_text, can_be_written, files_text, four_digits, quoted
from gradcheck_cli.run.arguments import argument_names

_COMMON = "3 4"
_LEADING = "2"
# Any sizes from 2 to 4 suit an operator's shape words; different ones tell the axes apart.
_SIZES = (3, 4, 2)
_DRAWS = 16
_MOST_VALUES = 48


def example_spec(operator: Operator, ops: Sequence[str] = ()) -> str:
    """Return a spec, as YAML text, that checks `operator` alone; empty if no input has a gradient.

    `ops` are the operator files that it names. Arrays are given by shape and drawn from the
    declared domains. An operator with its own sample function knows more than its domains say, so
    its arrays are written out.
    """
    if not any(item.domain.differentiable for item in operator.inputs):
        return ""
    call = (_sampled(operator) if operator.sampler is not None else None) or _declared(operator)
    lines = [files_text(ops)] if ops else []
    if call.dims:
        lines.append(f"dims: {{{', '.join(f'{word}: {size}' for word, size in call.dims.items())}}}")
    names = [name if value else "None" for name, _, value in call.arrays]
    lines.append(f"expr: {quoted(call_text(operator, names, call.attributes))}")
    for title, differentiable in (("params", True), ("inputs", False)):
        entries = [
            f"  {name}: {value}"
            for name, item, value in call.arrays
            if value and item.domain.differentiable is differentiable
        ]
        lines += [f"{title}:", *entries] if entries else []
    return "".join(f"{line}\n" for line in lines)


@dataclass
class _Call:
    """The arguments of the example: name, declaration and YAML value of each array (empty: left out), attributes."""

    arrays: list[tuple[str, Input, str]]
    attributes: dict[str, Any]
    dims: dict[str, int] = field(default_factory=dict)


def _declared(operator: Operator) -> _Call:
    """Build the arguments from shape words: each word becomes a name in `dims`."""
    taken = {name for name, _ in argument_names(operator)}
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

    arrays = [(name, item, _declared_value(item.domain, word)) for name, item in argument_names(operator)]
    named = {text: size for text, size in dims.items() if text.isidentifier() and text not in taken}
    written = {each.name: [value for value in each.values if can_be_written(value)] for each in operator.attributes}
    return _Call(arrays, {name: values[0] for name, values in written.items() if values}, named)


def _declared_value(domain: Domain, word: Any) -> str:
    """Write how an array is drawn: shape words, or a mapping where `x: 3` would be the value 3."""
    words = [word(text) for text in (_COMMON.split() if domain.words is None else domain.words)]
    below = word(str(domain.below)) if domain.below is not None else ""
    if not words:
        limit = domain.below if isinstance(domain.below, int) else 2
        return _value(draw(domain, (), np.random.default_rng(0), limit))
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
    arrays, attributes = min(drawn, key=lambda arguments: _size(arguments[0]))
    text = _shape_value if _size(arrays) > _MOST_VALUES else _value
    values = ["" if array is None else text(array) for array in arrays]
    named = zip(argument_names(operator, len(arrays)), values, strict=False)
    written = {name: value for name, value in attributes.items() if can_be_written(value)}
    return _Call([(name, item, value) for (name, item), value in named], written)


def _size(arrays: Sequence[Array | None]) -> int:
    return sum(array.size for array in arrays if array is not None)


def _value(array: Array) -> str:
    return array_text(array, four_digits)


def _shape_value(array: Array) -> str:
    shape = " ".join(map(str, array.shape))
    return f"{{shape: {shape}}}" if array.ndim == 1 else shape if array.ndim else _value(array)
