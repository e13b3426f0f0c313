"""Check one case: draw its arrays, judge it, and hold the verdict against the expectation."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from gradcheck_cli.codes import FINDING_CODES
from gradcheck_cli.errors import GradcheckError, MissingDevice, Skipped
from gradcheck_cli.findings.diagnose import diagnose, note_disconnected
from gradcheck_cli.knobs import Knobs, read_knobs
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, Verdict
from gradcheck_cli.run.case_function import case_function, out_of_time
from gradcheck_cli.run.contained import contained
from gradcheck_cli.run.deadline import TimeRanOut, deadline
from gradcheck_cli.run.elsewhere import visit_elsewhere
from gradcheck_cli.run.escape import escaped
from gradcheck_cli.run.interrupt import Interrupts
from gradcheck_cli.run.known import compare_known
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.strict import strictly
from gradcheck_cli.spec.arrays.values import number_of
from gradcheck_cli.spec.case import Case, Expectation
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement, skipped
from gradcheck_cli.verdict.watcher import Watcher


@contained()
def check_case(
    case: Case,
    parameters: Sequence[str],
    options: Options,
    watcher: Watcher | None = None,
    interrupts: Interrupts | None = None,
) -> CaseResult:
    """Check the named parameters of `case` and return its result.

    What can't be evaluated becomes a result with the verdict `error`. On Ctrl-C what was finished
    is raised in an `Interrupted`; a KeyboardInterrupt that an operator raises by itself is an
    error as any other.
    """
    interrupts = interrupts or Interrupts()
    knobs = read_knobs(options.knobs, case.knobs)
    judgement = Judgement()
    started = time.perf_counter()

    def result(verdict: Verdict | None = None, error: str | None = None) -> CaseResult:
        seconds = time.perf_counter() - started
        return _result(case, parameters, options, judgement, verdict or judgement.verdict, error, seconds)

    try:
        with interrupts.stopping(), deadline(knobs.timeout) as limit:

            def still_wanted() -> None:
                limit.check()
                interrupts.check()

            stopped = _judge(case, parameters, knobs, options, judgement, still_wanted, interrupts, watcher)
            if options.health:
                # Here, since most runs have no use for it.
                from gradcheck_cli.run.case_trace import health_of

                judgement.health = health_of(case, options, knobs)
    except Skipped as why:
        required = isinstance(why, MissingDevice) and why.device in options.require_devices
        return result(Verdict.ERROR, str(why)) if required else result(Verdict.SKIP, why.problems[0].message)
    except GradcheckError as error:
        return result(Verdict.ERROR, str(error))
    except TimeRanOut:
        return result(Verdict.ERROR, str(out_of_time(case, knobs)))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and interrupts.blamed():
            raise Interrupted(result(Verdict.SKIP, "interrupted")) from None
        described = escaped(case, error)
        if described is None:
            raise
        return result(Verdict.ERROR, str(described))
    finished = result()
    if stopped:
        raise Interrupted(finished)
    if options.details and not finished.ok:
        # Here, since few reports show them.
        from gradcheck_cli.run.details import with_details

        try:
            return with_details(finished, case, judgement, knobs, options, interrupts)
        except KeyboardInterrupt:
            raise Interrupted(finished) from None
    return finished


class Interrupted(BaseException):
    """The user stopped the run in the middle of a case; `result` holds what was finished of it."""

    def __init__(self, result: CaseResult) -> None:
        self.result = result
        super().__init__()


def skip_case(case: Case, parameters: Sequence[str], why: str, options: Options) -> CaseResult:
    """Return the result of a case that was not run."""
    return _result(case, parameters, options, Judgement(), Verdict.SKIP, why, 0.0)


def _judge(
    case: Case,
    parameters: Sequence[str],
    knobs: Knobs,
    options: Options,
    judgement: Judgement,
    still_wanted: Callable[[], None],
    interrupts: Interrupts,
    watcher: Watcher | None,
) -> bool:
    """Fill `judgement`; return whether the user interrupted it when its verdict was there already."""
    started = time.perf_counter()
    function, points, inputs = case_function(case, options, knobs, still_wanted)
    seed = [case.seed if options.seed is None else options.seed, number_of(case.name)]
    samples = {item.name: sample for item in case.parameters if (sample := _sample(item.sample, knobs, options))}
    if any(operator.bridged for operator in case.expression.operators):
        visit_elsewhere(function, points)
    judge(function, points, knobs, seed, samples, judgement, parameters, watcher)
    judgement.findings.extend(compare_known(case, parameters, judgement))
    stopped, suspects = False, None
    if any(parameter.verdict is Verdict.FAIL for parameter in judgement.parameters):
        from gradcheck_cli.run.blame_case import blame_case  # here, since most cases pass

        seconds = time.perf_counter() - started
        blamed = blame_case(case, function, points, judgement, knobs, seed, seconds, still_wanted, interrupts)
        stopped, suspects = blamed.interrupted, blamed.suspects
    diagnose(judgement, {name: value.shape for name, value in {**inputs, **points}.items()}, suspects)
    note_disconnected(judgement, function, points)
    return stopped


def _sample(own: int | None, knobs: Knobs, options: Options) -> int | None:
    return knobs.sample if options.knobs.get("sample") is not None else own or knobs.sample


def _result(
    case: Case,
    parameters: Sequence[str],
    options: Options,
    judgement: Judgement,
    verdict: Verdict,
    error: str | None,
    seconds: float,
) -> CaseResult:
    done = {result.name: strictly(result) if options.strict else result for result in judgement.parameters}
    specs = {item.name: item for item in case.parameters}
    results = [
        replace(
            done.get(name) or skipped(name, specs[name].shape),
            expected=case.expect.of(name),
            line=specs[name].location.line,
        )
        for name in parameters
    ]
    sound = all(finding.accepted and not options.strict for finding in judgement.findings)
    if error is None:
        verdicts = [verdict, *(result.verdict for result in done.values()), *[Verdict.FAIL] * (not sound)]
        verdict = Verdict.worst(verdicts)
    return CaseResult(
        id=case.id,
        file=case.file,
        line=case.location.line,
        name=case.name,
        expected=str(case.expect),
        verdict=verdict,
        ok=verdict is Verdict.SKIP
        or (error is None and as_expected(case.expect, verdict, results, judgement.findings, sound)),
        value=judgement.value,
        evaluations=judgement.evaluations,
        seconds=seconds,
        error=error,
        parameters=tuple(results),
        findings=tuple(judgement.findings),
        notes=tuple(judgement.notes),
        seed=case.seed if options.seed is None else options.seed,
        label=", ".join(dict.fromkeys(each.label for each in case.expression.operators if each.label)),
        blame=judgement.blame,
        dtype=case.knobs.dtype,
        health=tuple(judgement.health),
    )


def as_expected(
    expect: Expectation,
    verdict: Verdict,
    parameters: Sequence[ParameterResult],
    findings: Sequence[Finding],
    sound: bool,
) -> bool:
    """Tell whether the verdict is the expected one, or the expected finding is there; by parameter if a mapping.

    `findings` are those about the case as a whole, `sound` says that none of them counts against it.
    """
    if not expect.parameters:
        seen = [*findings, *(finding for result in parameters for finding in result.findings)]
        return _meets(expect.verdict, verdict, seen)
    return sound and all(_meets(result.expected or "pass", result.verdict, result.findings) for result in parameters)


def _meets(expected: str, verdict: Verdict, findings: Sequence[Finding]) -> bool:
    if expected not in FINDING_CODES:
        return verdict == expected
    return verdict == FINDING_CODES[expected].outcome and any(finding.name == expected for finding in findings)
