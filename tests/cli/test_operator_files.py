"""Operator files on the command line: what is wrong with one is said with its own line; the nearer operator wins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SPEC = "ops: [my_ops.py]\nexpr: twice(x)\nparams: {x: 3}\n"

TWICE = '''
from gradcheck_cli import op

@op
def twice(x):
    """2x."""
    return 2 * x

@twice.backward
def _(g):
    return 2 * g
'''

# The file, the line that is shown, and what else is said of it.
BROKEN = {
    "module that isn't there": (
        "import numpy as np\nimport no_such_module_here\n",
        2,
        ["import no_such_module_here", "ModuleNotFoundError", "[import-failed]"],
    ),
    "syntax": ("def twice(x)\n    return 2 * x\n", 1, ["def twice(x)", "SyntaxError", "[import-failed]"]),
    "name": ("x = 1\ny = undefined + 1\n", 2, ["y = undefined + 1", "NameError", "[import-failed]"]),
    "end of the program": ("import sys\nsys.exit(1)\n", 2, ["sys.exit(1)", "[import-failed]"]),
    "an exception that is no Exception": (
        "class Skipped(BaseException): ...\nraise Skipped('no GPU here')\n",
        2,
        ["raise Skipped('no GPU here')", "Skipped: no GPU here", "[import-failed]"],
    ),
    "backward asks for an unknown name": (
        TWICE.replace("def _(g):", "def _(g, xx):"),
        10,
        ["'xx'", "twice", "did you mean 'x'?"],
    ),
    "backward returns for nobody": (TWICE.replace("@twice.backward", "@twice.backward('z')"), 0, ["'z'", "twice"]),
    "no backward": ("\n".join(TWICE.split("\n")[:7]) + "\n", 5, ["twice", "backward"]),
    "two of one name": (TWICE + TWICE, 0, ["two operators are named 'twice'", "[same-name]"]),
    "no operator": ("x = 1\n", 0, ["nothing to check in 'my_ops.py'", "[no-operator]"]),
}


@pytest.mark.parametrize("fault", BROKEN, ids=[name.replace(" ", "-") for name in BROKEN])
def test_a_broken_operator_file_is_shown_at_its_own_line(
    write: Callable[..., Path], gradcheck: Callable[..., Any], fault: str
) -> None:
    text, line, said = BROKEN[fault]
    file = write("my_ops.py", "")
    file.write_text(text)
    write("a.grad.yaml", SPEC)
    ended = gradcheck("run", "a.grad.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert "Traceback" not in ended.err
    assert f"{file}:{line or ''}".rstrip(":") in ended.err
    for words in said:
        assert words in ended.err


@pytest.mark.parametrize(
    "command", [["list-ops"], ["show-op", "twice"], ["run", "a.grad.yaml"]], ids=lambda words: words[0]
)
@pytest.mark.parametrize("fault", ["syntax", "name", "backward asks for an unknown name"], ids=lambda name: name[:8])
def test_every_command_says_what_is_wrong_with_its_operator_file(
    write: Callable[..., Path], gradcheck: Callable[..., Any], command: list[str], fault: str
) -> None:
    text, line, said = BROKEN[fault]
    file = write("my_ops.py", "")
    file.write_text(text)
    write("a.grad.yaml", "expr: twice(x)\nparams: {x: 3}\n")
    ended = gradcheck(*command, "--ops", "my_ops.py")
    assert (ended.code, ended.out) == (2, "")
    assert f"{file}:{line}" in ended.err
    assert said[0] in ended.err
    assert "Traceback" not in ended.err


def test_the_same_file_in_order_is_used(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    """The partner of the tests above."""
    write("my_ops.py", TWICE)
    write("a.grad.yaml", SPEC)
    assert gradcheck("run", "a.grad.yaml").code == 0


def test_two_files_of_one_level_may_not_share_a_name(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    first, second = write("one.py", TWICE), write("two.py", TWICE)
    write("a.grad.yaml", SPEC.replace("my_ops.py", "one.py, two.py"))
    in_spec = gradcheck("run", "a.grad.yaml")
    write("b.grad.yaml", "expr: twice(x)\nparams: {x: 3}\n")
    on_command_line = gradcheck("run", "b.grad.yaml", "--ops", "one.py", "--ops", "two.py")
    for ended in (in_spec, on_command_line):
        assert (ended.code, ended.out) == (2, "")
        assert "two operators are named 'twice'" in ended.err
        assert f"{second}:4" in ended.err
        assert f"{first}:4" in ended.err


RELU = '''
import numpy as np
from gradcheck_cli import op

@op
def relu(x):
    """3 where x > 0."""
    return np.where(x > 0, {factor} * x, 0)

@relu.backward
def _(g, x):
    return np.where(x > 0, {factor} * g, 0)
'''


def test_a_users_relu_shadows_the_built_in_and_verbose_says_so(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    file = write("my_ops.py", RELU.format(factor=3))
    write("a.grad.yaml", "ops: [my_ops.py]\nexpr: sum(relu(x))\nparams: {x: [1, 2]}\nvalue: 9\ngrad: {x: [3, 3]}\n")
    quiet = gradcheck("run", "a.grad.yaml")
    assert (quiet.code, quiet.err) == (0, "")
    verbose = gradcheck("run", "a.grad.yaml", "-v")
    assert verbose.code == 0
    (note,) = verbose.err.splitlines()
    assert note.startswith(f"note: {file}:5 relu is used in place of ")
    assert "rectifiers.py:" in note


def test_a_spec_is_nearer_than_the_command_line_which_is_nearer_than_the_built_ins(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    write("three.py", RELU.format(factor=3))
    write("four.py", RELU.format(factor=4))
    write("own.grad.yaml", "ops: [three.py]\nexpr: sum(relu(x))\nparams: {x: [1, 2]}\n")
    write("none.grad.yaml", "expr: sum(relu(x))\nparams: {x: [1, 2]}\n")

    def values(*arguments: str) -> dict[str, float]:
        cases = gradcheck("run", ".", "--format", "json", *arguments).json["cases"]
        return {case["name"]: case["value"] for case in cases}

    assert values() == {"own": 9, "none": 3}
    assert values("--ops", "four.py") == {"own": 9, "none": 12}


def test_no_note_where_nothing_is_shadowed(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("my_ops.py", TWICE + RELU.format(factor=3))
    write("a.grad.yaml", SPEC)
    ended = gradcheck("run", "a.grad.yaml", "-v")
    assert (ended.code, ended.err) == (0, "")


def test_signs_and_methods_stay_the_built_ins(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    wrong = TWICE.replace("twice", "multiply").replace("(x)", "(x, y)").replace("return 2 * g", "return g, g")
    write("my_ops.py", wrong)
    write("a.grad.yaml", "ops: [my_ops.py]\nexpr: x * y\nparams: {x: 3, y: 2}\nvalue: 6\n")
    assert gradcheck("run", "a.grad.yaml").code == 0


def test_data_only_refuses_operator_files(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    touched = write("touched", "")
    touched.unlink()
    write("my_ops.py", f"open({str(touched)!r}, 'w').close()\n" + TWICE)
    write("a.grad.yaml", SPEC)
    write("b.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\n")
    ended = gradcheck("run", "a.grad.yaml", "--data-only")
    assert (ended.code, ended.out) == (2, "")
    assert "a.grad.yaml:1:6: error: --data-only refuses" in ended.err
    given = gradcheck("run", "b.grad.yaml", "--data-only", "--ops", "my_ops.py")
    assert (given.code, given.out) == (2, "")
    assert "--data-only refuses the operator files of --ops" in given.err
    assert not touched.exists()
    assert gradcheck("run", "b.grad.yaml", "--data-only").code == 0


def test_an_operator_file_outside_is_used_from_the_command_line(
    write: Callable[..., Path], gradcheck: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "their_ops.py"
    elsewhere.write_text(TWICE)
    write("a.grad.yaml", "expr: twice(x)\nparams: {x: 3}\n")
    assert gradcheck("run", "a.grad.yaml").code == 2
    assert gradcheck("run", "a.grad.yaml", "--ops", elsewhere).code == 0
