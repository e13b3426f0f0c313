"""Plans of functions, and replays of them held to the loop."""

from typing import Any

import numpy as np

from gradcheck_cli.core import execution
from gradcheck_cli.numeric.evaluator import Loop
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.plan import Plan
from gradcheck_cli.numeric.planning import find_plan
from gradcheck_cli.numeric.point import Outputs
from gradcheck_cli.numeric.recorder import Recorder
from gradcheck_cli.numeric.replay import Replay
from gradcheck_cli.numeric.seeding import SeededExecution


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
