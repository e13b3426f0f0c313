"""Judge a function at a point: contract first, then numbers, then the verdict of every parameter."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import current, using
from gradcheck_cli.core.generators import restored
from gradcheck_cli.errors import ContractViolation
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.blas import one_blas_thread
from gradcheck_cli.numeric.function import Function, Recording, Values
from gradcheck_cli.numeric.point import Outputs, Point
from gradcheck_cli.numeric.recorder import Recorder
from gradcheck_cli.records import ParameterResult, Verdict
from gradcheck_cli.verdict.budget import DIRECTIONS, Trial, beside, choose_elements, seconds_per_element
from gradcheck_cli.verdict.contract import CONTRACT, CheckedExecution
from gradcheck_cli.verdict.cotangents import signed_cotangent
from gradcheck_cli.verdict.gradient import Gradient
from gradcheck_cli.verdict.judgement import Judgement, as_finding, skipped
from gradcheck_cli.verdict.parameter import JudgedParameter, judge_parameter
from gradcheck_cli.verdict.planned import Planned, View
from gradcheck_cli.verdict.results import (
    agree,
    all_agree,
    bad_values,
    notes_on,
    require_finite_gradients,
    require_finite_value,
    unlike_gradients,
    unlike_values,
)
from gradcheck_cli.verdict.sampling import Sampling
from gradcheck_cli.verdict.watcher import Watcher

if TYPE_CHECKING:
    from gradcheck_cli.verdict.joint_kinks import Kinked
    from gradcheck_cli.verdict.ties import Suspect

TIES = 20_253
"""Of the generator that breaks ties, so that what is looked for there changes no other draw."""


def judge(
    function: Function,
    values: Values,
    knobs: Knobs,
    seed: Sequence[int],
    samples: Mapping[str, int],
    judgement: Judgement,
    only: Collection[str],
    watcher: Watcher | None = None,
    appeal: bool = True,
) -> None:
    """Check the gradient of `function` at `values` for every parameter, and write it into `judgement`.

    `samples` limits how many elements of a parameter are checked (drawn with `seed`), `only` names
    the parameters to check. With `appeal`, what is called wrong where elements tie is looked at again. Raises
    OperatorError when the function can't be evaluated.
    """
    check = _Check(function, values, knobs, seed, samples, judgement, only, watcher or Watcher(), appeal)
    size = sum(values[name].size for name in only)
    with restored(), np.errstate(all="ignore"), one_blas_thread(size):
        try:
            check.contract()
            check.numbers()
        except ContractViolation as violation:
            judgement.findings.append(as_finding(violation))
            done = {parameter.name for parameter in judgement.parameters}
            judgement.parameters.extend(skipped(name, values[name].shape) for name in only if name not in done)
    judgement.findings.extend(map(as_finding, check.checked.beside.values()))
    judgement.findings.extend(as_finding(violation, accepted=True) for violation in check.accepted)
    judgement.notes.extend(notes_on(check.outputs.jitter, check.checked.users))


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
        appeal: bool = True,
    ) -> None:
        self.function = function
        self.values = values
        self.knobs = knobs
        self.seed = seed
        self.sampling = Sampling(samples, knobs, seed, watcher, judgement.notes)
        self.judgement = judgement
        self.only = only
        self.watcher = watcher
        self.appeal = appeal
        self.suspects: dict[str, Suspect] = {}
        self.rng = np.random.default_rng(seed)
        # One of its own, since how much it draws depends on what it has seen before.
        self.checked = CheckedExecution(np.random.default_rng([*seed, CONTRACT]), knobs)
        self.accepted: list[ContractViolation] = []
        self.outputs = Outputs(())

    def contract(self) -> None:
        """Look at every operator, and at whether the function can be repeated; find its plan, and hold that to it."""
        for name, x in self.values.items():
            if not np.isfinite(x).all():
                raise ContractViolation("non-finite", f"the point itself is {bad_values(x)}", name, None)
        with using(self.checked):
            self._record()
        self.accepted += self.checked.accepted.values()
        self.recorder = Recorder(self.checked.users, self.knobs.allow)
        with using(self.recorder):
            started = time.perf_counter()
            again = self._require_same_gradient()
            self.seconds = time.perf_counter() - started
            memory = int(self.knobs.memory * 2**20)
            self.planned = Planned(self.checked.users, self.accepted, self.seed, memory)
            self.planned.find(self.function, self.values, self.recorder, again)
            self.checked.beside.update({str(violation): violation for violation in self.planned.violations})
            self.view = self.planned.plain(self.function, self.recording, self.outputs, self.cotangent)
            self.terms = self.planned.terms(self.outputs, self.cotangent)

    def numbers(self) -> None:
        """Compare every parameter, and evaluate at the point once more in the end, which must agree."""
        with using(self.recorder):
            self._plan(self.only)
            kinked = [kinks for name in self.only if (kinks := self._parameter(name))]
            if kinked:
                from gradcheck_cli.verdict.joint_kinks import judge_together  # here, since most checks have none

                # Kinks of parameters that were not selected count, too: a part must not pass where the whole fails.
                others = [name for name in self.values if name not in self.only]
                self._plan(others)
                kinked += [kinks for name in others if (kinks := self._compare(name).kinked)]
                with self._counting(kinked[0].point):
                    judge_together(self.judgement, kinked, self.view.cotangent, self.rng)
            self._hear_ties()
            self.judgement.evaluations += 1
            self._require_same_value(self.function.outputs(self.values), " at the end of the check")
        known = {str(violation) for violation in self.accepted}
        self.accepted += [v for text, v in self.recorder.accepted.items() if text not in known]

    def _record(self) -> None:
        """Record the function with a second look at every operator, and run its backward once."""
        self.recording = self.function.record(self.values)
        self.judgement.evaluations += 1
        outputs = self.recording.outputs
        self.judgement.outputs = outputs
        is_number = len(outputs) == 1 and outputs[0].size == 1
        self.judgement.value = float(outputs[0].item()) if is_number else None
        require_finite_value(outputs, self.checked.first_non_finite)
        still = [at for at, out in enumerate(outputs) if any(out is each for each in self.checked.still)]
        self.outputs = Outputs(outputs, self.checked.coarsest, without_gradient=still)
        drawn, given = signed_cotangent(self.outputs.epsilon.size, self.rng), self.judgement.cotangents
        self.cotangent = self.outputs.flat(given) if given else drawn
        self.judgement.cotangents = self.outputs.split(self.cotangent)
        self.gradients = self.recording.vjp(self.judgement.cotangents)
        require_finite_gradients(self.gradients)
        self.judgement.gradients = self.gradients if is_number else {}

    def _parameter(self, name: str) -> Kinked | None:
        """Judge one parameter and keep its result; return its elements at kinks."""
        judged = self._compare(name, self.judgement.parameters.append)
        result = self._with_directions(name, judged.result) if name in self.sampling.planned else judged.result
        self.judgement.parameters.append(result)
        if judged.evidence:
            self.judgement.evidence[name] = judged.evidence
        if judged.suspect:
            self.suspects[name] = judged.suspect
        return judged.kinked

    def _hear_ties(self) -> None:
        """Look again at parameters that were called wrong, where elements tie."""
        failed = any(result.verdict is Verdict.FAIL for result in self.judgement.parameters)
        if not failed or not self.appeal or self.knobs.kinks == "fail":
            return
        from gradcheck_cli.verdict.ties import Surroundings, acquit  # here, since most gradients are right

        around = Surroundings(self.function, self.values, self.outputs, self.cotangent, self.gradients, self._announce)
        acquit(self.judgement, around, self.suspects, self._judged_beside, np.random.default_rng([*self.seed, TIES]))

    def _announce(self, count: int) -> None:
        self.watcher.evaluation(count)
        self.judgement.evaluations += count

    def _judged_beside(self, values: Values, names: Collection[str]) -> Judgement:
        beside = Judgement(cotangents=self.judgement.cotangents)
        samples = self.sampling.numbers
        judge(self.function, values, self.knobs, self.seed, samples, beside, names, self.watcher, appeal=False)
        self.judgement.evaluations += beside.evaluations
        return beside

    def _compare(
        self, name: str, stopped: Callable[[ParameterResult], None] | None = None, elements: Array | None = None
    ) -> JudgedParameter:
        """Judge one parameter: by the terms of the value if these acquit it, else by the value itself.

        Without `elements` those are compared that the sampling chooses. A term doesn't show what is rounded inside of
        it where it happens to be small, the value does.
        """
        if self.terms is not None and not self.knobs.directions:
            judged = self._compare_in(
                self.terms, name, stopped and (lambda result: stopped(_undecided(result))), elements
            )
            if judged.result.verdict is Verdict.PASS and not judged.kinked:
                return judged
        return self._compare_in(self.view, name, stopped, elements)

    def _compare_in(
        self,
        view: View,
        name: str,
        stopped: Callable[[ParameterResult], None] | None,
        elements: Array | None,
    ) -> JudgedParameter:
        point, rng, gradient_of = self._point(view, name), self._generator(name), Gradient(view, name, self.gradients)
        with self._counting(point):
            if self.knobs.directions and point.x.size:
                from gradcheck_cli.verdict.directions import judge_directions  # here, since most checks have none

                return judge_directions(point, view.cotangent, gradient_of, self.knobs, rng)
            if elements is None:
                elements = choose_elements(point.x.size, self.sampling.numbers.get(name), rng)
            return judge_parameter(point, view.cotangent, gradient_of, self.knobs, elements, rng, stopped)

    @contextmanager
    def _counting(self, point: Point) -> Iterator[None]:
        """Count what is evaluated at a point, also where an exception stops it."""
        before = point.evaluations
        try:
            yield
        finally:
            self.judgement.evaluations += point.evaluations - before

    def _require_same_gradient(self) -> Recording:
        """Evaluate once more and go back: value and gradient must be those of the first time; return the recording."""
        self.judgement.evaluations += 1
        with self.recorder.recording():
            again = self.function.record(self.values)
        self._require_same_value(again.outputs, "")
        gradients = again.vjp(self.outputs.split(self.cotangent))
        if not all(agree(g, gradients[name], self.knobs.repeat) for name, g in self.gradients.items()):
            current().violated(unlike_gradients())
        return again

    def _require_same_value(self, again: Sequence[Array], when: str) -> None:
        """Hold another evaluation at the point to the first; a small difference is noise, and is noted."""
        first = self.recording.outputs
        if not all_agree(first, again, self.knobs.repeat):
            current().violated(unlike_values(when))
            return
        jitter = np.abs(self.outputs.flat(again) - self.outputs.flat(first))
        self.outputs.jitter = np.maximum(self.outputs.jitter, jitter)

    def _plan(self, names: Collection[str]) -> None:
        """Plan how many elements of the named parameters are checked."""
        longest_first = sorted(names, key=self.planned.steps_of, reverse=True)
        sizes = {name: self.values[name].size for name in longest_first}
        self.sampling.plan(sizes, self.seconds, self._seconds_per_element)

    def _seconds_per_element(self, name: str, plenty: float, patience: float) -> float:
        """Measure what an element of a parameter takes. That isn't counted: it depends on how busy the machine is."""

        def check(elements: Array) -> Trial:
            before = self.judgement.evaluations
            try:
                verdict = self._compare(name, elements=elements).result.verdict
                return Trial(self.judgement.evaluations - before, verdict is not Verdict.FAIL)
            finally:
                self.judgement.evaluations = before

        return seconds_per_element(self.values[name].size, check, plenty, patience)

    def _point(self, view: View, name: str) -> Point:
        evaluator = self.planned.evaluator(view, name)
        return Point(view.function, self.values, name, view.outputs, self.watcher.evaluation, evaluator)

    def _with_directions(self, name: str, result: ParameterResult) -> ParameterResult:
        """Look along random directions across the elements that were left out, and join what they say."""
        from gradcheck_cli.verdict.directions import judge_directions  # here, since most checks leave nothing out

        view, point = self.view, self._point(self.view, name)
        others = np.ones(point.x.size, dtype=bool)
        others[choose_elements(point.x.size, self.sampling.numbers[name], self._generator(name))] = False
        rng = np.random.default_rng([*self.seed, zlib.crc32(name.encode()), DIRECTIONS])
        knobs = replace(self.knobs, directions=DIRECTIONS)
        with self._counting(point):
            seen = judge_directions(point, view.cotangent, Gradient(view, name, self.gradients), knobs, rng, others)
        return beside(result, seen.result)

    def _generator(self, name: str) -> np.random.Generator:
        # One of its own, so that a parameter checked alone is checked as among others.
        return np.random.default_rng([*self.seed, zlib.crc32(name.encode())])


def _undecided(result: ParameterResult) -> ParameterResult:
    """Return the result of a parameter that was stopped before its elements could be seen in the value itself."""
    return replace(result, verdict=Verdict.SKIP, findings=())
