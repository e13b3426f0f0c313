"""Check operators on inputs drawn from their own domains; whatever ends the check, what was finished is kept."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from gradcheck_cli.bridges.guess import NEEDS_DOMAIN, guess_domains
from gradcheck_cli.bridges.guess_words import guessed_words, names_gradients, without_gradient
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import GradcheckError, MissingDevice, Problem, Skipped
from gradcheck_cli.operator_records import OperatorResult, OperatorsResult
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.contained import contained
from gradcheck_cli.run.deadline import Deadline, TimeRanOut, deadline
from gradcheck_cli.run.escape import escaped_from
from gradcheck_cli.run.interrupt import Interrupts, hearing
from gradcheck_cli.run.operator_notes import OF_SHAPES
from gradcheck_cli.run.operator_options import OperatorOptions
from gradcheck_cli.run.operator_trials import Trials
from gradcheck_cli.run.progress import Progress
from gradcheck_cli.run.stops import INTERRUPTED
from gradcheck_cli.spec.arrays.values import number_of

NOTHING_TO_CHECK = "nothing to check: no input of it has a gradient"


def check_operators(
    operators: Sequence[Operator], options: OperatorOptions, progress: Progress | None = None
) -> OperatorsResult:
    """Check the operators in order and return all results. After an interrupt the rest is reported as skipped."""
    progress = progress or Progress()
    results: list[OperatorResult] = []
    with hearing() as interrupts:
        for operator in operators:
            if interrupts.pressed or (results and results[-1].error == INTERRUPTED):
                results.append(_result(operator, options, Verdict.SKIP, error=INTERRUPTED))
                continue
            progress.case(operator.name)
            results.append(check_operator(operator, options, progress, interrupts))
        interrupted = interrupts.pressed or any(result.error == INTERRUPTED for result in results)
    return OperatorsResult(options.seed, options.samples, tuple(results), interrupted)


@contained()
def check_operator(
    operator: Operator, options: OperatorOptions, progress: Progress | None = None, interrupts: Interrupts | None = None
) -> OperatorResult:
    """Check one operator on all of its variants.

    What ends it early becomes part of the result: on Ctrl-C it is skipped, with what was finished.
    """
    try:
        known = guess_domains(operator, np.random.default_rng([options.seed, number_of(operator.name)]))
    except GradcheckError as error:
        return _unknown(operator, options, error)
    if not any(item.domain.differentiable for item in known.inputs):
        return _result(operator, options, Verdict.SKIP, error=NOTHING_TO_CHECK)
    interrupts = interrupts or Interrupts()
    started = time.perf_counter()
    limit = Deadline(None)

    def still_wanted() -> None:
        limit.check()
        interrupts.check()

    trials = Trials(known, options, still_wanted, progress)
    trials.notes += filter(None, [guessed_words(operator, known)])

    def result(verdict: Verdict, error: str | None = None) -> OperatorResult:
        return _result(operator, options, verdict, trials, error, time.perf_counter() - started)

    try:
        with interrupts.stopping(), deadline(options.knobs.timeout) as limit:
            trials.run()
    except Skipped as why:
        required = isinstance(why, MissingDevice) and why.device in options.require_devices
        return result(Verdict.ERROR, str(why)) if required else result(Verdict.SKIP, why.problems[0].message)
    except GradcheckError as error:
        return result(Verdict.ERROR, str(error))
    except TimeRanOut:
        hint = "give it more time with --timeout, or look for what hangs"
        message = f"{operator.name} ran out of its {options.knobs.timeout:g} s"
        return result(Verdict.ERROR, str(Problem(message, operator.location, "timeout", hint)))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and interrupts.blamed():
            return result(Verdict.SKIP, INTERRUPTED)
        described = escaped_from({operator.file}, error, operator.name, operator.location)
        if described is None:
            raise
        return result(Verdict.ERROR, str(described))
    verdict = _verdict(trials, guessed=known is not operator)
    if verdict is Verdict.PASS and without_gradient(operator, known) and not names_gradients(operator):
        verdict = Verdict.INCONCLUSIVE  # a gradient that was forgotten looks the same
    return result(verdict)


def _unknown(operator: Operator, options: OperatorOptions, why: GradcheckError) -> OperatorResult:
    """Return the result of an operator that can't be tried.

    Where nobody knows what it takes nothing is known against it: it is skipped, and an error only for the strict.
    """
    required = isinstance(why, MissingDevice) and why.device in options.require_devices
    problem = why.problems[0]
    harmless = isinstance(why, Skipped) or (problem.code == NEEDS_DOMAIN and not options.strict)
    if required or not harmless:
        return _result(operator, options, Verdict.ERROR, error=str(why))
    return _result(operator, options, Verdict.SKIP, error="; ".join(filter(None, [problem.message, problem.hint])))


def _verdict(trials: Trials, guessed: bool) -> Verdict:
    """Return the verdict of an operator: a wrong gradient goes before what couldn't be checked.

    Nobody said of a guessed operator that it takes other shapes than were guessed, so what is wrong only with
    those is left to a person to decide.
    """
    counted = [result for result in trials.results if not result.skipped]
    wrong = [result for result in counted if result.case.verdict is Verdict.FAIL]
    if guessed and all(result.kind in OF_SHAPES for result in wrong):
        verdicts = [Verdict.INCONCLUSIVE if result in wrong else result.case.verdict for result in counted]
        return Verdict.worst(verdicts)
    return Verdict.FAIL if wrong else Verdict.worst([result.case.verdict for result in counted])


def _result(
    operator: Operator,
    options: OperatorOptions,
    verdict: Verdict,
    trials: Trials | None = None,
    error: str | None = None,
    seconds: float = 0.0,
) -> OperatorResult:
    return OperatorResult(
        operator.name,
        operator.file,
        operator.line,
        verdict,
        tuple(trials.results) if trials else (),
        operator.label,
        error,
        tuple(trials.notes) if trials else (),
        seconds,
        options.seed,
    )
