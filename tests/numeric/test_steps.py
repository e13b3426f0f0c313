"""Step sizes: powers of two on the scale of each element, over as many decades as numbers have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli.numeric.steps import (
    DECADE,
    HALF_DECADE,
    MOST_BEYOND,
    default_eps,
    element_scales,
    ladder_steps,
    step_size,
    step_sizes,
    steps_of_many,
    steps_up_to,
    stride_up_to,
    typical_magnitude,
)

DECADES = 10.0 ** np.arange(-9, 10)


def is_power_of_two(h):
    return np.frexp(h)[0] == 0.5


@pytest.mark.parametrize(
    ("x", "typical"),
    [
        ([3.0], 3.0),
        ([-1.0, 2.0, -4.0], 2.0),
        ([0.0, 0.0, 5.0], 5.0),
        ([0.0, 0.0], 1.0),
        ([], 1.0),
        ([np.nan, np.inf, 2.0], 2.0),
        ([1e-9, 1.0, 1e9], 1.0),
        ([5e-324], 5e-324),
    ],
    ids=str,
)
def test_the_typical_magnitude_is_the_median_of_what_is_not_zero(x, typical):
    assert typical_magnitude(np.array(x)) == typical


def test_an_element_has_its_own_scale_but_a_tenth_of_the_typical_one_at_least():
    assert element_scales(np.array([0.0, -2.0, 0.01, 50.0, 2.0])).tolist() == [0.2, 2.0, 0.2, 50.0, 2.0]


def test_scales_over_18_decades():
    np.testing.assert_allclose(element_scales(DECADES), np.maximum(DECADES, 0.1))


def test_the_default_eps_is_the_cube_root_of_the_machine_s():
    assert default_eps(np.dtype(np.float64)) == pytest.approx(6.06e-6, rel=1e-3)
    assert default_eps(np.dtype(np.float32)) == pytest.approx(4.92e-3, rel=1e-3)


@given(st.floats(1e-300, 1e300), st.floats(1e-12, 0.5))
def test_a_step_is_the_nearest_power_of_two(scale, eps):
    h = step_size(scale, eps)
    assert is_power_of_two(h)
    assert eps * scale / 1.5 <= h <= 1.5 * eps * scale


@given(st.floats(1e-250, 1e250), st.booleans())
def test_a_step_loses_no_digits(x, negative):
    x = -x if negative else x
    h = step_size(abs(x), default_eps(np.dtype(np.float64)))
    assert (x + h) - (x - h) == pytest.approx(2 * h, rel=1e-9)
    assert x + h != x != x - h


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e-310])
def test_a_step_on_a_subnormal_scale_is_never_zero(scale):
    with np.errstate(divide="ignore"):
        assert step_size(scale, 6e-6) > 0


POINTS = [(x, typical) for x in (1e-9, 1e-3, 0.7, -1.0, 1e3, -1e9) for typical in (1e-9, 1.0, 1e9)]


@pytest.mark.parametrize("ratio", [DECADE, HALF_DECADE])
@pytest.mark.parametrize(("x", "typical"), [*POINTS, (0.0, 1e-9), (0.0, 1.0), (0.0, 1e9)])
def test_a_ladder_ascends_in_powers_of_two_by_its_ratio(x, typical, ratio):
    steps = np.array(ladder_steps(x, typical, float(np.spacing(abs(x))), ratio))
    assert all(map(is_power_of_two, steps))
    grow = steps[1:] / steps[:-1]
    assert grow.min() >= ratio / 2
    assert grow.max() <= ratio * 2


@pytest.mark.parametrize(("x", "typical"), [*POINTS, (0.0, 1e-9), (0.0, 1.0), (0.0, 1e9)])
def test_a_ladder_reaches_from_the_smaller_scale_to_the_larger(x, typical):
    spacing = float(np.spacing(abs(x)))
    steps = ladder_steps(x, typical, spacing, DECADE)
    assert steps[-1] == pytest.approx(0.1 * max(abs(x), typical), rel=0.5)
    wanted = max(1e-11 * min(typical, abs(x) or min(typical, 1.0)), 4 * spacing)
    assert wanted / 20 <= steps[0] <= 3 * wanted
    assert len(steps) >= 8


def test_a_small_element_among_large_ones_has_small_steps_of_its_own():
    for x in DECADES:
        steps = ladder_steps(float(x), 1.0, float(np.spacing(x)), DECADE)
        assert steps[0] <= 1e-10 * max(x, 1e-5)
        assert steps[-1] >= 0.05 * x


@pytest.mark.parametrize("spacing", [1e-12, 1e-7, 1e-3])
def test_a_ladder_starts_above_the_spacing_of_its_numbers(spacing):
    steps = ladder_steps(1.0, 1.0, spacing, HALF_DECADE)
    assert steps[0] >= spacing
    assert steps[-1] >= 0.05


@pytest.mark.parametrize("reach", [1e-3, 1e-9, 1e-12])
def test_a_ladder_stays_below_the_edge_of_the_domain_and_goes_deeper(reach):
    steps = ladder_steps(1.0, 1.0, float(np.spacing(1.0)), HALF_DECADE, reach=reach)
    assert reach / 3 <= steps[-1] <= 1.5 * reach
    assert len(steps) >= 5
    assert steps[0] < 1e-2 * reach


def test_without_room_between_spacing_and_edge_there_are_no_steps():
    assert ladder_steps(1.0, 1.0, 1e-7, HALF_DECADE, reach=1e-8) == []
    assert ladder_steps(1.0, 1.0, 1.0, DECADE) == []


@pytest.mark.parametrize("x", [1e-310, 1e-300, 1e300])
def test_a_ladder_at_the_ends_of_the_range(x):
    steps = ladder_steps(x, x, float(np.spacing(x)), DECADE)
    assert steps == sorted(set(steps))
    assert steps[0] > 0
    assert np.isfinite(steps[-1])
    assert len(steps) >= 4


@pytest.mark.parametrize("eps", [6e-6, 1e-300, 1.0])
def test_steps_of_many_scales_are_those_of_each(eps):
    scales = 10.0 ** np.arange(-320, 308, 7)
    with np.errstate(divide="ignore"):
        expected = [step_size(float(scale), eps) for scale in scales]
    assert step_sizes(scales, eps).tolist() == expected


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("typical", [1.0, 1e-6, 1e10])
def test_decades_of_many_elements_are_those_of_each(typical, dtype):
    x = np.array([0.0, 1.0, -0.3, 1e-7, 1e-30, 4e12, 12345.678, -2e-5], dtype=dtype)
    spacings = np.abs(np.spacing(x)).astype(float)
    x = x.astype(float)
    h, valid = steps_of_many(x, typical, spacings)
    for k, (value, spacing) in enumerate(zip(x, spacings, strict=True)):
        expected = ladder_steps(float(value), typical, float(spacing), DECADE)
        expected = [step for step in expected if step >= spacing and value + step != value]
        assert h[valid[:, k], k].tolist() == expected
        assert valid[:, k].tolist() == sorted(valid[:, k])


def test_no_elements_have_no_decades():
    h, valid = steps_of_many(np.empty(0), 1.0, np.empty(0))
    assert h.shape == valid.shape == (0, 0)


@pytest.mark.parametrize("x", [[5e-324], [1e308, 1.5e308], [5e-324, 5e-324, 1.0], [3.0, 1.0, 2.0, 10.0]])
def test_the_typical_magnitude_neither_vanishes_nor_overflows(x):
    assert 0 < typical_magnitude(np.array(x)) <= max(x)


@pytest.mark.parametrize("farthest", [1.0, 3.0, 1e3, 1e12, 1e30])
def test_steps_up_to_a_scale_are_those_of_a_climb(farthest):
    tops = np.array([0.125, 1e-3, farthest, 2 * farthest, 1e-8])
    h, valid = steps_up_to(np.full(5, farthest), tops)
    for k, start in enumerate(tops.tolist()):
        climbed = [start]
        while climbed[-1] < farthest and len(climbed) <= MOST_BEYOND:
            climbed.append(step_size(climbed[-1], float(stride_up_to(farthest, climbed[-1]))))
        assert h[valid[:, k], k].tolist() == climbed[1:]
        assert valid[:, k].tolist() == sorted(valid[:, k], reverse=True)
    assert not valid[:, 2:4].any()
    assert h.shape == valid.shape
