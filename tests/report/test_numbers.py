from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradcheck_cli.report.numbers import count, dimensions, pair, relative, rounded_up, scientific, short

NONFINITE = [(math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf")]


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1.0e+00"), (2.44e-11, "2.4e-11"), (0.0, "0.0e+00"), (None, "-"), *NONFINITE]
)
def test_a_relative_error_has_two_digits(value: float | None, text: str) -> None:
    assert relative(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-7, "1e-07"),
        (1.0000000000000001e-7, "1e-07"),
        (2e-11, "2e-11"),
        (1.01e-7, "2e-07"),
        (2.4e-7, "3e-07"),
        (9.1e-7, "1e-06"),
        (9.6e-7, "1e-06"),
        (0.0, "0"),
        (None, "-"),
        *NONFINITE,
    ],
)
def test_a_bound_is_rounded_up_to_one_digit(value: float | None, text: str) -> None:
    assert rounded_up(value) == text


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_a_bound_never_promises_more_than_it_holds(value: float) -> None:
    shown = float(rounded_up(value))
    assert value * (1 - 1e-9) <= shown <= 2.01 * value


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1.00"), (0.5, "0.50"), (0.09, "9e-2"), (2.13e-5, "2.1e-5"), (150.0, "1.5e2"), (0.0, "0"), *NONFINITE],
)
def test_an_error_of_the_sweep_is_short(value: float, text: str) -> None:
    assert short(value) == text


@pytest.mark.parametrize(("value", "text"), [(1e-2, "1e-2"), (3.2e-5, "3.2e-5"), (1.0, "1e0"), (0.0, "0"), *NONFINITE])
def test_a_step_is_written_with_a_bare_exponent(value: float, text: str) -> None:
    assert scientific(value) == text


@pytest.mark.parametrize(
    ("analytic", "numeric", "texts"),
    [
        (0.260035, -0.103406, ("+0.260035", "-0.103406")),
        (1.0, 2.0, ("+1.00000", "+2.00000")),
        (1.0, 1.0, ("+1.00000", "+1.00000")),
        (0.0, 1e-17, ("+0.00000", "+1.00000e-17")),
        (1e300, -1e-300, ("+1.00000e+300", "-1.00000e-300")),
        # A difference in the ninth digit has to be seen.
        (1.0, 1.00000001, ("+1.000000000", "+1.000000010")),
        (math.nan, math.inf, ("nan", "+inf")),
        (-math.inf, 0.0, ("-inf", "+0.00000")),
    ],
)
def test_two_gradients_are_written_side_by_side(analytic: float, numeric: float, texts: tuple[str, str]) -> None:
    assert pair(analytic, numeric) == texts


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
@example(1.0, math.nextafter(1.0, 2.0))
@example(0.1, math.nextafter(0.1, 0.0))
@example(0.0, -5e-324)
def test_different_gradients_look_different(analytic: float, numeric: float) -> None:
    first, second = pair(analytic, numeric)
    assert (float(first) == float(second)) == (analytic == numeric)


@pytest.mark.parametrize(
    ("number", "noun", "plural", "text"),
    [(0, "error", "", "0 errors"), (1, "error", "", "1 error"), (2, "inconclusive", "inconclusive", "2 inconclusive")],
)
def test_things_are_counted_in_english(number: int, noun: str, plural: str, text: str) -> None:
    assert count(number, noun, plural) == text


@pytest.mark.parametrize(("shape", "text"), [((), "()"), ((8,), "8"), ((4, 8), "4*8"), ((0, 3), "0*3")])
def test_a_shape_is_its_sizes(shape: tuple[int, ...], text: str) -> None:
    assert dimensions(shape, "*") == text
