"""What reports show of a case that isn't as expected, beside its verdict: every element's error, and the graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.records import CaseResult, ParameterResult
from gradcheck_cli.run.graph import draw_case
from gradcheck_cli.run.interrupt import Interrupts
from gradcheck_cli.run.options import Options
from gradcheck_cli.spec.case import Case
from gradcheck_cli.verdict.evidence import Evidence
from gradcheck_cli.verdict.judgement import Judgement
from gradcheck_cli.verdict.outcome import rel_errs


def with_details(
    result: CaseResult, case: Case, judgement: Judgement, knobs: Knobs, options: Options, interrupts: Interrupts
) -> CaseResult:
    """Return the result with the errors of all elements and the graph. A KeyboardInterrupt of the user passes."""
    parameters = [_with_errors(each, judgement.evidence.get(each.name), knobs) for each in result.parameters]
    graph = draw_case(case, options, health=options.health, interrupts=interrupts).graph
    return replace(result, parameters=tuple(parameters), graph=graph)


def _with_errors(parameter: ParameterResult, evidence: Evidence | None, knobs: Knobs) -> ParameterResult:
    return parameter if evidence is None else replace(parameter, errors=_errors(evidence, knobs))


def _errors(evidence: Evidence, knobs: Knobs) -> Array:
    """Return the deciding number of every element, nan where there was no gradient to compare with."""
    errors = np.full(int(np.prod(evidence.shape)), np.nan)
    errors[evidence.elements] = rel_errs(evidence.analytic, evidence.numeric, evidence.bar, knobs.rtol)
    return errors.reshape(evidence.shape)
