"""From the evidence to the causes: what there is to say about each parameter that failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gradcheck_cli.numeric.function import Function, Values
from gradcheck_cli.records import Finding, Verdict
from gradcheck_cli.verdict.judgement import Judgement

if TYPE_CHECKING:
    from gradcheck_cli.findings.suspect import Suspect


def diagnose(
    judgement: Judgement,
    shapes: Mapping[str, tuple[int, ...]],
    operators: Mapping[str, Sequence[Suspect]] | None = None,
) -> None:
    """Add the causes that are found to the parameters that failed.

    `shapes` are those of the case's arrays. `operators` has, by parameter, what was found wrong with single operators.
    """
    for position, result in enumerate(judgement.parameters):
        evidence = judgement.evidence.get(result.name)
        has_cause = any(finding.code.startswith("GC2") for finding in result.findings)
        if evidence is None or result.verdict is not Verdict.FAIL or has_cause:
            continue
        # Here, so that nothing of it is loaded while everything passes.
        from gradcheck_cli.findings.causes import find_causes
        from gradcheck_cli.findings.measure import is_same_gradient
        from gradcheck_cli.findings.suspect import Suspect

        others = {name: other for name, other in judgement.evidence.items() if name != result.name}
        suspects = [
            replace(suspect, shown=result.worst) if is_same_gradient(suspect.evidence, evidence) else suspect
            for suspect in (operators or {}).get(result.name, ())
        ]
        suspects.append(Suspect(evidence, shapes, others=others, shown=result.worst))
        found = (*find_causes(suspects), *result.findings)
        if not found:
            found = (Finding("unexplained", f"the gradient of {result.name} is wrong under another cotangent only"),)
        judgement.parameters[position] = replace(result, findings=found)


def note_disconnected(judgement: Judgement, function: Function, values: Values) -> None:
    """Add to parameters with nothing to compare that the value of `function` doesn't depend on them at all, if so."""
    for position, result in enumerate(judgement.parameters):
        if not any(finding.name == "vacuous" for finding in result.findings):
            continue
        # Here, so that nothing of it is loaded while there is something to compare.
        from gradcheck_cli.findings.disconnected import disconnected

        found = disconnected(function, values, judgement.outputs, result.name)
        if found:
            judgement.parameters[position] = replace(result, findings=(found, *result.findings))
