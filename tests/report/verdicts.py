"""The verdicts by their names."""

from __future__ import annotations

from gradcheck_cli.records import Verdict

PASS, FAIL, INCONCLUSIVE, SKIP, ERROR = (
    Verdict.PASS,
    Verdict.FAIL,
    Verdict.INCONCLUSIVE,
    Verdict.SKIP,
    Verdict.ERROR,
)
