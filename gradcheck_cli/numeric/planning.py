"""Make the plan of a function, if it has one: recorded, and held to the function itself."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation
from gradcheck_cli.numeric.function import Function, Recording, Values
from gradcheck_cli.numeric.plan import Plan
from gradcheck_cli.numeric.recorder import Recorder
from gradcheck_cli.numeric.steps import element_scales

_DISPLACEMENT = 1e-2
"""How far all parameters move together to see whether the plan is the function, in terms of their scales."""

_TRIES = 3


def find_plan(
    function: Function, values: Values, recorder: Recorder, recording: Recording, looped: Collection[str] = ()
) -> tuple[Plan | None, str]:
    """Return the plan of a function that `recorder` saw, or why there is none.

    A joint displacement of all parameters through the function and through the plan must give the same bits: so
    a value that went another way than through operators doesn't pass as a constant. `looped` names operators that
    take one perturbation at a time. Calls `function` once or a few times. Raises ContractViolation.
    """
    record = recorder.result(recording)
    if record.problem:
        return None, record.problem
    plan = Plan(record, looped)
    rng = np.random.default_rng(len(record.steps))
    for attempt in range(_TRIES):  # nearer, where it leaves the domain
        moved = {name: _displaced(x, _DISPLACEMENT / 100**attempt, rng) for name, x in values.items()}
        try:
            outputs = function.outputs(moved)
        except (ContractViolation, MemoryError):
            raise
        except Exception:  # outside of the domain
            continue
        return (plan, "") if _same(plan, moved, outputs) else (None, "its steps alone give another value")
    return None, "it can't be evaluated near the point"


def _displaced(x: Array, share: float, rng: np.random.Generator) -> Array:
    change = share * element_scales(np.ravel(x).astype(np.float64)) * rng.uniform(-1, 1, x.size)
    return np.asarray((x + change.reshape(x.shape)).astype(x.dtype))


def _same(plan: Plan, values: Values, outputs: tuple[Array, ...]) -> bool:
    try:
        replayed = plan.replay(values)
    except (ContractViolation, MemoryError):
        raise
    except Exception:  # the function went through here, so its steps should
        return False
    return all(
        a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for a, b in zip(outputs, replayed, strict=True)
    )
