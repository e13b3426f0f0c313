"""From the evidence to the causes: what each detector has to say about each parameter that failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gradcheck_cli.findings.constant_factor import constant_factor
from gradcheck_cli.records import Verdict
from gradcheck_cli.verdict.judgement import Judgement

_DETECTORS = (constant_factor,)


def diagnose(judgement: Judgement, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Add the causes that are found to the parameters that failed. `shapes` are those of the case's arrays."""
    for position, result in enumerate(judgement.parameters):
        evidence = judgement.evidence.get(result.name)
        if evidence is None or result.verdict is not Verdict.FAIL or result.findings:
            continue  # what has a finding has its cause
        found = [finding for detect in _DETECTORS if (finding := detect(evidence, shapes))]
        judgement.parameters[position] = replace(result, findings=tuple(found))
