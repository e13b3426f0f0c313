"""The line that sums up a failure."""

from collections.abc import Callable
from typing import Any

import pytest

from gradcheck_cli.records import CaseResult, Finding, ParameterResult
from gradcheck_cli.report.headline import headline
from tests.report.verdicts import ERROR, FAIL, INCONCLUSIVE, PASS, SKIP

Make = Callable[..., CaseResult]
MakeParameter = Callable[..., ParameterResult]

TERM, ROUNDING = (Finding(name, "told at length") for name in ("missing-term", "rounding-dominates"))
DTYPE, ALLOWED = Finding("gradient-dtype", "float32"), Finding("input-modified", "x", accepted=True)


@pytest.mark.parametrize(
    ("parameters", "changes", "line"),
    [
        ([("x", FAIL, [TERM]), ("w", PASS, [])], {}, "FAIL x: GC203 missing-term"),
        ([("x", FAIL, []), ("w", FAIL, [TERM])], {}, "FAIL x, w: GC203 missing-term"),
        ([("x", INCONCLUSIVE, [ROUNDING])], {}, "INCONCLUSIVE x: GC304 rounding-dominates"),
        ([("x", SKIP, [])], {"verdict": FAIL, "findings": (ALLOWED, DTYPE)}, "FAIL: GC103 gradient-dtype"),
        ([("x", FAIL, [])], {}, "FAIL x"),
        ([("x", PASS, [])], {"expected": "fail", "ok": False}, "expected fail, got pass"),
        ([("x", FAIL, [TERM])], {"expected": "x: inconclusive"}, "expected x: inconclusive; got x: fail"),
        (
            [("x", SKIP, [])],
            {"verdict": ERROR, "error": "a.yaml:1: error: no\x1b [c]\n  x\n  ^"},
            "a.yaml:1: error: no\\x1b [c]",
        ),
    ],
)
def test_a_case_is_summed_up(
    case: Make,
    parameter: MakeParameter,
    parameters: list[tuple[str, Any, list[Finding]]],
    changes: dict[str, Any],
    line: str,
) -> None:
    made = [parameter(name, verdict, findings=tuple(found)) for name, verdict, found in parameters]
    assert headline(case(*made, **{"ok": False, **changes})) == line
