"""A process that checks cases for another one: it reads the specs itself, since operators can't be sent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from gradcheck_cli.bridges.library import Library
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import GradcheckError, Problem
from gradcheck_cli.records import CaseResult
from gradcheck_cli.run.case import Interrupted, check_case
from gradcheck_cli.run.collect import given_operators, load_cases
from gradcheck_cli.run.find import SpecFile
from gradcheck_cli.run.interrupt import Interrupts
from gradcheck_cli.run.options import Options
from gradcheck_cli.spec.case import Case
from gradcheck_cli.verdict.watcher import Watcher

_PAUSE = 0.2
"""Seconds between two reports of how many evaluations were made."""

_LOOK = 1.0
"""Seconds between two looks at who the parent is."""


class Task(NamedTuple):
    """A case to check, by the name that it has in its spec; `number` is what its news are told by."""

    number: int
    file: SpecFile
    name: str
    parameters: tuple[str, ...]


class Started(NamedTuple):
    """News of a worker: it has read the spec, and begins with the check."""


class Evaluated(NamedTuple):
    """News of a worker: so many evaluations were made."""

    evaluations: int


class Planned(NamedTuple):
    """News of a worker: what is checked in place of everything."""

    text: str


class Expected(NamedTuple):
    """News of a worker: how long its check will take."""

    evaluations: int
    seconds: float


class Done(NamedTuple):
    """A worker is through with its task, or the user interrupted it."""

    result: CaseResult
    interrupted: bool = False


class Lost(NamedTuple):
    """A worker can't do its task; `why` says so to a person."""

    why: str


class Broken(NamedTuple):
    """A worker met a fault of the program itself."""

    traceback: str


News = Started | Evaluated | Planned | Expected | Done | Lost | Broken


def work(connection: Connection, options: Options) -> None:
    """Check the cases that come through `connection` one by one, until it is closed."""
    # Ctrl-C reaches every process of a terminal; the one that is in charge decides, and sends SIGTERM.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupts = Interrupts(patient=True)
    interrupts.hear(signal.SIGTERM)
    if parent := multiprocessing.parent_process():
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    specs, line = _Specs(options), Line(connection)
    try:
        while True:
            task = line.task()
            line.send(_done(task, specs, line, interrupts))
    except (EOFError, ConnectionError):
        return  # nobody wants anything any more


def _end_with(parent: BaseProcess) -> None:
    """End this process once its parent is dead, whatever it does then: nobody else would."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for the thread that works
    # A process that the parent forked may hold open what tells its end; who the parent is tells it as well.
    while os.getppid() == parent.pid and not wait([parent.sentinel], timeout=_LOOK):
        pass
    os._exit(1)


class Line:
    """The line of a worker to its parent. Every message carries the number of the task that it is about.

    A copy of the worker that an operator forked would speak for it: it ends when it tries.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._process = os.getpid()
        self._number = -1

    def task(self) -> Task:
        """Wait for the next task. Raises EOFError once there is none."""
        self._end_copy()
        task: Task = self._connection.recv()
        self._number = task.number
        return task

    def send(self, news: News) -> None:
        """Send news of the task."""
        self._end_copy()
        self._connection.send((self._number, news))

    def _end_copy(self) -> None:
        if os.getpid() != self._process:
            os._exit(0)


def _done(task: Task, specs: _Specs, line: Line, interrupts: Interrupts) -> News:
    try:
        case = specs.case(task)
        line.send(Started())
        return Done(check_case(case, task.parameters, specs.options, _Reporter(line), interrupts))
    except Interrupted as interrupt:
        return Done(interrupt.result, interrupted=True)
    except GradcheckError as error:
        return Lost(str(error))
    except BaseException:
        return Broken(traceback.format_exc())


@dataclass
class _Specs:
    """The specs that a worker has read; operator files are loaded once for all of them."""

    options: Options
    _loader: Library = field(default_factory=Library)
    _given: dict[str, Operator] | None = None
    _cases: dict[str, dict[str, Case]] = field(default_factory=dict)

    def case(self, task: Task) -> Case:
        """Return the case of a task. Raises GradcheckError where it isn't there any more."""
        if self._given is None:
            self._given = given_operators(self.options, self._loader)
        shown = task.file.shown
        if shown not in self._cases:
            cases = load_cases(task.file, self._loader, self._given, self.options)
            self._cases[shown] = {case.name: case for case in cases}
        if task.name not in self._cases[shown]:
            raise GradcheckError(Problem(f"{shown} was changed while it was checked", code="changed-spec"))
        return self._cases[shown][task.name]


class _Reporter(Watcher):
    """Passes on what a check says of its progress."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._untold = 0
        self._due = 0.0

    def evaluation(self, count: int = 1) -> None:
        """Pass on now and then how often the function was evaluated."""
        self._untold += count
        if time.monotonic() > self._due:
            self._line.send(Evaluated(self._untold))
            self._untold, self._due = 0, time.monotonic() + _PAUSE

    def plan(self, text: str) -> None:
        """Pass on what is checked in place of everything."""
        self._line.send(Planned(text))

    def expect(self, evaluations: int, seconds: float) -> None:
        """Pass on how long a check will take."""
        self._line.send(Expected(evaluations, seconds))
