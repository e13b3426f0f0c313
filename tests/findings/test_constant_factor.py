"""The gradient is right but for a factor: named with what it comes from."""

import numpy as np
import pytest

from gradcheck_cli.findings.constant_factor import constant_factor
from gradcheck_cli.findings.suspect import Application, Suspect
from gradcheck_cli.verdict.evidence import Evidence
from tests.findings.stories import suspect

SHAPES = {"x": (5, 7), "w": (7, 3)}


@pytest.fixture
def numeric():
    return np.random.default_rng(3).standard_normal((7, 3))


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (1 / 5, "0.2 times the right one (1/5; 5 is the size of axis 0 of x): some courses take the mean"),
        (7, "7 times the right one (7; 7 is the size of axis 1 of x)"),
        (1 / 35, "0.0285714 times the right one (1/35; x has 35 elements): some courses"),
        (2, "2 times the right one (2)"),
        (0.37, "0.37 times the right one"),
        (-0.5, "-0.5 times the right one (-1/2)"),
        (np.sqrt(5), "2.23607 times the right one (sqrt(5); 5 is the size of axis 0 of x)"),
        (6 / 7, "0.857143 times the right one (6/7; 7 is the size of axis 1 of x)"),
        (np.log(10), "2.30259 times the right one (ln 10)"),
        (1 / (2 * np.pi), "0.159155 times the right one (1/(2 pi))"),
    ],
)
def test_a_factor_is_named(numeric, factor, said):
    finding = constant_factor(suspect(factor * numeric, numeric, shapes=SHAPES))
    assert finding is not None
    assert finding.code == "GC202"
    assert finding.message.startswith(f"the gradient of w is {said}")


def test_an_attribute_is_named(numeric):
    plain = suspect(0.7 * numeric, numeric, shapes=SHAPES)
    application = Application(None, {}, {"temperature": 0.7}, {}, {})
    finding = constant_factor(Suspect(plain.evidence, plain.shapes, application))
    assert finding.message.endswith("0.7 times the right one (temperature; temperature is 0.7)")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda n: n,
        lambda n: -n,
        lambda n: 0 * n,
        lambda n: n + 0.3,
        lambda n: np.where(n > 0, n, 2 * n),
        lambda n: n[::-1],
        lambda n: np.full_like(n, np.nan),
        lambda n: 1.001 * n,  # nearly right: another finding
        lambda n: np.where(np.abs(n) == np.abs(n).max(), 1e4 * n, 0.5 * n),
    ],
)
def test_other_mistakes_are_no_factor(numeric, spoil):
    assert constant_factor(suspect(spoil(numeric), numeric, shapes=SHAPES)) is None


def test_one_element_needs_a_telling_factor():
    assert constant_factor(suspect([1.234], [1.0], shapes=SHAPES)) is None
    found = constant_factor(suspect([0.2], [1.0], shapes=SHAPES))
    assert found is not None
    assert "1/5" in found.message


def test_a_constant_gradient_needs_a_telling_factor_too():
    assert constant_factor(suspect(np.full(4, 1.234), np.ones(4))) is None
    assert "(2)" in constant_factor(suspect(np.full(4, 2.0), np.ones(4))).message


def test_noise_is_no_mismatch(numeric):
    evidence = Evidence("w", (7, 3), np.arange(21), 1.5 * numeric.ravel(), numeric.ravel(), np.full(21, 10.0))
    assert constant_factor(Suspect(evidence, SHAPES)) is None
