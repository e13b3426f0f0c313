"""Noise of a computed function: how much of its value is rounding rather than mathematics."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array

TABLE_POINTS = 7
"""Equally spaced values on each side of x from which a difference table is made."""

SMALLEST, LARGEST = 1e-150, 1e150
"""The squares of numbers between these neither vanish nor overflow."""

_ORDERS = (3, 4, 5)


def difference_table_noise(values: Array) -> Array:
    """Estimate the noise of each output from equally spaced values, shape (points, outputs).

    The k-th difference of a smooth function vanishes with the spacing to the k-th power, that of noise
    stays, amplified by (2k)!/(k!)^2. The median over the orders three, four and five. Moré and Wild,
    Estimating computational noise, SIAM J. Sci. Comput. 33 (2011).
    """
    scale = np.max(np.abs(values), axis=0)
    matrix, starts = _differences(len(values))
    # Less the first, so that what never changes has differences of exactly 0.
    table = matrix @ ((values - values[0]) / np.where(scale > 0, scale, 1.0))
    first, second, third = np.sqrt(np.add.reduceat(table * table, starts, axis=0))
    noise = np.maximum(np.minimum(first, second), np.minimum(np.maximum(first, second), third)) * scale
    return np.where(np.isfinite(noise), noise, np.inf)


@functools.cache
def _differences(count: int) -> tuple[Array, Array]:
    """Return the matrix that takes so many values to their scaled differences of each order, and where orders start."""
    table, factor = np.eye(count), 1.0
    parts: list[Array] = []
    for order in range(1, max(_ORDERS) + 1):
        table = np.diff(table, axis=0)
        factor *= order / (2.0 * (2 * order - 1))
        if order in _ORDERS:
            parts.append(np.sqrt(factor / len(table)) * table)
    return np.concatenate(parts), np.cumsum([0, *(len(part) for part in parts[:-1])])


def two_sided_noise(below: Array, above: Array) -> Array:
    """Join the noise of both sides of x: the larger, unless it exceeds eight times the smaller.

    Then a kink or a jump lies on the noisier side, which the table takes for noise.
    """
    low, high = np.minimum(below, above), np.maximum(below, above)
    joined = np.where(high <= 8 * low, high, low)
    return np.where(np.isfinite(joined), joined, 0.0)


def float32_columns(values: Array) -> Array:
    """Tell which outputs were rounded to single precision on their way: every value of theirs is a float32.

    `values` has the shape (points, outputs). At least four different values are needed, since a
    few round ones (0.5, 2.0) are float32 by chance.
    """
    exact = are_single(values)
    ordered = np.sort(values, axis=0)
    different = 1 + np.sum(np.diff(ordered, axis=0) > 0, axis=0)
    return np.asarray(exact.all(axis=0) & (different >= 4))


def are_single(values: Array) -> Array:
    """Tell which values single precision holds exactly."""
    with np.errstate(all="ignore"):
        return np.asarray((values.astype(np.float32) == values) | ~np.isfinite(values))


def holds_single_precision(values: Array) -> bool:
    """Tell whether an array was computed in single precision: all of it is float32, and not by chance.

    By chance are values with few significant bits (0.5, 3), so one with more than twelve is needed.
    """
    if values.dtype == np.float32:
        return True
    with np.errstate(all="ignore"):
        finite = values[np.isfinite(values)]
        if not np.array_equal(finite.astype(np.float32).astype(np.float64), finite):
            return False
        mantissa = np.frexp(finite)[0] * 2.0**12
    return bool(np.any(mantissa != np.round(mantissa)))


class Noise(NamedTuple):
    """The noise of every output: the machine `epsilon` it was computed with, and an absolute `level` at x.

    `base` are the sizes of the outputs near x; where outputs grow, the level grows with them.
    """

    epsilon: Array
    level: Array
    base: Array

    def at(self, positions: Array | None) -> Noise:
        """Return the noise of some of the outputs; None: all."""
        if positions is None:
            return self
        return Noise(self.epsilon[positions], self.level[positions], self.base[positions])

    def joined(self, other: Noise) -> Noise:
        """Return the larger noise of two, output by output."""
        return Noise(np.maximum(self.epsilon, other.epsilon), np.maximum(self.level, other.level), self.base)

    def of(self, u: Array, size: Array, moved: Array | slice) -> Any:
        """Return the noise of sum(u * output), where the outputs have the magnitudes `size`, shape (..., outputs).

        Over the outputs that `moved`: one that keeps its bits adds no noise to a difference.
        """
        epsilon, level, u, size = self.epsilon[moved], self.level[moved], u[moved], size[..., moved]
        norms = scaled_norm if size.ndim == 1 else scaled_norms
        rounding = norms(epsilon * u * size)
        if not (level > 0).any():
            return rounding
        base = np.abs(self.base[moved])
        with np.errstate(divide="ignore", invalid="ignore"):
            growth = np.where(base != 0, np.fmax(1.0, size / base), 1.0)
        return np.maximum(rounding, norms(u * np.where(level > 0, level * growth, 0.0)))


def scaled_norm(vector: Array) -> float:
    """Return the Euclidean norm without squaring large numbers (1e200 overflows)."""
    if vector.ndim == 1 and vector.size and SMALLEST < np.abs(vector).max() < LARGEST:
        return math.sqrt(np.dot(vector, vector))
    return float(scaled_norms(vector))


def scaled_norms(vectors: Array) -> Any:
    """Return the `scaled_norm` of each vector, shape (..., n)."""
    largest = np.max(np.abs(vectors), axis=-1, initial=0.0)
    divisor = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    norms = divisor * np.sqrt(np.sum((vectors / divisor[..., None]) ** 2, axis=-1))
    return np.where(divisor == largest, norms, largest)
