"""A spec that checks one operator, written from what the operator declares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.draw import draw
from gradcheck_cli.core.operator import Input, Operator
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.report.spec_text import (
    FreeName,
    array_text,
    call_text,
    can_be_written,
    files_text,
    four_digits,
    listed,
    quoted,
)
from gradcheck_cli.run.arguments import argument_names
from gradcheck_cli.run.sizes import Sizes

_MOST_VALUES = 48
_NO_NAMES = ("dtype", "np")
"""Names that mean something else in a matrix or an expression."""


def example_spec(operator: Operator, ops: Sequence[str] = ()) -> str:
    """Return a spec, as YAML text, that checks `operator` alone; empty if no input has a gradient.

    `ops` are the operator files that it names. Arrays are given by shape and drawn from the
    declared domains, in shapes that broadcast where it takes them; attributes with several values make a matrix. An
    operator with its own sample function knows more than its domains say, so its arrays are written out.
    """
    if not any(item.domain.differentiable for item in operator.inputs):
        return ""
    call = _call(operator)
    lines = [files_text(ops)] if ops else []
    if call.dims:
        lines.append(f"dims: {{{', '.join(f'{word}: {size}' for word, size in call.dims.items())}}}")
    names = [name if value else "None" for name, _, value in call.arrays]
    lines.append(f"expr: {quoted(call_text(operator, names, call.attributes))}")
    if call.matrix:
        rows = (f"{name}: [{', '.join(map(listed, values))}]" for name, values in call.matrix.items())
        lines += ["matrix:", *(f"  {row}" for row in rows)]
    for title, differentiable in (("params", True), ("inputs", False)):
        entries = [
            f"  {name}: {value}"
            for name, item, value in call.arrays
            if value and item.domain.differentiable is differentiable
        ]
        lines += [f"{title}:{call.remark if differentiable else ''}", *entries] if entries else []
    return "".join(f"{line}\n" for line in lines)


@dataclass
class _Call:
    """The arguments of the example: name, declaration and YAML value of each array (empty: left out), attributes.

    `matrix` holds the values of attributes that have several, by a free name. `remark` is a comment on the arrays.
    """

    arrays: list[tuple[str, Input, str]]
    attributes: dict[str, Any]
    dims: dict[str, int]
    matrix: dict[str, tuple[Any, ...]]
    remark: str


def _call(operator: Operator) -> _Call:
    # Here, since a listing has no examples, and this calls what checks operators.
    from gradcheck_cli.run.example_arguments import example_arguments

    chosen = example_arguments(operator, can_be_written)
    dims: dict[str, int] = {}
    if chosen.arrays is None:
        arrays, dims = _declared(operator, chosen.sizes)
    else:
        arrays = _sampled(operator, chosen.arrays)
    taken = {*dims, *(name for name, _, _ in arrays), *_NO_NAMES}
    attributes: dict[str, Any] = {}
    matrix: dict[str, tuple[Any, ...]] = {}
    for name, values in chosen.attributes.items():
        if not all(map(can_be_written, values)):
            continue
        free = name
        while free in taken:
            free = f"{free}_"
        attributes[name] = FreeName(free) if len(values) > 1 else values[0]
        if len(values) > 1:
            matrix[free] = values
            taken.add(free)
    remark = " # shapes that broadcast, so the backward has to sum" if chosen.sizes.own else ""
    return _Call(arrays, attributes, dims, matrix, remark)


def _declared(operator: Operator, sizes: Sizes) -> tuple[list[tuple[str, Input, str]], dict[str, int]]:
    """Write arrays by their shape words, each of which becomes a name in `dims`."""
    taken = {name for name, _ in argument_names(operator)}
    named = {word: size for word, size in sizes.words.items() if word.isidentifier() and word not in taken}

    def word(text: str) -> str:
        return text if text.isdigit() or text in named else str(sizes.words[text])

    arrays = []
    for slot, (name, item) in enumerate(argument_names(operator)):
        words = item.domain.words
        free = () if words is None else words[words[:1] == ("...",) :]
        count = len(sizes.shape(slot, item.domain)) - len(free)
        shape = [*map(str, sizes.shape(slot, item.domain)[:count]), *map(word, free)]
        arrays.append((name, item, _declared_value(item.domain, shape, word)))
    return arrays, named


def _declared_value(domain: Domain, words: Sequence[str], word: Callable[[str], str]) -> str:
    """Write how an array is drawn: shape words, or a mapping where `x: 3` would be the value 3."""
    below = word(str(domain.below)) if domain.below is not None else ""
    if not words:
        limit = domain.below if isinstance(domain.below, int) else 2
        return _value(draw(domain, (), np.random.default_rng(0), limit))
    shape = " ".join(words)
    if below:
        return f"{{shape: {shape}, below: {below}}}"
    return f"{{shape: {shape}}}" if shape.isdigit() else shape


def _sampled(operator: Operator, arrays: Sequence[Array | None]) -> list[tuple[str, Input, str]]:
    """Write the values of arrays, of many elements the shapes alone."""
    text = _shape_value if sum(array.size for array in arrays if array is not None) > _MOST_VALUES else _value
    values = ["" if array is None else text(array) for array in arrays]
    named = zip(argument_names(operator, len(arrays)), values, strict=False)
    return [(name, item, value) for (name, item), value in named]


def _value(array: Array) -> str:
    return array_text(array, four_digits)


def _shape_value(array: Array) -> str:
    shape = " ".join(map(str, array.shape))
    return f"{{shape: {shape}}}" if array.ndim == 1 else shape if array.ndim else _value(array)
