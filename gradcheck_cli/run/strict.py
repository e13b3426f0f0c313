"""`--strict`: what passes with a note otherwise fails."""

from __future__ import annotations

from dataclasses import replace

from gradcheck_cli.records import ParameterResult, Verdict

_NOTED = {"kink-at-point", "vacuous"}


def strictly(result: ParameterResult) -> ParameterResult:
    """Fail a parameter that passed at a kink, or with nothing to compare."""
    noted = any(finding.name in _NOTED for finding in result.findings)
    return replace(result, verdict=Verdict.FAIL) if noted and result.verdict is Verdict.PASS else result
