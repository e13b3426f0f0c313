"""Judge a function at a point: contract first, then numbers, then the verdict of every parameter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import using
from gradcheck_cli.errors import ContractViolation, Location
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.differences import Differences
from gradcheck_cli.numeric.function import Function, Recording, Values
from gradcheck_cli.numeric.seeding import restored
from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.contract import CheckedExecution, agree
from gradcheck_cli.verdict.parameter import judge_parameter


@dataclass
class Judgement:
    """What was found out about a function: filled parameter by parameter, so that a stop loses nothing."""

    value: float | None = None
    outputs: tuple[Array, ...] = ()
    gradients: Mapping[str, Array] = field(default_factory=dict)
    evaluations: int = 0
    parameters: list[ParameterResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """The verdict of the whole: a contract finding fails it."""
        if self.findings:
            return Verdict.FAIL
        return Verdict.worst([parameter.verdict for parameter in self.parameters])


def judge(
    function: Function,
    values: Values,
    knobs: Knobs,
    rng: np.random.Generator,
    samples: Mapping[str, int],
    judgement: Judgement,
    only: Collection[str],
    on_evaluation: Callable[[], None] = lambda: None,
) -> None:
    """Check the gradient of `function` at `values` for every parameter, and write it into `judgement`.

    `samples` limits how many elements of a parameter are checked (drawn from `rng`), `only` names
    the parameters to check; `on_evaluation` is called before every evaluation. Raises OperatorError
    when the function can't be evaluated.
    """
    execution = CheckedExecution()
    with restored(), using(execution), np.errstate(all="ignore"):
        try:
            recording = function.record(values)
            judgement.evaluations += 1
            judgement.outputs = recording.outputs
            judgement.value = _one_number(recording.outputs)
            _require_finite(recording, execution)
            cotangents = draw_cotangents(recording.outputs, rng)
            gradients = recording.vjp(cotangents)
            _require_own_gradients(gradients, values)
        except ContractViolation as violation:
            judgement.findings.append(_as_finding(violation))
            judgement.parameters.extend(skipped(name, values[name].shape) for name in only)
            return
        judgement.gradients = gradients if judgement.value is not None else {}
        execution.watching = False
        differences = Differences(function, values, recording.outputs, cotangents, on_evaluation)
        for name in only:
            indices = choose_elements(values[name].shape, samples.get(name), rng)
            result = judge_parameter(name, gradients[name], differences, knobs, indices)
            judgement.parameters.append(result)
            judgement.evaluations += differences.evaluations
            differences.evaluations = 0
        again = function.outputs(values)
        judgement.evaluations += 1
    if not all(agree(first, second) for first, second in zip(recording.outputs, again, strict=True)):
        message = "the value at the same point differs at the end of the check: something is kept between calls"
        judgement.findings.append(Finding("not-repeatable", message))


def draw_cotangents(outputs: Sequence[Array], rng: np.random.Generator) -> tuple[Array, ...]:
    """Return the cotangent of every output: 1 for a one-number value, else random and signed.

    Magnitudes lie between 0.5 and 1.5. Signs matter: softmax and normalisation hide their errors
    from all-ones. An output that is no floating-point array has no gradient and gets zeros.
    """
    if _one_number(outputs) is not None:
        return (np.ones_like(outputs[0]),)
    drawn = []
    for out in outputs:
        u = rng.uniform(0.5, 1.5, out.shape) * rng.choice([-1.0, 1.0], out.shape)
        drawn.append(np.asarray(u, dtype=out.dtype) if out.dtype.kind == "f" else np.zeros(out.shape))
    return tuple(drawn)


def choose_elements(shape: tuple[int, ...], sample: int | None, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Return the indices to check: all, or `sample` random ones in order."""
    size = int(np.prod(shape))
    flat = np.arange(size) if sample is None or sample >= size else np.sort(rng.choice(size, sample, replace=False))
    return [tuple(int(i) for i in np.unravel_index(k, shape)) for k in flat]


def _one_number(outputs: Sequence[Array]) -> float | None:
    return float(outputs[0].item()) if len(outputs) == 1 and outputs[0].size == 1 else None


def _require_finite(recording: Recording, execution: CheckedExecution) -> None:
    for out in recording.outputs:
        if not np.isfinite(out).all():
            kind = "nan" if np.isnan(out).any() else "infinite"
            message = f"the value is {kind} in {int(np.sum(~np.isfinite(out)))} of {out.size} elements"
            raise ContractViolation("non-finite", message, "value", None, execution.first_non_finite)


def _require_own_gradients(gradients: Mapping[str, Array], values: Values) -> None:
    """Hold gradients that came from the user's own function to count, shape and finiteness."""
    for name, x in values.items():
        if name not in gradients:
            raise ContractViolation("gradient-count", f"there is no gradient for {name}", "gradient", None)
        gradient = gradients[name]
        if gradient.shape != x.shape:
            message = f"the gradient of {name} has shape {gradient.shape}, {name} has {x.shape}"
            raise ContractViolation("gradient-shape", message, "gradient", None)
        if not np.isfinite(gradient).all():
            raise ContractViolation("non-finite", f"the gradient of {name} is not finite", "gradient", None)


def _as_finding(violation: ContractViolation) -> Finding:
    message = f"{violation.operator}: {violation.message}"
    hint = violation.problems[0].hint
    location: Location | None = violation.location
    return Finding(violation.finding, f"{message} ({hint})" if hint else message, location)


def skipped(name: str, shape: tuple[int, ...]) -> ParameterResult:
    """Return the result of a parameter that was not compared."""
    return ParameterResult(name, shape, int(np.prod(shape)), 0, Verdict.SKIP)
