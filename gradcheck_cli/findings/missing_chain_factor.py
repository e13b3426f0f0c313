"""GC204 missing-chain-factor: a link of the chain rule is missing."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.core.arrays import Array, unbroadcast
from gradcheck_cli.findings.measure import Mismatch, distinct, same
from gradcheck_cli.findings.missing_term import missing_term
from gradcheck_cli.findings.surroundings import Factor, Value, epsilon_of, factors_of, values_around
from gradcheck_cli.findings.suspect import Application, Suspect
from gradcheck_cli.findings.weights_of_layers import factor_inside_a_product
from gradcheck_cli.records import Finding

_ENOUGH = 3
"""Distinct numbers that have to fit before a ratio says anything; with fewer, nearly every story fits."""

_MASKED = 5
"""Elements that a mask of zeros and ones has to fit."""


def missing_chain_factor(suspect: Suspect) -> Finding | None:
    """A factor of the chain rule is missing, often the derivative of an activation.

    **Why it happens.** The gradient of an inner value is the cotangent times the local slope, at every step on the
    way. Writing a network by hand, one forgets a step: the cotangent is handed on as it is, or the gradient of a
    weight is made from the gradient behind the activation in place of the one before it.

    **How to see it.** The analytic gradient equals the cotangent, or numeric divided by analytic gradient equals a
    value that the operator has at hand: an argument, an output, a kept value, or a common derivative of one (1 -
    out², x > 0, 1 / x). For the weight of a layer inside of an operator, both gradients are products with the layer's
    input, and differ by that factor inside of the product.

    **Repair.** Multiply by the slope that is named. Write each layer as an operator of its own: then the rule of one
    is one line, and the graph multiplies. A stable composite (softmax with cross-entropy, log-sigmoid) has fewer
    links to forget.

    **Example.**

    ```python ops.py
    import numpy as np
    from gradcheck_cli import arr, op


    @op(x=arr("n k"), w=arr("k m"))
    def layer(x, w):
        return np.tanh(x @ w)


    @layer.backward
    def _(g, x, w, out):
        dz = g * (1 - out * out)
        return dz @ w.T, x.T @ g  # wrong: should be return dz @ w.T, x.T @ dz
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: sum(layer(layer(layer(x, W1), W2), W3) ** 2)
    inputs: {x: 4 5}
    params: {W1: 5 6, W2: 6 5, W3: 5 3}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None or suspect.application is None:
        return None
    application = suspect.application
    values = values_around(application)
    is_cotangent = _is_cotangent(mismatch, application)
    factor = _elementwise(mismatch, values, is_cotangent) or _broadcast(mismatch, application, values)
    where = ""
    if factor is None and mismatch.is_complete and len(mismatch.shape) == 2:
        factor = factor_inside_a_product(mismatch, application, values)
        where = " inside of the product"
    if factor is not None:
        return Finding("missing-chain-factor", _sentence(mismatch.name, factor, is_cotangent, where))
    several = distinct(mismatch.numeric / _nonzero(mismatch.analytic)) >= _ENOUGH
    if is_cotangent and several and missing_term(suspect) is None:
        message = f"the gradient of {mismatch.name} is the cotangent itself: the slope of the operator is missing"
        return Finding("missing-chain-factor", message)
    return None


def _sentence(name: str, factor: Factor, is_cotangent: bool, where: str) -> str:
    meaning = f", the derivative of {factor.meaning}" if factor.meaning else ""
    if is_cotangent:
        return f"the gradient of {name} is the cotangent itself: it lacks the factor {factor.text}{meaning}"
    return f"the gradient of {name} lacks the factor {factor.text}{where}{meaning}"


def _is_cotangent(mismatch: Mismatch, application: Application) -> bool:
    """Tell whether the gradient is the cotangent, the sum over broadcast axes undone."""
    for cotangent in application.cotangents.values():
        if cotangent.shape == mismatch.shape:
            g = mismatch.taken(cotangent).astype(np.float64)
            if same(mismatch.analytic, g, epsilon_of(application)):
                return True
    return False


def _elementwise(mismatch: Mismatch, values: list[Value], is_cotangent: bool) -> Factor | None:
    """Look for a value that turns the analytic gradient into the right one, element by element."""
    reach = np.abs(mismatch.analytic) > 0
    if not reach.any():
        return None
    for factor in factors_of(values):
        try:
            v = mismatch.taken(factor.array)
        except ValueError:  # another shape
            continue
        if not mismatch.exactly(mismatch.numeric - mismatch.analytic * v, mismatch.blur):
            continue
        if _tells(v[reach], is_cotangent):
            return factor
    return None


def _tells(v: Array, is_cotangent: bool) -> bool:
    """Tell whether a factor that fits is one: enough distinct numbers, or a mask that has both kinds of elements."""
    count = distinct(v)
    if count >= _ENOUGH:
        return True
    zeros = int(np.count_nonzero(v == 0))
    if count == 1 and 0 < zeros < v.size:
        return v.size >= _MASKED or (is_cotangent and v.size >= _ENOUGH)
    # The cotangent itself is telling; one number that fits beside it isn't, where it is a plain factor.
    return is_cotangent and count >= 1 and not np.allclose(v, np.round(v))


def _broadcast(mismatch: Mismatch, application: Application, values: list[Value]) -> Factor | None:
    """Look for a factor that is missing below the sum over broadcast axes."""
    epsilon = epsilon_of(application)
    if not mismatch.is_complete:
        return None
    analytic = mismatch.grid(mismatch.analytic)
    for cotangent in application.cotangents.values():
        if cotangent.size <= analytic.size or not _is_broadcast(mismatch.shape, cotangent.shape):
            continue
        g = cotangent.astype(np.float64)
        one = Value("1", np.ones(()))
        for value in [one, *values]:
            try:
                inner = np.broadcast_to(value.array, g.shape) * g
            except ValueError:
                continue
            if not same(analytic, unbroadcast(inner, mismatch.shape), epsilon):
                continue
            for factor in factors_of(values):
                if factor.array.size > 1 and _is_broadcast(factor.array.shape, g.shape):
                    right = unbroadcast(inner * factor.array, mismatch.shape).reshape(-1)
                    if mismatch.exactly(right - mismatch.numeric) and distinct(factor.array) >= _ENOUGH:
                        return factor
    return None


def _is_broadcast(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def _nonzero(array: Array) -> Array:
    return np.where(array == 0, np.inf, array)
