"""Random values from domains, and sample arguments of an operator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain

if TYPE_CHECKING:
    from gradcheck_cli.core.operator import Operator

# How far drawn values stay from a value to avoid, and distinct values from one another.
_GAP = 0.1


def draw(domain: Domain, shape: tuple[int, ...], rng: np.random.Generator, below: int | None = None) -> Array:
    """Draw an array of `shape` from `domain`; `below` is the size that its shape word stands for.

    Raises ValueError where nothing can be drawn: a non-square `spd`, an interval with no room
    beside the values to avoid.
    """
    if domain.kind == "bool":
        return rng.random(shape) < 0.5
    if domain.kind == "int":
        limit = below if below is not None else int(domain.below or 1)
        return rng.integers(0, limit, size=shape)
    if domain.spd:
        if len(shape) < 2 or shape[-1] != shape[-2]:
            raise ValueError(f"a symmetric positive definite matrix can't have the shape {shape}")
        root = rng.standard_normal(shape)
        return np.asarray(root @ np.swapaxes(root, -1, -2) + shape[-1] * np.eye(shape[-1]))
    values = _distinct(domain, shape, rng) if domain.distinct else _independent(domain, shape, rng)
    return _away(values, domain, rng)


def _independent(domain: Domain, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    if domain.low is not None and domain.high is not None:
        return rng.uniform(domain.low, domain.high, shape)
    values = rng.standard_normal(shape)
    if domain.low is not None:
        return np.asarray(domain.low + np.abs(values))
    if domain.high is not None:
        return np.asarray(domain.high - np.abs(values))
    return values


def _distinct(domain: Domain, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Shuffle a jittered grid, so that no two elements are nearer than half a grid step."""
    size = int(np.prod(shape))
    low = (
        domain.low
        if domain.low is not None
        else (domain.high - size * _GAP * 2 if domain.high is not None else -size * _GAP)
    )
    high = domain.high if domain.high is not None else low + size * _GAP * 2
    grid = low + (np.arange(size) + 0.5 + rng.uniform(-0.25, 0.25, size)) * (high - low) / max(size, 1)
    return rng.permutation(grid).reshape(shape)


def _away(values: Array, domain: Domain, rng: np.random.Generator) -> Array:
    """Draw again what came too near to a value to avoid."""
    for _ in range(100):
        near = np.zeros(values.shape, dtype=bool)
        for kink in domain.avoid:
            near |= np.abs(values - kink) < _GAP
        if not near.any():
            return values
        if domain.distinct:
            values = np.where(near, values + np.copysign(_GAP, values - np.asarray(domain.avoid[0])), values)
        else:
            values = np.where(near, _independent(domain, values.shape, rng), values)
    raise ValueError(f"can't draw between {domain.low} and {domain.high} away from {domain.avoid}")


def sample_arguments(operator: Operator, rng: np.random.Generator) -> tuple[list[Array], dict[str, Any]]:
    """Draw arguments of `operator` from its domains, or from its own sample function.

    Returns the arrays in order and the attributes. Sizes of shape words are drawn from 2 to 4,
    and one attribute value is taken from each declared list.
    """
    if operator.sampler is not None:
        return split_arguments(operator, operator.sampler(rng))
    sizes: dict[str, int] = {}

    def size(word: str) -> int:
        return int(word) if word.isdigit() else sizes.setdefault(word, int(rng.integers(2, 5)))

    common = tuple(int(n) for n in rng.integers(2, 5, size=2))
    leading = tuple(int(n) for n in rng.integers(2, 4, size=1))
    arrays = []
    for item in operator.inputs:
        for _ in range(2 if item.variadic else 1):
            words = item.domain.words
            shape: tuple[int, ...] = ()
            if words is None:
                shape = common
            else:
                for word in words:
                    shape += leading if word == "..." else (size(word),)
            below = item.domain.below
            arrays.append(draw(item.domain, shape, rng, size(str(below)) if below is not None else None))
    attributes = {a.name: a.values[int(rng.integers(len(a.values)))] for a in operator.attributes if a.values}
    return arrays, attributes


def split_arguments(operator: Operator, drawn: Any) -> tuple[list[Array], dict[str, Any]]:
    """Split what a sample function returned into arrays and attributes.

    It may return a tuple of arrays, one array, or a mapping by argument name; a tuple may end
    with a mapping of attributes.
    """
    attributes: dict[str, Any] = {}
    if isinstance(drawn, Mapping):
        names = {item.name for item in operator.inputs}
        attributes = {name: value for name, value in drawn.items() if name not in names}
        arrays: list[Any] = []
        for item in operator.inputs:
            if item.name in drawn:
                arrays.extend(drawn[item.name] if item.variadic else [drawn[item.name]])
        return [np.asarray(array) for array in arrays], attributes
    parts = list(drawn) if isinstance(drawn, tuple | list) else [drawn]
    if parts and isinstance(parts[-1], Mapping):
        attributes = dict(parts.pop())
    return [np.asarray(array) for array in parts], attributes
