"""Judge a function at a point: contract first, then numbers, then the verdict of every parameter."""

from __future__ import annotations

import time
import zlib
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import current, using
from gradcheck_cli.errors import ContractViolation
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import Function, Recording, Values
from gradcheck_cli.numeric.point import Outputs, Point
from gradcheck_cli.numeric.seeding import SeededExecution, restored
from gradcheck_cli.verdict.contract import CheckedExecution, agree, bad_values
from gradcheck_cli.verdict.cotangents import signed_weights
from gradcheck_cli.verdict.directions import judge_directions
from gradcheck_cli.verdict.joint_kinks import Kinked, judge_together
from gradcheck_cli.verdict.judgement import Judgement, as_finding, skipped
from gradcheck_cli.verdict.parameter import judge_parameter
from gradcheck_cli.verdict.watcher import Watcher

_SURVEY = 20
"""Evaluations that a parameter takes beside those of its elements, at least."""


def judge(
    function: Function,
    values: Values,
    knobs: Knobs,
    seed: Sequence[int],
    samples: Mapping[str, int],
    judgement: Judgement,
    only: Collection[str],
    watcher: Watcher | None = None,
) -> None:
    """Check the gradient of `function` at `values` for every parameter, and write it into `judgement`.

    `samples` limits how many elements of a parameter are checked (drawn with `seed`), `only` names
    the parameters to check. Raises OperatorError when the function can't be evaluated.
    """
    check = _Check(function, values, knobs, seed, samples, judgement, only, watcher or Watcher())
    with restored(), np.errstate(all="ignore"):
        try:
            check.contract()
            check.numbers()
        except ContractViolation as violation:
            judgement.findings.append(as_finding(violation))
            done = {parameter.name for parameter in judgement.parameters}
            judgement.parameters.extend(skipped(name, values[name].shape) for name in only if name not in done)
    judgement.findings.extend(as_finding(violation, accepted=True) for violation in check.accepted)


class _Check:
    """One judgement in the making: what it is about, and what one step hands to the next."""

    def __init__(
        self,
        function: Function,
        values: Values,
        knobs: Knobs,
        seed: Sequence[int],
        samples: Mapping[str, int],
        judgement: Judgement,
        only: Collection[str],
        watcher: Watcher,
    ) -> None:
        self.function = function
        self.values = values
        self.knobs = knobs
        self.seed = seed
        self.samples = samples
        self.judgement = judgement
        self.only = only
        self.watcher = watcher
        self.rng = np.random.default_rng(seed)
        self.checked = CheckedExecution(self.rng, knobs)
        self.accepted: list[ContractViolation] = []

    def contract(self) -> None:
        """Record the function with a second look at every operator, and run its backward once."""
        with using(self.checked):
            self.recording = self.function.record(self.values)
            self.judgement.evaluations += 1
            outputs = self.recording.outputs
            self.judgement.outputs = outputs
            is_number = len(outputs) == 1 and outputs[0].size == 1
            self.judgement.value = float(outputs[0].item()) if is_number else None
            _require_finite_value(self.recording, self.checked)
            self.outputs = Outputs(outputs)
            self.weights = signed_weights(self.outputs.epsilon.size, self.rng)
            gradients = self.recording.vjp(self.outputs.split(self.weights))
            _require_finite_gradients(gradients)
            self.judgement.gradients = gradients if is_number else {}
        self.accepted += self.checked.accepted.values()

    def numbers(self) -> None:
        """Compare every parameter, between two evaluations at the point that must agree."""
        execution = SeededExecution(self.checked.users, self.knobs.allow)
        with using(execution):
            started = time.perf_counter()
            self._require_repeatable("")
            self.watcher.expect(*self._estimate(time.perf_counter() - started))
            kinked = [kinks for name in self.only if (kinks := self._parameter(name))]
            judge_together(self.judgement, kinked, self.weights, self.rng)
            self._require_repeatable(" at the end of the check")
        known = {str(violation) for violation in self.accepted}
        self.accepted += [v for text, v in execution.accepted.items() if text not in known]

    def _parameter(self, name: str) -> Kinked | None:
        """Judge one parameter; return its elements at kinks."""
        point = Point(self.function, self.values, name, self.outputs, self.watcher.evaluation)
        # A generator of its own, so that a parameter checked alone is checked as among others.
        rng = np.random.default_rng([*self.seed, zlib.crc32(name.encode())])

        def gradient_of(u: Array) -> Array:
            return np.ravel(self.recording.vjp(self.outputs.split(u))[name]).astype(np.float64)

        kinks = None
        if self.knobs.directions and point.x.size:
            result = judge_directions(point, self.weights, gradient_of, self.knobs, rng)
        else:
            elements = choose_elements(point.x.size, self.samples.get(name), rng)
            result, kinks = judge_parameter(point, self.weights, gradient_of, self.knobs, elements, rng)
        self.judgement.parameters.append(result)
        self.judgement.evaluations += point.evaluations
        return kinks

    def _require_repeatable(self, when: str) -> None:
        self.judgement.evaluations += 1
        first, again = self.recording.outputs, self.function.outputs(self.values)
        same = len(first) == len(again)
        if same and all(agree(a, b, self.knobs.repeat) for a, b in zip(first, again, strict=True)):
            return
        message = f"two evaluations at the same point differ{when}"
        hint = "turn randomness off, or give it a seed; state kept between calls does it too"
        current().violated(ContractViolation("not-repeatable", message, "value", None, hint))

    def _estimate(self, seconds: float) -> tuple[int, float]:
        """Return how many evaluations the check takes at least, and for how long at `seconds` each."""
        elements = [self.knobs.directions or min(self.values[n].size, self.samples.get(n, np.inf)) for n in self.only]
        evaluations = int(sum(2 * count + _SURVEY for count in elements))
        return evaluations, evaluations * seconds


def choose_elements(size: int, sample: int | None, rng: np.random.Generator) -> Array:
    """Return the elements to check, counted in C order: all, or `sample` random ones in order."""
    if sample is None or sample >= size:
        return np.arange(size)
    return np.sort(rng.choice(size, sample, replace=False))


def _require_finite_value(recording: Recording, execution: CheckedExecution) -> None:
    for out in recording.outputs:
        if not np.isfinite(out).all():
            message = f"the value is {bad_values(out)}"
            raise ContractViolation("non-finite", message, "value", None, execution.first_non_finite)


def _require_finite_gradients(gradients: Mapping[str, Array]) -> None:
    """Hold a gradient that came from a person's own function to finiteness; operators are held to it one by one."""
    for name, gradient in gradients.items():
        if not np.isfinite(gradient).all():
            message = f"the gradient of {name} is {bad_values(gradient)}"
            raise ContractViolation("non-finite", message, "gradient", None)
