"""The harness reads the checker's answers rightly, and is not blind itself."""

import numpy as np
import pytest

from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.judge import Judgement
from tests.accuracy.checker import argument_names, as_operator, check, outcome_of
from tests.accuracy.corpus import OPERATORS, LabelledOperator
from tests.accuracy.labelled import check_labelled, status_of


def sine_backward(g, out, x):
    return (g * np.cos(x),)


def test_a_right_pair_passes_and_a_wrong_one_fails():
    x = np.linspace(-1, 1, 5)
    right = check(np.sin, sine_backward, (x,), 0)
    wrong = check(np.sin, lambda g, out, x: (2 * g * np.cos(x),), (x,), 0)
    assert (right.verdict, right.kind, right.elements) == (Verdict.PASS, "correct", 5)
    assert (wrong.verdict, wrong.kind) == (Verdict.FAIL, "wrong")
    assert right.calls >= 2 * right.elements


def test_integer_arguments_have_no_gradient():
    def gather(values, index):
        return values[index]

    def backward(g, out, values, index):
        gathered = np.zeros_like(values)
        np.add.at(gathered, index, g)
        return gathered, None

    outcome = check(gather, backward, (np.arange(3.0), np.array([2, 2, 0])), 0)
    assert outcome.kind == "correct"
    assert [parameter.name for parameter in outcome.parameters] == ["values"]


def test_a_raising_forward_is_an_error():
    def broken(x):
        raise ValueError("no")

    outcome = check(broken, sine_backward, (np.ones(2),), 0)
    assert (outcome.verdict, outcome.kind) == (Verdict.ERROR, "error")
    assert "no" in outcome.error


def test_an_operator_knows_where_its_functions_are():
    operator = as_operator(lambda x: x, sine_backward, (np.ones(2),), "sine")
    assert operator.file == __file__
    assert operator.rules[0].line == sine_backward.__code__.co_firstlineno


def test_names_that_would_clash_are_replaced():
    assert argument_names(lambda x, out: x, 2) == ["x0", "x1"]
    assert argument_names(np.sin, 1) == ["x"]
    assert argument_names(lambda a, b: a, 2) == ["a", "b"]


def judged(verdict, *findings, whole=()):
    parameter = ParameterResult("x", (2,), 2, 2, verdict, findings=tuple(Finding(name, "") for name in findings))
    return outcome_of(Judgement(parameters=[parameter], findings=[Finding(name, "") for name in whole]))


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (judged(Verdict.PASS), "correct"),
        (judged(Verdict.PASS, "vacuous"), "correct"),
        (judged(Verdict.PASS, "kink-at-point"), "kink"),
        (judged(Verdict.FAIL), "wrong"),
        (judged(Verdict.FAIL, "sign-flipped"), "wrong"),
        (judged(Verdict.FAIL, "invalid-at-kink"), "kink"),
        (judged(Verdict.INCONCLUSIVE, "jump"), "kink"),
        (judged(Verdict.INCONCLUSIVE, "rounding-dominates"), "inconclusive"),
        (judged(Verdict.PASS, whole=["input-modified"]), "mutates"),
        (judged(Verdict.SKIP, whole=["gradient-shape"]), "shape"),
        (judged(Verdict.SKIP, whole=["gradient-count"]), "shape"),
        (judged(Verdict.SKIP, whole=["gradient-dtype"]), "shape"),
        (judged(Verdict.SKIP, whole=["not-repeatable"]), "nondeterministic"),
        (judged(Verdict.SKIP, whole=["non-finite"]), "nan"),
        (judged(Verdict.SKIP, whole=["not-linear-in-g"]), "wrong"),
    ],
)
def test_a_judgement_stands_for_a_label(outcome, kind):
    assert outcome.kind == kind


def labelled(label, finding="", also_ok=()):
    return LabelledOperator("name", label, tuple, tuple, also_ok=also_ok, finding=finding)


@pytest.mark.parametrize(
    ("operator", "outcome", "status"),
    [
        (labelled("correct"), judged(Verdict.PASS), "as labelled"),
        (labelled("correct"), judged(Verdict.FAIL), "false failure"),
        (labelled("correct", also_ok=("kink",)), judged(Verdict.FAIL, "invalid-at-kink"), "false failure"),
        (labelled("correct"), judged(Verdict.INCONCLUSIVE), "undecided"),
        (labelled("correct", also_ok=("inconclusive",)), judged(Verdict.INCONCLUSIVE), "also ok"),
        (labelled("wrong"), judged(Verdict.FAIL), "as labelled"),
        (labelled("wrong", also_ok=("kink",)), judged(Verdict.FAIL, "invalid-at-kink"), "also ok"),
        (labelled("wrong", also_ok=("kink",)), judged(Verdict.PASS, "kink-at-point"), "false pass"),
        (labelled("kink", "kink-at-point"), judged(Verdict.PASS, "kink-at-point"), "as labelled"),
        (labelled("kink", "kink-at-point"), judged(Verdict.PASS), "other reason"),
        (labelled("kink", "kink-at-point"), judged(Verdict.FAIL, "invalid-at-kink"), "false failure"),
        (labelled("kink", "invalid-at-kink"), judged(Verdict.PASS, "kink-at-point"), "false pass"),
        (labelled("kink", "jump"), judged(Verdict.INCONCLUSIVE, "jump"), "as labelled"),
        (labelled("kink", "jump"), judged(Verdict.PASS), "false pass"),
        (labelled("nan"), judged(Verdict.SKIP, whole=["non-finite"]), "as labelled"),
        (labelled("nan"), judged(Verdict.FAIL), "other reason"),
        (labelled("mutates"), judged(Verdict.PASS), "false pass"),
    ],
)
def test_an_answer_is_held_against_the_label(operator, outcome, status):
    assert status_of(operator, outcome) == status


def test_a_check_repeats():
    first, again = (check_labelled("lstm_cell", 5) for _ in range(2))
    assert first.outcome == again.outcome


def test_every_operator_is_drawn_afresh():
    for operator in OPERATORS.values():
        forward, backward = operator.make()
        assert callable(forward), operator.name
        assert callable(backward), operator.name
        drawn = [operator.inputs(np.random.default_rng(1)) for _ in range(2)]
        assert all(map(np.array_equal, *drawn)), operator.name
        assert not any(a is b for a, b in zip(*drawn, strict=True)), operator.name
