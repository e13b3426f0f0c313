"""Outputs that stand still near a point: the stairs they stand on are measured, and what moves smoothly has none."""

import numpy as np
import pytest

from gradcheck_cli.numeric.stairs import HIGHEST, are_long_singles, climb, heights, last_digit, last_digits

pytestmark = pytest.mark.usefixtures("unwarned")

EPSILON = float(np.finfo(np.float64).eps)
X = np.array([0.3, -1.2, 2.0])


def measured(point, function, x=X):
    """The heights of the stairs of all outputs, each of which is taken to stand still."""
    around = point(function, x)
    places, changes = climb(around, 1e-6 * around.x)
    still = np.ones(around.base.size, dtype=bool)
    return heights(around, places, changes, still, np.full(around.base.size, EPSILON))


def value(x):
    return 0.7 + 0.1 * np.tanh(x[:1]) + 0.01 * x[1:2]


@pytest.mark.parametrize(
    ("rounded", "height"),
    [
        (lambda y: y.astype(np.float16).astype(float), 2.0**-11),
        (lambda y: np.round(y, 4), 1e-4),
        (lambda y: np.floor(y * 1000) / 1000, 1e-3),
        (lambda y: (y * 2.0**12).astype(np.int64) / 2.0**12, 2.0**-12),
    ],
    ids=["float16", "decimals", "floor", "integers"],
)
def test_the_height_of_a_stair_is_measured(rounded, height, point):
    assert measured(point, lambda x: rounded(value(x))) == pytest.approx([height], rel=1e-6)


def test_what_moves_has_no_stairs(point):
    for smooth in (value, lambda x: np.maximum(value(x), value(X) + 1e-5), lambda x: value(x) + 1e10):
        assert measured(point, smooth).tolist() == [0.0]


def test_a_leap_of_a_large_share_is_no_rounding(point):
    def leaping(height):
        return lambda x: 1.0 + height * (x[:1] > 0.31)

    assert measured(point, leaping(0.5 * HIGHEST)) == pytest.approx([0.5 * HIGHEST])
    assert measured(point, leaping(2 * HIGHEST)).tolist() == [0.0]
    assert measured(point, lambda x: np.floor(x[2:] + 0.1 * x[:1])).tolist() == [0.0]


def test_many_outputs_on_stairs_are_like_those_that_are_looked_at(point):
    calls = []

    def many(x):
        calls.append(1)
        return np.round(np.linspace(0.5, 0.9, 100) + 0.1 * np.tanh(x[0]), 4)

    found = measured(point, many)
    assert found.shape == (100,)
    assert (found >= 0.99e-4).all()
    assert (found <= 4.1e-4).all()
    assert len(calls) < 200


def test_outputs_that_never_move_have_no_stairs(point):
    # Numbers that a person wrote have few digits, too, and come out of maximum, clip and where as they are.
    assert measured(point, lambda x: np.array([1.918, np.pi, 3.0, 0.0]) + 0 * x[0]).tolist() == [0.0] * 4


def test_outputs_that_do_not_stand_still_are_left_out(point):
    around = point(lambda x: np.round(value(x), 4), X)
    places, changes = climb(around, 1e-6 * around.x)
    assert heights(around, places, changes, np.array([False]), np.array([EPSILON])).tolist() == [0.0]


def test_what_leaves_its_domain_has_no_stairs(point):
    assert measured(point, lambda x: np.log(x[:1] - 0.3 + 1e-9)).tolist() == [0.0]
    assert measured(point, lambda x: np.where(x[:1] == 0.3, 1.0, np.nan)).tolist() == [0.0]


def test_the_places_grow_up_to_a_tenth_of_the_elements(point):
    around = point(lambda x: x, X)
    places, changes = climb(around, 1e-6 * around.x)
    assert places.shape == changes.shape
    share = np.max(np.abs(places / X), axis=1)
    assert (np.diff(share) > 0).all()
    assert share[0] < 1e-5
    assert 0.1 <= share[-1] < 0.32


@pytest.mark.parametrize(
    ("number", "digit"),
    [
        (0.141339, 1e-6),
        (-1234.5678, 1e-4),
        (1.2345678901, 0.0),  # more than numbers are rounded to by hand
        (np.pi, 0.0),
        (float(np.float32(np.pi)), 2.0**-22),
        (float(np.float16(0.1)), 2.0**-13),
        (3.0, 0.0),
        (0.75, 0.0),
        (12.125, 0.0),
        (0.1, 0.0),
        (0.0, 0.0),
        (np.nan, 0.0),
        (np.inf, 0.0),
    ],
)
def test_the_last_digit_of_a_rounded_number(number, digit):
    assert last_digit(number) == pytest.approx(digit)


def test_one_long_number_of_single_precision_is_no_chance():
    long = float(np.float32(0.1))
    base = np.array([long, 0.5, 0.1, 3.0, 12345.0])
    far = np.array([long, 0.25, long, np.nan, 12346.0])
    assert are_long_singles(base, np.array([np.zeros(5), far - base])).tolist() == [True, False, False, False, False]


@pytest.mark.parametrize("small", np.geomspace(1e-16, 1e-6, 23))
def test_a_small_value_beside_a_large_base_is_not_taken_for_single_precision(small):
    """A saturated sigmoid of 1 that falls to 1e-11: of the difference from 1 only 17 bits are left."""
    assert not are_long_singles(np.ones(1), np.array([[0.0], [small * np.pi - 1.0]])).any()


def test_the_digits_of_many_numbers_are_those_of_some_of_them():
    few = np.array([0.1413, np.pi])
    assert last_digits(few) == pytest.approx([1e-4, 0.0])
    assert last_digits(np.full(10_000, 0.12345)) == pytest.approx(np.full(10_000, 1e-5))
