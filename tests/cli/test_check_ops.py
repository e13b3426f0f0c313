"""`gradcheck check-ops`: operators without a spec, as text and JSON, selected by name."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.checked_operators import OPERATORS, RIGHT, WRONG

Gradcheck = Callable[..., Any]
Write = Callable[[str, str], Path]


def rows(text: str) -> dict[str, list[str]]:
    """Return the cells of the table by operator."""
    return {line.split()[0]: line.split()[1:] for line in text.partition("\n\n")[0].splitlines()[1:]}


def test_a_file_of_right_operators_passes(gradcheck: Gradcheck, mine: Callable[..., Path]) -> None:
    ended = gradcheck("check-ops", "--ops", mine())
    assert (ended.code, ended.err) == (0, "")
    found = rows(ended.out)
    assert list(found) == ["cube", "moved", "counted"]
    assert [cells[-1] for cells in found.values()] == ["PASS", "PASS", "SKIP"]
    assert " counted: nothing to check: no input of it has a gradient" in ended.out
    assert "0 failed, 2 passed, 1 skipped, " in ended.out


def test_a_wrong_operator_is_named_with_argument_and_backward(gradcheck: Gradcheck, mine: Callable[..., Path]) -> None:
    mine(WRONG)
    ended = gradcheck("check-ops", "--ops", "my_ops.py")
    assert ended.code == 1
    assert {name: cells[-1] for name, cells in rows(ended.out).items()} == {
        "cube": "PASS",
        "moved": "FAIL",
        "counted": "SKIP",
    }
    assert "my_ops.py:14  moved, as declared" in ended.out
    assert " GC102 gradient-shape   my_ops.py:19" in ended.out
    assert "the gradient of shift has shape" in ended.out
    assert " rerun   gradcheck check-ops moved --seed 0 --ops my_ops.py" in ended.out
    assert "1 failed, 1 passed, 1 skipped, " in ended.out


def test_a_wrong_number_is_shown_with_its_sweep(gradcheck: Gradcheck, mine: Callable[..., Path]) -> None:
    mine("2 * g.sum(axis=0)")
    ended = gradcheck("check-ops", "moved", "--ops", "my_ops.py")
    assert ended.code == 1
    assert " shift[" in ended.out
    assert "analytic" in ended.out
    assert "rel err   0.33   0.33" in ended.out
    assert " backward at my_ops.py:19, for shift" in ended.out


def test_json_is_the_only_thing_on_standard_output(gradcheck: Gradcheck, mine: Callable[..., Path]) -> None:
    mine(WRONG)
    ended = gradcheck("check-ops", "--ops", "my_ops.py", "--format", "json", "--seed", "3")
    assert (ended.code, ended.err) == (1, "")
    found = ended.json
    assert (found["seed"], found["samples"], found["summary"]["ok"]) == (3, 1, False)
    assert {each["name"]: each["verdict"] for each in found["operators"]} == {
        "cube": "pass",
        "moved": "fail",
        "counted": "skip",
    }
    moved = found["operators"][1]
    assert moved["backward"] == [{"inputs": ["x", "shift"], "file": str(Path("my_ops.py").resolve()), "line": 19}]
    assert "expr: moved(x, shift)" in moved["variants"][0]["spec"]


def test_two_runs_say_the_same(gradcheck: Gradcheck, mine: Callable[..., Path]) -> None:
    def numbers(*names: str) -> Any:
        mine("2 * g.sum(axis=0)")
        found = gradcheck("check-ops", *names, "--ops", "my_ops.py", "--format", "json").json
        for operator in found["operators"]:
            operator.pop("seconds")
            for variant in operator["variants"]:
                variant.pop("seconds")
        return {operator["name"]: operator for operator in found["operators"]}

    assert numbers() == numbers()
    assert numbers("moved")["moved"] == numbers()["moved"]  # whoever stands beside it


def test_names_and_patterns_choose(gradcheck: Gradcheck, mine: Callable[..., Path]) -> None:
    mine()
    ended = gradcheck("check-ops", "cube", "logs*p", "--ops", "my_ops.py")
    assert list(rows(ended.out)) == ["cube", "logsumexp"]
    assert ended.code == 0
    ended = gradcheck("check-ops", "tanh", "qq*")
    assert (ended.code, ended.err) == (0, "note: no operator matches 'qq*'\n")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["sigmoyd"], 2, "error: no operator is named 'sigmoyd' [unknown-operator]\n  hint: did you mean 'sigmoid'?\n"),
        (["zz*"], 5, "error: no operator matches 'zz*'\n"),
        (["--ops", "missing.py"], 2, "error: no operator file 'missing.py' [missing-file]\n"),
        (["--samples", "0"], 2, "--samples"),
        (["--seed", "-1"], 2, "--seed"),
        (["--rtol", "5"], 2, "rtol should be a number between 0 and 1"),
        (["--timeout", "0"], 2, "timeout should be a positive number"),
        (["--save-spec", "missing/a.yaml"], 2, "there is no folder 'missing'"),
        (["--save-spec", "."], 2, "is a folder"),
    ],
)
def test_what_cannot_be_meant_is_said(gradcheck: Gradcheck, arguments: list[str], code: int, said: str) -> None:
    ended = gradcheck("check-ops", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_an_operator_that_takes_nothing_drawn_is_told_what_to_declare(gradcheck: Gradcheck, write: Write) -> None:
    write(
        "my_ops.py",
        '''
        import numpy as np
        from gradcheck_cli import op

        @op
        def pick(x, labels):
            """x[i, labels[i]]."""
            return x[np.arange(len(x)), labels]

        @pick.backward
        def _(g, x, labels):
            return g, g
        ''',
    )
    ended = gradcheck("check-ops", "--ops", "my_ops.py")
    assert ended.code == 2
    assert "forward of pick raised IndexError" in ended.out
    assert '@op(x=arr("n k"), labels=ints("n", below="k"))' in ended.out
    assert "0 failed, 0 passed, 1 error, " in ended.out


def test_what_operators_print_goes_to_standard_error(process: Gradcheck, write: Write) -> None:
    write("my_ops.py", OPERATORS.replace("{shift}", RIGHT).replace("return x**3", "print('hello'); return x**3"))
    ended = process("check-ops", "cube", "--ops", "my_ops.py", "--format", "json")
    assert ended.code == 0
    assert json.loads(ended.out)["summary"]["ok"]
    assert "hello" in ended.err


def test_strict_fails_a_gradient_that_is_always_zero(gradcheck: Gradcheck, write: Write) -> None:
    write("my_ops.py", OPERATORS.replace("{shift}", RIGHT).replace("return x**3", "return 0 * x").replace("3 * g", "0"))
    ended = gradcheck("check-ops", "cube", "--ops", "my_ops.py")
    assert ended.code == 0
    assert "cube: x: both sides are zero in every draw" in ended.out
    ended = gradcheck("check-ops", "cube", "--ops", "my_ops.py", "--strict", "--save-spec", "failed.grad.yaml")
    assert ended.code == 1
    assert "--ops my_ops.py --strict" in ended.out
    assert "# run it with --strict" in ended.out
    assert gradcheck("run", "failed.grad.yaml", "--strict").code == 1


def test_knobs_reach_the_check_and_the_line_that_repeats_it(gradcheck: Gradcheck, mine: Callable[..., Path]) -> None:
    mine("(1 + 1e-5) * g.sum(axis=0)")
    arguments = ("check-ops", "moved", "--ops", "my_ops.py", "--samples", "2")
    ended = gradcheck(*arguments, "--rtol", "1e-6")
    assert ended.code == 1
    assert "--rtol 1e-06 --samples 2" in ended.out
    assert "check: {rtol: 1e-06}" in ended.out
    assert gradcheck(*arguments, "--rtol", "1e-4").code == 0
    assert gradcheck(*arguments, "--accuracy", "1e-4").code == 0


def test_an_operator_that_hangs_ends_with_its_time(gradcheck: Gradcheck, write: Write) -> None:
    write("my_ops.py", OPERATORS.replace("{shift}", RIGHT).replace("return x**3", "import time; time.sleep(60)"))
    ended = gradcheck("check-ops", "cube", "moved", "--ops", "my_ops.py", "--timeout", "2")
    assert ended.code == 2
    assert "cube ran out of its 2 s" in ended.out
    assert rows(ended.out)["moved"][-1] == "PASS"


def test_ctrl_c_reports_what_was_finished(start: Callable[..., Any], write: Write) -> None:
    slow = """
@op
def slow(x):
    import os, time
    os.write(2, b"sleeping\\n")
    time.sleep(60)
    return 1 * x

@slow.backward
def _(g):
    return g
"""
    write("my_ops.py", OPERATORS.replace("{shift}", RIGHT) + slow)
    running = start("check-ops", "--ops", "my_ops.py")
    assert running.stderr.readline() == b"sleeping\n"
    time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    found = rows(out.decode())
    assert {name: cells[-1] for name, cells in found.items()} == {
        "cube": "PASS",
        "moved": "PASS",
        "counted": "SKIP",
        "slow": "SKIP",
    }
    assert out.decode().rstrip().endswith("interrupted")
    assert b"Traceback" not in err


def test_quiet_is_quiet_about_what_is_right(gradcheck: Gradcheck, mine: Callable[..., Path]) -> None:
    mine()
    ended = gradcheck("check-ops", "--ops", "my_ops.py", "-q")
    assert ended.out.count("\n") == 1
    assert ended.out.startswith("0 failed, 2 passed")


def test_verbose_says_what_was_refused(gradcheck: Gradcheck) -> None:
    ended = gradcheck("check-ops", "getitem", "-v")
    assert " getitem: 0-d, key=" in ended.out
    assert "refused: forward of getitem raised IndexError" in ended.out


def test_the_help_names_every_option(gradcheck: Gradcheck) -> None:
    ended = gradcheck("check-ops", "--help")
    assert ended.code == 0
    options = "--ops --samples --seed --rtol --eps --accuracy --timeout --budget --memory --strict --require-device"
    for option in [*options.split(), "--save-spec", "--format", "--quiet", "--verbose", "--color"]:
        assert option in ended.out


LARGE = """
import numpy as np
from gradcheck_cli import arr, op

@op(x=arr("3000"))
def running(x):
    \"\"\"The sums of x up to each element.\"\"\"
    return np.cumsum(x)

@running.backward
def _(g):
    return np.cumsum(g[::-1])[::-1]
"""


def test_a_budget_samples_a_draw_says_so_first_and_counts(gradcheck: Gradcheck, write: Write) -> None:
    write("large.py", LARGE)
    ended = gradcheck("check-ops", "--ops", "large.py", "--budget", "0.001")
    assert ended.code == 0
    assert ended.err.startswith("note: running: ")
    assert "of 3,000 elements of x, seed 0, and 2 random directions across the others" in ended.err
    assert ended.err.removeprefix("note: ").strip() in ended.out
    assert re.search(r"^ running +2/2 +0 +\d+/6000 ", ended.out, re.MULTILINE)
    whole = gradcheck("check-ops", "--ops", "large.py", "--budget", "none")
    assert re.search(r"^ running +2/2 +0 +3064/6000 ", whole.out, re.MULTILINE)
