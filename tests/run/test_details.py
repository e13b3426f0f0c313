"""What reports show beside a verdict: the error of every element, and the graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gradcheck_cli.knobs import Knobs
from gradcheck_cli.records import CaseResult, ParameterResult, Verdict
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.details import with_details
from gradcheck_cli.run.interrupt import Interrupts
from gradcheck_cli.run.options import Options
from gradcheck_cli.verdict.evidence import Evidence
from gradcheck_cli.verdict.judgement import Judgement

WRONG = '''
import numpy as np
from gradcheck_cli import op

@op
def bent(x):
    """sin(x)."""
    return np.sin(x)

@bent.backward
def _(g, x):
    return g * np.cos(x) * np.where(x > 1, 1.5, 1)
'''
SPEC = "ops: [my_ops.py]\nexpr: sum(bent(x) * y)\nparams: {x: [[0.5, 2.0], [0.25, 3.0]], y: [[1.0, 2.0], [3.0, 4.0]]}\n"


@pytest.fixture
def wrong(write: Callable[[str, str], object], cases: Callable[..., list[Selected]]) -> Selected:
    write("my_ops.py", WRONG)
    (selected,) = cases(SPEC)
    return selected


def errors_of(selected: Selected, **options: object) -> dict[str, object]:
    result = check_case(selected.case, selected.parameters, Options(**options))  # type: ignore[arg-type]
    return {parameter.name: parameter.errors for parameter in result.parameters}


def test_without_being_asked_for_nothing_is_kept(wrong: Selected) -> None:
    assert errors_of(wrong) == {"x": None, "y": None}
    assert check_case(wrong.case, wrong.parameters, Options()).graph is None


def test_every_element_has_its_deciding_number(wrong: Selected) -> None:
    result = check_case(wrong.case, wrong.parameters, Options(details=True))
    x, y = result.parameters
    assert (x.verdict, y.verdict) == (Verdict.FAIL, Verdict.PASS)
    assert x.errors.shape == (2, 2)
    np.testing.assert_array_equal(x.errors > 1e-3, [[False, True], [False, True]])
    assert x.errors.max() == pytest.approx(x.max_rel_err)
    assert y.errors.max() < 1e-7
    assert result.graph is not None
    assert "bent" in {node.name for node in result.graph.nodes}


def test_what_is_as_expected_has_no_details(cases: Callable[..., list[Selected]]) -> None:
    (selected,) = cases("expr: tanh(x)\nparams: {x: 3}\n")
    result = check_case(selected.case, selected.parameters, Options(details=True))
    assert (result.verdict, result.graph, result.parameters[0].errors) == (Verdict.PASS, None, None)


def test_elements_that_were_not_compared_are_nan(wrong: Selected) -> None:
    judgement = Judgement()
    elements = np.array([1, 2])
    judgement.evidence["x"] = Evidence(
        "x", (2, 2), elements, np.array([3.0, 1.0]), np.array([1.0, 1.0]), np.array([1e-11, 1e-11])
    )
    parameters = tuple(ParameterResult(name, (2, 2), 4, 2, Verdict.FAIL) for name in ("x", "y"))
    given = CaseResult("a::a", "a", 1, "a", "pass", Verdict.FAIL, False, parameters=parameters)
    found = with_details(given, wrong.case, judgement, Knobs(), Options(), Interrupts())
    x, y = found.parameters
    np.testing.assert_array_equal(np.isnan(x.errors), [[True, False], [False, True]])
    assert x.errors[0, 1] == pytest.approx(2 / 4)
    assert x.errors[1, 0] == 0
    assert y.errors is None
    assert replace(found, parameters=parameters, graph=None) == given


def test_a_graph_of_what_raises_has_what_was_recorded(
    write: Callable[[str, str], object], cases: Callable[..., list[Selected]]
) -> None:
    write("my_ops.py", WRONG.replace("return g * ", "raise ValueError('no') or "))
    (selected,) = cases(SPEC)
    result = check_case(selected.case, selected.parameters, Options(details=True))
    assert result.verdict is Verdict.ERROR
    assert all(parameter.errors is None for parameter in result.parameters)
