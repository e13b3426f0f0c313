"""Single operators, judged alone: what a detector sees of a wrong backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import gradcheck_cli.ops as F
from gradcheck_cli.core.execution import Execution
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.findings.suspect import Application, Suspect
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.records import Verdict
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement


def alone(operator: Operator, arrays: Sequence[Any], attributes: Mapping[str, Any] | None = None) -> list[Suspect]:
    """Judge an operator at `arrays`, under cotangents that are drawn; return what is wrong, argument by argument."""
    attributes = dict(attributes or {})
    outputs, kept = Execution().forward(operator, arrays, attributes)
    rng = np.random.default_rng(11)
    cotangents = [np.asarray(rng.choice([-1, 1], out.shape) * rng.uniform(0.5, 1.5, out.shape)) for out in outputs]
    names = [operator.slot_name(slot) for slot in range(len(arrays))]
    given = dict(zip(names, arrays, strict=True))
    moving = {
        name: np.array(array)
        for slot, (name, array) in enumerate(given.items())
        if isinstance(array, np.ndarray) and array.dtype.kind == "f" and operator.input_at(slot).domain.differentiable
    }

    def value(variables: Mapping[str, Any]) -> Any:
        made = operator.apply([variables.get(name, given[name]) for name in names], attributes)
        outs = made if isinstance(made, tuple) else (made,)
        total = None
        for out, g in zip(outs, cotangents, strict=True):
            part = F.sum(F.multiply(out, g))
            total = part if total is None else F.add(total, part)
        return total

    judgement = Judgement()
    judge(TracedFunction(value), moving, Knobs(), [1], {}, judgement, list(moving))
    application = Application(
        operator,
        given,
        attributes,
        dict(zip(operator.outputs, outputs, strict=True)),
        dict(zip(operator.outputs, cotangents, strict=True)),
        kept,
    )
    shapes = {name: np.shape(array) for name, array in given.items()}
    shapes |= {name: np.shape(out) for name, out in application.outputs.items()}
    return [
        Suspect(
            judgement.evidence[result.name],
            shapes,
            application,
            {name: each for name, each in judgement.evidence.items() if name != result.name},
        )
        for result in judgement.parameters
        if result.verdict is Verdict.FAIL and not result.findings
    ]
