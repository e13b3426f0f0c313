"""The one place that calls the checker: a forward and a backward in, what it said out."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.operator import Input, Operator, Rule
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement

KINDS = {"f": "float", "i": "int", "u": "int", "b": "bool"}

CONTRACT = {
    "gradient-count": "shape",
    "gradient-shape": "shape",
    "gradient-dtype": "shape",
    "input-modified": "mutates",
    "not-repeatable": "nondeterministic",
    "non-finite": "nan",
    "not-linear-in-g": "wrong",
    "layout-dependent": "wrong",
}
"""The label that a finding about the whole function stands for."""


@dataclass(frozen=True)
class Outcome:
    """What the checker said.

    `kind` is a label (`correct`, `wrong`, `kink`, `nan`, `nondeterministic`, `shape`, `mutates`),
    `inconclusive`, or `error` when it could not be checked. `evaluations` is what the checker reports,
    `calls` how often it really called the forward.
    """

    verdict: Verdict
    kind: str
    findings: tuple[Finding, ...]
    parameters: tuple[ParameterResult, ...]
    evaluations: int
    calls: int = 0
    error: str = ""

    @property
    def names(self) -> list[str]:
        """Names of the findings, those of the whole function first, each once."""
        return list(dict.fromkeys(finding.name for finding in self.findings))

    @property
    def elements(self) -> int:
        """How many elements were compared."""
        return sum(parameter.checked for parameter in self.parameters)

    @property
    def resolution(self) -> float | None:
        """The worst resolution of the parameters; None where none was printed."""
        return max((p.resolution for p in self.parameters if p.resolution is not None), default=None)

    def describe(self) -> str:
        """Say in one line what was found, for people."""
        if self.error:
            return f"error: {self.error}"
        worst = max(self.parameters, key=lambda p: list(Verdict).index(p.verdict), default=None)
        text = f"{self.verdict} {' '.join(self.names)}".strip()
        if worst is None or worst.worst is None:
            return text
        w = worst.worst
        at = f"{worst.name}[{','.join(map(str, w.index))}]" if w.index else worst.name
        resolution = "none" if worst.resolution is None else f"{worst.resolution:.1e}"
        return (
            f"{text}; {at} analytic {w.analytic:.10g}, numeric {w.numeric:.10g} ± {w.error_bar:.1e}, "
            f"resolution {resolution}"
        )


def as_operator(
    forward: Callable[..., Any], backward: Callable[..., Any], arguments: Sequence[Any], name: str
) -> Operator:
    """Describe a pair of functions as an operator; integer and boolean arguments have no gradient."""
    names = argument_names(forward, len(arguments))
    inputs = tuple(
        Input(label, Domain(kind=KINDS[np.asarray(value).dtype.kind]))  # type: ignore[arg-type]
        for label, value in zip(names, arguments, strict=True)
    )
    floats = [slot for slot, item in enumerate(inputs) if item.domain.differentiable]

    def gradients(g: Any, out: Any, *values: Any) -> Any:
        returned = backward(g, out, *values)
        if not isinstance(returned, tuple | list) or len(returned) != len(inputs):
            return returned
        return tuple(returned[slot] for slot in floats)

    served = tuple(inputs[slot].name for slot in floats)
    rule = Rule(gradients, served, ("g", "out", *names), *place_of(backward))
    file, line = place_of(forward)
    return Operator(name, forward, inputs, rules=(rule,), file=file, line=line)


def check(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    arguments: Sequence[Any],
    seed: int,
    name: str = "operator",
    knobs: Knobs | None = None,
) -> Outcome:
    """Judge `backward` as the gradient of `forward` at `arguments`.

    What the checker draws comes from `seed` and `name`.
    """
    calls = 0

    def counted(*values: Any) -> Any:
        nonlocal calls
        calls += 1
        return forward(*values)

    operator = replace(as_operator(forward, backward, arguments, name), forward=counted)
    arrays = {item.name: np.asarray(value) for item, value in zip(operator.inputs, arguments, strict=True)}
    points = {item.name: arrays[item.name] for item in operator.inputs if item.domain.differentiable}
    function = TracedFunction(lambda variables: operator(*({**arrays, **variables}.values())))
    judgement = Judgement()
    try:
        judge(function, points, knobs or Knobs(), [seed, zlib.crc32(name.encode())], {}, judgement, list(points))
    except GradcheckError as error:
        return Outcome(Verdict.ERROR, "error", (), (), judgement.evaluations, calls, str(error))
    return outcome_of(judgement, calls)


def outcome_of(judgement: Judgement, calls: int = 0) -> Outcome:
    """Read off a judgement which label the checker would give."""
    parameters = tuple(judgement.parameters)
    findings = (*judgement.findings, *(finding for parameter in parameters for finding in parameter.findings))
    return Outcome(judgement.verdict, _kind(judgement), findings, parameters, judgement.evaluations, calls)


def _kind(judgement: Judgement) -> str:
    if judgement.findings:
        return CONTRACT.get(judgement.findings[0].name, "wrong")
    failed = [p for p in judgement.parameters if p.verdict is Verdict.FAIL]
    if failed:
        broken = [CONTRACT[f.name] for p in failed for f in p.findings if f.name in CONTRACT]
        at_kinks = all(any(f.name == "invalid-at-kink" for f in p.findings) for p in failed)
        return broken[0] if broken else "kink" if at_kinks else "wrong"
    unsure = [p for p in judgement.parameters if p.verdict is Verdict.INCONCLUSIVE]
    if unsure:
        return "kink" if all(any(f.name == "jump" for f in p.findings) for p in unsure) else "inconclusive"
    kinked = any(f.name == "kink-at-point" for p in judgement.parameters for f in p.findings)
    return "kink" if kinked else "correct"


def argument_names(forward: Callable[..., Any], count: int) -> list[str]:
    """Return the names of the first `count` arguments of `forward`, invented where it has none or they would clash."""
    code = code_of(forward)
    names = list(inspect.signature(forward).parameters)[:count] if code else []
    clash = len(names) < count or any(name in ("g", "out") or name.startswith("g_") for name in names)
    return ([f"x{slot}" for slot in range(count)] if count > 1 else ["x"]) if clash else names


def code_of(function: Any) -> Any:
    """Return the code object of a function written in Python, None for another one."""
    return getattr(function, "__code__", None)


def place_of(function: Any) -> tuple[str, int]:
    """Return file and line of a function; nothing for one that isn't written in Python."""
    code = code_of(function)
    return (code.co_filename, code.co_firstlineno) if code else ("", 0)
