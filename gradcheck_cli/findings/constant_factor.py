"""GC202 constant-factor: the gradient is right but for a factor, the same for every element."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from gradcheck_cli.findings.measure import SAME, Mismatch, distinct
from gradcheck_cli.findings.surroundings import numbers_of
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding

SMALL = 1e-2
"""A factor so near to one is a matter of accuracy, unless it is one that can be named."""

_PLAIN = 100
"""Whole numbers up to this are telling by themselves..."""

_USUAL = 4
"""...and up to this they are so usual that a size of the same number may be a coincidence."""

_NUMBERS = {
    "ln 2": math.log(2),
    "ln 10": math.log(10),
    "pi": math.pi,
    "(2 pi)": 2 * math.pi,
    "sqrt(2)": math.sqrt(2),
    "sqrt(pi)": math.sqrt(math.pi),
    "sqrt(2 pi)": math.sqrt(2 * math.pi),
    "(180/pi)": 180 / math.pi,
}


def constant_factor(suspect: Suspect) -> Finding | None:
    """The gradient is right but for one factor, the same for every element.

    **Why it happens.** A 2 from a square, a ½ of a loss, a scale or a temperature is forgotten, or taken twice; a
    mean is differentiated as a sum (the factor is N) or a sum as a mean (1/N); a logarithm or an angle is in other
    units. A factor that is the size of an axis, an attribute, or a known number is named.

    **How to see it.** Analytic divided by numeric gradient is the same number everywhere. Training works all the
    same, with another learning rate than the one that you set; with several parameters, each has its own.

    **Repair.** Put the factor where the formula has it. Some courses divide the gradients of the weights by the
    number of rows and leave the loss a sum: then each layer is off and the network isn't; check the network as a
    whole.

    **Example.**

    ```python ops.py
    from gradcheck_cli import op


    @op
    def square(x):
        return x * x


    @square.backward
    def _(g, x):
        return g * x  # wrong: should be return 2 * g * x
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: sum(square(x))
    params: {x: {shape: 5}}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    factor = None if mismatch is None else factor_between(mismatch)
    if mismatch is None or factor is None:
        return None
    name, size = _name(factor, suspect)
    told_by_numbers = distinct(mismatch.numeric[mismatch.moved]) >= 2 and not suspect.is_even
    if not name and (abs(factor - 1) < SMALL or not told_by_numbers):
        return None
    message = f"the gradient of {mismatch.name} is {factor:.6g} times the right one{name}"
    # What the gradient has an axis of isn't what a mean over the rows divides by.
    if size and 0 < factor < 1 and size not in (*mismatch.shape, math.prod(mismatch.shape)):
        message += ": some courses take the mean here and not in the loss; check the whole network"
    return Finding("constant-factor", message)


def factor_between(mismatch: Mismatch) -> float | None:
    """Return the factor that makes the analytic gradient of the right one; None if none does, and for 0 and -1."""
    largest = max(float(np.max(np.abs(mismatch.analytic))), float(np.max(np.abs(mismatch.numeric))))
    a, n = mismatch.analytic / largest, mismatch.numeric / largest
    size = float(n @ n)
    if size == 0:
        return None
    factor = float(a @ n) / size
    if abs(factor) < SAME or abs(factor + 1) < SAME:
        return None
    left = mismatch.analytic - factor * mismatch.numeric
    return factor if mismatch.exactly(left, mismatch.blur * max(1.0, abs(factor))) else None


def _name(factor: float, suspect: Suspect) -> tuple[str, int]:
    """Say where a factor may come from, and which size it is, of an axis or of an array; 0 if none."""
    inverse = abs(factor) < 1
    value, over = 1 / abs(factor) if inverse else abs(factor), f"{'-' * (factor < 0)}{'1/' * inverse}"
    sizes = list(_sizes(suspect.shapes))
    usual = _whole(value, over) if value < _USUAL + 0.5 else []
    matching = [(size, origin) for size, origin in sizes if _is(value, size)][:1]
    counted = [f"{over}{size}; {origin}{', and a usual factor' * bool(usual)}" for size, origin in matching]
    roots = [f"{over}sqrt({size}); {origin}" for size, origin in sizes if _is(value, math.sqrt(size))][:1]
    beside = _attributes(factor, suspect) + roots
    told = (counted or usual) + beside if counted or beside else _whole(value, over)
    told = told or _known(value, inverse, over, sizes)
    return (f" ({', or '.join(told)})" if told else ""), matching[0][0] if matching else 0


def _attributes(factor: float, suspect: Suspect) -> list[str]:
    """Name a number of the application that the factor is, or is one over."""
    for name, number in (numbers_of(suspect.application) if suspect.application else {}).items():
        for power, text in ((number, name), (1 / number if number else 0.0, f"1/{name}")):
            if abs(power) not in (0.0, 1.0) and _is(factor, power):
                return [f"{text}; {name} is {number:g}"]
    return []


def _whole(value: float, over: str) -> list[str]:
    whole = round(value)
    return [f"{over}{whole}"] if 2 <= whole <= _PLAIN and _is(value, whole) else []


def _known(value: float, inverse: bool, over: str, sizes: list[tuple[int, str]]) -> list[str]:
    """Name the factor of a mean with one element less, that of a mean of squares, or one that everybody knows."""
    for size, origin in sizes:
        if size > 2 and _is(value, size / (size - 1)):
            return [f"{over.removesuffix('1/')}{f'{size - 1}/{size}' if inverse else f'{size}/{size - 1}'}; {origin}"]
    for size, origin in sizes:
        if size > _USUAL and _is(value, size / 2):
            return [f"{over.removesuffix('1/')}{f'2/{size}' if inverse else f'{size}/2'}; {origin}"]
    return [f"{over}{text}" for text, number in _NUMBERS.items() if _is(value, number)][:1]


def _sizes(shapes: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[int, str]]:
    """Yield the sizes that may count something: of axes, then of whole arrays."""
    for name, shape in shapes.items():
        for axis, size in enumerate(shape):
            if size > 1:
                yield size, f"{size} is the size of axis {axis} of {name}"
    for name, shape in shapes.items():
        if len(shape) > 1 and (size := math.prod(shape)) > 1:
            yield size, f"{name} has {size} elements"


def _is(value: float, number: float) -> bool:
    return abs(value - number) <= SAME * abs(number)
