"""Functions traced forward and backward, and what is ill about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradcheck_cli.core.variable import Variable
from gradcheck_cli.findings.health.symptoms import find_symptoms
from gradcheck_cli.knobs import HealthLimits
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.tracer import Trace, trace, trace_back
from gradcheck_cli.records import Finding


def traced(
    call: Callable[[Mapping[str, Any]], Any], values: Mapping[str, Any], inputs: Mapping[str, Any] | None = None
) -> Trace:
    """Trace a function of named arrays, with cotangents of one."""
    arrays = {name: np.asarray(value, dtype=float) for name, value in values.items()}
    given = {name: np.asarray(value) for name, value in (inputs or {}).items()}
    constants = {name: Variable(array, requires_grad=False) for name, array in given.items()}
    with np.errstate(all="ignore"):
        made = trace(TracedFunction(lambda variables: call({**constants, **variables})), arrays, given)
        assert made.recording is not None
        trace_back(made, [np.ones_like(out) for out in made.recording.outputs])
    return made


def ill(
    call: Callable[[Mapping[str, Any]], Any],
    values: Mapping[str, Any],
    inputs: Mapping[str, Any] | None = None,
    **limits: float,
) -> dict[str, Finding]:
    """Return what is ill about a function by the name of the finding."""
    symptoms = find_symptoms(traced(call, values, inputs), HealthLimits(**limits), {})
    found = {symptom.finding.name: symptom.finding for symptom in symptoms}
    assert len(found) == len(symptoms), symptoms
    return found


def layers(
    rng: np.random.Generator, depth: int, width: int, batch: int, gain: float = 2.0
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Draw the weights W1, W2, ... of a network, with variance `gain` over their inputs (2 is he), and its input x."""
    weights = {f"W{i}": rng.normal(size=(width, width)) * np.sqrt(gain / width) for i in range(1, depth + 1)}
    return weights, {"x": rng.normal(size=(batch, width))}


def network(activation: Callable[[Any], Any], depth: int, mean: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return the mean square of a stack of layers."""

    def call(v: Mapping[str, Any]) -> Any:
        h = v["x"]
        for i in range(1, depth + 1):
            h = activation(h @ v[f"W{i}"])
        return mean(h**2)

    return call
