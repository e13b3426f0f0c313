"""The truth of the random functions is exact, and each class has the trouble that it promises."""

import numpy as np
import pytest

from tests.accuracy.noise import hashed
from tests.accuracy.random_functions import CLASSES, draw_function
from tests.accuracy.smooth import SMOOTH

SEED = 11
INDICES = range(60)


def complex_step(function, point, element):
    """Differentiate without a difference: the imaginary part of f(x + ih) / h."""
    h = 1e-30 / abs(function.rate[element])
    moved = point.astype(complex)
    moved[element] += 1j * h
    return function.ideal(moved).imag / h


@pytest.mark.parametrize("smooth", SMOOTH, ids=lambda smooth: smooth.name)
def test_a_slope_is_the_derivative_of_its_function(smooth):
    t = np.linspace(-9, 9, 181)
    exact = smooth.value(t + 1e-30j).imag / 1e-30
    assert np.abs(smooth.slope(t) - exact).max() <= 1e-14 * np.abs(exact).max()


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if kind != "kink-at"])
def test_the_jacobian_is_exact(kind):
    for index in INDICES:
        function = draw_function(SEED, kind, index)
        exact = np.array([complex_step(function, function.point, i) for i in range(function.point.size)]).T
        jacobian = function.jacobian(function.point)
        terms = np.abs(exact / function.rate)
        if function.kink:  # its slope may cancel that of the rest
            kink = function.kink
            terms[kink.output, kink.element] += abs(function.height[kink.output] * kink.size)
        # Where an outer slope is nearly zero, rounding of its argument is what limits it: far below 1e-7 still.
        natural = (function.height * np.abs(function.mix).max(axis=1))[:, None]
        allowed = 1e-13 * terms.max(axis=1, keepdims=True) + 1e-15 * natural
        assert (np.abs((jacobian - exact) / function.rate) <= allowed).all(), function.id


def test_the_jacobian_at_a_kink_lies_between_its_sides():
    for index in INDICES:
        function = draw_function(SEED, "kink-at", index)
        kink = function.kink
        sides = []
        for sign in (1, -1):
            beside = function.point.copy()
            beside[kink.element] += sign * 1e-12 * kink.scale
            sides.append(complex_step(function, beside, kink.element)[kink.output])
        slope = function.jacobian(function.point)[kink.output, kink.element]
        wrong = function.wrong_jacobian(function.point)[kink.output, kink.element]
        gap = abs(sides[0] - sides[1])
        # What is left of 1e-12 of curvature is far below 1 % of the smallest kink.
        assert min(sides) - 1e-3 * gap <= slope <= max(sides) + 1e-3 * gap, function.id
        outside = max(min(sides) - wrong, wrong - max(sides))
        assert outside > 0.0099 * gap, function.id
        assert np.isclose(outside, function.planted, rtol=0.1), function.id


@pytest.mark.parametrize("kind", CLASSES)
def test_a_function_is_drawn_again_from_its_numbers(kind):
    first, again, other = draw_function(3, kind, 7), draw_function(3, kind, 7), draw_function(4, kind, 7)
    assert first.describe() == again.describe() != other.describe()
    assert np.array_equal(first.forward(first.point), again.forward(again.point))


@pytest.mark.parametrize("kind", CLASSES)
def test_the_wrong_jacobian_differs_in_one_entry(kind):
    sizes = []
    for index in INDICES:
        function = draw_function(SEED, kind, index)
        right, wrong = function.jacobian(function.point), function.wrong_jacobian(function.point)
        slip = function.slip
        assert [tuple(place) for place in np.argwhere(right != wrong)] == [(slip.output, slip.element)], function.id
        sizes.append(abs(wrong - right).max() / abs(right[slip.output, slip.element]))
    if kind != "kink-at":
        small = [size for size in sizes if size < 0.0101]
        assert 0.6 < len(small) / len(sizes) < 0.95
        assert min(sizes) > 0.99e-6
        assert np.log10(max(small) / min(small)) > 3


@pytest.mark.parametrize("kind", CLASSES)
def test_the_forward_is_finite_and_repeats(kind):
    for index in INDICES:
        function = draw_function(SEED, kind, index)
        out = function.forward(function.point)
        assert np.isfinite(out).all(), function.id
        assert np.array_equal(out, function.forward(function.point.copy())), function.id


def relative_trouble(kind):
    """Return how far the forward is from the ideal function, relative to the height of its outputs."""
    functions = [draw_function(SEED, kind, index) for index in INDICES]
    return [np.abs((f.forward(f.point) - f.ideal(f.point)) / f.height).max() for f in functions]


def test_each_class_has_its_trouble():
    assert max(relative_trouble("smooth")) < 1e-12
    assert min(relative_trouble("noise")) > 1e-14
    assert 1e-8 < max(relative_trouble("noise")) < 2e-6
    assert np.median(relative_trouble("inside")) > 1e-13
    assert 1e-9 < np.median(relative_trouble("float32-inside")) < 1e-5
    assert 1e-9 < np.median(relative_trouble("float32-output")) < 1e-5
    offsets = [np.abs(f.offset / f.height).max() for f in (draw_function(SEED, "offset", i) for i in INDICES)]
    assert min(offsets) >= 1
    assert 1e9 < max(offsets) <= 1e10
    near = [draw_function(SEED, "kink-near", index) for index in INDICES]
    away = [abs(f.point[f.kink.element] - f.kink.place) / f.kink.scale for f in near]
    assert 0.9e-9 < min(away) < 1e-8
    assert 1e-3 < max(away) < 1.1e-2
    assert all(f.point[f.kink.element] == f.kink.place for f in (draw_function(SEED, "kink-at", i) for i in INDICES))


def test_scales_span_sixteen_decades():
    functions = [draw_function(SEED, "smooth", index) for index in range(300)]
    for scales in ([1 / f.rate.max() for f in functions], [f.height.max() for f in functions]):
        assert min(scales) < 1e-7
        assert max(scales) > 1e7
    assert {f.point.size for f in functions} == {1, 2, 3, 4, 5, 6}
    assert {f.height.size for f in functions} == {1, 2, 3, 4, 5}


def test_hashed_noise_looks_random_and_depends_on_every_bit():
    x = np.array([1.0, -2.0])
    values = np.array([hashed(np.nextafter(x, k), 3) for k in np.linspace(5, 9, 2)])
    assert not np.array_equal(hashed(x, 3), hashed(np.array([1.0, np.nextafter(-2.0, 0)]), 3))
    assert np.array_equal(hashed(x, 3), hashed(x.copy(), 3))
    assert np.array_equal(values[0], values[1])
    row = np.array([hashed(np.array([1.0 + k * 2.0**-52]), 1)[0] for k in range(4000)])
    assert abs(row.mean()) < 0.05
    assert abs(np.corrcoef(row[1:], row[:-1])[0, 1]) < 0.05
    assert abs(row.std() - 3**-0.5) < 0.02
