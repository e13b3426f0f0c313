from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from gradcheck_cli.records import Finding, SweepPoint, WorstElement
from gradcheck_cli.report.html.guides import ROUNDING, TRUNCATION, Guide, guides
from tests.report.html.runs import valley
from tests.report.verdicts import FAIL

Make = Callable[..., Any]


def by_slope(lines: tuple[Guide, ...]) -> dict[int, Guide]:
    return {line.slope: line for line in lines}


def test_lines_go_through_the_points_that_have_their_slope(case: Make, parameter: Make) -> None:
    lines = by_slope(guides(case(), parameter("x", sweep=valley())))
    assert lines[TRUNCATION].fitted
    assert lines[ROUNDING].fitted
    # 1e-3 eps^2 / 1e-4 and 1e-14 / eps are what valley() is made of.
    assert lines[TRUNCATION].at(-2) == pytest.approx(-3, abs=0.01)
    assert lines[ROUNDING].at(-8) == pytest.approx(-6, abs=0.01)


@pytest.mark.parametrize("seed", range(20))
def test_noise_of_rounding_moves_its_line_by_no_more_than_the_noise(case: Make, parameter: Make, seed: int) -> None:
    draw = random.Random(seed)
    noisy = tuple(SweepPoint(10.0**-k, 100.0 ** (1 - k) + 10.0 ** (k - 16) * draw.uniform(0.3, 3)) for k in range(2, 9))
    lines = by_slope(guides(case(), parameter("x", sweep=noisy)))
    assert lines[ROUNDING].at(-8) == pytest.approx(-8, abs=0.6), seed
    assert lines[TRUNCATION].at(-2) == pytest.approx(-2, abs=0.05), seed


def test_a_flat_sweep_leaves_the_place_to_the_error_bar(case: Make, parameter: Make) -> None:
    worst = WorstElement((0,), 0.5, -0.5, 3e-9)
    lines = guides(case(), parameter("x", FAIL, worst=worst))
    assert [line.fitted for line in lines] == [False, False]
    usual = math.log10(2.0**-52) / 3
    total = sum(10 ** line.at(usual) for line in lines)
    assert total == pytest.approx(1e-9)
    for step in (usual - 0.2, usual + 0.2):
        assert sum(10 ** line.at(step) for line in lines) > total, "both together are least at the usual step"


@pytest.mark.parametrize("bar", [1e-10, 1e-11, 1e-12, 1e-13])
def test_a_smaller_bar_was_found_at_a_larger_step(case: Make, parameter: Make, bar: float) -> None:
    lines = by_slope(guides(case(), parameter("x", FAIL, worst=WorstElement((0,), 0.5, -0.5, bar))))
    rounding_of_one = math.log10(2.0**-52)
    assert lines[ROUNDING].offset >= rounding_of_one - 1e-9, "no difference of numbers near one is more exact"
    best = lines[ROUNDING].offset - math.log10(2 / 3 * bar / 3)
    assert sum(10 ** line.at(best) for line in lines.values()) == pytest.approx(bar / 3)


def test_single_precision_has_its_least_at_larger_steps(case: Make, parameter: Make) -> None:
    failing = parameter("x", FAIL, worst=WorstElement((0,), 0.5, -0.5, 3e-3))

    def least(lines: tuple[Guide, ...]) -> float:
        return min(range(-800, -50), key=lambda at: sum(10 ** line.at(at / 100) for line in lines)) / 100

    double, single = least(guides(case(), failing)), least(guides(case(label="torch, float32"), failing))
    found = least(guides(case(findings=(Finding("float32-inside", ""),)), failing))
    assert double == pytest.approx(math.log10(2.0**-52) / 3, abs=0.02)
    assert single == found == pytest.approx(math.log10(2.0**-23) / 3, abs=0.02)


@pytest.mark.parametrize("bar", [0.0, math.inf, math.nan, 3.0])
def test_where_nothing_is_known_there_is_no_line(case: Make, parameter: Make, bar: float) -> None:
    assert guides(case(), parameter("x", FAIL, worst=WorstElement((0,), 0.5, -0.5, bar))) == ()
    assert guides(case(), parameter("x", FAIL, worst=None)) == ()
    assert guides(case(), parameter("x", FAIL, worst=WorstElement((0,), 0.0, 0.0, 1e-12))) == ()


def test_points_that_are_no_numbers_are_passed_over(case: Make, parameter: Make) -> None:
    odd = (*valley(), SweepPoint(1e-9, 0.0), SweepPoint(1e-10, math.nan), SweepPoint(1e-11, math.inf))
    assert guides(case(), parameter("x", sweep=odd)) == guides(case(), parameter("x", sweep=valley()))
