"""The numbers of a case: given, or drawn with a seed of their own."""

from __future__ import annotations

import math
import zlib

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.draw import draw
from gradcheck_cli.errors import Problem, SpecError
from gradcheck_cli.spec.case import ArraySpec, Case


def draw_values(case: Case, seed: int | None = None) -> dict[str, Array]:
    """Return every parameter and input of `case` by name, each a new array of its record's shape and dtype.

    Arrays that aren't given are drawn with a generator seeded by `seed` (default: the case's own),
    the case's name and the array's name, so that a draw doesn't depend on neighbours. Raises
    SpecError, with the array's location, if nothing can be drawn.
    """
    start = case.seed if seed is None else seed
    values: dict[str, Array] = {}
    problems: list[Problem] = []
    for spec in (*case.parameters, *case.inputs):
        rng = np.random.default_rng([start, number_of(case.name), number_of(spec.name)])
        try:
            drawn = spec.value if spec.value is not None else _drawn(spec, rng)
        except ValueError as error:
            problems.append(Problem(f"{spec.name} can't be drawn: {error}", spec.location, "nothing-to-draw"))
        else:
            values[spec.name] = np.array(drawn, dtype=spec.dtype)
    if problems:
        raise SpecError(problems)
    return values


def number_of(name: str) -> int:
    """Return the number that stands for a name in a seed; a name of a file may hold bytes that are no UTF-8."""
    return zlib.crc32(name.encode(errors="surrogateescape"))


def _drawn(spec: ArraySpec, rng: np.random.Generator) -> Array:
    shape = spec.shape
    if spec.init == "zeros":
        return np.zeros(shape)
    if spec.init == "ones":
        return np.ones(shape)
    if spec.init == "normal":
        return np.asarray(rng.standard_normal(shape))
    if spec.init == "he":
        return np.asarray(rng.standard_normal(shape) * math.sqrt(2 / _fan_in(shape)))
    if spec.init == "xavier":
        limit = math.sqrt(6 / (_fan_in(shape) + _fan_out(shape)))
        return np.asarray(rng.uniform(-limit, limit, shape))
    if spec.init == "spd":
        return draw(Domain(spd=True), shape, rng)
    return draw(spec.domain, shape, rng, spec.below)


def _fan_in(shape: tuple[int, ...]) -> int:
    """Count what flows into one unit of a weight whose last axis is its outputs: `(in, out)`."""
    return max(1, math.prod(shape[:-1]))


def _fan_out(shape: tuple[int, ...]) -> int:
    return max(1, shape[-1]) if shape else 1
