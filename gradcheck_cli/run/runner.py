"""Run the selected cases in order; whatever ends the run, what was finished is in the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gradcheck_cli.records import CaseResult, RunResult
from gradcheck_cli.run.case import Interrupted, check_case, skip_case
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.interrupt import hearing
from gradcheck_cli.run.options import Options
from gradcheck_cli.verdict.watcher import Watcher

INTERRUPTED = "interrupted"


class Progress(Watcher):
    """Who wants to know how far a run is; hears nothing in particular unless overridden."""

    def case(self, name: str) -> None:
        """Hear that a case starts."""


def run_cases(
    selected: Sequence[Selected],
    options: Options,
    on_result: Callable[[CaseResult], None] = lambda _: None,
    progress: Progress | None = None,
) -> RunResult:
    """Check the cases in order and return all results.

    `on_result` hears of each result as it is there. After an interrupt, and after the first
    unexpected verdict with `stop_first`, the rest is reported as skipped.
    """
    progress = progress or Progress()
    results: list[CaseResult] = []
    stopped = ""
    with hearing() as interrupts:
        for item in selected:
            if stopped:
                result = skip_case(item.case, item.parameters, stopped, options)
            else:
                progress.case(item.case.id)
                try:
                    result = check_case(item.case, item.parameters, options, progress, interrupts)
                except Interrupted as interrupt:
                    result, stopped = interrupt.result, INTERRUPTED
                if options.stop_first and not result.ok and not stopped:
                    stopped = f"not run: {item.case.name} was not as expected (-x)"
            results.append(result)
            on_result(result)
        interrupted = interrupts.pressed or stopped == INTERRUPTED
    return RunResult(seed=options.seed, cases=tuple(results), interrupted=interrupted)
