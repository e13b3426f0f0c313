"""Evidence of all elements of an operand that is known to be wrong: plain differences, which take little time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import using
from gradcheck_cli.core.generators import restored
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.numeric.function import TracedFunction, Values
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.steps import default_eps, element_scales, step_sizes
from gradcheck_cli.verdict.evidence import Evidence

_SURE = 3.0
"""An error bar is so many times the estimated error."""

_EACH = 4
"""Evaluations of an element."""

_FLAT = 0.75
"""How much of the difference between one-sided slopes is left at half the step where there is a kink."""


def plain_evidence(
    function: TracedFunction,
    operands: Values,
    names: Sequence[str],
    cotangents: Sequence[Array],
    evaluations: int,
    seconds: float,
) -> Mapping[str, Evidence]:
    """Return the gradients of the named operands, analytic and numeric, by name.

    Differences at two steps say how far the numeric one may be off, and one-sided slopes that don't meet widen that.
    Takes four evaluations an element; where that is more than `evaluations`, or takes longer than `seconds`, elements
    are left out evenly.
    """
    found = {}
    with restored(), np.errstate(all="ignore"), using(SeededExecution()):
        recording = function.record(operands)
        gradients = recording.vjp(cotangents)
        differences = _Differences(function, operands, cotangents, recording.outputs)
        for name in names:
            found[name] = differences.evidence(name, gradients[name], evaluations // len(names), seconds / len(names))
    return found


class _Differences:
    """Evaluates one number around a point: the change of the outputs under their cotangents."""

    def __init__(
        self, function: TracedFunction, operands: Values, cotangents: Sequence[Array], outputs: Sequence[Array]
    ) -> None:
        self.function = function
        self.operands = operands
        self.rows = [(g, out) for g, out in zip(cotangents, outputs, strict=True) if out.dtype.kind == "f"]
        self.floating = [out.dtype.kind == "f" for out in outputs]
        # How large the rounding of the number may be: every output is rounded by itself.
        rounding = [np.finfo(out.dtype).eps * np.abs(g.astype(np.float64) * out) for g, out in self.rows]
        self.noise = float(np.sqrt(sum(np.sum(part * part) for part in rounding)))

    def evidence(self, name: str, gradient: Array, evaluations: int, seconds: float) -> Evidence:
        """Return what is measured of one operand."""
        x = self.operands[name]
        flat = np.ravel(x).astype(np.float64)
        steps = step_sizes(element_scales(flat), default_eps(x.dtype))
        started = time.perf_counter()
        first = [self._element(name, 0, float(steps[0]))]
        taken = time.perf_counter() - started
        count = int(np.clip(min(seconds / max(taken, 1e-9), evaluations / _EACH), 1, flat.size))
        elements = np.unique(np.linspace(0, flat.size - 1, count).astype(int))
        rows = first + [self._element(name, int(element), float(steps[element])) for element in elements[1:]]
        numeric, bar = np.array(rows).T
        inside = np.isfinite(numeric) & np.isfinite(bar)
        elements = elements[inside]
        analytic = np.ravel(gradient).astype(np.float64)[elements]
        return Evidence(name, x.shape, elements, analytic, numeric[inside], bar[inside])

    def _element(self, name: str, element: int, step: float) -> tuple[float, float]:
        """Return the derivative by one element, and how far it may be off."""
        sides = [(h, *self._moved(name, element, h)) for h in (step, 2 * step)]
        central, far = [(above - below) / span for _, above, below, span in sides]
        bends = [abs(above + below) / h for h, above, below, _ in sides]
        error = abs(central - far) + self.noise / step
        if bends[0] > _FLAT * bends[1] and bends[0] > 4 * self.noise / step:
            error = max(error, bends[0])
        return central, _SURE * error

    def _moved(self, name: str, element: int, step: float) -> tuple[float, float, float]:
        """Return how the number changes on both sides, and how far these are apart."""
        x, changes, places = self.operands[name], [], []
        for sign in (1, -1):
            moved = np.array(x, order="C")
            moved.reshape(-1)[element] += sign * step
            places.append(float(moved.reshape(-1)[element]))
            try:
                outputs = self.function.outputs({**self.operands, name: moved})
            except GradcheckError:  # outside of the domain
                return np.nan, np.nan, np.nan
            kept = [out for out, floating in zip(outputs, self.floating, strict=True) if floating]
            parts = [np.sum(g * (new.astype(np.float64) - out)) for (g, out), new in zip(self.rows, kept, strict=True)]
            changes.append(float(sum(parts)))
        return changes[0], changes[1], places[0] - places[1]
