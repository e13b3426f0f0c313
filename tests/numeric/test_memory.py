"""What many perturbations take together: no more than they may, and less where the system has less."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli.core import execution
from gradcheck_cli.numeric.evaluator import Chunk
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.ladders import take_ladders
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.pairs import take_pairs
from gradcheck_cli.numeric.point import Outputs, Point
from gradcheck_cli.numeric.replay import Replay
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.steps import default_eps, step_sizes
from gradcheck_cli.numeric.survey import survey
from gradcheck_cli.numeric.terms import find_terms
from gradcheck_cli.numeric.weights import Weights
from tests.numeric.plans import planned

MIB = 2**20
RNG = np.random.default_rng(0)
A, BIG = RNG.standard_normal((64, 200)), RNG.standard_normal((300, 300))

FUNCTIONS: dict[str, tuple[Callable[..., Any], Any]] = {
    "a large array behind a number": (lambda x: F.sum(F.tanh(F.sum(x) * BIG)), RNG.standard_normal(40)),
    "in single precision": (
        lambda x: F.sum(F.tanh(F.sum(x) * BIG.astype(np.float32))),
        RNG.standard_normal(40).astype(np.float32),
    ),
    "rows of a layer": (lambda x: F.softmax(F.tanh(A @ x), axis=1), RNG.standard_normal((200, 20))),
    "one output an element": (F.tanh, RNG.standard_normal(20_000)),
}

_ONE = 10
"""Arrays as large as the largest that one evaluation needs: two values of an element, and what is made of them."""


def point_of(call: Callable[..., Any], x: Any, memory: int) -> tuple[Point, int]:
    """Return the point of a function of `x`, and the bytes of the largest array of one evaluation."""
    values = {"x": x}
    function = TracedFunction(lambda v: call(v["x"]))
    plan, why, recording = planned(function, values)
    assert plan is not None, why
    terms = find_terms(plan)
    seen, outputs, slots = (
        (terms, Outputs(terms.like, are_terms=True), terms.slots)
        if terms
        else (function, Outputs(recording.outputs), plan.record.outputs)
    )
    point = Point(seen, values, "x", outputs, evaluator=Replay(plan, "x", x, outputs, slots, memory))
    return point, max(plan.largest("x"), point.base.nbytes)


def peak_of(call: Callable[[], object]) -> int:
    """Return the bytes that a call takes at most."""
    tracemalloc.start()
    try:
        with execution.using(SeededExecution()), np.errstate(all="ignore"):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("memory", [MIB // 4, 8 * MIB])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_pairs_take_no_more_than_memory_and_what_one_evaluation_needs(name: str, memory: int) -> None:
    call, x = FUNCTIONS[name]
    point, largest = point_of(call, x, memory)
    weights = Weights([np.ones(point.base.size)] * 2, Noise(point.outputs.epsilon, point.outputs.epsilon, point.base))
    elements = np.arange(min(x.size, 1000))
    steps = step_sizes(point.scales, default_eps(x.dtype))[elements]
    taken = peak_of(lambda: take_pairs(point, elements, steps, weights))
    assert taken <= memory + _ONE * largest + 20 * elements.nbytes


def test_batches_of_ladders_take_less_where_memory_is_less() -> None:
    call, x = FUNCTIONS["rows of a layer"]
    elements, peaks = np.arange(100), []
    for memory in (2 * MIB, 256 * MIB):
        point, _ = point_of(call, x, memory)
        weights = Weights([np.ones(point.base.size)], Noise(point.outputs.epsilon, 0 * point.base, point.base))
        peaks.append(peak_of(lambda point=point, weights=weights: [0 for _ in take_ladders(point, elements, weights)]))
    assert peaks[0] <= 6 * MIB < peaks[1]


def test_a_survey_takes_its_table_and_what_is_made_of_a_part_of_it() -> None:
    values = RNG.standard_normal((700, 700))
    point, _ = point_of(lambda x: F.sum(F.tanh(F.sum(x) * values)), RNG.standard_normal(10), 16 * MIB)
    taken = peak_of(lambda: survey(point, step_sizes(point.scales, 1e-6), np.random.default_rng(0)))
    assert taken <= 2.2 * 15 * point.base.nbytes


@pytest.mark.parametrize("most", [1, 3, 64])
def test_a_chunk_for_which_there_is_no_room_is_halved_and_none_is_lost(most: int) -> None:
    point, _ = point_of(F.tanh, np.linspace(0.0, 1.0, 500), 256 * MIB)
    refused: list[int] = []

    def take(chunk: Chunk) -> tuple[int, int]:
        many = chunk.stop - chunk.start
        if many > most:
            refused.append(many)
            raise MemoryError
        assert (chunk.changes != 0).all()
        return chunk.start, chunk.stop

    parts = list(point.each(np.arange(500), np.array([np.full(500, 1e-3), np.full(500, -1e-3)]), take)[1])
    assert refused
    assert refused == sorted(set(refused), reverse=True)
    assert [start for start, _ in parts] == [0, *[stop for _, stop in parts[:-1]]]
    assert parts[-1][1] == 500


def test_one_element_for_which_there_is_no_room_is_an_error() -> None:
    point, _ = point_of(F.tanh, np.linspace(0.0, 1.0, 50), 256 * MIB)

    def take(chunk: Chunk) -> int:
        if chunk.stop > 20:
            raise MemoryError
        return chunk.stop

    done: list[int] = []
    with pytest.raises(MemoryError):
        done.extend(point.each(np.arange(50), np.full((1, 50), 1e-3), take)[1])
    assert done[-1] == 20


def test_memory_that_runs_out_is_no_edge_of_the_domain() -> None:
    def call(v: Any) -> Any:
        if v["x"][0] != 1.0:
            raise MemoryError
        return F.tanh(v["x"])

    x = np.ones(3)
    function = TracedFunction(call)
    point = Point(function, {"x": x}, "x", Outputs(function.outputs({"x": x})))
    with pytest.raises(MemoryError):
        point.alone(0, np.array([0.5]))
    with pytest.raises(MemoryError):
        point.together(np.ones((1, 3)))
