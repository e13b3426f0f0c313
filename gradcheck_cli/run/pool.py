"""Check cases in several processes. One that dies or hangs takes nothing with it but its case."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from gradcheck_cli.errors import Problem
from gradcheck_cli.knobs import read_knobs
from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.run.case import skip_case
from gradcheck_cli.run.case_function import out_of_time
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.interrupt import Interrupts
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.progress import Progress
from gradcheck_cli.run.stops import INTERRUPTED, Stops
from gradcheck_cli.run.worker import Broken, Done, Evaluated, Expected, Lost, News, Planned, Started, Task, work

_TICK = 0.1
"""Seconds between two looks at the clock and at Ctrl-C."""

_SOON = 1.0
"""Seconds within which a worker ends that has nothing to do."""

_GRACE = 5.0
"""Seconds that a worker may take beyond what it was given, to stop by itself and tell what was finished."""


def check_in_processes(
    selected: Sequence[Selected], options: Options, progress: Progress, interrupts: Interrupts, stops: Stops
) -> Generator[tuple[int, CaseResult], None, None]:
    """Check cases in `options.jobs` processes; yield position and result of each as it is there, in any order.

    Once `stops` knows a reason no further case is begun. On Ctrl-C the workers stop, and tell what was finished;
    who presses again has them killed.
    """
    waiting = list(enumerate(selected))[::-1]
    workers = [_Worker(options) for _ in range(min(options.jobs, len(selected)))]

    def kill() -> None:
        for worker in workers:
            worker.kill()

    interrupts.at_once = kill
    asked = False
    try:
        while True:
            if not asked and (interrupts.pressed or stops.reason == INTERRUPTED):
                asked = True
                stops.interrupt()
                for worker in workers:
                    worker.interrupt()
            for worker in workers:
                if waiting and not stops.reason and worker.begin(*waiting[-1]):
                    progress.case(waiting.pop()[1].case.id)
            busy = [worker for worker in workers if worker.number is not None]
            if not busy:
                return
            _wait(busy, interrupts)
            if interrupts.pressed and not asked:
                continue  # first, since one that SIGTERM ended as well is no fault of its case
            for worker in busy:
                yield from worker.hear(progress, stops)
    finally:
        _end(workers)


def _wait(busy: Sequence[_Worker], interrupts: Interrupts) -> None:
    """Wait a moment for news. A KeyboardInterrupt is a first press where `interrupts` can't hear of Ctrl-C."""
    try:
        wait([worker.connection for worker in busy], timeout=_TICK)
    except KeyboardInterrupt:
        if interrupts.pressed:
            raise
        interrupts.pressed = True


def _end(workers: Sequence[_Worker]) -> None:
    """End all workers. Without work they end by themselves once nobody listens; what hangs, or is busy, doesn't."""
    end = time.monotonic() + _SOON
    for worker in workers:
        worker.hang_up()
    for worker in workers:
        worker.end(max(end - time.monotonic(), 0.0) if worker.number is None else 0.0)


@dataclass
class _Begun:
    """A case that a worker was given: its position, when it has to be through, and whether it was asked to stop."""

    number: int
    item: Selected
    end: float | None = None
    stopped: bool = False


class _Worker:
    """One process, and what it has in hand. It is started when there is something to do, and again where it died."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._begun: _Begun | None = None
        self._process: SpawnProcess | None = None
        self.connection: Connection

    def _start(self) -> None:
        # Spawned, not forked: a copy of a process with threads, as libraries have them, may hang.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs, self._options), daemon=True)
        with _ctrl_c_held():
            process.start()
            self._process = process
        theirs.close()

    @property
    def number(self) -> int | None:
        """The position of the case in hand, None for none."""
        return self._begun.number if self._begun else None

    @property
    def overdue(self) -> bool:
        """Whether the case in hand should have been through."""
        return self._begun is not None and self._begun.end is not None and time.monotonic() > self._begun.end

    def begin(self, number: int, item: Selected) -> bool:
        """Hand over a case, and tell whether it could be taken."""
        if self._begun is not None:
            return False
        if self._process is None or not self._process.is_alive():
            self.end()
            self._start()
        with suppress(OSError):  # it died in this very moment, which is heard of
            self.connection.send(Task(number, item.file, item.case.name, item.parameters))
        self._begun = _Begun(number, item)
        return True

    def interrupt(self) -> None:
        """Ask for what is finished of the case in hand; wait a while for it."""
        if self._begun is not None and self._process is not None and self._process.pid is not None:
            self._begun.end, self._begun.stopped = time.monotonic() + _GRACE, True
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGTERM)

    def hear(self, progress: Progress, stops: Stops) -> Iterator[tuple[int, CaseResult]]:
        """Take a message if there is one, and yield the result if it brings one. Raises RuntimeError for our faults."""
        begun = self._begun
        assert begun is not None
        news = self._news(begun)
        if isinstance(news, Evaluated | Planned | Expected):
            progress.about(begun.item.case.id)
        match news:
            case Started():
                seconds = read_knobs(self._options.knobs, begun.item.case.knobs).timeout
                if seconds is not None and not begun.stopped:
                    begun.end = time.monotonic() + seconds + _GRACE
            case Evaluated(evaluations):
                progress.evaluation(evaluations)
            case Planned(text):
                progress.plan(text)
            case Expected(evaluations, seconds):
                progress.expect(evaluations, seconds)
            case Done(result, interrupted):
                if interrupted:
                    stops.interrupt()
                yield self._finish(begun, result)
            case Lost(why):
                yield self._finish(begun, self._failed(begun.item, why))
            case Broken(text):
                raise RuntimeError(f"in the process that checked {begun.item.case.id}:\n{text}")

    def _news(self, begun: _Begun) -> News | None:
        """Return what is heard of the case in hand, None for nothing."""
        # In this order: what it sent before it died is there when it is dead. That it is closed the connection doesn't
        # always tell, since a process that the operator forked has it as well.
        alive = self._process is not None and self._process.is_alive()
        try:
            if self.connection.poll():
                number, news = self.connection.recv()
                return news if number == begun.number else None
        except (EOFError, OSError):
            alive = False
        if not alive:
            return self._died(begun)
        return self._hung(begun) if self.overdue else None

    def _finish(self, begun: _Begun, result: CaseResult) -> tuple[int, CaseResult]:
        self._begun = None
        return begun.number, result

    def _failed(self, item: Selected, why: str) -> CaseResult:
        skipped = skip_case(item.case, item.parameters, why, self._options)
        return replace(skipped, verdict=Verdict.ERROR, ok=False)

    def _hung(self, begun: _Begun) -> News:
        """End a process that doesn't stop by itself, as one that hangs in compiled code."""
        self.end()
        if begun.stopped:
            return self._unfinished(begun)
        case = begun.item.case
        return Lost(str(out_of_time(case, read_knobs(self._options.knobs, case.knobs))))

    def _died(self, begun: _Begun) -> News:
        """Say how a process ended that should have gone on."""
        code = self.end(_SOON)
        if begun.stopped:
            return self._unfinished(begun)
        how = f"killed by {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit status {code}"
        hint = "an operator ended it: run the case alone, without -j, to see more"
        where = begun.item.case.location
        return Lost(str(Problem(f"the process that checked it died: {how}", where, "died", hint)))

    def _unfinished(self, begun: _Begun) -> Done:
        """Return the result of a case whose process was stopped, and told nothing."""
        return Done(skip_case(begun.item.case, begun.item.parameters, INTERRUPTED, self._options), interrupted=True)

    def hang_up(self) -> None:
        """Listen no more."""
        if self._process is not None:
            self.connection.close()

    def kill(self) -> None:
        """Kill the process; nothing is waited for."""
        if self._process is not None:
            self._process.kill()

    def end(self, patience: float = 0.0) -> int | None:
        """End the process, and return how it ended; for so many seconds it may do so by itself."""
        if self._process is None:
            return None
        self.hang_up()
        if self._process.is_alive():
            self._process.join(patience)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        code, self._process = self._process.exitcode, None
        return code


@contextmanager
def _ctrl_c_held() -> Iterator[None]:
    """Hold Ctrl-C back in the `with` block: what starts in it never hears of it, not even while it imports."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
