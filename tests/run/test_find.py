"""Which spec files the arguments of a command line name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gradcheck_cli.errors import SpecError
from gradcheck_cli.run.find import SpecFile, find_spec_files

Write = Callable[[str, str], Path]


def found(*arguments: str) -> list[tuple[str, list[str]]]:
    return [(file.shown, file.ids) for file in find_spec_files(arguments)]


def test_a_folder_is_walked_in_the_order_of_names(write: Write) -> None:
    for name in ("b.grad.yaml", "a.grad.yaml", "c/d.grad.yaml", "B/e.grad.yaml", "f.yaml", "g.grad.yml"):
        write(name, "")
    assert [shown for shown, _ in found(".")] == ["a.grad.yaml", "b.grad.yaml", "B/e.grad.yaml", "c/d.grad.yaml"]


@pytest.mark.parametrize("name", [".git", ".venv", "venv", "__pycache__", "node_modules", "build", "dist"])
def test_folders_that_hold_no_sources_are_left_out(write: Write, name: str) -> None:
    write(f"{name}/a.grad.yaml", "")
    write("src/b.grad.yaml", "")
    assert found(".") == [("src/b.grad.yaml", [])]
    assert found(name) == [(f"{name}/a.grad.yaml", [])]


def test_a_named_file_needs_no_suffix(write: Write) -> None:
    write("notes.txt", "")
    assert found("notes.txt") == [("notes.txt", [])]


def test_a_dash_is_standard_input() -> None:
    assert find_spec_files(["-"]) == [SpecFile(None, "-")]
    assert find_spec_files(["-::a::b"]) == [SpecFile(None, "-", ["-::a::b"])]


def test_paths_are_shown_as_short_as_they_can_be(write: Write, folder: Path) -> None:
    write("s/a.grad.yaml", "")
    assert found("./s/../s//a.grad.yaml") == [("s/a.grad.yaml", [])]
    assert found(str(folder / "s" / "a.grad.yaml")) == [((folder / "s" / "a.grad.yaml").as_posix(), [])]


def test_a_spec_is_found_from_any_folder(write: Write, folder: Path) -> None:
    path = write("s/a.grad.yaml", "")
    arguments = [".", "s/a.grad.yaml", "s/a.grad.yaml::x", "s/*.yaml"]
    assert [file.path for each in arguments for file in find_spec_files([each])] == [path] * 4


def test_a_file_is_taken_once_under_its_first_name(write: Write, folder: Path) -> None:
    write("s/a.grad.yaml", "")
    assert found("s/a.grad.yaml", "./s", str(folder), "s/*.yaml") == [("s/a.grad.yaml", [])]


def test_ids_are_spelled_with_the_first_name_of_their_file(write: Write, folder: Path) -> None:
    write("s/a.grad.yaml", "")
    whole = str(folder / "s" / "a.grad.yaml")
    assert found("s/a.grad.yaml::x", f"{whole}::y", "./s/a.grad.yaml::z") == [
        ("s/a.grad.yaml", ["s/a.grad.yaml::x", "s/a.grad.yaml::y", "s/a.grad.yaml::z"])
    ]


@pytest.mark.parametrize(
    "order", [["s/a.grad.yaml::x", "s"], ["s", "s/a.grad.yaml::x"]], ids=["id first", "folder first"]
)
def test_a_whole_file_is_more_than_a_part(write: Write, order: list[str]) -> None:
    write("s/a.grad.yaml", "")
    assert found(*order) == [("s/a.grad.yaml", [])]


def test_names_with_colons_are_never_split(write: Write) -> None:
    write("w::w.yaml", "")
    assert found("w::w.yaml") == [("w::w.yaml", [])]
    assert found("w::w.yaml::a::b") == [("w::w.yaml", ["w::w.yaml::a::b"])]


def test_a_name_is_no_pattern_where_the_file_exists(write: Write) -> None:
    write("a[1].grad.yaml", "")
    write("a1.grad.yaml", "")
    assert found("a[1].grad.yaml") == [("a[1].grad.yaml", [])]
    assert found("a[0-9].grad.yaml") == [("a1.grad.yaml", [])]


def test_a_pattern_walks_the_folders_that_it_matches(write: Write) -> None:
    write("one/a.grad.yaml", "")
    write("two/b.grad.yaml", "")
    write("two/notes.yaml", "")
    assert [shown for shown, _ in found("*")] == ["one/a.grad.yaml", "two/b.grad.yaml"]
    assert [shown for shown, _ in found("**/*.yaml")] == ["one/a.grad.yaml", "two/b.grad.yaml", "two/notes.yaml"]


@pytest.mark.parametrize("pattern", [".", "**/*.grad.yaml"])
def test_links_lead_to_a_file_once(write: Write, folder: Path, pattern: str) -> None:
    write("s/a.grad.yaml", "")
    (folder / "s" / "b.grad.yaml").symlink_to("a.grad.yaml")
    (folder / "s" / "0up").symlink_to("..")
    assert found(pattern) == [("s/a.grad.yaml", [])]


@pytest.mark.parametrize(
    ("argument", "said", "hint"),
    [
        ("b.grad.yaml", "no such file or folder: 'b.grad.yaml'", "did you mean 'a.grad.yaml'?"),
        ("b.grad.yaml::case::x", "no such file or folder: 'b.grad.yaml'", "did you mean 'a.grad.yaml'?"),
        ("s::case", "'s' is a folder, which has no cases of its own", "FILE::case::param"),
        ("s/none/*.yaml", "no such file or folder: 's/none/*.yaml'", ""),
        ("a\0b", "no such file or folder: 'a\0b'", ""),
        ("", "no such file or folder: ''", ""),
        ("x" * 5000, "no such file or folder", ""),
    ],
    ids=["near", "id", "folder", "pattern", "null", "empty", "long"],
)
def test_what_is_not_there_is_a_problem(write: Write, argument: str, said: str, hint: str) -> None:
    write("a.grad.yaml", "")
    write("s/c.grad.yaml", "")
    with pytest.raises(SpecError) as caught:
        find_spec_files([argument])
    (problem,) = caught.value.problems
    assert said in problem.message
    assert hint in problem.hint
    assert problem.code == "missing-file"


def test_all_missing_files_are_said_together(write: Write) -> None:
    write("a.grad.yaml", "")
    with pytest.raises(SpecError) as caught:
        find_spec_files(["one", "a.grad.yaml", "two"])
    assert len(caught.value.problems) == 2


def test_a_link_that_leads_nowhere_is_no_pattern(write: Write, folder: Path) -> None:
    """A walk finds it; it is the loader that says what is wrong with it."""
    (folder / "lost.grad.yaml").symlink_to("nowhere")
    assert found(".") == [("lost.grad.yaml", [])]
    with pytest.raises(SpecError):
        find_spec_files(["lost.grad.yaml"])


def test_a_pipe_in_a_folder_is_not_waited_for(write: Write, folder: Path) -> None:
    write("a.grad.yaml", "")
    os.mkfifo(folder / "b.grad.yaml")
    assert found(".") == [("a.grad.yaml", [])]
