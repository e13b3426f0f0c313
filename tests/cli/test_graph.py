"""`gradcheck graph`: which cases, in which format, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SPEC = """
params: {x: [0.5, 1.5]}
cases:
  - {name: first, expr: sum(tanh(x))}
  - {name: second one, expr: exp(x) * x}
"""


@pytest.fixture(autouse=True)
def spec(write: Callable[..., Path]) -> None:
    write("a.grad.yaml", SPEC)


def headings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("a.grad.yaml")]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["a.grad.yaml"], ["first", "second one"]),
        (["."], ["first", "second one"]),
        (["a.grad.yaml::second one"], ["second one"]),
        (["a.grad.yaml::second one::x"], ["second one"]),
        (["a.grad.yaml", "--case", "first"], ["first"]),
        (["a.grad.yaml", "--case", "second one", "--case", "first"], ["first", "second one"]),
        (["a.grad.yaml", "-k", "not first"], ["second one"]),
    ],
)
def test_cases_are_selected_as_in_a_run(words: list[str], names: list[str], gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("graph", *words)
    assert ended.code == 0
    assert headings(ended.out) == [f"a.grad.yaml  {name}" for name in names]
    assert ended.err == ""


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "Missing argument"),
        (["b.grad.yaml"], 2, "no such file or folder: 'b.grad.yaml'"),
        (["a.grad.yaml", "--case", "secnd one"], 2, "did you mean 'second one'?"),
        (["a.grad.yaml::third"], 2, "nothing is named 'a.grad.yaml::third'"),
        (["a.grad.yaml", "-k", "neither"], 5, "nothing to draw"),
        (["a.grad.yaml", "--format", "svg"], 2, "'svg' is not one of"),
    ],
)
def test_what_cant_be_drawn_is_said(words: list[str], code: int, said: str, gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("graph", *words)
    assert ended.code == code
    assert said in ended.err
    assert ended.out == ""


@pytest.mark.parametrize(
    ("name", "begins"), [("tree", "a.grad.yaml  first\n"), ("dot", "digraph "), ("mermaid", "flowchart BT\n")]
)
def test_standard_output_holds_the_format(name: str, begins: str, gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("graph", "a.grad.yaml", "--format", name, "--memory", "--health")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(begins)
    assert "keeps 16 bytes" in ended.out


def test_json_has_all_cases(gradcheck: Callable[..., Any]) -> None:
    ended = gradcheck("graph", "a.grad.yaml", "--format", "json")
    assert [case["name"] for case in ended.json["cases"]] == ["first", "second one"]
    assert ended.code == 0


def test_a_case_that_cant_be_evaluated_is_an_error_and_the_others_are_drawn(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    write("a.grad.yaml", SPEC + "  - {name: third, expr: x @ y, inputs: {y: [1.0, 2.0, 3.0]}}\n")
    ended = gradcheck("graph", "a.grad.yaml")
    assert ended.code == 2
    assert headings(ended.out) == ["a.grad.yaml  first", "a.grad.yaml  second one"]
    assert "a.grad.yaml:5:27: error: " in ended.err
    assert "Traceback" not in ended.err
    for output in ("dot", "mermaid", "json"):
        again = gradcheck("graph", "a.grad.yaml", "--format", output)
        assert (again.code, again.err) == (2, ended.err)
        assert "second one" in again.out


def test_symptoms_change_no_exit_code(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", "expr: |\n  p = log(x)\n  sum(p * p)\nparams: {x: [0.0, 1.5]}\n")
    ended = gradcheck("graph", "a.grad.yaml", "--health")
    assert ended.code == 0
    assert " GC406 origin-of-nan   a.grad.yaml:2:7\n   log gives -inf in 1 of 2 elements of finite" in ended.out
    for output in ("dot", "mermaid"):
        picture = gradcheck("graph", "a.grad.yaml", "--health", "--format", output)
        assert picture.code == 0
        assert picture.out.count("GC406 origin") == 1
        assert picture.err.startswith("a.grad.yaml:2:7: GC406 origin-of-nan: log gives -inf in 1 of 2 elements")


def test_a_run_tells_symptoms_in_text_and_json(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", "expr: sum(tanh(x))\nparams: {x: [9.0, 8.0, 0.1]}\n")
    assert "GC4" not in gradcheck("run", "a.grad.yaml").out
    ended = gradcheck("run", "a.grad.yaml", "--health")
    assert ended.code == 0
    assert " GC404 saturated   a.grad.yaml:1:11, tanh\n" in ended.out
    (case,) = gradcheck("run", "a.grad.yaml", "--health", "--format", "json").json["cases"]
    assert [(each["code"], each["line"]) for each in case["health"]] == [("GC404", 1)]
    assert (case["findings"], case["verdict"]) == ([], "pass")
    (case,) = gradcheck("run", "a.grad.yaml", "--format", "json").json["cases"]
    assert case["health"] == []


@pytest.mark.parametrize("limits", ["{saturate: 0.3}", "{saturated: 2}", "{exploding: 0.5}", "0.3", "{vanishing: on}"])
def test_wrong_limits_are_said_at_their_place(
    limits: str, write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    write("a.grad.yaml", f"expr: tanh(x)\nparams: {{x: [9.0]}}\ncheck: {{health: {limits}}}\n")
    ended = gradcheck("graph", "a.grad.yaml")
    assert ended.code == 2
    assert ended.err.startswith("a.grad.yaml:3:17: error: ")
    assert "health" in ended.err


HOSTILE = ['say "hi"\\', "a <b> ] end", "`x` | y; #35;", "--> %% #quot;", "end", "ünïcödé \N{PARTY POPPER}"]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("output", ["tree", "dot", "mermaid", "json"])
def test_hostile_case_names_are_drawn_in_any_locale(
    output: str, encoding: str, write: Callable[..., Path], process: Callable[..., Any]
) -> None:
    cases = [{"name": name, "expr": "tanh(x)", "params": {"x": [1.0]}} for name in HOSTILE]
    write("h.grad.yaml", json.dumps({"cases": cases}, ensure_ascii=False))
    ended = process("graph", "h.grad.yaml", "--format", output, env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
    assert (ended.code, ended.err) == (0, "")
    assert "\x1b" not in ended.out
    assert ended.out.count("tanh") >= len(HOSTILE)
    if encoding == "ascii":
        assert ended.out.isascii()


def test_standard_input_is_a_spec(process: Callable[..., Any]) -> None:
    ended = process("graph", "-", "--health", text=b"expr: tanh(x)\nparams: {x: [0.1, 0.2]}\n")
    assert ended.code == 0
    assert ended.out.startswith("-  ")
    assert "nothing is ill among 2 nodes" in ended.out
