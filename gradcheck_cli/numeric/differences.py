"""Differences of a function along single elements of a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.function import Function, Values


@dataclass(frozen=True)
class Slopes:
    """The differences at one element and one step `h`.

    `central`, `forward` and `backward` are difference quotients of sum(cotangent * output);
    `error_bar` bounds what rounding of the outputs does to the central one.
    """

    h: float
    central: float
    forward: float
    backward: float
    error_bar: float

    @property
    def gap(self) -> float:
        """How far the one-sided slopes are apart."""
        return abs(self.forward - self.backward)


class Differences:
    """Takes differences of `function` around `values`, contracted with `cotangents`.

    `outputs` are those at `values`. Calls `on_evaluation` before every evaluation, and counts them
    in `evaluations`.
    """

    def __init__(
        self,
        function: Function,
        values: Values,
        outputs: Sequence[Array],
        cotangents: Sequence[Array],
        on_evaluation: Callable[[], None],
    ) -> None:
        self.function = function
        self.values = dict(values)
        self.outputs = outputs
        self.cotangents = cotangents
        self.on_evaluation = on_evaluation
        self.evaluations = 0

    def slopes(self, name: str, index: tuple[int, ...], h: float) -> Slopes:
        """Evaluate at x+h and x-h of one element of parameter `name` and return the slopes there.

        Divides by the realised steps. Outputs are subtracted first and contracted second, so that
        large outputs don't drown the change of small ones.
        """
        x = self.values[name]
        above, plus = self._moved(name, index, x[index] + h)
        below, minus = self._moved(name, index, x[index] - h)
        center = float(x[index])
        rise, fall = self._contract(plus), self._contract(minus)
        return Slopes(
            h,
            central=_quotient(rise - fall, above - below),
            forward=_quotient(rise, above - center),
            backward=_quotient(fall, below - center),
            error_bar=3 * self._rounding(plus, minus) / h,
        )

    def _moved(self, name: str, index: tuple[int, ...], value: float) -> tuple[float, list[Array]]:
        """Return the element's realised value, and how far each output moved."""
        moved = np.array(self.values[name])
        moved[index] = value
        self.on_evaluation()
        self.evaluations += 1
        outputs = self.function.outputs({**self.values, name: moved})
        return float(moved[index]), [
            out.astype(np.float64) - base for out, base in zip(outputs, self.outputs, strict=True)
        ]

    def _contract(self, changes: Sequence[Array]) -> float:
        return float(sum(np.sum(u * change) for u, change in zip(self.cotangents, changes, strict=True)))

    def _rounding(self, plus: Sequence[Array], minus: Sequence[Array]) -> float:
        """Return epsilon * |cotangent * output| over the outputs that moved."""
        total = 0.0
        for u, out, up, down in zip(self.cotangents, self.outputs, plus, minus, strict=True):
            moved = (up != 0) | (down != 0)
            epsilon = float(np.finfo(out.dtype).eps) if out.dtype.kind == "f" else 0.0
            total += epsilon * float(np.sum(np.abs(u * out), where=moved))
        return total


def _quotient(change: float, step: float) -> float:
    return change / step if step else 0.0
