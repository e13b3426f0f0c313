"""Using code at another point first: a cache that is never emptied shows, and nothing else does."""

import numpy as np
import pytest

from gradcheck_cli.errors import OperatorError, Problem
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.elsewhere import visit_elsewhere
from gradcheck_cli.run.options import Options

LAYERS = """
import numpy as np

kept = {}

def stale_forward(x):
    kept.setdefault("x", x.copy())
    return np.sin(x)

def stale_backward(dout):
    return dout * np.cos(kept["x"])

def fresh_forward(x):
    kept["fresh"] = x.copy()
    return np.sin(x)

def fresh_backward(dout):
    return dout * np.cos(kept["fresh"])

def hoarding_forward(x, memo={}):
    return np.sin(x), memo.setdefault(x.shape, np.cos(x))

def hoarding_backward(dout, slope):
    return dout * slope
"""

SPEC = "ops: [{{pairs: layers.py}}]\nname: a case\nexpr: {name}(x)\nparams: {{x: [0.3, 1.2, -0.7]}}\n"


@pytest.mark.parametrize(
    ("name", "verdict"), [("stale", Verdict.FAIL), ("hoarding", Verdict.FAIL), ("fresh", Verdict.PASS)]
)
def test_a_cache_that_is_filled_once_is_convicted(write, cases, name, verdict):
    write("layers.py", LAYERS)
    (selected,) = cases(SPEC.format(name=name))
    assert check_case(selected.case, selected.parameters, Options()).verdict is verdict


def test_the_generators_and_the_point_are_left_alone():
    point = np.array([1.0, -2.0])
    seen = []

    def double(values):
        seen.append(np.array(values["x"].data))
        np.random.rand()
        return 2 * values["x"]

    np.random.seed(4)
    expected = np.random.RandomState(4).rand()
    visit_elsewhere(TracedFunction(double), {"x": point})
    assert np.random.rand() == expected
    assert point.tolist() == [1.0, -2.0]
    assert not np.array_equal(seen[0], point)
    assert np.allclose(seen[0], point, rtol=1e-2)


def test_what_is_raised_there_is_left_for_the_point():
    def refuse(values):
        raise OperatorError(Problem("not here"))

    assert visit_elsewhere(TracedFunction(refuse), {"x": np.ones(2)}) is None
