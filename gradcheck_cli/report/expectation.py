"""Compare what became of a case with what its spec expected, parameter by parameter."""

from __future__ import annotations

from gradcheck_cli.codes import FINDING_CODES
from gradcheck_cli.records import CaseResult, ParameterResult, Verdict

_VERDICTS = {str(verdict) for verdict in Verdict}


def expected_of(case: CaseResult, name: str) -> str:
    """Return what the spec expects of the parameter `name`: a verdict, or a finding that fails it."""
    by_name = _by_name(case)
    return by_name.get(name, "pass") if by_name else case.expected


def is_off(case: CaseResult, parameter: ParameterResult) -> bool:
    """Tell whether a parameter is to blame for a case that isn't as expected.

    Where the whole case is expected to fail, some parameter has to, so a single pass is no blame.
    """
    # A case that was interrupted has no verdict of its own, but what was finished of it has.
    if parameter.verdict is Verdict.SKIP or (case.ok and case.verdict is not Verdict.SKIP):
        return False
    if parameter.verdict is Verdict.PASS and not _by_name(case):
        return False
    return not _meets(parameter, expected_of(case, parameter.name))


def verdict_word(case: CaseResult, parameter: ParameterResult) -> str:
    """Write a parameter's verdict, with a word where it isn't what a reader would think: `FAIL (expected)`."""
    return _worded(parameter.verdict, expected_of(case, parameter.name), case.ok, is_off(case, parameter), case)


def case_word(case: CaseResult) -> str:
    """Write a case's verdict in the same way."""
    return _worded(case.verdict, case.expected, case.ok, not case.ok, case)


def difference(case: CaseResult) -> str:
    """Say what was expected and what came, for a case that was expected to be something else than right."""
    if case.ok or case.verdict is Verdict.SKIP or case.expected == "pass":
        return ""
    off = [parameter for parameter in case.parameters if is_off(case, parameter)]
    if not _by_name(case):
        return f"expected {case.expected}, got {case.verdict}"
    if not off:
        return f"expected {case.expected}, got {case.verdict} for the whole case"
    wanted = ", ".join(f"{parameter.name}: {expected_of(case, parameter.name)}" for parameter in off)
    came = ", ".join(f"{parameter.name}: {parameter.verdict}" for parameter in off)
    return f"expected {wanted}; got {came}"


def _worded(verdict: Verdict, wanted: str, ok: bool, off: bool, case: CaseResult) -> str:
    word = verdict.upper()
    if verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE) and not off:
        coded = wanted not in _VERDICTS and verdict is Verdict.FAIL
        if wanted == verdict or coded:
            return f"{word} (expected)"
    if verdict is Verdict.PASS and not ok and wanted != "pass" and (off or case.verdict is Verdict.PASS):
        return f"{word} (unexpected)"
    return word


def _meets(parameter: ParameterResult, wanted: str) -> bool:
    """Tell whether a parameter has the verdict that is wanted, or the finding and the verdict that it forces."""
    if wanted not in FINDING_CODES:
        return str(parameter.verdict) == wanted
    found = any(finding.name == wanted for finding in parameter.findings)
    return found and str(parameter.verdict) == FINDING_CODES[wanted].outcome


def _by_name(case: CaseResult) -> dict[str, str]:
    """Return what the spec expects of single parameters; empty where it expects one verdict of the case."""
    return {parameter.name: parameter.expected for parameter in case.parameters if parameter.expected is not None}
