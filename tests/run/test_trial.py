"""One operator with the arguments of one variant."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.core.domain import Domain, ints
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.records import ParameterResult, Verdict
from gradcheck_cli.run.layouts import FORTRAN
from gradcheck_cli.run.trial import Trial, written
from gradcheck_cli.run.variants import Variant
from gradcheck_cli.verdict.judgement import Judgement

SEEN: list[np.ndarray] = []


def forward(x: Any, index: Any, bias: Any = None, *, scale: float = 1.0) -> Any:
    SEEN[:] = [x, index]
    return scale * x


OPERATOR = Operator(
    "f",
    forward,
    (Input("x"), Input("index", ints(below=3)), Input("bias", Domain(), optional=True)),
    (Attribute("scale", 1.0),),
    file="my_ops.py",
    line=7,
    label="cuda float32",
)
BASE = Variant(Kind.BASE, "as declared", lambda _: None)
ARRAYS = [np.arange(6.0).reshape(2, 3), np.array([[0, 1], [2, 0]]), None]


def trial(variant: Variant = BASE) -> Trial:
    return Trial(OPERATOR, variant, "as declared, scale=2.0", ARRAYS, {"scale": 2.0}, seed=5)


def test_only_what_is_given_and_has_a_gradient_is_a_parameter() -> None:
    one = trial()
    assert one.names == ("x", "index", "bias")
    assert one.differentiable == (True, False, False)
    assert list(one.parameters) == ["x"]
    assert one.shapes == {"x": (2, 3), "index": (2, 2)}
    assert one.name == "f, as declared, scale=2.0"


def test_values_stand_in_for_arrays_of_their_name() -> None:
    out = trial().apply({"x": Variable(np.ones((2, 3)), requires_grad=False)})
    assert np.array_equal(out.data, np.full((2, 3), 2.0))
    assert np.array_equal(trial().apply({}).data, 2 * ARRAYS[0])


def test_arrays_lie_as_the_variant_says() -> None:
    laid = replace(BASE, layout=FORTRAN)
    trial(laid).apply({"x": Variable(ARRAYS[0], requires_grad=False)})
    assert [each.flags.f_contiguous for each in SEEN] == [True, True]
    trial(replace(laid, laid_out=(1,))).apply({})
    assert [each.flags.f_contiguous for each in SEEN] == [False, True]


def test_a_result_tells_what_it_is_about() -> None:
    judgement = Judgement(evaluations=9, parameters=[ParameterResult("x", (2, 3), 6, 6, Verdict.FAIL)])
    result = trial(replace(BASE, layout=FORTRAN, laid_out=(0,))).checked(judgement, Verdict.FAIL, 0.5)
    case = result.case
    assert (case.name, case.file, case.line, case.label) == (trial().name, "my_ops.py", 7, "cuda float32")
    assert (case.verdict, case.ok, case.evaluations, case.seconds, case.seed) == (Verdict.FAIL, False, 9, 0.5, 5)
    assert (result.kind, result.words, result.layout, result.laid_out) == (Kind.BASE, trial().words, FORTRAN, (0,))
    assert (result.names, result.differentiable) == (trial().names, trial().differentiable)
    assert result.attributes == {"scale": 2.0}
    assert not result.skipped


def test_what_was_not_compared_is_skipped() -> None:
    result = trial().set_aside("refused: too small")
    assert (result.skipped, result.case.verdict) == ("refused: too small", Verdict.SKIP)
    assert [(each.name, each.verdict, each.elements) for each in result.case.parameters] == [("x", Verdict.SKIP, 6)]


def test_an_error_is_told() -> None:
    result = trial().failed("my_ops.py:7: error: no")
    assert (result.case.verdict, result.case.error, result.skipped) == (Verdict.ERROR, "my_ops.py:7: error: no", "")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        ("a", "'a'"),
        (None, "None"),
        ((0, 1), "(0, 1)"),
        (math.sin, "sin"),
        (np.cos, "cos"),
        (dict, "dict"),
        (object(), "object"),
        ("x" * 60, "'" + "x" * 36 + "..."),
    ],
)
def test_values_are_written_the_same_in_every_run(value: Any, text: str) -> None:
    assert written(value) == text
