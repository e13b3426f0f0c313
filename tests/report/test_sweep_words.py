from __future__ import annotations

import math

import pytest

from gradcheck_cli.records import SweepPoint, Verdict
from gradcheck_cli.report.sweep_words import closing_word

PASS, FAIL, INCONCLUSIVE = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE


def points(errors: list[float]) -> list[SweepPoint]:
    return [SweepPoint(10.0 ** -(position + 2), error) for position, error in enumerate(errors)]


@pytest.mark.parametrize(
    ("verdict", "errors", "word"),
    [
        (FAIL, [1.0] * 7, "flat: the gradient is wrong"),
        (FAIL, [0.31, 0.3, 0.3, 0.3, 0.3, 0.3, 0.32], "flat: the gradient is wrong"),
        # Truncation above a flat stretch, rounding below it: flat where the step is right.
        (FAIL, [2e-2, 7e-4, 5e-4, 5e-4, 5e-4, 5e-4, 6e-4], "flat: the gradient is wrong"),
        (FAIL, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.55], "flat: the gradient is wrong"),
        (FAIL, [1.0, 1.0, 1.0, 1.0, 1e-3, 1e-4, 1e-5], "falls with eps: truncation"),
        (FAIL, [0.9, 0.2, 0.5, 0.1, 0.7, 0.3, 1.0], "large at every step: the gradient is wrong"),
        (FAIL, [1e-2, 1e-4, 1e-6, 3e-7, 3e-6, 3e-5, 3e-4], "smallest at eps=1e-5: truncation above, rounding below"),
        (PASS, [1e-4, 1e-6, 1e-8, 1e-10, 1e-9, 1e-8, 1e-7], "smallest at eps=1e-5: truncation above, rounding below"),
        (INCONCLUSIVE, [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7], "falls with eps: truncation"),
        (INCONCLUSIVE, [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1], "grows as eps shrinks: rounding"),
        (INCONCLUSIVE, [1e-3] * 7, "flat"),
        (PASS, [0.0] * 7, "agrees at every step"),
        (PASS, [3e-12, 1e-12, 8e-12, 2e-12, 1e-11, 3e-10, 2e-9], "agrees at every step"),
        (FAIL, [1.0, math.nan, 1.0], "not finite at eps=1e-3"),
        (INCONCLUSIVE, [math.inf, 1e-9, 1e-9], "not finite at eps=1e-2"),
        (FAIL, [1.0], ""),
        (FAIL, [], ""),
    ],
)
def test_the_sweep_is_summed_up_in_words(verdict: Verdict, errors: list[float], word: str) -> None:
    assert closing_word(points(errors), verdict, 1e-7) == word


def test_the_order_of_the_points_is_no_matter() -> None:
    falling = points([1e-1, 1e-2, 1e-3])
    assert closing_word(falling[::-1], INCONCLUSIVE, None) == closing_word(falling, INCONCLUSIVE, None)


@pytest.mark.parametrize("verdict", [PASS, INCONCLUSIVE])
@pytest.mark.parametrize("errors", [[1.0] * 7, [0.0] * 7, [1e-3, 1e-1, 1e-2]])
def test_no_word_contradicts_the_verdict(verdict: Verdict, errors: list[float]) -> None:
    assert "wrong" not in closing_word(points(errors), verdict, 1e-7)
