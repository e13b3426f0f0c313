"""What was found out about a function, filled parameter by parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.records import Blame, Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.evidence import Evidence


@dataclass
class Judgement:
    """What was found out about a function: filled parameter by parameter, so that a stop loses nothing.

    `cotangents` are those of the outputs under which gradients are compared: given, or else drawn.
    `blame` says which operators make gradients wrong.
    """

    value: float | None = None
    outputs: tuple[Array, ...] = ()
    gradients: Mapping[str, Array] = field(default_factory=dict)
    evaluations: int = 0
    parameters: list[ParameterResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    cotangents: tuple[Array, ...] = ()
    blame: Blame | None = None
    health: list[Finding] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """The verdict of the whole: a contract finding fails it, unless it is accepted."""
        if any(not finding.accepted for finding in self.findings):
            return Verdict.FAIL
        return Verdict.worst([parameter.verdict for parameter in self.parameters])


def as_finding(violation: ContractViolation, accepted: bool = False) -> Finding:
    """Return a broken contract as a finding."""
    hint = violation.problems[0].hint
    message = f"{violation.operator}: {violation.message}"
    text = f"{message}\n{hint}" if hint else message
    return Finding(violation.finding, text, violation.location, accepted=accepted)


def skipped(name: str, shape: tuple[int, ...]) -> ParameterResult:
    """Return the result of a parameter that was not compared."""
    return ParameterResult(name, shape, int(np.prod(shape)), 0, Verdict.SKIP)
