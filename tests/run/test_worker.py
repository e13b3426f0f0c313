"""A process that checks cases for another one: what it says, and when it says nothing more."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import Pipe

from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.worker import Line, Started, Task

Cases = Callable[..., list[Selected]]


def task(number: int, item: Selected) -> Task:
    return Task(number, item.file, item.case.name, item.parameters)


def test_a_copy_of_the_process_says_nothing(cases: Cases) -> None:
    (item,) = cases("expr: tanh(x)\nparams: {x: 1.0}\n")
    ours, theirs = Pipe()
    line = Line(theirs)
    ours.send(task(3, item))
    assert line.task().name == item.case.name
    copy = os.fork()
    if not copy:
        try:
            line.send(Started())
        finally:
            os._exit(5)  # unless it ended before
    assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 0
    assert not ours.poll()
    line.send(Started())
    assert ours.recv() == (3, Started())
