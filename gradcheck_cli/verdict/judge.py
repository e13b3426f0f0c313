"""Judge a function at a point: contract first, then numbers, then the verdict of every parameter."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import using
from gradcheck_cli.errors import ContractViolation, Location
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import Function, Recording, Values
from gradcheck_cli.numeric.point import Outputs, Point
from gradcheck_cli.numeric.seeding import SeededExecution, restored
from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.contract import CheckedExecution, agree, bad_values
from gradcheck_cli.verdict.cotangents import signed_weights
from gradcheck_cli.verdict.joint_kinks import Kinked, excluded_direction
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
    seed: Sequence[int],
    samples: Mapping[str, int],
    judgement: Judgement,
    only: Collection[str],
    on_evaluation: Callable[[], None] = lambda: None,
) -> None:
    """Check the gradient of `function` at `values` for every parameter, and write it into `judgement`.

    `samples` limits how many elements of a parameter are checked (drawn with `seed`), `only` names
    the parameters to check; `on_evaluation` is called before every evaluation. Raises OperatorError
    when the function can't be evaluated.
    """
    rng = np.random.default_rng(seed)
    checked = CheckedExecution(rng, knobs.accuracy or 0.0)
    with restored(), np.errstate(all="ignore"):
        try:
            with using(checked):
                recording = function.record(values)
                judgement.evaluations += 1
                judgement.outputs = recording.outputs
                judgement.value = _one_number(recording.outputs)
                _require_finite(recording, checked)
                outputs = Outputs(recording.outputs)
                weights = signed_weights(outputs.epsilon.size, rng)
                gradients = recording.vjp(outputs.split(weights))
                _require_finite_gradients(gradients)
            judgement.gradients = gradients if judgement.value is not None else {}
            with using(SeededExecution(checked.users)):
                _require_repeatable(recording.outputs, function.outputs(values))
                judgement.evaluations += 1
                kinked: list[Kinked] = []
                for name in only:
                    point = Point(function, values, name, outputs, on_evaluation)
                    # A generator of its own, so that a parameter checked alone is checked as among others.
                    own = np.random.default_rng([*seed, zlib.crc32(name.encode())])
                    elements = choose_elements(point.x.size, samples.get(name), own)

                    def gradient_of(u: Array, name: str = name) -> Array:
                        return np.ravel(recording.vjp(outputs.split(u))[name]).astype(np.float64)

                    result, kinks = judge_parameter(point, weights, gradient_of, knobs, elements, own)
                    judgement.parameters.append(result)
                    judgement.evaluations += point.evaluations
                    kinked += [kinks] if kinks else []
                if sum(part.elements.size for part in kinked) > 1:
                    _judge_together(judgement, kinked, weights, rng)
                _require_repeatable(recording.outputs, function.outputs(values), " at the end of the check")
                judgement.evaluations += 1
        except ContractViolation as violation:
            judgement.findings.append(_as_finding(violation))
            done = {parameter.name for parameter in judgement.parameters}
            judgement.parameters.extend(skipped(name, values[name].shape) for name in only if name not in done)


def _judge_together(judgement: Judgement, kinked: Sequence[Kinked], weights: Array, rng: np.random.Generator) -> None:
    """Hold kinks that are valid one by one against joint directions, and fail their parameters if one excludes them."""
    excluded = excluded_direction(kinked, weights, rng)
    if excluded is None:
        return
    analytic, low, high = excluded
    names = {part.point.name for part in kinked}
    message = (
        f"{sum(part.elements.size for part in kinked)} elements of {', '.join(sorted(names))} are at kinks; moved "
        f"together, the gradient says {analytic:.6g}, the slopes on both sides are {low:.6g} and {high:.6g}"
    )
    judgement.parameters[:] = [
        replace(result, verdict=Verdict.FAIL, findings=(Finding("invalid-at-kink", message), *result.findings))
        if result.name in names
        else result
        for result in judgement.parameters
    ]


def choose_elements(size: int, sample: int | None, rng: np.random.Generator) -> Array:
    """Return the elements to check, counted in C order: all, or `sample` random ones in order."""
    if sample is None or sample >= size:
        return np.arange(size)
    return np.sort(rng.choice(size, sample, replace=False))


def _one_number(outputs: Sequence[Array]) -> float | None:
    return float(outputs[0].item()) if len(outputs) == 1 and outputs[0].size == 1 else None


def _require_finite(recording: Recording, execution: CheckedExecution) -> None:
    for out in recording.outputs:
        if not np.isfinite(out).all():
            message = f"the value is {bad_values(out)}"
            raise ContractViolation("non-finite", message, "value", None, execution.first_non_finite)


def _require_repeatable(first: Sequence[Array], again: Sequence[Array], when: str = "") -> None:
    if len(first) == len(again) and all(map(agree, first, again)):
        return
    message = f"two evaluations at the same point differ{when}"
    hint = "turn randomness off, or give it a seed; state kept between calls does it too"
    raise ContractViolation("not-repeatable", message, "value", None, hint)


def _require_finite_gradients(gradients: Mapping[str, Array]) -> None:
    """Hold a gradient that came from a person's own function to finiteness; operators are held to it one by one."""
    for name, gradient in gradients.items():
        if not np.isfinite(gradient).all():
            message = f"the gradient of {name} is {bad_values(gradient)}"
            raise ContractViolation("non-finite", message, "gradient", None)


def _as_finding(violation: ContractViolation) -> Finding:
    message = f"{violation.operator}: {violation.message}"
    hint = violation.problems[0].hint
    location: Location | None = violation.location
    return Finding(violation.finding, f"{message} ({hint})" if hint else message, location)


def skipped(name: str, shape: tuple[int, ...]) -> ParameterResult:
    """Return the result of a parameter that was not compared."""
    return ParameterResult(name, shape, int(np.prod(shape)), 0, Verdict.SKIP)
