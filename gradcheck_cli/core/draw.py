"""Random values from domains, and sample arguments of an operator."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.execution import raised
from gradcheck_cli.errors import GradcheckError, Location, OperatorError, Problem

if TYPE_CHECKING:
    from gradcheck_cli.core.operator import Operator

# How far drawn values stay from a value to avoid.
_GAP = 0.1

# Distinct values fill an interval without bounds up to this width; more of them lie nearer together.
_WIDEST = 20.0


def draw(domain: Domain, shape: tuple[int, ...], rng: np.random.Generator, below: int | None = None) -> Array:
    """Draw an array of `shape` from `domain`; `below` is the size that its shape word stands for.

    Floats are standard normal, folded at a lone bound, uniform between two bounds, and at least
    0.1 away from every value to avoid; distinct ones are a shuffled, jittered grid, no two nearer
    than half its step; integers are never all the same where they can differ. Raises ValueError
    where nothing can be drawn: a non-square `spd`, an
    interval with no room beside the values to avoid.
    """
    if domain.kind == "bool":
        return np.asarray(rng.random(shape) < 0.5)
    if domain.kind == "int":
        limit = _limit(domain, below)
        drawn = np.asarray(rng.integers(0, limit, size=shape))
        if drawn.size > 1 and limit > 1 and drawn.min() == drawn.max():  # one class alone may all be ignored: 0 / 0
            drawn.flat[0] = (drawn.flat[0] + 1) % limit
        return drawn
    if domain.spd:
        if len(shape) < 2 or shape[-1] != shape[-2]:
            raise ValueError(f"a symmetric positive definite matrix can't have the shape {shape}")
        root = rng.standard_normal(shape)
        return np.asarray(root @ np.swapaxes(root, -1, -2) + shape[-1] * np.eye(shape[-1]))
    if domain.low is not None and domain.high is not None and domain.low >= domain.high:
        raise ValueError(f"nothing lies between {domain.low} and {domain.high}")
    return _distinct(domain, shape, rng) if domain.distinct else _away(domain, shape, rng)


def _limit(domain: Domain, below: int | None) -> int:
    limit = domain.below if below is None else below
    if not isinstance(limit, int) or limit < 1:
        raise ValueError(f"integers below {limit!r} can't be drawn: it should be a number, 1 or more")
    return limit


def _away(domain: Domain, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Draw elements one by one, again where they come too near to a value to avoid."""
    values = _independent(domain, shape, rng)
    for _ in range(100):
        near = np.zeros(shape, dtype=bool)
        for kink in domain.avoid:
            near |= np.abs(values - kink) < _GAP
        if not near.any():
            return values
        values = np.where(near, _independent(domain, shape, rng), values)
    raise ValueError(_no_room(domain))


def _independent(domain: Domain, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    if domain.low is not None and domain.high is not None:
        return np.asarray(rng.uniform(domain.low, domain.high, shape))
    values = np.asarray(rng.standard_normal(shape))
    if domain.low is not None:
        return np.asarray(domain.low + np.abs(values))
    if domain.high is not None:
        return np.asarray(domain.high - np.abs(values))
    return values


def _distinct(domain: Domain, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Shuffle a jittered grid over the pieces of the interval that lie away from the values to avoid."""
    size = math.prod(shape)
    pieces = _pieces(domain, size)
    lengths = np.array([end - start for start, end in pieces])
    starts = np.array([start for start, _ in pieces])
    ends = np.cumsum(lengths)
    grid = (np.arange(size) + 0.5 + rng.uniform(-0.25, 0.25, size)) * (ends[-1] / max(size, 1))
    piece = np.minimum(np.searchsorted(ends, grid), len(pieces) - 1)
    values = starts[piece] + grid - (ends[piece] - lengths[piece])
    return np.asarray(rng.permutation(values).reshape(shape))


def _pieces(domain: Domain, size: int) -> list[tuple[float, float]]:
    """Cut the interval of distinct values at the values to avoid. Raises ValueError if nothing is left."""
    width = min(max(2 * _GAP * size, 2.0), _WIDEST)
    if domain.low is not None:
        low, high = domain.low, domain.low + width if domain.high is None else domain.high
    elif domain.high is not None:
        low, high = domain.high - width, domain.high
    else:
        low, high = -width / 2, width / 2
    pieces = []
    for kink in sorted(domain.avoid):
        if low < kink - _GAP:
            pieces.append((low, min(high, kink - _GAP)))
        low = max(low, kink + _GAP)
    if low < high:
        pieces.append((low, high))
    if not pieces:
        raise ValueError(_no_room(domain))
    return pieces


def _no_room(domain: Domain) -> str:
    kinks = ", ".join(map(str, domain.avoid))
    return f"there is no room between {domain.low} and {domain.high}, {_GAP} away from {kinks}"


def sample_arguments(operator: Operator, rng: np.random.Generator) -> tuple[list[Any], dict[str, Any]]:
    """Draw arguments of `operator` from its domains, or from its own sample function.

    Returns the arrays in order (None for an optional one that the sample function leaves out) and
    the attributes. Every shape word gets another size, from 2 upwards, so that a transposed
    gradient shows; one attribute value is taken from each declared list. Raises OperatorError when
    the sample function raises or returns wrong arguments, and where a domain can't be drawn from.
    """
    if operator.sampler is not None:
        code = getattr(operator.sampler, "__code__", None)
        where = Location(code.co_filename, code.co_firstlineno) if code else operator.location
        try:
            drawn = operator.sampler(rng)
        except GradcheckError:
            raise
        except Exception as error:
            raise raised(operator.name, "sample function", where, error) from error
        return split_arguments(operator, drawn)
    shapes = [_words(item.domain.words) for item in operator.inputs]
    named = list(dict.fromkeys(word for words in shapes for word in words if not word.isdecimal()))
    sizes = dict(zip(named, rng.permutation(np.arange(2, 2 + max(3, len(named)))).tolist(), strict=False))
    arrays = []
    for item, words in zip(operator.inputs, shapes, strict=True):
        shape = tuple(_size(word, sizes) for word in words)
        below = item.domain.below
        limit = _size(below, sizes) if isinstance(below, str) else below
        for _ in range(2 if item.variadic else 1):
            try:
                arrays.append(draw(item.domain, shape, rng, limit))
            except ValueError as error:
                raise _cannot_sample(operator, f"'{item.name}': {error}") from error
    for attribute in operator.attributes:
        if not attribute.values:
            raise _cannot_sample(operator, f"'{attribute.name}' has neither a default nor a list of values")
    return arrays, {a.name: a.values[int(rng.integers(len(a.values)))] for a in operator.attributes}


def _words(declared: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the words of a shape; the common shape has two axes, `...` stands for one."""
    return ("common 1", "common 2") if declared is None else declared


def _size(word: str, sizes: dict[str, int]) -> int:
    return int(word) if word.isdecimal() else sizes[word]


def _cannot_sample(operator: Operator, why: str) -> OperatorError:
    hint = f"write a function with @{operator.name}.sample that returns arguments"
    return OperatorError(Problem(f"can't draw arguments for {operator.name}: {why}", operator.location, "sample", hint))


def split_arguments(operator: Operator, drawn: Any) -> tuple[list[Any], dict[str, Any]]:
    """Split what a sample function returned into arrays and attributes.

    It may return a tuple of arguments as in a call, one array, or a mapping by argument name; a
    tuple may end with a mapping of attributes. Raises OperatorError for arguments that the operator
    doesn't take.
    """
    arguments: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    if isinstance(drawn, Mapping):
        named = dict(drawn)
        if operator.inputs[-1].variadic and operator.inputs[-1].name in named:
            spread = named.pop(operator.inputs[-1].name)
            arguments = (*(named.pop(item.name, None) for item in operator.inputs[:-1]), list(spread))
    else:
        arguments = drawn if isinstance(drawn, tuple) else tuple(drawn) if isinstance(drawn, list) else (drawn,)
        if arguments and isinstance(arguments[-1], Mapping):
            *rest, last = arguments
            arguments, named = tuple(rest), dict(last)
    arrays, attributes = operator.bind(arguments, named)
    while arrays and arrays[-1] is None:
        arrays = arrays[:-1]
    return [None if array is None else np.asarray(array) for array in arrays], attributes
