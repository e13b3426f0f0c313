"""Judging a function: the choice of elements, and the record that is filled."""

import itertools

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check, op
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.records import Verdict
from gradcheck_cli.verdict import tier2
from gradcheck_cli.verdict.budget import choose_elements
from gradcheck_cli.verdict.examine import examine
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement
from gradcheck_cli.verdict.watcher import Watcher


class Announcing(Watcher):
    """Calls `heard` at every evaluation, and keeps what was expected."""

    def __init__(self, heard=lambda: None):
        self.heard = heard
        self.expected = []

    def evaluation(self, count=1):
        for _ in range(count):
            self.heard()

    def expect(self, evaluations, seconds):
        self.expected.append((evaluations, seconds))


def judged(call, values, *, only=None, samples=None, seed=0, watcher=None, **knobs):
    """Judge a function over Variables, and return what was filled in."""
    judgement = Judgement()
    points = {name: np.asarray(value, dtype=float) for name, value in values.items()}
    names = list(points) if only is None else only
    judge(TracedFunction(call), points, Knobs(**knobs), [seed], samples or {}, judgement, names, watcher)
    return judgement


def chosen(size, sample=None, seed=0):
    return choose_elements(size, sample, np.random.default_rng(seed)).tolist()


def test_without_a_sample_every_element_is_chosen_in_order():
    assert chosen(4) == [0, 1, 2, 3]
    assert chosen(0) == []
    assert chosen(0, 2) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_sample_is_drawn_without_repetition_and_in_order(seed):
    drawn = chosen(200, 30, seed)
    assert len(set(drawn)) == 30
    assert drawn == sorted(drawn)
    assert all(0 <= element < 200 for element in drawn)


def test_a_sample_follows_the_generator():
    assert chosen(200, 5, 1) == chosen(200, 5, 1)
    assert chosen(200, 5, 1) != chosen(200, 5, 2)


@pytest.mark.parametrize("sample", [4, 5, 100])
def test_a_sample_as_large_as_the_parameter_is_all_of_it(sample):
    assert chosen(4, sample) == [0, 1, 2, 3]


def test_every_element_is_chosen_by_some_seed():
    assert {element for seed in range(60) for element in chosen(10, 1, seed)} == set(range(10))


def test_the_record_holds_value_outputs_and_gradients_of_one_number():
    judgement = judged(lambda v: v["x"] * v["x"] + v["y"], {"x": 3.0, "y": 1.0})
    assert judgement.value == 10.0
    assert judgement.outputs[0] == 10.0
    assert {name: float(gradient) for name, gradient in judgement.gradients.items()} == {"x": 6.0, "y": 1.0}
    assert judgement.verdict is Verdict.PASS


def test_a_value_of_several_numbers_has_no_known_gradient():
    judgement = judged(lambda v: v["x"] * 2, {"x": [1.0, 2.0]})
    assert judgement.value is None
    assert not judgement.gradients
    assert judgement.outputs[0].tolist() == [2.0, 4.0]


def test_only_the_named_parameters_are_checked():
    judgement = judged(lambda v: v["x"] * v["y"], {"x": 3.0, "y": 1.0}, only=["y"])
    assert [parameter.name for parameter in judgement.parameters] == ["y"]


def test_a_sample_counts_for_its_own_parameter():
    judgement = judged(lambda v: v["x"] * v["y"], {"x": np.ones(9), "y": np.ones(9)}, samples={"y": 2})
    assert [(p.name, p.checked, p.elements) for p in judgement.parameters] == [("x", 9, 9), ("y", 2, 9)]


@pytest.mark.parametrize(
    ("function", "x"),
    [
        pytest.param(lambda x: x * 2, np.ones(4), id="smooth"),
        pytest.param(lambda x: 1e8 + F.tanh(x), np.ones(2), id="doubtful"),
        pytest.param(lambda x: x * x.detach(), np.ones(4), id="wrong"),
        pytest.param(lambda x: F.sum(F.softmax(x)), np.arange(3.0), id="vacuous"),
        pytest.param(F.relu, np.array([0.0, 1.0]), id="one kink"),
        pytest.param(F.max, np.ones(3), id="ties"),
    ],
)
def test_evaluations_are_those_that_were_made(function, x):
    calls = []

    def counted(v):
        calls.append(float(v["x"].data.flat[0]))  # reading a value keeps the function from being replayed
        return function(v["x"])

    assert judged(counted, {"x": x}).evaluations == len(calls)


def test_a_replayed_function_runs_a_few_times_whatever_it_takes():
    calls = []
    judgement = judged(lambda v: (calls.append(1), F.tanh(v["x"]))[1], {"x": np.linspace(0, 1, 50)})
    assert judgement.evaluations > 100
    assert len(calls) <= 5


def test_evaluations_are_announced_before_they_are_made():
    events = []
    watcher = Announcing(lambda: events.append("announced"))
    judgement = judged(
        lambda v: (events.append("made"), v["x"].data, v["x"] * 2)[2], {"x": np.ones(4)}, watcher=watcher
    )
    assert all(after == "made" for event, after in itertools.pairwise(events) if event == "announced")
    # The contract and the two comparisons at the point are not announced.
    assert events.count("announced") == events.count("made") - 3 == judgement.evaluations - 3


def test_what_a_check_takes_is_expected_before_it_starts():
    watcher = Announcing()
    judgement = judged(
        lambda v: v["x"] @ v["y"], {"x": np.ones(40), "y": np.ones(40)}, samples={"y": 5}, watcher=watcher
    )
    ((evaluations, seconds),) = watcher.expected
    assert evaluations == pytest.approx(judgement.evaluations, rel=0.1)
    assert 0 < seconds < 10


def test_what_was_finished_stays_when_an_evaluation_is_interrupted():
    judgement = Judgement()
    announced = []

    def stop_in_the_second_parameter():
        announced.append(1)
        if judgement.parameters:
            raise KeyboardInterrupt

    points = {"x": np.ones(3), "y": np.ones(3)}
    function = TracedFunction(lambda v: v["x"] * v["y"])
    watcher = Announcing(stop_in_the_second_parameter)
    with pytest.raises(KeyboardInterrupt):
        judge(function, points, Knobs(), [0], {}, judgement, ["x", "y"], watcher)
    assert [(p.name, p.verdict) for p in judgement.parameters] == [("x", Verdict.PASS)]
    assert len(announced) > 6


def stopped_after(evaluations, call, values, **knobs):
    """Judge until so many evaluations were announced, and return what was finished."""
    judgement, announced = Judgement(), []

    def stop():
        announced.append(1)
        if len(announced) > evaluations:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(TracedFunction(call), values, Knobs(**knobs), [0], {}, judgement, list(values), Announcing(stop))
    return judgement.parameters


def test_a_stop_in_the_middle_of_a_parameter_keeps_the_elements_that_were_finished():
    values = {"x": np.linspace(1.0, 2.0, 5000)}
    (partial,) = stopped_after(3000, lambda v: F.tanh(v["x"]), values, memory=0.02)
    assert (partial.name, partial.elements, partial.verdict) == ("x", 5000, Verdict.SKIP)
    assert 100 < partial.checked <= 1500
    assert 0 <= partial.max_rel_err < 1e-7
    assert partial.resolution < 1e-5


def test_a_stop_before_the_first_element_leaves_nothing():
    assert stopped_after(2, lambda v: F.tanh(v["x"]), {"x": np.ones(3)}) == []


def test_what_was_wrong_before_a_stop_stays_wrong(operator, monkeypatch):
    def cube(x):
        """x ** 3."""
        return x**3

    marked = operator(cube, lambda g, x: np.where(x < 1.5, 2, 3) * g * x**2)
    values = {"x": np.linspace(1.0, 2.0, 40)}
    examined = []

    def examine_five(*arguments):
        if len(examined) == 5:
            raise KeyboardInterrupt
        examined.append(1)
        return examine(*arguments)

    monkeypatch.setattr(tier2, "examine", examine_five)
    (partial,) = stopped_after(10**6, lambda v: marked(v["x"]), values)
    assert partial.verdict is Verdict.FAIL
    assert partial.checked == 25
    assert partial.max_rel_err > 0.1


def test_an_operator_that_raises_at_the_point_is_no_verdict(operator):
    def refuse(x):
        """Nothing."""
        raise ValueError("no such thing")

    marked = operator(refuse, lambda g: g)
    with pytest.raises(OperatorError, match="no such thing"):
        judged(lambda v: marked(v["x"]), {"x": 1.0})


def test_a_contract_finding_fails_the_whole_and_skips_what_can_not_be_compared(operator):
    def product(x, y):
        """x * y."""
        return x * y

    result = check(operator(product, lambda g, x, y: (g * y, (g * x)[:1])), (np.ones(3), np.ones(3)))
    assert result.verdict == "fail"
    assert [finding.name for finding in result.findings] == ["gradient-shape"]
    assert [(p.name, p.verdict, p.checked) for p in result.parameters] == [("x", "skip", 0), ("y", "skip", 0)]


def test_the_verdict_is_that_of_the_worst_parameter(operator):
    def product(x, y):
        """x * y."""
        return x * y

    result = check(operator(product, lambda g, x, y: (g * y, -g * x)), (np.full(3, 2.0), np.full(3, 3.0)))
    assert [(p.name, p.verdict) for p in result.parameters] == [("x", "pass"), ("y", "fail")]
    assert result.verdict == "fail"
    assert not result.ok


def test_the_cotangents_may_be_given_and_are_noted():
    @op
    def doubled(x):
        """x, whose gradient is wrong in the second element only."""
        return 1.0 * x

    @doubled.backward
    def _(g):
        return g * np.array([1.0, 2.0])

    def under(*cotangents):
        judgement = Judgement(cotangents=cotangents)
        values = {"x": np.array([1.0, 2.0])}
        judge(TracedFunction(lambda v: doubled(v["x"])), values, Knobs(), [0], {}, judgement, ["x"])
        return judgement

    given = np.array([3.0, -0.5])
    judgement = under(given)
    np.testing.assert_array_equal(judgement.cotangents[0], given)
    np.testing.assert_array_equal(judgement.evidence["x"].analytic, [3.0, -1.0])
    np.testing.assert_allclose(judgement.evidence["x"].numeric, [3.0, -0.5], rtol=1e-6)
    (drawn,) = under().cotangents
    assert drawn.shape == (2,)
    assert (drawn != given).all()
    assert judged(lambda v: F.sum(v["x"]), {"x": [1.0, 2.0]}).cotangents == (1.0,)
