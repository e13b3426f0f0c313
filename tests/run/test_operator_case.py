"""One operator on one variant: what the forward refuses, and which outcomes count."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Problem, Skipped
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.run.operator_case import check_trial, refusal, why_set_aside
from gradcheck_cli.run.operator_options import OperatorOptions
from gradcheck_cli.run.trial import Trial
from gradcheck_cli.run.variants import Variant
from gradcheck_cli.verdict.judgement import Judgement
from tests.run.marked import make


def trial(operator: Operator, *arrays: Any, kind: Kind = Kind.BASE, **attributes: Any) -> Trial:
    return Trial(operator, Variant(kind, "somehow", lambda _: None), "somehow", list(arrays), attributes, seed=0)


def square(x: Any) -> Any:
    return x * x


SQUARE = make(square, lambda g, x: 2 * g * x)
POINT = np.array([0.5, -1.5, 2.0])


def test_a_right_gradient_passes_and_a_wrong_one_fails() -> None:
    right = check_trial(trial(SQUARE, POINT), OperatorOptions())
    assert (right.case.verdict, right.case.ok, right.skipped) == (Verdict.PASS, True, "")
    assert right.case.parameters[0].checked == 3
    wrong = check_trial(trial(make(square, lambda g, x: g * x), POINT), OperatorOptions())
    assert (wrong.case.verdict, wrong.case.ok) == (Verdict.FAIL, False)
    assert wrong.case.parameters[0].worst


def test_a_forward_that_takes_its_arguments_is_no_refusal() -> None:
    assert refusal(trial(SQUARE, POINT)) is None


def test_a_forward_that_raises_refuses() -> None:
    def only_matrices(x: Any) -> Any:
        if x.ndim != 2:
            raise ValueError("two axes, please")
        return x

    found = refusal(trial(make(only_matrices, lambda g: g), POINT))
    assert found is not None
    assert found.cause == "raised"
    assert "two axes, please" in found.message
    assert found.problem
    assert found.problem.code == "operator-raised"


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_not_finite_is_a_refusal(value: float) -> None:
    def broken(x: Any) -> Any:
        return np.where(x > 0, x, value)

    found = refusal(trial(make(broken, lambda g: g), POINT))
    assert found is not None
    assert (found.cause, found.message) == (
        "not-finite",
        f"the value of broken is {'nan' if np.isnan(value) else 'infinite'} in 1 of 3 elements",
    )


@pytest.mark.parametrize("returned", [None, "text", (np.ones(3), np.ones(3))])
def test_a_forward_that_returns_no_value_is_broken(returned: Any) -> None:
    found = refusal(trial(make_returning(returned), POINT))
    assert found is not None
    assert found.cause == "broken"


def make_returning(value: Any) -> Operator:
    def returning(x: Any) -> Any:
        return value

    return make(returning, lambda g: g)


def test_a_forward_that_writes_to_its_input_is_checked_and_convicted() -> None:
    def doubling(x: Any) -> Any:
        x *= 2
        return x

    one = trial(make(doubling, lambda g: 2 * g), POINT.copy())
    assert refusal(one) is None
    result = check_trial(one, OperatorOptions())
    assert result.case.verdict is Verdict.FAIL
    assert [finding.name for finding in result.case.findings] == ["input-modified"]


def test_something_missing_is_passed_on() -> None:
    def unwritten(x: Any) -> Any:
        raise Skipped(Problem("not written yet"))

    one = trial(make(unwritten, lambda g: g), POINT)
    with pytest.raises(Skipped):
        refusal(one)
    with pytest.raises(Skipped):
        check_trial(one, OperatorOptions())


def test_a_backward_that_raises_is_an_error() -> None:
    def raising(g: Any, x: Any) -> Any:
        raise IndexError("too few")

    result = check_trial(trial(make(square, raising), POINT), OperatorOptions())
    assert result.case.verdict is Verdict.ERROR
    assert "too few" in (result.case.error or "")
    assert not result.skipped


def test_of_empty_arrays_a_backward_may_raise() -> None:
    def mean(x: Any) -> Any:
        return x - (x.sum() / len(x) if len(x) else 0)

    operator = make(mean, lambda g: g - g.sum() / (1 // len(g) or len(g)))
    assert check_trial(trial(operator, POINT), OperatorOptions()).case.verdict is Verdict.PASS
    empty = check_trial(trial(operator, np.empty(0), kind=Kind.EMPTY), OperatorOptions())
    assert empty.skipped == "degenerate: its backward raises on empty arrays"


def test_empty_arrays_pass_unless_their_gradient_has_a_wrong_shape() -> None:
    right = check_trial(trial(SQUARE, np.empty((0, 3)), kind=Kind.EMPTY), OperatorOptions())
    assert (right.case.verdict, right.skipped) == (Verdict.PASS, "")
    assert [finding.name for finding in right.case.parameters[0].findings] == ["nothing-checked"]
    wrong = make(square, lambda g, x: 2 * g * x if x.size else np.empty((3, 0)))
    result = check_trial(trial(wrong, np.empty((0, 3)), kind=Kind.EMPTY), OperatorOptions())
    assert result.case.verdict is Verdict.FAIL
    assert [finding.name for finding in result.case.findings] == ["gradient-shape"]


def test_empty_arrays_that_are_declared_stay_undecided() -> None:
    assert check_trial(trial(SQUARE, np.empty(0)), OperatorOptions()).case.verdict is Verdict.INCONCLUSIVE


def deviation(x: Any) -> Any:
    return np.std(x, axis=-1, keepdims=True)


DEVIATION = make(deviation, lambda g, x, out: g * (x - x.mean(axis=-1, keepdims=True)) / (x.shape[-1] * out))


ONE_EACH = np.array([[0.5], [2.0]])


@pytest.mark.parametrize("kind", [Kind.BASE, Kind.SIZE_ONE, Kind.SCALAR, Kind.BROADCAST])
@pytest.mark.parametrize("strict", [False, True])
def test_a_gradient_that_is_not_finite_is_wrong_wherever_the_value_is(kind: Kind, strict: bool) -> None:
    """The deviation of one element is 0 whatever the element: its slope is 0, and 0 / 0 is not."""
    options = OperatorOptions(strict=strict)
    assert check_trial(trial(DEVIATION, POINT), options).case.verdict is Verdict.PASS
    result = check_trial(trial(DEVIATION, ONE_EACH, kind=kind), options)
    assert (result.case.verdict, result.skipped) == (Verdict.FAIL, "")
    assert [(each.code, each.name) for each in result.case.findings] == [("GC107", "non-finite")]


def test_a_deviation_that_knows_of_one_element_passes() -> None:
    def slope(g: Any, x: Any, out: Any) -> Any:
        return g * (x - x.mean(axis=-1, keepdims=True)) / np.where(out, x.shape[-1] * out, 1)

    result = check_trial(trial(make(deviation, slope), ONE_EACH, kind=Kind.SIZE_ONE), OperatorOptions())
    assert (result.case.verdict, result.skipped) == (Verdict.PASS, "")


def test_where_the_value_of_one_element_is_not_finite_its_gradient_is_not_asked_for() -> None:
    def variance(x: Any) -> Any:
        return np.square(x - x.mean(axis=-1, keepdims=True)).sum(axis=-1) / np.float64(x.shape[-1] - 1)

    one = trial(make(variance, lambda g, x: g * x), ONE_EACH, kind=Kind.SIZE_ONE)
    found = refusal(one)
    assert found is not None
    assert found.cause == "not-finite"


def test_a_gradient_of_empty_arrays_that_is_not_finite_is_set_aside() -> None:
    def shifted(x: Any, bias: Any) -> Any:
        return x + bias

    operator = make(shifted, lambda g: (g, g.sum(axis=0) * (len(g) / np.float64(len(g)))))
    bias = np.array([0.5, 1.5])
    assert check_trial(trial(operator, np.ones((3, 2)), bias), OperatorOptions()).case.verdict is Verdict.PASS
    empty = check_trial(trial(operator, np.empty((0, 2)), bias, kind=Kind.EMPTY), OperatorOptions())
    assert empty.skipped.startswith("degenerate: shifted: the gradient of bias is nan")


@pytest.mark.parametrize("kind", [Kind.SIZE_ONE, Kind.SCALAR, Kind.BROADCAST])
def test_a_wrong_gradient_counts_where_axes_are_taken_away(kind: Kind) -> None:
    wrong = make(square, lambda g, x: 2 * g * x if x.size > 1 else g * x)
    result = check_trial(trial(wrong, np.array([0.7]), kind=kind), OperatorOptions())
    assert (result.case.verdict, result.skipped) == (Verdict.FAIL, "")


def judged(verdict: Verdict, *findings: Finding, elements: int = 4) -> Judgement:
    """A judgement of one parameter."""
    own = tuple(finding for finding in findings if finding.code.startswith("GC3"))
    parameter = ParameterResult("x", (elements,), elements, elements, verdict, findings=own)
    return Judgement(parameters=[parameter], findings=[each for each in findings if each not in own])


NOTHING = Finding("nothing-checked", "x has no elements")
ROUNDING = Finding("rounding-dominates", "x[0]: rounding")
NOT_FINITE = Finding("non-finite", "f: the gradient of x is nan\nit was given 0")
SHAPE = Finding("gradient-shape", "f: the gradient of x has shape (1,)")
TAKEN_AWAY = (Kind.SCALAR, Kind.SIZE_ONE, Kind.BROADCAST, Kind.EMPTY)


@pytest.mark.parametrize("kind", Kind)
def test_what_cannot_be_told_is_set_aside_where_axes_are_taken_away(kind: Kind) -> None:
    why = why_set_aside(kind, judged(Verdict.INCONCLUSIVE, ROUNDING))
    assert why == ("degenerate: x[0]: rounding" if kind in TAKEN_AWAY else "")


@pytest.mark.parametrize("kind", Kind)
def test_what_is_not_finite_is_set_aside_for_empty_arrays_alone(kind: Kind) -> None:
    why = why_set_aside(kind, judged(Verdict.SKIP, NOT_FINITE))
    assert why == ("degenerate: f: the gradient of x is nan" if kind is Kind.EMPTY else "")


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize(
    "judgement",
    [
        judged(Verdict.PASS, Finding("vacuous", "both sides are zero")),
        judged(Verdict.FAIL),
        judged(Verdict.SKIP, SHAPE),
        judged(Verdict.SKIP, NOT_FINITE, SHAPE),
        judged(Verdict.INCONCLUSIVE, NOTHING, elements=0),
    ],
)
def test_everything_else_counts_everywhere(kind: Kind, judgement: Judgement) -> None:
    assert why_set_aside(kind, judgement) == ""


def test_strict_fails_kinks_and_vacuous_passes_but_not_where_axes_are_taken_away() -> None:
    def flat(x: Any) -> Any:
        return 0 * x

    one = trial(make(flat, lambda g: 0 * g), POINT)
    assert check_trial(one, OperatorOptions()).case.verdict is Verdict.PASS
    assert check_trial(one, OperatorOptions(strict=True)).case.verdict is Verdict.FAIL
    lone = trial(make(flat, lambda g: 0 * g), np.array([0.5]), kind=Kind.SIZE_ONE)
    assert check_trial(lone, OperatorOptions(strict=True)).case.verdict is Verdict.PASS


def test_knobs_are_those_of_a_spec() -> None:
    inexact = make(square, lambda g, x: 2 * g * x * (1 + 1e-6))
    assert check_trial(trial(inexact, POINT), OperatorOptions()).case.verdict is Verdict.FAIL
    loose = OperatorOptions(given={"rtol": 1e-5})
    assert check_trial(trial(inexact, POINT), loose).case.verdict is Verdict.PASS
    assert check_trial(trial(inexact, POINT), OperatorOptions(given={"accuracy": 1e-5})).case.verdict is Verdict.PASS


@pytest.mark.parametrize(("kind", "checked"), [(Kind.BASE, 2000), (Kind.LAYOUT, 64)])
def test_every_element_of_a_draw_is_checked_and_a_few_of_other_variants(kind: Kind, checked: int) -> None:
    result = check_trial(trial(SQUARE, np.linspace(-1.0, 1.0, 2000), kind=kind), OperatorOptions())
    assert [(each.checked, each.elements) for each in result.case.parameters] == [(checked, 2000)]


def test_evaluations_are_watched_and_can_be_stopped() -> None:
    class Stop(BaseException):
        pass

    calls = []

    def still_wanted() -> None:
        calls.append(1)
        if len(calls) > 3:
            raise Stop

    with pytest.raises(Stop):
        check_trial(trial(SQUARE, POINT), OperatorOptions(), still_wanted)
    assert len(calls) == 4


def test_warnings_about_variants_are_not_shown() -> None:
    def noisy(x: Any) -> Any:
        warnings.warn("mean of empty slice", RuntimeWarning, stacklevel=1)
        return 1 * x

    operator = make(noisy, lambda g: g)
    assert check_trial(trial(operator, POINT, kind=Kind.SIZE_ONE), OperatorOptions()).case.verdict is Verdict.PASS
    with pytest.warns(RuntimeWarning, match="mean of empty slice"):
        refusal(trial(operator, POINT))


def test_arguments_that_nobody_asked_for_may_be_too_large() -> None:
    def huge(x: Any) -> Any:
        raise MemoryError("Unable to allocate 1 TiB")

    refused = refusal(trial(make(huge, lambda g: g), POINT))
    assert refused is not None
    assert (refused.cause, refused.message) == (
        "raised",
        "forward of huge raised MemoryError: Unable to allocate 1 TiB",
    )
