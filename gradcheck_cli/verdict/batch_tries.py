"""What a declared batch is held to its word with: operands that move alone and together, by elements, slabs, whole."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.moved import Moved
from gradcheck_cli.numeric.steps import element_scales

_SHARE = (0.1, 0.5)
"""By how much operands move, in terms of their scales: enough for a function that isn't linear to show it."""


def tries(arrays: Sequence[Any], positions: Sequence[int], rng: np.random.Generator) -> Iterator[list[Moved | None]]:
    """Yield operands that move: each of `positions` alone, then neighbours and all of them together.

    `arrays` are the operands at the point; those at `positions` are floating and have elements.
    """

    def operands(moved: Mapping[int, Moved]) -> list[Moved | None]:
        return [moved.get(position) for position in range(len(arrays))]

    for position in positions:
        for moved in _perturbations(arrays[position], rng):
            yield operands({position: moved})
    together = {tuple(positions), *itertools.pairwise(positions)} if len(positions) > 1 else set()
    for group in sorted(together):
        yield operands({position: _everything(arrays[position], 2, rng) for position in group})
        for alone in group[:2]:
            one = _elements(arrays[alone], _indices(arrays[alone], 2, rng), rng)
            whole = {position: _everything(arrays[position], one.count, rng) for position in group}
            yield operands({**whole, alone: one})
        shapes = {arrays[position].shape for position in group}
        if len(shapes) == 1:  # as if both were made of one parameter
            at = _indices(arrays[group[0]], 2, rng)
            yield operands({position: _elements(arrays[position], at, rng) for position in group})


def _perturbations(x: Array, rng: np.random.Generator) -> Iterator[Moved]:
    """Yield random elements, slabs and everything, two different displacements at once and one, as they are pushed."""
    for count in (2, 1):
        yield _elements(x, _indices(x, count, rng), rng)
        yield _everything(x, count, rng)
    if x.ndim > 1:
        for axis in range(x.ndim):
            index = rng.integers(0, x.shape[axis], 2)
            slab, scales = (np.moveaxis(array.take(index, axis), axis, -1) for array in (x, _scales(x)))
            yield Moved((axis,), (index,), _away(slab, scales, rng))


def _indices(x: Array, count: int, rng: np.random.Generator) -> tuple[Array, ...]:
    return tuple(np.unravel_index(rng.integers(0, x.size, count), x.shape)) if x.ndim else ()


def _elements(x: Array, at: tuple[Array, ...], rng: np.random.Generator) -> Moved:
    """Move one element in each perturbation."""
    base, scales = (array[at] if x.ndim else array.reshape(1) for array in (x, _scales(x)))
    return Moved(tuple(range(x.ndim)), at, _away(base, scales, rng))


def _everything(x: Array, count: int, rng: np.random.Generator) -> Moved:
    """Move all elements in each perturbation."""
    return Moved((), (), _away(np.repeat(x[..., None], count, axis=-1), _scales(x)[..., None], rng))


def _scales(x: Array) -> Array:
    return element_scales(np.ravel(x).astype(np.float64)).reshape(x.shape)


def _away(values: Array, scales: Any, rng: np.random.Generator) -> Array:
    """Return values displaced by a share of their scales."""
    change = rng.uniform(*_SHARE, values.shape) * rng.choice([-1.0, 1.0], values.shape)
    return np.asarray(values + change * scales, dtype=values.dtype)
