"""A factor that is missing inside of a product: the derivative of an activation in the gradient of a layer's weight."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.findings.measure import Mismatch, distinct, same
from gradcheck_cli.findings.surroundings import LARGE, Factor, Value, epsilon_of, factors_of, products
from gradcheck_cli.findings.suspect import Application

_SPARE = 2
"""Equations that there have to be beyond the unknowns, for each column of the weight, before a fit says anything."""

_CLOSE = 1e-4
"""What a fit may leave of the difference: the story is exact or it isn't true."""

_ENOUGH = 3

_MOST = 400
"""Rows of a batch beyond which no fit is tried."""


def factor_inside_a_product(mismatch: Mismatch, application: Application, values: list[Value]) -> Factor | None:
    """Return the factor that is missing in the gradient of a weight of shape (m, k); None if none fits.

    The gradient of the weight of z = h W is hᵀ dz, where h, (n, m), may be any value at hand, and dz is the gradient
    behind the activation times its slope. Where the cotangent, or its product with the next weight, is the gradient
    behind it, both sides are known. Deeper in a network it isn't: then there must be one that gives the analytic
    gradient without the slope and the numeric one with it, which are twice m equations for n unknowns in each column.
    """
    m, k = mismatch.shape
    inputs = [value for value in values if value.array.ndim == 2 and value.array.shape[1] == m]
    epsilon = epsilon_of(application)
    analytic, numeric = mismatch.grid(mismatch.analytic), mismatch.grid(mismatch.numeric)
    for value in inputs:
        h = value.array.astype(np.float64)
        rows = h.shape[0]
        known = [g for g in _behind(application, values, (rows, k)) if same(analytic, h.T @ g, epsilon)]
        can_fit = 2 * m >= rows + _SPARE and rows <= _MOST and rows * k <= LARGE
        for factor in factors_of(values) if known or can_fit else ():
            if factor.array.shape != (rows, k):
                continue
            if distinct(factor.array) < _ENOUGH and not _is_mask(factor.array):
                continue
            if known:
                right = h.T @ (known[0] * factor.array)
            else:
                found = _fitted(h, factor.array, analytic, numeric)
                if found is None:
                    continue
                right = found
            left = right.reshape(-1) - mismatch.numeric
            if mismatch.exactly(left):
                return factor
    return None


def _behind(application: Application, values: list[Value], shape: tuple[int, int]) -> Iterator[Array]:
    """Yield what may be the gradient behind an activation: the cotangent, or its product with the next weight."""
    for cotangent in application.cotangents.values():
        if cotangent.shape == shape:
            yield cotangent
        if cotangent.ndim == 2:
            for value in values:
                if value.array.ndim == 2:
                    yield from (product for _, product in products("g", cotangent, "", value.array, shape))


def _fitted(h: Array, slope: Array, analytic: Array, numeric: Array) -> Array | None:
    """Return the right gradient as it would be with the factor `slope`, for the gradient behind it that fits best."""
    right = np.empty_like(numeric)
    for column in range(numeric.shape[1]):
        system = np.concatenate([h.T, h.T * slope[:, column]])
        wanted = np.concatenate([analytic[:, column], numeric[:, column]])
        solution, _, rank, _ = np.linalg.lstsq(system, wanted, rcond=None)
        if rank + _SPARE > len(wanted):
            return None
        fit = system @ solution
        size = float(np.max(np.abs(wanted)))
        if np.max(np.abs(fit - wanted)) > _CLOSE * size:
            return None
        right[:, column] = fit[len(analytic) :]
    return right


def _is_mask(array: Array) -> bool:
    return bool(((array == 0) | (array == 1)).all() and array.any() and not array.all())
