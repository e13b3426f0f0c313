"""Single operators, judged alone where a case applies them: what a detector sees of a wrong backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradcheck_cli.ops as F
from gradcheck_cli.core.execution import Execution, using
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.findings.suspect import Application, Suspect
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.records import Verdict
from gradcheck_cli.spec.arrays.values import draw_values
from gradcheck_cli.spec.case import Case
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement


@dataclass
class _Call:
    operator: Operator
    arrays: Sequence[Any]
    attributes: dict[str, Any]
    outputs: tuple[Any, ...]
    kept: dict[str, Any]
    cotangents: Sequence[Any] | None = None


class _Watching(Execution):
    """Remember every call of an operator that isn't built in, with the cotangents that reach it."""

    def __init__(self) -> None:
        self.calls: list[_Call] = []

    def forward(self, operator: Operator, arrays: Sequence[Any], attributes: dict[str, Any]) -> Any:
        outputs, kept = super().forward(operator, arrays, attributes)
        if not operator.trusted:
            self.calls.append(_Call(operator, list(arrays), attributes, outputs, kept))
        return outputs, kept

    def backward(self, node: Node, cotangents: Sequence[Any]) -> Any:
        for call in reversed(self.calls):
            held = [*call.arrays, *call.outputs, *call.kept.values()]
            if call.operator is node.operator and call.cotangents is None and _matches(node, held):
                call.cotangents = [
                    np.zeros(shape, dtype) if g is None else g
                    for g, (shape, dtype) in zip(cotangents, node.outputs, strict=True)
                ]
                break
        return super().backward(node, cotangents)


def _matches(node: Node, held: Sequence[Any]) -> bool:
    arrays = [value for value in node.values if isinstance(value, np.ndarray)]
    return not arrays or any(value is other for value in arrays for other in held)


def suspects_of(case: Case, seed: int | None = None) -> dict[str, list[Suspect]]:
    """Return what is wrong with the operators of a case alone, argument by argument, by the operator's name."""
    values = draw_values(case, seed)
    watching = _Watching()
    with using(watching):
        leaves = {item.name: Variable(values[item.name]) for item in case.parameters}
        inputs = {item.name: Variable(values[item.name], requires_grad=False) for item in case.inputs}
        outputs = case.expression({**inputs, **leaves}, np.dtype(np.float64))
        rng = np.random.default_rng([3, *np.shape(outputs[0].data)])
        total = None
        for out in outputs:
            g = (
                rng.choice([-1.0, 1.0], out.shape) * rng.uniform(0.5, 1.5, out.shape)
                if out.data.size > 1
                else np.ones(out.shape)
            )
            part = F.sum(F.multiply(out, g))
            total = part if total is None else F.add(total, part)
        total.backward()
    found: dict[str, list[Suspect]] = {}
    for call in watching.calls:
        if call.cotangents is not None:
            found.setdefault(call.operator.name, []).extend(alone(call.operator, call.arrays, call.attributes, call))
    return found


def alone(
    operator: Operator, arrays: Sequence[Any], attributes: Mapping[str, Any] | None = None, call: Any = None
) -> list[Suspect]:
    """Judge an operator at `arrays` under the cotangents of `call` (drawn if None); return what is wrong."""
    attributes = dict(attributes or {})
    if call is None:
        outputs, kept = Execution().forward(operator, arrays, attributes)
        rng = np.random.default_rng(11)
        drawn = [np.asarray(rng.choice([-1, 1], out.shape) * rng.uniform(0.5, 1.5, out.shape)) for out in outputs]
        call = _Call(operator, arrays, attributes, outputs, kept, drawn)
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
        for out, g in zip(outs, call.cotangents, strict=True):
            if np.asarray(out.data).dtype.kind == "f":
                part = F.sum(F.multiply(out, g))
                total = part if total is None else F.add(total, part)
        return total

    judgement = Judgement()
    judge(TracedFunction(value), moving, Knobs(), [1], {}, judgement, list(moving))
    application = Application(
        operator,
        given,
        attributes,
        dict(zip(operator.outputs, call.outputs, strict=True)),
        {name: g for name, g in zip(operator.outputs, call.cotangents, strict=True) if np.asarray(g).dtype.kind == "f"},
        call.kept,
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
