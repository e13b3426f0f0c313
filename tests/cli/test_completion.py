"""Completion: what a shell offers at a prompt, in the words in which it asks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.codes import FINDING_CODES
from gradcheck_cli.core.names_in_source import built_in_names
from tests.test_startup import heavy_imports

Ask = Callable[..., list[str]]

SPEC = """\
params: {x: 3, width: 2}
cases:
  - {name: the loss alone, expr: sum(x), matrix: {n: [1, 2]}}
  - expr: tanh(x * width)
  - {name: 'zwei:drei', expr: exp(x)}
"""


@pytest.fixture
def ask(folder: Path) -> Ask:
    """Ask as bash does, and return what is offered; a word for each argument, the last one being completed."""

    def offered(*words: str) -> list[str]:
        heavy, done = heavy_imports(
            folder,
            environment={
                "_GRADCHECK_COMPLETE": "complete_bash",
                "COMP_WORDS": "\n".join(["gradcheck", *words]),
                "COMP_CWORD": str(len(words)),
            },
        )
        assert done.stderr == ""
        assert set(heavy) <= {"yaml"}
        return [line for line in done.stdout.splitlines() if line]

    return offered


def built_in(beginning: str) -> list[str]:
    """Return the built-in operators whose names begin so, of which there are several."""
    found = [name for name in built_in_names() if name.startswith(beginning)]
    assert len(found) > 1
    return found


def test_operators_are_offered_by_their_beginning(ask: Ask) -> None:
    assert ask("show-op", "lea") == ["leaky_relu"]
    assert ask("list-ops", "log") == built_in("log")
    assert len(ask("check-ops", "")) > 30
    assert ask("new", "spec", "--op", "leaky") == ["leaky_relu"]
    assert ask("show-op", "zzz") == []


def test_what_is_named_already_is_not_offered_again(ask: Ask) -> None:
    assert ask("check-ops", "tanh", "tan") == [name for name in built_in("tan") if name != "tanh"]
    assert ask("check-ops", "relu", "tan") == built_in("tan")


def test_operators_of_files_are_offered_without_running_them(ask: Ask, write: Callable[..., Path]) -> None:
    write(
        "mine.py",
        """
        from gradcheck_cli import op
        open("was_run", "w")


        @op
        def tango(x):
            return x
        """,
    )
    write("layers.py", "def tap_forward(x): ...\ndef tap_backward(dout, cache): ...\n")
    write("list.yaml", "ops: [{pairs: layers.py}, {taper: {function: net.py:Taper}}, mine.py]\n")
    assert ask("show-op", "--ops", "mine.py", "ta") == ["tango", *built_in("ta")]
    assert ask("check-ops", "--ops", "list.yaml", "ta") == ["tap", "taper", "tango", *built_in("ta")]
    assert not Path("was_run").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bad.py", "def broken(:"),
        ("bad.py", "\x00"),
        ("bad.yaml", "ops: [{pairs: }, 3, {1: 2}, {'$(ls)': {}}]"),
        ("bad.yaml", "[[["),
        ("bad.yaml", "expr: &a *a"),
        ("missing.py", ""),
    ],
)
def test_files_that_cannot_be_read_offer_nothing(ask: Ask, write: Callable[..., Path], name: str, text: str) -> None:
    if text:
        write(name, text)
    assert ask("show-op", "--ops", name, "tan") == built_in("tan")
    assert ask("run", f"{name}::") == []


def test_findings_are_offered_by_code_and_by_name(ask: Ask) -> None:
    assert ask("explain", "missing") == ["missing-term", "missing-chain-factor"]
    assert ask("explain", "GC20") == [f"GC20{number}" for number in range(1, 10)]
    assert ask("explain", "gc203") == ["gc203"]
    assert len(ask("explain", "")) == 2 * len(FINDING_CODES)


def test_cases_are_offered_behind_two_colons(ask: Ask, write: Callable[..., Path]) -> None:
    write("a.grad.yaml", SPEC)
    whole = ["the\\ loss\\ alone", "tanh\\(x\\ \\*\\ width\\)", "zwei:drei"]
    # As bash has it: two colons are a word of their own, and what is offered takes the place of what follows them.
    assert ask("run", "a.grad.yaml", "::") == whole
    assert ask("run", "a.grad.yaml", "::", "z") == ["zwei:drei"]
    assert ask("run", "a.grad.yaml", "::", "zwei", ":", "d") == ["drei"]
    assert ask("run", "a.grad.yaml::t") == [f"a.grad.yaml::{name}" for name in whole[:2]]
    assert ask("graph", "'a.grad.yaml::the") == ["a.grad.yaml::the loss alone"]


def test_cases_of_a_matrix_are_offered_one_by_one(ask: Ask, write: Callable[..., Path]) -> None:
    write("a.grad.yaml", "expr: sum(x * n)\nname: f\nparams: {x: 3}\nmatrix: {n: [1, 2]}\n")
    assert ask("run", "a.grad.yaml", "::", "f") == ["f\\[n=1\\]", "f\\[n=2\\]"]
    assert ask("run", "a.grad.yaml", "::", "f\\[n", "=", "2") == ["2\\]"]


def test_parameters_are_offered_behind_a_case(ask: Ask, write: Callable[..., Path]) -> None:
    write("a.grad.yaml", SPEC)
    assert ask("run", "a.grad.yaml::tanh(x * width)::") == [
        f"a.grad.yaml::tanh\\(x\\ \\*\\ width\\)::{name}" for name in ("x", "width")
    ]
    assert ask("run", "a.grad.yaml::tanh(x * width)::w") == ["a.grad.yaml::tanh\\(x\\ \\*\\ width\\)::width"]


def test_a_path_is_left_to_the_shell(ask: Ask, write: Callable[..., Path]) -> None:
    write("a.grad.yaml", SPEC)
    assert ask("run", "a.gr") == []
    assert ask("run", "") == []


def test_names_of_cases_are_offered_for_the_specs_that_are_named(ask: Ask, write: Callable[..., Path]) -> None:
    write("a.grad.yaml", SPEC)
    write("deep/b.grad.yaml", "name: two\nexpr: tanh(x)\nparams: {x: 1}\n")
    assert ask("graph", "a.grad.yaml", "--case", "z") == ["zwei:drei"]
    assert ask("graph", "deep", "--case", "t") == ["two"]
    assert ask("graph", "--case", "zw") == ["zwei:drei"]
    assert ask("graph", "nowhere.grad.yaml", "--case", "z") == []


def test_tags_are_offered_for_the_specs_that_are_named(ask: Ask, write: Callable[..., Path]) -> None:
    write(
        "a.grad.yaml", "params: {x: 3}\ncases: [{expr: exp(x), tags: slow gpu}, {expr: tanh(x), tags: [small, slow]}]\n"
    )
    write("deep/b.grad.yaml", "tags: gradual\ncases: [{expr: exp(x)}, {expr: x, tags: own}]\nparams: {x: 3}\n")
    write("bad.grad.yaml", "expr: x\ntags: [{a: 1}, 3, 'and']\nops: [boom.py]\n")
    write("boom.py", "open('was_run', 'w')\n")
    assert ask("run", "a.grad.yaml", "--tag", "") == ["slow", "gpu", "small"]
    assert ask("run", "--tag", "s") == ["slow", "small"]
    assert ask("run", "deep", "--tag", "") == ["gradual", "own"]
    assert ask("run", "a.grad.yaml", "--tag", "'slow and not (g") == ["slow and not (gpu"]
    assert ask("run", "nowhere.grad.yaml", "--tag", "") == []
    assert not Path("was_run").exists()


def test_formats_of_reports_are_offered_before_the_sign(ask: Ask) -> None:
    assert ask("run", "--report", "") == ["text=", "json=", "junit=", "github=", "markdown=", "html="]
    assert ask("check-ops", "--report", "h") == ["html="]
    assert ask("run", "--report", "=", "h") == ["html="]
    assert ask("run", "--report", "html", "=") == []
    assert ask("run", "--report", "html", "=", "out") == []


def test_formats_are_offered_with_and_without_a_sign(ask: Ask) -> None:
    assert ask("run", "--format", "")[:2] == ["text", "json"]
    assert ask("run", "--format", "=", "js") == ["json"]
    assert ask("graph", "--format=m") == ["--format=mermaid"]
    assert ask("run", "--se") == ["--seed"]


@pytest.mark.parametrize(
    "words",
    [
        ("specs", "x"),
        ("a.yaml", ""),
        ("rum", "x"),
        ("run", "--rtol", "tight", "x"),
        ("run", "--no-such-option", ""),
        ("run", "'"),
        ("run", "::"),
        (":", ""),
        ("",),
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_ends_in_no_traceback(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "specs").mkdir()
    asked = {"COMP_WORDS": "\n".join(["gradcheck", *words]), "COMP_CWORD": str(len(words))}
    for changes in (asked, {**asked, "COMP_CWORD": "many"}, {**asked, "COMP_CWORD": "70"}):
        _, done = heavy_imports(folder, environment={"_GRADCHECK_COMPLETE": "complete_bash", **changes})
        assert done.stderr == ""
        assert "Traceback" not in done.stdout
        assert done.returncode in (0, 1)


@pytest.mark.parametrize("shell", ["zsh", "fish", "powershell"])
def test_other_shells_are_answered_too(process: Callable[..., Any], write: Callable[..., Path], shell: str) -> None:
    write("a.grad.yaml", SPEC)

    def answer(typed: str, **more: str) -> str:
        asked = {"_TYPER_COMPLETE_ARGS": f"gradcheck {typed}", "_TYPER_COMPLETE_FISH_ACTION": "get-args", **more}
        # The variable is named after the program, which is a module here.
        ended = process(env={"_PYTHON _M GRADCHECK_CLI_COMPLETE": f"complete_{shell}", **asked})
        assert (ended.code, ended.err) == (0, "")
        return str(ended.out)

    assert "leaky_relu" in answer("show-op lea", _TYPER_COMPLETE_WORD_TO_COMPLETE="lea")
    assert "drei" in answer("run a.grad.yaml::z", _TYPER_COMPLETE_WORD_TO_COMPLETE="a.grad.yaml::z")
    assert "--format=json" in answer("run --format=j", _TYPER_COMPLETE_WORD_TO_COMPLETE="--format=j")


@pytest.mark.parametrize("shell", ["zsh", "powershell"])
def test_a_name_that_a_shell_could_evaluate_is_not_offered(
    process: Callable[..., Any], write: Callable[..., Path], shell: str
) -> None:
    names = [r"evil \$(touch a)", "evil `touch b`", "evil $(touch c)", "evil ' d", 'evil " e', "evil! f", "good (g)"]
    write(
        "a.grad.yaml", json.dumps({"params": {"x": 3}, "cases": [{"name": name, "expr": "exp(x)"} for name in names]})
    )
    asked = {"_TYPER_COMPLETE_ARGS": "gradcheck run a.grad.yaml::", "_TYPER_COMPLETE_WORD_TO_COMPLETE": "a.grad.yaml::"}
    ended = process(env={"_PYTHON _M GRADCHECK_CLI_COMPLETE": f"complete_{shell}", **asked})
    assert "good (g)" in ended.out
    assert "evil" not in ended.out


def test_a_program_that_was_not_asked_runs(process: Callable[..., Any]) -> None:
    ended = process("--version", env={"SOMETHING_COMPLETE": "1"})
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("gradcheck ")
