"""What a command line selects: files, folders, globs, ids, words, standard input."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CASES = """
params: {x: 2, y: 2}
cases:
  - {name: one two, expr: x * y}
  - {name: "a::b", expr: tanh(x) + y}
  - {name: sum of both, expr: x + y}
"""


@pytest.fixture
def select(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> Callable[..., list[str]]:
    """Return the ids that a command line selects in a folder with three specs."""
    write("s/a.grad.yaml", CASES)
    write("s/sub folder/b.grad.yaml", "expr: tanh(x)\nparams: {x: 2}\n")
    write("s/w::w.grad.yaml", "name: a\nexpr: tanh(x)\nparams: {x: 2}\n")
    write("s/other.yaml", "expr: exp(x)\nparams: {x: 2}\n")

    def ids(*arguments: str) -> list[str]:
        ended = gradcheck("run", "--format", "json", *arguments)
        assert ended.code == 0, ended.err
        return list(ended.ids)

    return ids


ALL_OF_A = [f"s/a.grad.yaml::{name}::{each}" for name in ("one two", "a::b", "sum of both") for each in ("x", "y")]
OF_B = ["s/sub folder/b.grad.yaml::b::x"]
OF_W = ["s/w::w.grad.yaml::a::x"]


def test_a_folder_is_walked_for_specs_by_their_suffix(select: Callable[..., list[str]]) -> None:
    assert select("s") == ALL_OF_A + OF_W + OF_B


def test_the_current_folder_is_the_default(select: Callable[..., list[str]]) -> None:
    assert select() == ALL_OF_A + OF_W + OF_B


def test_a_named_file_is_taken_whatever_its_name(select: Callable[..., list[str]]) -> None:
    assert select("s/other.yaml") == ["s/other.yaml::other::x"]


@pytest.mark.parametrize(
    ("wanted", "selected"),
    [
        ("s/a.grad.yaml::one two", ALL_OF_A[:2]),
        ("s/a.grad.yaml::one two::y", ALL_OF_A[1:2]),
        ("s/a.grad.yaml::a::b", ALL_OF_A[2:4]),
        ("s/a.grad.yaml::a::b::x", ALL_OF_A[2:3]),
        ("./s/../s/a.grad.yaml::one two::x", ALL_OF_A[:1]),
        ("s/w::w.grad.yaml", OF_W),
        ("s/w::w.grad.yaml::a::x", OF_W),
        ("s/sub folder/b.grad.yaml::b", OF_B),
    ],
)
def test_an_id_selects_a_part(select: Callable[..., list[str]], wanted: str, selected: list[str]) -> None:
    assert select(wanted) == selected


@pytest.mark.parametrize(
    ("wanted", "selected"),
    [
        (["s", "s/a.grad.yaml", "s/a.grad.yaml::one two", "s/a.grad.yaml::one two::x"], ALL_OF_A + OF_W + OF_B),
        (["s/a.grad.yaml::one two::x", "s/a.grad.yaml"], ALL_OF_A),
        (["s/a.grad.yaml::one two::x", "s/a.grad.yaml::one two", "./s/a.grad.yaml::one two::y"], ALL_OF_A[:2]),
        (["s/a.grad.yaml::sum of both", "s/a.grad.yaml::one two::y"], [ALL_OF_A[1], *ALL_OF_A[4:]]),
        (["s/sub folder", "s"], OF_B + ALL_OF_A + OF_W),
        (["s/*.grad.yaml", "s/a.grad.yaml"], ALL_OF_A + OF_W),
        (["s/**/*.grad.yaml"], ALL_OF_A + OF_B + OF_W),
        (["s/sub*"], OF_B),
        (["s/o*.yaml", "s/other.yaml"], ["s/other.yaml::other::x"]),
    ],
)
def test_each_case_is_taken_once(select: Callable[..., list[str]], wanted: list[str], selected: list[str]) -> None:
    assert select(*wanted) == selected


@pytest.mark.parametrize(
    ("words", "selected"),
    [
        ("one", ALL_OF_A[:2]),
        ("ONE and two", ALL_OF_A[:2]),
        ("one or sum", ALL_OF_A[:2] + ALL_OF_A[4:]),
        ("a.grad and not (one or ::b)", ALL_OF_A[4:]),
        ("::y", ALL_OF_A[1::2]),
        ("sub", OF_B),
        (" ", ALL_OF_A + OF_W + OF_B),
    ],
)
def test_words_select_by_what_an_id_holds(select: Callable[..., list[str]], words: str, selected: list[str]) -> None:
    assert select("-k", words) == selected


def test_ids_and_words_select_together(select: Callable[..., list[str]]) -> None:
    assert select("s/a.grad.yaml::one two", "-k", "::y") == ALL_OF_A[1:2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["s/a.grad.yaml::one"], "nothing is named 's/a.grad.yaml::one' [unknown-id]"),
        (
            ["s/a.grad.yaml::on two"],
            "did you mean 'one two'?; cases of s/a.grad.yaml: 'one two', 'a::b', 'sum of both'",
        ),
        (["s/a.grad.yaml::one two::z"], "no parameter 'z' in case 'one two' [unknown-id]"),
        (["s", "--tag", "slow,gpu"], "hint: --tag 'slow or gpu'"),
        (["s/none.grad.yaml::one"], "no such file or folder: 's/none.grad.yaml'"),
        (["s::one"], "an id begins with a spec file: FILE::case::param"),
        (["s/x*.yaml"], "no such file or folder: 's/x*.yaml'"),
        (["s", "missing", "lost.yaml"], "no such file or folder: 'lost.yaml'"),
        ([""], "no such file or folder: ''"),
        (["s/\x1b[2J"], "no such file or folder: 's/\\x1b[2J'"),
        (["-k", "(one"], "-k '(one': ')' is missing [keyword]"),
        (["-k", "one two"], "unexpected 'two'"),
        (["-k", "one and"], "a word is missing at the end"),
        (["-k", "(" * 3000 + "a" + ")" * 3000], "levels of parentheses"),
    ],
    ids=str,
)
def test_what_names_nothing_is_a_mistake(
    select: Callable[..., list[str]], gradcheck: Callable[..., Any], arguments: list[str], said: str
) -> None:
    ended = gradcheck("run", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_words_that_match_nothing_select_nothing(
    select: Callable[..., list[str]], gradcheck: Callable[..., Any]
) -> None:
    ended = gradcheck("run", "s", "-k", "nowhere")
    assert (ended.code, ended.out) == (5, "")


def test_a_circle_of_links_is_walked_once(folder: Path, select: Callable[..., list[str]]) -> None:
    (folder / "s" / "sub folder" / "up").symlink_to("..")
    (folder / "s" / "same.grad.yaml").symlink_to("a.grad.yaml")
    assert select("s") == ALL_OF_A + OF_W + OF_B
    assert select("s/**/*.grad.yaml") == ALL_OF_A + OF_B + OF_W


SAME = """
from gradcheck_cli import op

@op
def same(x):
    return 1 * x

@same.backward
def _(g):
    return g
"""


def test_a_dash_reads_a_spec_from_standard_input(write: Callable[..., Path], process: Callable[..., Any]) -> None:
    """Its files are those beside the current folder."""
    write("my_ops.py", SAME)
    text = b"ops: [my_ops.py]\nparams: {x: 2}\ncases: [{name: a, expr: same(x)}, {name: b, expr: same(x)}]\n"
    whole = process("run", "-", "--format", "json", text=text)
    assert (whole.code, whole.err) == (0, "")
    assert whole.ids == ["-::a::x", "-::b::x"]
    part = process("run", "-::b", "--format", "json", text=text)
    assert part.ids == ["-::b::x"]


@pytest.mark.parametrize(
    ("arguments", "selected"),
    [
        (["-::b"], ["b"]),
        (["-::b::x", "--seed", "1"], ["b"]),
        (["-", "-::b"], ["a", "b"]),
        (["-", "-k", "-::b"], ["b"]),
        (["--", "-::b"], ["b"]),
        (["-::a", "--", "-::b"], ["a", "b"]),
    ],
    ids=" ".join,
)
def test_ids_of_standard_input_are_no_options(
    gradcheck: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, arguments: list[str], selected: list[str]
) -> None:
    text = "params: {x: 2}\ncases: [{name: a, expr: tanh(x)}, {name: b, expr: exp(x)}]\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    ended = gradcheck("run", "--format", "json", *arguments)
    assert (ended.code, ended.err) == (0, "")
    assert [case["name"] for case in ended.json["cases"]] == selected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "-:1:1: error: the file holds no spec"),
        (b"expr: tahn(x)\nparams: {x: 2}\n", "-:1:7: error: unknown operator 'tahn'"),
        (b"expr: tanh(x)\n# \xff\n", "-:2:3: error: not UTF-8: byte 0xff"),
        (b"#" * 2_000_000, "-:1:1: error: the file is larger than 1 MiB"),
    ],
    ids=["empty", "mistake", "latin-1", "large"],
)
def test_mistakes_of_standard_input_have_a_place(process: Callable[..., Any], text: bytes, said: str) -> None:
    ended = process("run", "-", text=text)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(said)


def test_standard_input_that_is_closed_is_a_mistake(process: Callable[..., Any], folder: Path) -> None:
    ended = process("run", "-", closed=[0])
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "-: error: standard input is closed [missing-file]\n"


@pytest.mark.parametrize("jobs", ["9" * 5000, "0", "-1", "many", "1.5", "", "²", "1e3", "\x1b"])
def test_what_is_no_number_of_processes_is_a_usage_error(
    gradcheck: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    ended = gradcheck("run", "-j", jobs)
    assert (ended.code, ended.out) == (2, "")
    assert "whole number, 1 or more, or auto" in " ".join(ended.err.split())
    assert len(ended.err) < 1000
    assert "Traceback" not in ended.err
    if jobs:
        monkeypatch.setenv("GRADCHECK_JOBS", jobs)
        assert gradcheck("run").code == 2


@pytest.mark.parametrize("shard", ["1/" + "9" * 5000, "9" * 5000 + "/1"])
def test_a_shard_of_too_many_digits_is_a_usage_error(gradcheck: Callable[..., Any], shard: str) -> None:
    ended = gradcheck("run", "--shard", shard)
    assert (ended.code, ended.out) == (2, "")
    assert "Traceback" not in ended.err
