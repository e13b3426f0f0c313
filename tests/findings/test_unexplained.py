"""GC214: what is said of a gradient that nothing explains, in figures that agree with those shown above it."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli import check, op
from gradcheck_cli.findings.measure import is_same_gradient
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.findings.unexplained import unexplained
from gradcheck_cli.records import ParameterResult, WorstElement
from tests.findings.stories import evidence, suspect

N = np.random.default_rng(4).standard_normal((2, 3))


@op
def wave(x):
    """sin(x) + x ** 2 / 3, with a gradient that has little to do with it."""
    return np.sin(x) + x * x / 3


@wave.backward
def _(g, x):
    return g * (np.cos(2 * x) - x / 7)


def by(message: str) -> tuple[str, float]:
    """Return the element of a message, and by how much it says that this is off."""
    words = message.splitlines()[0].rpartition(", ")[2].split(" by ")
    return words[0], float(words[1])


def off_by(parameter: ParameterResult) -> tuple[str, float]:
    """Return the same of the element that is shown."""
    assert parameter.worst is not None
    index = ",".join(map(str, parameter.worst.index))
    return f"{parameter.name}[{index}]", abs(parameter.worst.analytic - parameter.worst.numeric)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("function", [wave, lambda x: wave(x) * 1.5, lambda x: wave(x).sum()])
def test_the_figure_is_that_of_the_element_that_is_shown(function, seed):
    x = np.random.default_rng(seed).standard_normal((3, 2))
    (parameter,) = check(function, {"x": x}, seed=seed).parameters
    (finding,) = parameter.findings
    assert finding.name == "unexplained"
    element, off = by(finding.message)
    shown, expected = off_by(parameter)
    assert (element, off) == (shown, pytest.approx(expected, rel=5e-3)), seed


def test_of_an_argument_that_is_no_parameter_it_is_said_whose_it_is():
    (parameter,) = check(lambda x: wave(2 * x), {"x": N}, seed=1).parameters
    element, off = by(parameter.findings[0].message)
    assert element.startswith("x[")
    assert element.endswith("] of wave")
    assert off > 0


def test_a_parameter_has_the_shown_element_too():
    shown = WorstElement((1, 2), 0.5, 0.25, 1e-11)
    given = suspect(np.sin(9 * N) + 0.1, N)
    said = unexplained(Suspect(given.evidence, given.shapes, shown=shown))
    assert said is not None
    assert by(said.message) == ("w[1,2]", 0.25)
    unshown = unexplained(given)
    assert unshown is not None
    assert by(unshown.message)[1] == pytest.approx(np.abs(np.sin(9 * N) + 0.1 - N).max(), rel=5e-3)


def test_a_right_gradient_is_not_spoken_of():
    assert unexplained(suspect(N, N)) is None


def test_gradients_are_the_same_that_agree_where_both_were_measured():
    whole, part = evidence(N, N), evidence(N, N, name="x", elements=[1, 4])
    assert is_same_gradient(whole, part)
    assert is_same_gradient(evidence(N, N * (1 + 1e-9)), whole)
    assert not is_same_gradient(evidence(N, 2 * N), whole)
    assert not is_same_gradient(evidence(N.T, N.T), whole)
    assert not is_same_gradient(evidence(N, N, elements=[0]), part)
