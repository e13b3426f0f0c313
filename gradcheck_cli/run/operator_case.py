"""Check one operator on one variant of its inputs, and decide whether the outcome counts."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import trying, using
from gradcheck_cli.core.recording import no_grad
from gradcheck_cli.core.variable import value_of
from gradcheck_cli.errors import GradcheckError, OperatorError, Problem, Skipped
from gradcheck_cli.findings.diagnose import diagnose
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.knobs import ALLOWED
from gradcheck_cli.numeric.call import Subject
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.operator_records import VariantResult
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.elsewhere import visit_elsewhere
from gradcheck_cli.run.operator_options import OperatorOptions
from gradcheck_cli.run.strict import strictly
from gradcheck_cli.run.trial import Trial
from gradcheck_cli.spec.arrays.values import number_of
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement
from gradcheck_cli.verdict.results import bad_values
from gradcheck_cli.verdict.watcher import Watcher

_DEGENERATE = (Kind.SCALAR, Kind.SIZE_ONE, Kind.BROADCAST, Kind.EMPTY)
"""Variants that take axes or elements away from some input."""

_FEW_ELEMENTS = 64
"""Elements of an array that are checked on other variants than base draws; of a larger one, so many random ones.

A fault of theirs is seldom one of a single element; base draws have all of their elements checked.
"""


@dataclass(frozen=True)
class Refusal:
    """Why the forward gives no value for some arguments.

    It "raised", its value is "not-finite", or it is "broken": what it returned is no value.
    """

    cause: Literal["raised", "not-finite", "broken"]
    message: str
    problem: Problem | None = None


def refusal(trial: Trial) -> Refusal | None:
    """Call the forward once; return why it gives no value, None if it does. Raises Skipped."""
    with _quietly(trial.variant.kind), using(SeededExecution(allowed=ALLOWED)), no_grad():
        try:
            with trying():
                outputs = trial.apply({})
        except Skipped:
            raise
        except OperatorError as error:
            first = error.problems[0]
            # Without an optional argument code may return something else, as scores in place of a loss.
            refused = first.code == "operator-raised" or (
                first.code == "output-count" and trial.variant.kind is Kind.LEFT_OUT
            )
            return Refusal("raised" if refused else "broken", first.message, first)
    for out in outputs if isinstance(outputs, tuple) else (outputs,):
        array = np.asarray(value_of(out))
        if not np.isfinite(array).all():
            return Refusal("not-finite", f"the value of {trial.operator.name} is {bad_values(array)}")
    return None


def check_trial(
    trial: Trial,
    options: OperatorOptions,
    still_wanted: Callable[[], None] = lambda: None,
    watcher: Watcher | None = None,
) -> VariantResult:
    """Check the gradients of an operator on arguments that its forward takes. Raises Skipped.

    `still_wanted` is called before every evaluation, and raises to stop.
    """
    started = time.perf_counter()
    kind, parameters = trial.variant.kind, trial.parameters
    judgement, error = Judgement(), None

    def evaluate(values: Mapping[str, Any]) -> Any:
        still_wanted()
        return trial.apply(values)

    function = TracedFunction(evaluate, Subject(trial.operator.name, trial.operator.location))
    seed = [trial.seed, number_of(trial.name)]
    large = [name for name, array in parameters.items() if array.size > _FEW_ELEMENTS and kind is not Kind.BASE]
    samples = dict.fromkeys(large, _FEW_ELEMENTS)
    with _quietly(kind):
        try:
            if trial.operator.bridged:
                visit_elsewhere(function, parameters)
            with trying():
                judge(function, parameters, options.knobs, seed, samples, judgement, list(parameters), watcher)
            suspects = _suspects(function, parameters, judgement, options, seed, time.perf_counter() - started)
            diagnose(judgement, trial.shapes, suspects)
        except Skipped:
            raise
        except GradcheckError as raised:
            error = str(raised)
    if options.strict and kind not in _DEGENERATE:
        judgement.parameters[:] = map(strictly, judgement.parameters)
    seconds = time.perf_counter() - started
    if error is not None:
        # A formula that divides by the number of elements; of a gradient without elements nothing can be wrong.
        empty = "degenerate: its backward raises on empty arrays" if kind is Kind.EMPTY else ""
        return trial.checked(judgement, Verdict.ERROR, seconds, error, empty)
    verdict = judgement.verdict
    if verdict is Verdict.INCONCLUSIVE and kind is not Kind.BASE and _only_empty(judgement):
        verdict = Verdict.PASS
    return trial.checked(judgement, verdict, seconds, set_aside=why_set_aside(kind, judgement))


def _suspects(
    function: TracedFunction,
    parameters: Mapping[str, Array],
    judgement: Judgement,
    options: OperatorOptions,
    seed: list[int],
    seconds: float,
) -> Mapping[str, Sequence[Suspect]]:
    """Return what is wrong with the operator by argument, with all that its backward had at hand."""
    if all(parameter.verdict is not Verdict.FAIL for parameter in judgement.parameters):
        return {}
    from gradcheck_cli.findings.blame.blaming import Blaming  # here, since most operators pass

    blaming = Blaming(function, parameters, judgement, options.knobs, seed, lambda _: None, seconds)
    with suppress(GradcheckError):  # it has its verdict already
        blaming.run()
    return blaming.suspects


def why_set_aside(kind: Kind, judgement: Judgement) -> str:
    """Say why an outcome speaks neither for nor against the operator; empty if it does.

    A broken contract and a wrong gradient count on every variant: what the forward takes, the
    backward has to get right. A gradient that isn't finite is wrong for one element as well: a forward that
    has a value there (the standard deviation of one element is 0) has a slope, too. Two outcomes don't count, since
    they say nothing of a right operator:

    - A gradient that can't be decided, where a variant takes axes or elements away. Batch norm over one element
      is constant: rounding stands beside rounding.
    - A gradient that isn't finite, of empty arrays: a formula divides by the number of elements.

    Empty arrays (`nothing-checked`) pass, and gradients that are zero on both sides (`vacuous`): their
    contract was checked, the shape of each gradient above all.
    """
    if kind not in _DEGENERATE:
        return ""
    broken = [finding for finding in judgement.findings if not finding.accepted]
    if kind is Kind.EMPTY and broken and all(finding.name == "non-finite" for finding in broken):
        return f"degenerate: {broken[0].message.splitlines()[0]}"
    if judgement.verdict is Verdict.INCONCLUSIVE and not _only_empty(judgement):
        open_ones = [each for each in judgement.parameters if each.verdict is Verdict.INCONCLUSIVE and each.elements]
        return f"degenerate: {open_ones[0].findings[0].message.splitlines()[0]}"
    return ""


def _only_empty(judgement: Judgement) -> bool:
    """Tell whether all that is undecided has no elements."""
    undecided = [each for each in judgement.parameters if each.verdict is Verdict.INCONCLUSIVE]
    return all(parameter.elements == 0 for parameter in undecided)


@contextmanager
def _quietly(kind: Kind) -> Iterator[None]:
    """Show no warnings about inputs that nobody asked for."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        if kind is not Kind.BASE:
            warnings.simplefilter("ignore", RuntimeWarning)
        yield
