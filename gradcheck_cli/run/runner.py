"""Run the selected cases and give their results in order; whatever ends the run, what was finished is in the result."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing

from gradcheck_cli.records import CaseResult, RunResult
from gradcheck_cli.run.case import Interrupted, check_case, skip_case
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.interrupt import Interrupts, hearing
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.progress import Progress
from gradcheck_cli.run.stops import INTERRUPTED, Stops


def run_cases(
    selected: Sequence[Selected],
    options: Options,
    on_result: Callable[[CaseResult], None] = lambda _: None,
    progress: Progress | None = None,
) -> RunResult:
    """Check the cases and return all results in their order.

    `on_result` hears of each result as soon as it and all before it are there. After an interrupt, and after as many
    unexpected verdicts as `max_failures` allows, the rest is reported as skipped.
    """
    stops = Stops(options.max_failures)
    results: dict[int, CaseResult] = {}
    told = 0

    def tell() -> None:
        nonlocal told
        while told in results:
            on_result(results[told])
            told += 1

    # Closed here whatever happens: an exception would keep it, and with it the processes, to the end of the program.
    with (
        hearing() as interrupts,
        closing(_checked(selected, options, progress or Progress(), interrupts, stops)) as checked,
    ):
        for number, result in checked:
            results[number] = result
            stops.hear(result)
            tell()
        for number, item in enumerate(selected):
            if number not in results:
                results[number] = skip_case(item.case, item.parameters, stops.reason, options)
            tell()
        interrupted = interrupts.pressed or stops.reason == INTERRUPTED
    return RunResult(options.seed, tuple(results[number] for number in range(len(selected))), interrupted)


def _checked(
    selected: Sequence[Selected], options: Options, progress: Progress, interrupts: Interrupts, stops: Stops
) -> Generator[tuple[int, CaseResult], None, None]:
    """Check cases until they are through or `stops` says so; yield position and result as they are there."""
    if options.jobs > 1:  # also for one case: a process of its own is what keeps the others from harm
        from gradcheck_cli.run.pool import check_in_processes  # here, since most runs need one process

        yield from check_in_processes(selected, options, progress, interrupts, stops)
        return
    for number, item in enumerate(selected):
        if stops.reason:
            return
        progress.case(item.case.id)
        try:
            result = check_case(item.case, item.parameters, options, progress, interrupts)
        except Interrupted as interrupt:
            result = interrupt.result
            stops.interrupt()
        yield number, result
