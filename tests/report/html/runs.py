"""A run with every kind of case, and runs of many cases, made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcheck_cli.errors import Location
from gradcheck_cli.records import (
    Blame,
    CaseResult,
    Culprit,
    Finding,
    ParameterResult,
    RunResult,
    SweepPoint,
    WorstElement,
)
from tests.report.conftest import make_case, make_parameter
from tests.report.graphs import chain, ill
from tests.report.verdicts import ERROR, FAIL, INCONCLUSIVE, SKIP

HOSTILE_NAME = "</script><script>alert(1)</script> & 'it' \"is\" \u202e\x1b[31m\x00 {{ 7 * 7 }} {% raw %}"


def wrong(name: str, errors: Any, **changes: Any) -> ParameterResult:
    """Return a parameter that fails at the largest of its elements' errors."""
    errors = np.asarray(errors, dtype=float)
    index = tuple(int(at) for at in np.unravel_index(int(np.nanargmax(errors)), errors.shape))
    told = {
        "shape": errors.shape,
        "elements": errors.size,
        "checked": int(np.count_nonzero(~np.isnan(errors))),
        "max_rel_err": float(np.nanmax(errors)),
        "worst": WorstElement(index, 0.25, -0.25, 3e-12),
        "errors": errors,
    }
    return make_parameter(name, FAIL, **(told | changes))


def column_wrong(rows: int = 4, columns: int = 8) -> Any:
    """Return errors that are large in the last column only."""
    errors = np.full((rows, columns), 1e-10)
    errors[:, -1] = 10.0 ** -np.arange(rows)
    return errors


def valley() -> tuple[SweepPoint, ...]:
    """Return the sweep of a right gradient: 1e-3 eps^2 of truncation at 1e-2, 1e-14 / eps of rounding."""
    return tuple(SweepPoint(10.0**-k, 1e-3 * 100.0 ** (2 - k) + 10.0 ** (k - 14)) for k in range(2, 9))


def of_every_kind() -> RunResult:
    """Return a run that was interrupted, with a case of every verdict, expected or not."""
    culprit = Culprit("log", "x", 1, (Location("a.grad.yaml", 3, 9),), Location("my_ops.py", 7))
    missing = Finding("missing-term", "a mean is missing\nalong axis 1", Location("my_ops.py", 16), "backward of norm")
    cases = (
        make_case(make_parameter("w"), name="alright", seconds=0.5),
        make_case(
            wrong("x", column_wrong(), findings=(missing,)),
            make_parameter("gamma"),
            name="wrong",
            file="b.grad.yaml",
            line=12,
            seconds=0.25,
            seed=7,
            graph=ill().graph,
            blame=Blame(3, 1, 2, (culprit,), resolution=1e-7),
            notes=("evaluated twice as often",),
        ),
        make_case(make_parameter("b", INCONCLUSIVE, max_rel_err=0.5), name="undecided"),
        make_case(
            name="raises", verdict=ERROR, error="a.grad.yaml:3:9: error: shapes clash [shape]\n  x @ y", ok=False
        ),
        make_case(name="left out", verdict=SKIP, error="not checked on cuda", ok=False, label="torch, cuda"),
        make_case(make_parameter("w", FAIL), name="known", expected="fail", ok=True, seconds=2.0),
        make_case(make_parameter("w"), name="no longer wrong", expected="fail", ok=False),
        make_case(
            make_parameter("v", findings=(Finding("kink-at-point", "2 of 8 elements lie on a kink"),)),
            name=HOSTILE_NAME,
            file="<b>.grad.yaml",
            findings=(Finding("input-modified", "it wrote to x", Location("my_ops.py", 3), accepted=True),),
            health=(Finding("dead-relu", "11 of 20 units are zero"),),
        ),
    )
    return RunResult(7, cases, interrupted=True)


def of_many(right: int, failing: int, **changes: Any) -> RunResult:
    """Return a run of so many cases, the wrong ones last; each has three parameters, a wrong one fails at one."""
    rights = [make_case(*map(make_parameter, "xyz"), name=f"right {number}") for number in range(right)]
    wrongs = [_failing(number, **changes) for number in range(failing)]
    return RunResult(None, (*rights, *wrongs))


def _failing(number: int, **changes: Any) -> CaseResult:
    finding = Finding("sign-flipped", "analytic = -numeric", Location("my_ops.py", 9), "backward of f for x")
    failing = wrong("x", column_wrong(16, 16), findings=(finding,))
    others = (make_parameter("y"), make_parameter("z"))
    told = {"name": f"wrong {number}", "graph": chain(12).graph}
    return make_case(failing, *others, **(told | changes))
