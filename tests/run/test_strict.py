"""`--strict`: passes with a note fail."""

from __future__ import annotations

import pytest

from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.run.strict import strictly


def parameter(verdict: Verdict, *names: str) -> ParameterResult:
    return ParameterResult("x", (2,), 2, 2, verdict, findings=tuple(Finding(name, "seen") for name in names))


@pytest.mark.parametrize("name", ["kink-at-point", "vacuous"])
def test_a_pass_with_such_a_note_fails(name: str) -> None:
    assert strictly(parameter(Verdict.PASS, "float32-inside", name)).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "result",
    [
        parameter(Verdict.PASS),
        parameter(Verdict.PASS, "kink-nearby", "float32-inside"),
        parameter(Verdict.INCONCLUSIVE, "kink-at-point"),
        parameter(Verdict.FAIL, "vacuous"),
        parameter(Verdict.SKIP),
    ],
)
def test_everything_else_stays_as_it_is(result: ParameterResult) -> None:
    assert strictly(result) is result
