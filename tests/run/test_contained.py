"""What code of the user does to the process is undone: a folder that it changed, a copy that it lets come back."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gradcheck_cli.run.collect import Selected, collect
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.runner import run_cases

Write = Callable[[str, str], Path]

OPERATORS = '''
import os
from gradcheck_cli import op

{first}

@op
def odd(x):
    """x, once something was done."""
    {does}
    return 1 * x

@odd.backward
def _(g):
    return g
'''


@pytest.mark.parametrize(("first", "does"), [("os.chdir('/')", "pass"), ("", "os.chdir('/')")])
def test_specs_are_found_after_an_operator_that_changes_the_folder(
    write: Write, folder: Path, first: str, does: str
) -> None:
    write("my_ops.py", OPERATORS.format(first=first, does=does))
    for name in "ab":
        write(f"{name}.grad.yaml", "ops: [my_ops.py]\nexpr: odd(x)\nparams: {x: 1.0}\n")
    options = Options(paths=("a.grad.yaml", "."), jobs=2)
    selected = collect(options)
    assert [item.case.file for item in selected] == ["a.grad.yaml", "b.grad.yaml"]
    assert Path.cwd() == folder
    for jobs in (1, 2):
        assert run_cases(selected, Options(jobs=jobs)).ok
        assert Path.cwd() == folder


def test_a_module_that_changes_the_folder_leads_nothing_astray(
    write: Write, folder: Path, monkeypatch: pytest.MonkeyPatch, cases: Callable[..., list[Selected]]
) -> None:
    write("installed/moving_ops.py", OPERATORS.format(first="os.chdir('/')", does="pass"))
    monkeypatch.syspath_prepend(folder / "installed")
    cases('ops: ["moving_ops:odd"]\nexpr: odd(x)\nparams: {x: 1.0}\n')
    assert Path.cwd() == folder


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_copy_of_the_process_reports_nothing(
    write: Write, folder: Path, cases: Callable[..., list[Selected]], jobs: int
) -> None:
    """The copy comes back in the middle of the next case, with another verdict; it would take its place."""
    early = "if not os.path.exists('forked'): os.mkdir('forked'); os.fork() or __import__('time').sleep(0.2)"
    write("my_ops.py", OPERATORS.format(first="", does=early) + "\nfrom other import slow\n")
    write(
        "other.py",
        '''
        import time
        from gradcheck_cli import op

        @op
        def slow(x):
            """x, after a while."""
            time.sleep(0.01)
            return 1 * x

        @slow.backward
        def _(g):
            return 2 * g
        ''',
    )
    told = folder / "told"
    selected = cases(
        """
        ops: [my_ops.py, other.py]
        params: {x: 1.0}
        cases:
          - {name: forks, expr: odd(x)}
          - {name: fails, expr: slow(x)}
          - {name: fails too, expr: slow(x)}
        """
    )

    def tell(result: object) -> None:
        with told.open("a") as stream:
            stream.write(f"{os.getpid()}\n")

    run = run_cases(selected, Options(jobs=jobs), tell)
    assert [str(case.verdict) for case in run.cases] == ["pass", "fail", "fail"]
    assert told.read_text().split() == [str(os.getpid())] * 3
