"""GC205 transposed: the right numbers in the wrong places, or a product with a matrix that isn't turned."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from gradcheck_cli.findings.measure import Mismatch, distinct, same
from gradcheck_cli.findings.surroundings import epsilon_of, products, values_around
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.records import Finding

_MOST_AXES = 5


def transposed(suspect: Suspect) -> Finding | None:
    """The gradient is transposed, or multiplies with a matrix whose transpose belongs there.

    **Why it happens.** For Z = X W the gradients are dX = dZ Wᵀ and dW = Xᵀ dZ. With square matrices every other
    arrangement has the right shape, too. With others a `reshape` makes the shape fit, which keeps the order of the
    numbers and is no transpose.

    **How to see it.** The analytic gradient equals the numeric one with its axes exchanged; or the product of
    cotangent and argument equals it once one of them is turned. Errors are zero on the diagonal and of full size
    beside it.

    **Repair.** Write down the shapes: dZ is (n, m), W is (k, m), so dX, (n, k), can only be dZ Wᵀ. Check with sizes
    that are all different, so that a wrong arrangement doesn't fit.

    **Example.**

    ```python ops.py
    from gradcheck_cli import arr, op


    @op(x=arr("n k"), w=arr("k m"))
    def product(x, w):
        return x @ w


    @product.backward
    def _(g, x, w):
        return g @ w, x.T @ g  # wrong: should be return g @ w.T, x.T @ g
    ```

    ```yaml case.grad.yaml
    ops: [ops.py]
    expr: sum(product(x, w) ** 2)
    params: {x: 4 3, w: 3 3}
    ```
    """
    mismatch = Mismatch.of(suspect.evidence)
    if mismatch is None or len(mismatch.shape) < 2 or not mismatch.is_complete:
        return None
    if distinct(mismatch.numeric) < 2:
        return None
    return _turned(mismatch) or _product(mismatch, suspect)


def _turned(mismatch: Mismatch) -> Finding | None:
    """Look for an exchange of axes, with the shape made to fit by a reshape where it has to be."""
    shape, axes = mismatch.shape, len(mismatch.shape)
    if axes > _MOST_AXES:
        return None
    numeric, blur = mismatch.grid(mismatch.numeric), mismatch.grid(mismatch.blur)
    for order in permutations(range(axes)):
        if order == tuple(range(axes)):
            continue
        moved, moved_blur = numeric.transpose(order), blur.transpose(order)
        left = mismatch.analytic - moved.reshape(-1)
        if not mismatch.explained(left, np.maximum(mismatch.blur, moved_blur.reshape(-1))):
            continue
        name = mismatch.name
        if axes == 2:
            message = f"the gradient of {name} is the transpose of the right one"
        else:
            message = f"the gradient of {name} has its axes in the order {order} of the right one's"
        if moved.shape != shape:
            message += f", whose shape {moved.shape} was made to fit by a reshape; a reshape doesn't transpose"
        return Finding("transposed", message)
    return None


def _product(mismatch: Mismatch, suspect: Suspect) -> Finding | None:
    """Look for two products of cotangent and value that differ in what is turned: one is right, one is ours."""
    if suspect.application is None:
        return None
    analytic = mismatch.grid(mismatch.analytic)
    epsilon = epsilon_of(suspect.application)
    values = [(value.text, value.array) for value in values_around(suspect.application) if value.array.ndim >= 2]
    for name, cotangent in suspect.application.cotangents.items():
        if cotangent.ndim < 2:
            continue
        g = "g" if len(suspect.application.cotangents) == 1 else f"g_{name}"
        made = [each for text, value in values for each in products(g, cotangent, text, value, mismatch.shape)]
        right = [text for text, product in made if mismatch.explained(product.reshape(-1) - mismatch.numeric)]
        ours = [text for text, product in made if same(analytic, product, epsilon)]
        if right and ours:
            return Finding("transposed", f"the gradient of {mismatch.name} is {ours[0]}, it has to be {right[0]}")
    return None
