"""Plans: the same bits as the function, many perturbations as the loop, and no plan where the steps aren't all."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli.core import execution
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.point import Outputs
from gradcheck_cli.numeric.replay import Replay
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.terms import find_terms
from gradcheck_cli.spec.arrays.values import draw_values
from gradcheck_cli.spec.loader import load_spec
from tests.numeric.plans import compare, plan_of, planned

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.grad.yaml"))


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
