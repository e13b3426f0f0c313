"""Judging a function: cotangents, the choice of elements, and the record that is filled."""

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.records import Verdict
from gradcheck_cli.verdict.judge import Judgement, choose_elements, draw_cotangents, judge


def rng(seed=0):
    return np.random.default_rng(seed)


def judged(call, values, *, only=None, samples=None, seed=0, on_evaluation=lambda: None):
    """Judge a function over Variables, and return what was filled in."""
    judgement = Judgement()
    points = {name: np.asarray(value, dtype=float) for name, value in values.items()}
    judge(
        TracedFunction(call), points, Knobs(), rng(seed), samples or {}, judgement, only or list(points), on_evaluation
    )
    return judgement


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_the_cotangent_of_one_number_is_1(shape):
    (g,) = draw_cotangents([np.full(shape, 0.3)], rng())
    assert g.shape == shape
    assert g.item() == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_the_cotangent_of_an_array_is_signed_and_away_from_zero(seed):
    (g,) = draw_cotangents([np.zeros((8, 9))], rng(seed))
    assert g.shape == (8, 9)
    assert (g > 0).any()
    assert (g < 0).any()
    assert np.abs(g).min() >= 0.5
    assert np.abs(g).max() <= 1.5
    assert np.unique(np.abs(g)).size == g.size


def test_the_cotangent_of_a_small_array_is_never_all_ones():
    for seed in range(200):
        (g,) = draw_cotangents([np.zeros(2)], rng(seed))
        assert not np.allclose(g, g[0]), f"seed {seed}"


def test_cotangents_follow_the_seed():
    outputs = [np.zeros(3), np.zeros((2, 2))]
    first, again, other = (draw_cotangents(outputs, rng(seed)) for seed in (3, 3, 4))
    assert all(map(np.array_equal, first, again))
    assert not np.array_equal(first[0], other[0])
    assert not np.array_equal(first[0], first[1].ravel()[:3])


def test_two_numbers_are_not_one_number():
    g = draw_cotangents([np.zeros(()), np.zeros(())], rng(1))
    assert abs(g[0].item()) != abs(g[1].item())


def test_a_cotangent_has_the_type_of_its_output_and_an_output_without_gradient_gets_zeros():
    g = draw_cotangents([np.zeros(3, dtype=np.float32), np.arange(4), np.ones(2, dtype=bool)], rng())
    assert g[0].dtype == np.float32
    np.testing.assert_array_equal(g[1], np.zeros(4))
    np.testing.assert_array_equal(g[2], np.zeros(2))


def test_without_a_sample_every_element_is_chosen_in_order():
    assert choose_elements((2, 2), None, rng()) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_scalar_has_one_element_and_an_empty_array_none():
    assert choose_elements((), None, rng()) == [()]
    assert choose_elements((), 3, rng()) == [()]
    assert choose_elements((0, 3), None, rng()) == []
    assert choose_elements((0, 3), 2, rng()) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_sample_is_drawn_without_repetition_and_in_order(seed):
    chosen = choose_elements((20, 10), 30, rng(seed))
    assert len(set(chosen)) == 30
    assert chosen == sorted(chosen)
    assert all(0 <= i < 20 and 0 <= j < 10 for i, j in chosen)


def test_a_sample_follows_the_seed():
    assert choose_elements((200,), 5, rng(1)) == choose_elements((200,), 5, rng(1))
    assert choose_elements((200,), 5, rng(1)) != choose_elements((200,), 5, rng(2))


@pytest.mark.parametrize("sample", [4, 5, 100])
def test_a_sample_as_large_as_the_parameter_is_all_of_it(sample):
    assert choose_elements((4,), sample, rng()) == choose_elements((4,), None, rng())


def test_every_element_is_chosen_by_some_seed():
    chosen = {index for seed in range(60) for index in choose_elements((10,), 1, rng(seed))}
    assert len(chosen) == 10


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


def test_evaluations_are_counted_and_announced():
    calls, announced = [], []
    judgement = judged(
        lambda v: (calls.append(1), v["x"] * 2)[1], {"x": np.ones(4)}, on_evaluation=lambda: announced.append(1)
    )
    assert judgement.evaluations == len(calls)
    assert 2 * 4 <= len(announced) <= judgement.evaluations


def test_what_was_finished_stays_when_an_evaluation_is_interrupted():
    judgement = Judgement()
    announced = []

    def stop_in_the_second_parameter():
        announced.append(1)
        if judgement.parameters:
            raise KeyboardInterrupt

    points = {"x": np.ones(3), "y": np.ones(3)}
    function = TracedFunction(lambda v: v["x"] * v["y"])
    with pytest.raises(KeyboardInterrupt):
        judge(function, points, Knobs(), rng(), {}, judgement, ["x", "y"], stop_in_the_second_parameter)
    assert [(p.name, p.verdict) for p in judgement.parameters] == [("x", Verdict.PASS)]
    assert len(announced) > 6


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
