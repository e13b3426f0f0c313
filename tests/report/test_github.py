"""Annotations, read back by the rules of GitHub's runner."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradcheck_cli.errors import Location, printable
from gradcheck_cli.records import Blame, CaseResult, Culprit, Finding, RunResult
from gradcheck_cli.report.block import View
from gradcheck_cli.report.github import to_github
from tests.report.conftest import make_case, make_parameter
from tests.report.hostile import NASTY, hostile_text
from tests.report.verdicts import ERROR, FAIL, INCONCLUSIVE, SKIP

Make = Callable[..., Any]
Command = tuple[str, dict[str, str], str]


def read(text: str) -> list[Command]:
    """Return the commands of an output: level, properties and message, each line as the runner takes it."""
    lines = re.split("\r\n|\r|\n", text)
    assert lines.pop() == ""
    return [command(line) for line in lines]


def command(line: str) -> Command:
    assert line.startswith("::")
    info, _, data = line[2:].partition("::")
    level, _, written = info.partition(" ")
    pairs = [item.split("=", 1) for item in written.strip().split(",") if item]
    return level, {name: decoded(value) for name, value in pairs}, decoded(data)


def decoded(text: str) -> str:
    for token, char in {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}.items():
        text = text.replace(token, char)
    return text


def annotations(*cases: CaseResult, interrupted: bool = False, **options: Any) -> list[Command]:
    return read(to_github(RunResult(None, cases, interrupted), **options))


def failing(name: str, place: Location | None = None, verdict: Any = FAIL, **changes: Any) -> CaseResult:
    findings = (Finding("missing-term", "a sum is missing", place),)
    return make_case(make_parameter("w", verdict, findings=findings), name=name, **changes)


def test_a_wrong_gradient_is_marked_at_its_backward(layer_norm: CaseResult) -> None:
    text = to_github(RunResult(None, (layer_norm,)), View(options=("--strict",)))
    assert text == (
        "::error file=my_ops.py,line=16,title=gradcheck GC203 missing-term::"
        "specs/layer_norm.grad.yaml::layer_norm::x: FAIL: x[0,4] analytic +0.260035 numeric -0.103406 ± 2e-11; "
        "GC203 missing-term: The difference is constant along axis 1: a mean or a sum over it is missing.%0A"
        "rerun    gradcheck run specs/layer_norm.grad.yaml::layer_norm::x --seed 7 --strict\n"
    )


def test_nothing_is_said_where_all_is_as_expected(case: Make, parameter: Make) -> None:
    kink = Finding("kink-at-point", "at 0")
    right = case(parameter("w", findings=(kink,)), notes=("slow",))
    known = case(parameter("w", FAIL), expected="fail", ok=True)
    skipped = case(parameter("w", SKIP), verdict=SKIP, ok=True, error="no device")
    assert to_github(RunResult(None, (right, known, skipped))) == ""


@pytest.mark.parametrize(
    ("changes", "title", "message"),
    [
        ({"verdict": ERROR, "ok": False, "error": "out of time"}, "gradcheck error", "out of time"),
        ({"expected": "fail", "ok": False}, "gradcheck unexpected pass", "PASS: expected fail, got pass"),
        ({"verdict": INCONCLUSIVE, "ok": False}, "gradcheck inconclusive", "INCONCLUSIVE"),
    ],
)
def test_what_is_no_failure_and_not_expected_is_an_error_too(
    case: Make, parameter: Make, changes: dict[str, Any], title: str, message: str
) -> None:
    (found,) = annotations(case(parameter("w"), line=4, **changes))
    assert found[0] == "error"
    assert found[1] == {"file": "a.grad.yaml", "line": "4", "title": title}
    assert found[2].splitlines() == [
        f"a.grad.yaml::a case: {message}",
        "rerun    gradcheck run 'a.grad.yaml::a case' --seed 0",
    ]


@pytest.mark.parametrize(
    ("error", "place"),
    [
        ("a.grad.yaml:10:15: error: no [x]", {"file": "a.grad.yaml", "line": "10", "col": "15"}),
        ("lib/my_ops.py:3: error: no", {"file": "lib/my_ops.py", "line": "3"}),
        ("/usr/lib/ops.py:3: error: no", {"file": "a.grad.yaml", "line": "4"}),
        (f"a.py:{'9' * 5000}: error: no", {"file": "a.grad.yaml", "line": "4"}),
        ("no: error: at all", {"file": "a.grad.yaml", "line": "4"}),
    ],
)
def test_an_error_is_marked_where_it_says(case: Make, error: str, place: dict[str, str]) -> None:
    (found,) = annotations(case(line=4, verdict=ERROR, ok=False, error=error))
    assert found[1] == {**place, "title": "gradcheck error"}


def test_an_error_is_told_with_its_hint(case: Make) -> None:
    (found,) = annotations(case(verdict=ERROR, ok=False, error="a.py:3: error: no\n  f(x)\n  ^\n  hint: yes"))
    assert found[2].splitlines()[:3] == ["a.grad.yaml::a case: a.py:3: error: no", "  f(x)", "  hint: yes"]


def test_all_findings_and_who_is_to_blame_are_said(case: Make, parameter: Make) -> None:
    findings = (Finding("sign-flipped", "it is\nnegative.\nTurn it"), Finding("missing-term", "a sum"))
    backward = Location("my_ops.py", 9)
    blame = Blame(3, 1, 2, (Culprit("f", "x", 1, (Location("a.grad.yaml", 2, 5),), backward),))
    (found,) = annotations(case(parameter("w", FAIL, worst=None, findings=findings), blame=blame))
    assert found[1] == {"file": "my_ops.py", "line": "9", "title": "gradcheck GC201 sign-flipped"}
    assert found[2].splitlines()[:3] == [
        "a.grad.yaml::a case::w: FAIL: GC201 sign-flipped: it is; negative. Turn it",
        "GC203 missing-term: a sum",
        "blame: my_ops.py:9, backward of f for x, called at a.grad.yaml:2:5",
    ]


def test_the_column_is_said_where_it_is_known() -> None:
    (found,) = annotations(failing("a", Location("my_ops.py", 3, 7)))
    assert list(found[1].items())[:3] == [("file", "my_ops.py"), ("line", "3"), ("col", "7")]


@pytest.mark.parametrize(
    "elsewhere",
    [
        Location("/usr/lib/ops.py", 3),
        Location("../ops.py", 3),
        Location(".venv/lib/python3.11/site-packages/gradcheck_cli/ops/basic.py", 3),
        Location("<stdin>", 3),
        None,
    ],
)
def test_what_is_not_in_the_repository_is_marked_in_the_spec(elsewhere: Location | None) -> None:
    (found,) = annotations(failing("a", elsewhere, line=6))
    assert (found[1]["file"], found[1]["line"]) == ("a.grad.yaml", "6")


def test_the_line_of_a_parameter_is_marked_where_it_is_known(case: Make, parameter: Make) -> None:
    (found,) = annotations(case(parameter("w", FAIL, line=9), line=6))
    assert found[1]["line"] == "9"


@pytest.mark.parametrize("file", ["", "-", "../a.grad.yaml", "/elsewhere/a.grad.yaml"])
def test_a_spec_that_is_not_in_the_repository_marks_no_line(file: str) -> None:
    (found,) = annotations(failing("a", file=file, line=6))
    assert found[1] == {"title": "gradcheck GC203 missing-term"}


def test_paths_are_those_of_the_repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "part").mkdir()
    monkeypatch.chdir("part")
    wrong = [failing("a", Location(str(folder / "lib" / "my_ops.py"), 1)), failing("b"), failing("c", file="../c.yaml")]
    found = annotations(*wrong, root=str(folder))
    assert [each[1]["file"] for each in found] == ["lib/my_ops.py", "part/a.grad.yaml", "c.yaml"]
    assert [annotations(each)[0][1].get("file") for each in wrong] == ["a.grad.yaml", "a.grad.yaml", None]


def test_a_removed_folder_is_no_traceback(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = folder / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    os.rmdir(gone)
    (found,) = annotations(failing("a"))
    assert "file" not in found[1]


def test_ten_are_shown_and_the_others_counted() -> None:
    wrong = [failing(f"case {number}") for number in range(12)]
    unsure = failing("unsure", verdict=INCONCLUSIVE)
    found = annotations(unsure, *wrong)
    assert [level for level, *_ in found] == ["error"] * 10 + ["notice"]
    assert found[-1][2] == "3 more are not as expected: 2 fail, 1 inconclusive"
    assert annotations(*wrong[:11])[-1][2] == "1 more is not as expected: 1 fail"
    assert [level for level, *_ in annotations(*wrong[:10])] == ["error"] * 10


def test_the_worst_come_first_and_each_place_before_any_comes_again() -> None:
    there, elsewhere = Location("one.py", 1), Location("two.py", 2)
    raised = make_case(name="raised", verdict=ERROR, ok=False, error="no")
    unsure = failing("unsure", elsewhere, INCONCLUSIVE)
    cases = [unsure, *(failing(f"case {number}", there) for number in range(3)), failing("other", elsewhere), raised]
    names = [message.partition(": ")[0].split("::")[1] for *_, message in annotations(*cases)]
    assert names == ["raised", "case 0", "other", "case 1", "case 2", "unsure"]


def test_an_interrupt_is_a_warning(case: Make, parameter: Make) -> None:
    (found,) = annotations(case(parameter("w")), interrupted=True)
    assert found == ("warning", {"title": "gradcheck"}, "interrupted: not all cases were finished")


@given(hostile_text, hostile_text, hostile_text, hostile_text)
@example(*NASTY[2:6])
def test_hostile_text_is_one_command_and_no_more(name: str, file: str, parameter: str, message: str) -> None:
    wrong = make_parameter(parameter, FAIL, findings=(Finding("unexplained", message, Location(file, 1), message),))
    raised = make_case(name=name, file=file, verdict=ERROR, ok=False, error=message)
    text = to_github(RunResult(None, (make_case(wrong, name=name, file=file), raised)), View(options=(message,)))
    assert len(text.splitlines()) == 2
    assert printable(text.replace("\n", "")) == text.replace("\n", "")
    for level, properties, told in read(text):
        assert level == "error"
        assert properties["title"] in ("gradcheck GC214 unexplained", "gradcheck error")
        assert set(properties) <= {"file", "line", "title"}
        assert told.startswith(printable(f"{file}::{name}"))


@given(st.lists(hostile_text.map(lambda text: re.sub(r"[/\0]", "", text)), min_size=1, max_size=3))
@example(["100%25,line=9", "a:b\r\n.yaml"])
def test_a_path_comes_back(parts: list[str]) -> None:
    file = os.path.normpath("/".join(["folder", *filter(None, parts)]))
    ((_, properties, _),) = annotations(failing("a", file=file))
    lines = "\r\n"
    shown = "".join(char if char in lines else printable(char) for char in file)
    assert properties.get("file", shown) == shown
    if not file.startswith(".."):
        assert "file" in properties
