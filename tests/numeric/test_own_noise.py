"""The noise along one element, and the spacing of its table."""

import numpy as np
import pytest

from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.own_noise import own_gaps, own_noise
from tests.numeric.test_survey import DOUBLE, SINGLE, X, hashed, own

pytestmark = pytest.mark.usefixtures("unwarned")


@pytest.mark.parametrize("level", [1e-12, 1e-9])
def test_noise_is_found_along_one_element(level, point):
    around = point(lambda x: x @ x + level * hashed(x[0]), X)
    assert level / 10 < own(around).level[0] < 4 * level
    assert own(around, 1).level[0] < 1e-14


@pytest.mark.parametrize("x", [1.0, 0.5, 1e-3, 3.0, 0.0])
def test_round_numbers_along_one_element_are_not_taken_for_single_precision(x, point):
    assert own(point(lambda x: 2 * x, x)).epsilon.tolist() == [DOUBLE]


def test_what_the_survey_knew_of_single_precision_is_kept(point):
    around = point(np.sin, X)
    knew = Noise(np.full(3, SINGLE), np.zeros(3), around.base)
    assert own_noise(around, 0, 1e-6, knew, np.inf).epsilon.tolist() == [SINGLE] * 3


def test_the_table_of_one_element_is_widened_while_nothing_moves(point):
    """Stairs of 1e-7: a table within one of them sees no noise."""
    around = point(lambda x: np.floor(x / 1e-7 + 0.5) * 1e-7, 0.3)
    assert 1e-9 < own(around).level[0] < 1e-6
    assert own(point(lambda x: 0 * x, 0.3)).level[0] == 0


def test_a_table_stays_within_the_first_step_and_the_domain():
    x, spacings = np.array([1.0, 0.0, -1e-7]), np.full(3, 1e-16)
    steps = np.full(3, 6e-6)
    gaps, widest = own_gaps(x, 1.0, spacings, steps)
    assert (gaps <= steps / 4).all()
    assert gaps[2] < 1e-12
    assert (gaps <= widest).all()
    near, edge = own_gaps(x, 1.0, spacings, steps, reach=1e-9)
    assert (7 * near <= 1e-9).all()
    assert (7 * edge <= 1e-9).all()


def test_a_table_is_no_finer_than_the_spacing_of_the_element():
    gaps, _ = own_gaps(np.array([1.0]), 1.0, np.array([1e-3]), np.array([1e-9]))
    assert gaps[0] >= 1e-3
