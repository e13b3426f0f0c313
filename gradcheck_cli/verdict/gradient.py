"""The backward of a function for one parameter, at the point of the check and beside it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.function import Values
from gradcheck_cli.verdict.planned import View


class Gradient:
    """Runs the backward with a cotangent, and returns the gradient of the parameter `name` as a vector.

    `known` are the gradients under the view's own cotangent.
    """

    def __init__(self, view: View, name: str, known: Mapping[str, Array]) -> None:
        self._view = view
        self._name = name
        self._known = known

    def __call__(self, u: Array) -> Array:
        """Return the gradient at the point, shape (n,)."""
        return self._of(self._known if u is self._view.cotangent else self._view.vjp(u))

    def at(self, values: Values, u: Array) -> Array:
        """Return the gradient at other values of all parameters. Raises what the function raises there."""
        recording = self._view.function.record(values)
        return self._of(recording.vjp(self._view.outputs.split(u)))

    def _of(self, gradients: Mapping[str, Array]) -> Array:
        return np.ravel(gradients[self._name]).astype(np.float64)
