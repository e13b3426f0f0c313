"""Plans: the same bits as the function, many perturbations as the loop, and no plan where the steps aren't all."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, check, op
from gradcheck_cli.core import execution
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.numeric.evaluator import Loop
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.moved import Bases, Moved
from gradcheck_cli.numeric.plan import Plan
from gradcheck_cli.numeric.planning import find_plan
from gradcheck_cli.numeric.point import Outputs
from gradcheck_cli.numeric.recorder import Recorder
from gradcheck_cli.numeric.replay import Replay
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.terms import find_terms
from gradcheck_cli.spec.arrays.values import draw_values
from gradcheck_cli.spec.loader import load_spec

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.grad.yaml"))


def silent(count: int) -> None:
    """Hear of nothing."""


def planned(function: TracedFunction, values: dict[str, Any]) -> tuple[Plan | None, str, Any]:
    """The plan of a function, why there is none, and its recording."""
    recorder = Recorder()
    with recorder.recording():
        recording = function.record(values)
    with execution.using(SeededExecution()), np.errstate(all="ignore"):
        plan, why = find_plan(function, values, recorder, recording)
    return plan, why, recording


def plan_of(call: Any, **values: Any) -> tuple[Plan | None, str]:
    arrays = {name: np.asarray(value, dtype=float) for name, value in values.items()}
    return planned(TracedFunction(lambda v: call(**v)), arrays)[:2]


def scattered(chunks: Any, shape: tuple[int, ...]) -> Any:
    """The changes of all chunks, shape (outputs, S, n)."""
    full = np.zeros(shape)
    for chunk in chunks:
        if chunk.positions is None:
            full[:, :, chunk.start : chunk.stop] = chunk.changes
        else:
            for s in range(shape[1]):
                full[chunk.positions, s, np.arange(chunk.start, chunk.stop)] = chunk.changes[:, s]
    return full


def compare(plan: Plan, function: Any, values: dict[str, Any], like: Any, slots: Any, **options: Any) -> None:
    """Hold a plan to the loop for every parameter: one by one, and together."""
    outputs = Outputs(like)
    base = outputs.flat(outputs.like)
    for name, x in values.items():
        if not x.size:
            continue
        replay = Replay(plan, name, x, outputs, slots, **options)

        def change(array: Any, name: str = name) -> Any:
            return outputs.flat(function.outputs({**values, name: array})) - base

        loop = Loop(change, x)
        moves = np.array([[1e-3], [-1e-3], [0.05]])
        targets = (np.ravel(x) + moves).astype(x.dtype).astype(float)
        shape = (base.size, 3, x.size)
        many = scattered(replay.one_by_one(np.arange(x.size), targets, silent), shape)
        one = scattered(loop.one_by_one(np.arange(x.size), targets, silent), shape)
        tolerance = 1e-11 if x.dtype == np.float64 else 1e-4
        size = tolerance * (1 + np.abs(base).max(initial=0.0))
        np.testing.assert_allclose(many, one, rtol=tolerance, atol=size, err_msg=name)
        together = replay.together(targets, silent)
        np.testing.assert_allclose(together, loop.together(targets, silent), rtol=tolerance, atol=size, err_msg=name)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name.split(".")[0])
def test_shipped_specs_replay_to_the_bit_and_go_through_at_once(path):
    seen = 0
    for case in load_spec(path, shown=str(path), loader=Loader(), given={}):
        arrays = draw_values(case, None)
        values = {each.name: arrays[each.name] for each in case.parameters}
        inputs = {each.name: arrays[each.name] for each in case.inputs}
        dtype = next(iter(values.values())).dtype
        function = TracedFunction(
            lambda v, case=case, inputs=inputs, dtype=dtype: case.expression({**inputs, **v}, dtype)
        )
        plan, why, recording = planned(function, values)
        if plan is None:
            assert why == "an attribute depends on a parameter"
            continue
        seen += 1
        with execution.using(SeededExecution()), np.errstate(all="ignore"):
            for name, x in values.items():
                moved = {**values, name: (x + 1e-3).astype(x.dtype)}
                for a, b in zip(plan.replay({name: moved[name]}), function.outputs(moved), strict=True):
                    assert a.tobytes() == b.tobytes()
            compare(plan, function, values, recording.outputs, plan.record.outputs)
            if terms := find_terms(plan):
                compare(plan, terms, values, terms.like, terms.slots)
    assert seen


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda x: x * Variable(np.abs(x.data)), "it reads the value of a Variable"),
        (lambda x: F.where(x > 0, x, 2 * x), "it reads the value of a Variable"),
        (lambda x: F.where(F.tanh(x) < 0.1, x, 2 * x), "it reads the value of a Variable"),
        (lambda x: x if bool(F.sum(x)) else 2 * x, "it reads the value of a Variable"),
        (lambda x: x * float(F.sum(x)), "it reads the value of a Variable"),
        (lambda x: x * int(F.sum(x)), "it reads the value of a Variable"),
        (lambda x: x * F.sum(x).item(), "it reads the value of a Variable"),
        (lambda x: F.where(np.greater(x, 0), x, 2 * x), "it reads the value of a Variable"),
        (lambda x: x * math.floor(x[0].item()), "it reads the value of a Variable"),
        (lambda x: (F.sum(x * x).backward(), x * x)[1], "it runs a backward itself"),
    ],
)
def test_values_that_go_another_way_leave_no_plan(call, problem):
    assert plan_of(call, x=[0.5, 1.5, -1.0]) == (None, problem)


def test_a_value_that_leaks_unseen_is_caught_by_a_displacement():
    plan, why = plan_of(lambda x: x * Variable(np.abs(x._data)), x=[0.5, 1.5, -1.0])
    assert plan is None
    assert why == "its steps alone give another value"


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x * x.detach(),
        lambda x: F.sum(x * x) + len(x) * x.size + x.ndim + x.shape[0],
        lambda x: (x[0] * x[1], np.arange(3), F.sum(x)),
        lambda x: x,
        lambda x: F.where(np.array([True, False, True]), x, x * x),
        lambda x: F.log(1 + F.exp(x)) * x / (1 + x * x),
    ],
)
def test_what_steps_repeat_has_a_plan_that_is_the_function(call):
    values = {"x": np.array([0.5, 1.5, -1.0])}
    function = TracedFunction(lambda v: call(**v))
    plan, why, recording = planned(function, values)
    assert plan is not None, why
    compare(plan, function, values, recording.outputs, plan.record.outputs)


@pytest.mark.parametrize("memory", [1, 2**10, 2**28])
def test_chunks_of_any_size_give_the_same(memory):
    rng = np.random.default_rng(0)
    values = {"W": rng.standard_normal((6, 5)), "b": rng.standard_normal(5)}
    x = rng.standard_normal((4, 6))
    function = TracedFunction(lambda v: F.softmax(F.tanh(x @ v["W"] + v["b"]), axis=1))
    plan, why, recording = planned(function, values)
    assert plan is not None, why
    compare(plan, function, values, recording.outputs, plan.record.outputs, memory=memory)


def test_evaluations_are_announced_before_they_are_made_and_none_is_lost_in_an_interrupt():
    values = {"x": np.linspace(0.0, 1.0, 500)}
    function = TracedFunction(lambda v: F.tanh(v["x"]))
    plan, _, recording = planned(function, values)
    assert plan is not None
    replay = Replay(plan, "x", values["x"], Outputs(recording.outputs), plan.record.outputs, memory=2**10)
    announced, done = [], 0

    def announce(count: int) -> None:
        if len(announced) == 3:
            raise KeyboardInterrupt
        announced.append(count)

    with pytest.raises(KeyboardInterrupt):
        for chunk in replay.one_by_one(np.arange(500), np.tile(values["x"], (2, 1)) + 1e-3, announce):
            done += 2 * (chunk.stop - chunk.start)
    assert done == sum(announced) > 0


def test_a_chunk_that_memory_refuses_is_halved_until_it_fits(monkeypatch):
    values = {"x": np.linspace(0.0, 1.0, 500)}
    function = TracedFunction(lambda v: F.tanh(v["x"]))
    plan, _, recording = planned(function, values)
    assert plan is not None
    replay = Replay(plan, "x", values["x"], Outputs(recording.outputs), plan.record.outputs)
    targets = np.tile(values["x"], (2, 1)) + 1e-3
    whole = [(chunk.start, chunk.stop) for chunk in replay.one_by_one(np.arange(500), targets, lambda _: None)]
    push, refused = plan.push, []

    def tight(name, start, slots):
        if start.count > 20:
            refused.append(start.count)
            raise MemoryError
        return push(name, start, slots)

    monkeypatch.setattr(plan, "push", tight)
    replay = Replay(plan, "x", values["x"], Outputs(recording.outputs), plan.record.outputs)
    parts = [
        (chunk.start, chunk.stop, np.array(chunk.changes))
        for chunk in replay.one_by_one(np.arange(500), targets, lambda _: None)
    ]
    assert len(refused) > 1
    assert all(smaller <= larger / 2 for larger, smaller in itertools.pairwise(refused))
    assert len(parts) > len(whole)
    assert [start for start, _, _ in parts] == [0, *[stop for _, stop, _ in parts[:-1]]]
    assert parts[-1][1] == 500
    assert all(np.all(changes != 0) for _, _, changes in parts)


def picky(x):
    """log(x), refusing what has no logarithm."""
    if np.any(x <= 0):
        raise ValueError("x should be positive")
    return np.log(x)


def test_one_element_outside_of_the_domain_leaves_the_others_alone():
    marked = op(batch="elementwise")(picky)
    marked.backward(lambda g, x: g / x)
    values = {"x": np.array([1.0, 2.0, 3.0])}
    plan, why, recording = planned(TracedFunction(lambda v: marked(v["x"])), values)
    assert plan is not None, why
    replay = Replay(plan, "x", values["x"], Outputs(recording.outputs), plan.record.outputs)
    (chunk,) = replay.one_by_one(np.arange(3), np.array([[1.1, -1.0, 3.1]]), silent)
    assert np.isnan(chunk.changes[:, 0, 1]).all()
    assert chunk.changes[:, 0, [0, 2]] == pytest.approx(np.diag([np.log(1.1), 0.0, np.log(3.1 / 3)])[:, [0, 2]])
    assert "x should be positive" in replay.outside
    rows = replay.together(np.array([[1.1, 2.0, 3.0], [-1.0, 2.0, 3.0]]), silent)
    assert np.isnan(rows).tolist() == [[False] * 3, [True] * 3]


def test_single_precision_stays_single():
    values = {"x": np.array([0.5, 1.5], dtype=np.float32)}
    function = TracedFunction(lambda v: F.exp(v["x"]))
    plan, why, recording = planned(function, values)
    assert plan is not None, why
    replay = Replay(plan, "x", values["x"], Outputs(recording.outputs), plan.record.outputs)
    target = np.float64(np.float32(0.75))
    (chunk,) = replay.one_by_one(np.array([0]), np.array([[target]]), silent)
    assert chunk.changes.item() == float(np.exp(np.float32(0.75))) - float(recording.outputs[0][0])


def test_operators_that_draw_numbers_are_looped_from_one_state():
    def noisy(x):
        """x times random numbers."""
        return x * np.random.standard_normal(x.shape)

    def right(g, x, out):
        return g * out / x

    for declared in ({}, {"batch": "elementwise"}):
        marked = op(**declared)(noisy)
        marked.backward(right)
        assert check(marked, np.linspace(1.0, 2.0, 7)).verdict == "pass"


def test_terms_weigh_what_the_forward_says():
    w = np.arange(6.0).reshape(2, 3)
    plan, why = plan_of(lambda w: F.mean(F.tanh(w)) + 1e-3 * F.sum(w * w) - F.sum(-w[0]), w=w)
    assert plan is not None, why
    terms = find_terms(plan)
    assert terms is not None
    by_weight = dict(zip(np.round(terms.weights, 12), terms.slots, strict=True))
    assert np.array_equal(plan.bases[by_weight[round(1 / 6, 12)]], np.tanh(w))
    assert np.array_equal(plan.bases[by_weight[0.001]], w * w)
    total = sum(weight * np.sum(out) for weight, out in zip(terms.weights, terms.like, strict=True))
    assert total == pytest.approx(float(np.mean(np.tanh(w)) + 1e-3 * np.sum(w * w) + np.sum(w[0])), rel=1e-12)


@pytest.mark.parametrize("axis", [None, 0])
def test_a_sum_that_isn_t_uniform_is_no_sum_of_terms(axis):
    def weighted(x):
        """1 x0 + 2 x1 + ..."""
        return np.sum(np.arange(1.0, x.size + 1) * x)

    marked = op(linear=True)(weighted)
    marked.backward(lambda g, x: g * np.arange(1.0, x.size + 1))
    plan, why = plan_of(lambda x: marked(x * x), x=[0.5, 1.5, -1.0])
    assert plan is not None, why
    assert find_terms(plan) is None


def test_slabs_expand_to_what_they_stand_for():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, 4))
    bases = Bases([x])
    at = np.array([1, 0]), np.array([3, 1])
    moved = Moved((0, 2), at, rng.standard_normal((3, 2)))
    wanted = np.stack([x, x], axis=-1)
    for k in range(2):
        wanted[at[0][k], :, at[1][k], k] = moved.values[:, k]
        assert np.array_equal(bases.one(0, moved, k), wanted[..., k])
    assert np.array_equal(bases.dense(0, moved), wanted)
    partly = bases.expand(0, moved, (2,))
    assert (partly.axes, partly.values.shape) == ((2,), (2, 3, 2))
    assert np.array_equal(bases.dense(0, partly), wanted)
    assert bases.expand(0, moved, (0, 1, 2)) is moved
