"""Trace a case: evaluate it once, go back once, and look at its health."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcheck_cli.core.generators import restored
from gradcheck_cli.errors import ContractViolation, Location, OperatorError, Skipped
from gradcheck_cli.findings.health.symptoms import find_symptoms
from gradcheck_cli.graph_records import Symptom
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.point import Outputs
from gradcheck_cli.numeric.tracer import Trace, trace, trace_back
from gradcheck_cli.records import Finding
from gradcheck_cli.run.case_function import case_function
from gradcheck_cli.run.options import Options
from gradcheck_cli.spec.arrays.values import number_of
from gradcheck_cli.spec.case import Case
from gradcheck_cli.verdict.cotangents import signed_cotangent


def health_of(case: Case, options: Options, knobs: Knobs) -> list[Finding]:
    """Return what is ill about a case at the point where it is checked; nothing where a contract is broken.

    Raises OperatorError where it can't be evaluated.
    """
    seed = case.seed if options.seed is None else options.seed
    try:
        made = traced(case, options, knobs)
    except ContractViolation:  # the check has said so
        return []
    gone_back(made, [seed, number_of(case.name)], knobs)
    return [symptom.finding for symptom in symptoms_of(case, made, knobs)]


def traced(case: Case, options: Options, knobs: Knobs) -> Trace:
    """Evaluate a case at its point and write down what it does. Raises GradcheckError where that can't be done."""
    function, parameters, inputs = case_function(case, options, knobs)
    with restored(), np.errstate(all="ignore"):
        return trace(function, parameters, inputs, knobs.allow)


def gone_back(made: Trace, seed: Sequence[int], knobs: Knobs) -> str | None:
    """Run the backward, with 1 for a one-number value, else with random signed cotangents, and say what was wrong.

    All ones would hide what softmax and normalisation do: their gradients are zero then.
    """
    assert made.recording is not None
    outputs = Outputs(made.recording.outputs)
    cotangent = outputs.split(signed_cotangent(outputs.epsilon.size, np.random.default_rng(seed)))
    try:
        with restored(), np.errstate(all="ignore"):
            trace_back(made, cotangent, knobs.allow)
    except Skipped:
        raise
    except (OperatorError, ContractViolation) as error:
        return str(error)
    return None


def symptoms_of(case: Case, made: Trace, knobs: Knobs) -> list[Symptom]:
    """Return what is ill about a traced case, each at the position of its call."""
    with restored():
        return find_symptoms(made, knobs.health, locations_of(case, made))


def locations_of(case: Case, made: Trace) -> dict[int, Location]:
    """Return where each call of a trace stands in the expression; none where they aren't the expression's own."""
    program = case.expression.program
    if len(program.steps) != len(made.calls):
        return {}
    places = (program.problem(*step.position, "", "").location for step in program.steps)
    return {number: place for number, place in enumerate(places) if place is not None}
