"""GC203 missing-term: the gradient is a sum, and one of its terms isn't there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.findings.constant_factor import factor_between
from gradcheck_cli.findings.measure import SAME, Mismatch, distinct
from gradcheck_cli.findings.surroundings import LARGE, WIDEST, Factor, Value, factors_of, products, values_around
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding

_ENOUGH = 3
"""Distinct numbers that a formula has to fit."""

_CLOSE = 1e-4
"""What a formula may leave of the difference: it is exact or it isn't true."""

_LONG = 4
"""Elements along an axis that a linear function of two coefficients has to fit."""

_AS_G = "as the cotangent is"

_LONGEST = 400
"""Factors of which products of two are tried."""


def missing_term(suspect: Suspect) -> Finding | None:
    """The gradient lacks a term: a mean or a sum over an axis, or one of the parts of a product rule.

    **Why it happens.** Where outputs share a mean, a norm or a normalising sum, moving one input moves all of them:
    the gradient has a term for that, the same along the axis of the sum (layer and batch normalisation, softmax,
    centring) or a value times such a term. A product rule has a term for each factor, a regularised loss one for the
    penalty.

    **How to see it.** Analytic minus numeric gradient is constant along an axis, or proportional to a value along it,
    or a simple formula of the cotangent. A check with an all-ones cotangent sees nothing, since the missing terms of
    normalisations sum to zero under it.

    **Repair.** Add the term. For y = x - mean(x) it is -mean(g); for softmax -p * sum(g * p); for layer normalisation
    there are two, -mean(g) and -xhat * mean(g * xhat). Or compose the operator of smaller ones, and the sweep adds
    up.

    **Example.**

    ```python ops.py
    from gradcheck_cli import arr, op


    @op(x=arr("n d"))
    def centred(x):
        return x - x.mean(axis=1, keepdims=True)


    @centred.backward
    def _(g):
        return g  # wrong: should be return g - g.mean(axis=1, keepdims=True)
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: sum(centred(x) ** 3)
    params: {x: 4 5}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None or factor_between(mismatch) is not None or not np.abs(mismatch.analytic).any():
        return None
    message = _constant_along(mismatch, suspect)
    if message is None and suspect.application is not None:
        values = values_around(suspect.application)
        factors = _plain_first([factor for factor in factors_of(values) if factor.array.size <= WIDEST], values)
        proportional, is_vague = _proportional_along(mismatch, suspect, factors)
        message = (
            (None if is_vague else proportional)
            or _affine_along(mismatch, suspect, values)
            or _product(mismatch, suspect, values)
            or _formula(mismatch, suspect, factors)
            or proportional
        )
    return None if message is None else Finding("missing-term", message)


def _plain_first(factors: list[Factor], values: list[Value]) -> list[Factor]:
    """Put what is at hand before what can be made of it: the term of softmax has its output, not an exponential."""
    plain = {value.text for value in values}
    return sorted(factors, key=lambda factor: factor.text not in plain)


def _constant_along(mismatch: Mismatch, suspect: Suspect) -> str | None:
    """Look for axes along which the difference is constant while the gradient isn't."""
    difference = mismatch.grid(mismatch.difference)
    for axes in _axes_of(mismatch.shape):
        mean, is_fitted = _mean_along(difference, axes)
        if not is_fitted or not _fits(mismatch, mean):
            continue
        spread = mismatch.grid(mismatch.numeric)
        if not _varies(spread, axes, float(np.max(mismatch.noise))):
            continue  # everything is constant here, and that says nothing
        if len(axes) == len(mismatch.shape):
            value = float(np.nanmean(difference))
            same = f"off by {value:.6g}, the same in every element"
            return f"the gradient of {mismatch.name} is {same}: a term is missing or wrong"
        words = _words(axes)
        if suspect.is_even_along(axes):
            return f"the difference of {mismatch.name} is constant along {words}, {_AS_G}: a term is missing or wrong"
        return (
            f"the difference of {mismatch.name} is constant along {words}: a mean or a sum over it is missing or wrong"
        )
    return None


def _proportional_along(mismatch: Mismatch, suspect: Suspect, factors: list[Factor]) -> tuple[str | None, bool]:
    """Look for a value to which the difference is proportional, along axes or altogether.

    The flag says that the cotangent is constant there as well, so that it may be all that the value is multiplied by.
    """
    difference = mismatch.grid(mismatch.difference)
    for factor in factors:
        try:
            v = np.broadcast_to(factor.array, mismatch.shape)
        except ValueError:
            continue
        if distinct(v) < _ENOUGH:
            continue
        for axes in _axes_of(mismatch.shape):
            known = ~np.isnan(difference)
            top = np.sum(np.where(known, difference * v, 0.0), axis=axes, keepdims=True)
            bottom = np.sum(np.where(known, v * v, 0.0), axis=axes, keepdims=True)
            count = np.sum(known & (v != 0), axis=axes)
            coefficient = top / np.where(bottom == 0, np.inf, bottom)
            if np.min(count) < _ENOUGH or not _fits(mismatch, coefficient * v):
                continue
            if _is_all(mismatch, v, axes):
                continue  # a product with v, wrong as a whole
            if len(axes) == len(mismatch.shape):
                c = float(coefficient.reshape(-1)[0])
                off = f"off by {c:.6g} times {factor.text}"
                return f"the gradient of {mismatch.name} is {off}: a term is missing or wrong", False
            constant = f"{factor.text} times something constant along {_words(axes)}"
            if suspect.is_even_along(axes):
                return f"the difference of {mismatch.name} is {constant}, {_AS_G}: a term is missing or wrong", True
            term = f"the term {factor.text} * sum(...) over it is missing or wrong"
            return f"the difference of {mismatch.name} is {constant}: {term}", False
    return None, False


def _is_all(mismatch: Mismatch, v: Array, axes: tuple[int, ...]) -> bool:
    """Tell whether the right gradient is proportional to `v` along `axes` as well."""
    numeric = mismatch.grid(mismatch.numeric)
    known = ~np.isnan(numeric)
    top = np.sum(np.where(known, numeric * v, 0.0), axis=axes, keepdims=True)
    bottom = np.sum(np.where(known, v * v, 0.0), axis=axes, keepdims=True)
    left = (numeric - top / np.where(bottom == 0, np.inf, bottom) * v)[known]
    return bool(np.max(np.abs(left)) <= _CLOSE * np.nanmax(np.abs(numeric)))


def _affine_along(mismatch: Mismatch, suspect: Suspect, values: list[Value]) -> str | None:
    """Look for a value of which the difference is a linear function along an axis: both terms of a normalisation."""
    difference = mismatch.grid(mismatch.difference)
    if np.isnan(difference).any():
        return None
    for value in values:
        if value.array.shape != mismatch.shape or value.array.dtype.kind != "f":
            continue
        for axis in range(len(mismatch.shape)):
            if mismatch.shape[axis] < _LONG or suspect.is_even_along((axis,)):
                continue
            v = value.array.astype(np.float64)
            if not _fits(mismatch, _linear(difference, v, axis)):
                continue
            numeric = mismatch.grid(mismatch.numeric)
            if not np.allclose(_linear(numeric, v, axis), numeric, rtol=0, atol=_CLOSE * np.max(np.abs(numeric))):
                return (
                    f"the difference of {mismatch.name} is a + b * {value.text} along axis {axis}: "
                    "the terms through the mean and the spread over it are missing or wrong"
                )
    return None


def _linear(wanted: Array, v: Array, axis: int) -> Array:
    """Return the linear function of `v` along an axis that fits what is wanted best."""
    centred = v - v.mean(axis=axis, keepdims=True)
    size = (centred * centred).sum(axis=axis, keepdims=True)
    slope = (wanted * centred).sum(axis=axis, keepdims=True) / np.where(size == 0, np.inf, size)
    return np.asarray(wanted.mean(axis=axis, keepdims=True) + slope * centred)


def _product(mismatch: Mismatch, suspect: Suspect, values: list[Value]) -> str | None:
    """Look for a product of matrices that is missing: what enters twice has a gradient from each place."""
    assert suspect.application is not None
    if not mismatch.is_complete or not mismatch.moved.any():  # nothing is missing where all has to go
        return None
    for name, cotangent in suspect.application.cotangents.items():
        g = "g" if len(suspect.application.cotangents) == 1 else f"g_{name}"
        for value in values:
            if cotangent.ndim < 2 or value.array.ndim < 2:
                continue
            for text, product in products(g, cotangent, value.text, value.array, mismatch.shape):
                if distinct(product) >= _ENOUGH and mismatch.exactly(mismatch.difference + product.reshape(-1)):
                    return f"the gradient of {mismatch.name} lacks the term {text}"
    return None


def _formula(mismatch: Mismatch, suspect: Suspect, factors: list[Factor]) -> str | None:
    """Look for a product of the cotangent with one value or two that is the difference."""
    assert suspect.application is not None
    for cotangent in suspect.application.cotangents.values():
        if cotangent.shape != mismatch.shape or mismatch.elements.size > LARGE or not mismatch.moved.any():
            continue
        g = mismatch.taken(cotangent).astype(np.float64)
        usable = []
        for factor in factors:
            try:
                usable.append((factor.text, mismatch.taken(factor.array)))
            except ValueError:
                continue
        if not usable or len(usable) > _LONGEST:
            continue
        for sign in (1, -1):
            for text, v in _products(usable, -sign * mismatch.difference, g):
                left = mismatch.difference + sign * g * v
                if distinct(v) >= _ENOUGH and mismatch.exactly(left):
                    minus = "" if sign > 0 else "-"
                    return f"the gradient of {mismatch.name} lacks the term {minus}g * {text}"
    return None


def _products(usable: list[tuple[str, Array]], wanted: Array, g: Array) -> Iterator[tuple[str, Array]]:
    """Yield the values, and products of two of them, that give what is wanted at the elements where most is."""
    table = np.array([v for _, v in usable])
    probes = np.argsort(-np.abs(wanted), kind="stable")[:_ENOUGH]
    slack = _CLOSE * np.abs(wanted[probes])
    for row in np.flatnonzero((np.abs(table[:, probes] * g[probes] - wanted[probes]) <= slack).all(axis=1)):
        yield usable[row]
    pairs = table[:, None, probes] * table[None, :, probes] * g[probes]
    for row, other in np.argwhere((np.abs(pairs - wanted[probes]) <= slack).all(axis=2)):
        if other <= row:
            yield f"{_bracketed(usable[other][0])} * {_bracketed(usable[row][0])}", table[row] * table[other]


def _bracketed(text: str) -> str:
    return f"({text})" if " " in text and not text.startswith("(") else text


def _axes_of(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield sets of axes along which there is something to compare: all of them, then single ones, then more."""
    long = [axis for axis, size in enumerate(shape) if size > 1]
    if long:
        yield tuple(range(len(shape)))
    for count in range(1, len(long)):
        yield from combinations(long, count)


def _mean_along(grid: Array, axes: tuple[int, ...]) -> tuple[Array, bool]:
    """Return the mean along axes, and whether enough was compared along them to speak of a constant."""
    known = ~np.isnan(grid)
    count = known.sum(axis=axes, keepdims=True)
    mean = np.where(known, grid, 0.0).sum(axis=axes, keepdims=True) / np.maximum(count, 1)
    lines = count[count > 0]
    return mean, bool(lines.size and np.median(lines) >= 2 and known.sum() - lines.size >= 2)


def _varies(grid: Array, axes: tuple[int, ...], noise: float) -> bool:
    known = ~np.isnan(grid)
    low = np.where(known, grid, np.inf).min(axis=axes)
    high = np.where(known, grid, -np.inf).max(axis=axes)
    size = float(np.nanmax(np.abs(grid)))
    apart = (high - low)[np.isfinite(high - low)]
    return bool(np.max(apart, initial=0.0) > max(noise, SAME * size))


def _fits(mismatch: Mismatch, predicted: Array) -> bool:
    left = mismatch.difference - np.broadcast_to(predicted, mismatch.shape).reshape(-1)[mismatch.elements]
    return mismatch.exactly(left)


def _words(axes: tuple[int, ...]) -> str:
    return f"axis {axes[0]}" if len(axes) == 1 else f"the axes {', '.join(map(str, axes))}"
