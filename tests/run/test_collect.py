"""Reading every spec before any runs: selection, operator files of the command line, problems of all files together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.errors import SpecError
from gradcheck_cli.run.collect import collect, collect_all, given_operators
from gradcheck_cli.run.options import Options

Write = Callable[[str, str], Path]

TWO = "params: {x: 2, y: 3}\ncases: [{name: first, expr: x * y}, {name: second, expr: tanh(x) + y}]\n"

TANH = '''
from gradcheck_cli import op

@op
def tanh(x):
    """x."""
    return 1 * x

@tanh.backward
def _(g):
    return g
'''


def selected(*paths: str, **options: object) -> list[tuple[str, tuple[str, ...]]]:
    found = collect(Options(paths=paths, **options))  # type: ignore[arg-type]
    return [(item.case.id, item.parameters) for item in found]


def test_cases_come_in_the_order_of_files_and_of_each_file(write: Write) -> None:
    write("b.grad.yaml", TWO)
    write("a.grad.yaml", "expr: tanh(x)\nparams: {x: 2}\n")
    assert selected(".") == [
        ("a.grad.yaml::a", ("x",)),
        ("b.grad.yaml::first", ("x", "y")),
        ("b.grad.yaml::second", ("x", "y")),
    ]


def test_parameters_that_are_not_selected_are_left_out(write: Write) -> None:
    write("a.grad.yaml", TWO)
    assert selected("a.grad.yaml::first::y", "a.grad.yaml::second") == [
        ("a.grad.yaml::first", ("y",)),
        ("a.grad.yaml::second", ("x", "y")),
    ]
    assert selected("a.grad.yaml", keyword="first and ::x") == [("a.grad.yaml::first", ("x",))]
    assert selected("a.grad.yaml", keyword="neither") == []


def test_an_id_that_names_nothing_is_a_problem_with_the_names_that_there_are(write: Write) -> None:
    write("a.grad.yaml", TWO)
    with pytest.raises(SpecError) as caught:
        selected("a.grad.yaml::first", "a.grad.yaml::third")
    (problem,) = caught.value.problems
    assert (problem.message, problem.code) == ("nothing is named 'a.grad.yaml::third'", "unknown-id")
    assert problem.hint == "cases of a.grad.yaml: 'first', 'second'"


def test_problems_of_all_files_come_together(write: Write) -> None:
    write("a.grad.yaml", "expr: tahn(x)\nparams: {x: 2}\n")
    write("b.grad.yaml", TWO)
    write("c.grad.yaml", "expr: tanh(x)\nparams: {x: 2}\nsede: 3\nsave: 4\n")
    with pytest.raises(SpecError) as caught:
        selected(".")
    assert [str(problem.location) for problem in caught.value.problems] == [
        "a.grad.yaml:1:7",
        "c.grad.yaml:3:1",
        "c.grad.yaml:4:1",
    ]


def test_an_operator_file_is_loaded_once_for_all_specs(write: Write, folder: Path) -> None:
    write("my_ops.py", f"with open({str(folder / 'log')!r}, 'a') as log: log.write('loaded ')\n" + TANH)
    for name in "abc":
        write(f"{name}.grad.yaml", "ops: [my_ops.py]\nexpr: tanh(x)\nparams: {x: 2}\n")
    assert len(selected(".", ops=(Path("my_ops.py"),))) == 3
    assert (folder / "log").read_text() == "loaded "


def test_given_operators_are_one_level(write: Write) -> None:
    write("one.py", TANH)
    write("two.py", TANH.replace("tanh", "sinh"))
    loader = Loader()
    given = given_operators(Options(ops=(Path("one.py"), Path("two.py"))), loader)
    assert set(given) == {"tanh", "sinh"}
    write("three.py", TANH)
    with pytest.raises(SpecError, match="two operators are named 'tanh'"):
        given_operators(Options(ops=(Path("one.py"), Path("three.py"))), loader)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (Options(ops=(Path("nowhere.py"),)), "missing-file"),
        (Options(ops=(Path("notes.txt"),)), "not-python"),
        (Options(ops=(Path("one.py"),), data_only=True), "data-only"),
    ],
)
def test_operator_files_that_can_not_be_used_are_problems(write: Write, options: Options, code: str) -> None:
    write("one.py", TANH)
    write("notes.txt", "")
    with pytest.raises(SpecError) as caught:
        given_operators(options, Loader())
    assert [problem.code for problem in caught.value.problems] == [code]


def test_data_only_refuses_the_files_of_a_spec(write: Write) -> None:
    write("my_ops.py", TANH)
    write("a.grad.yaml", "ops: [my_ops.py]\nexpr: tanh(x)\nparams: {x: 2}\n")
    assert selected("a.grad.yaml") == [("a.grad.yaml::a", ("x",))]
    with pytest.raises(SpecError, match="--data-only refuses"):
        selected("a.grad.yaml", data_only=True)


def test_what_keyword_and_tags_leave_out_was_found(write: Write) -> None:
    write("a.grad.yaml", TWO)
    collected = collect_all(Options(paths=("a.grad.yaml::second::y", "a.grad.yaml::first"), keyword="first and ::y"))
    assert [(item.case.name, item.parameters) for item in collected.selected] == [("first", ("y",))]
    assert [(item.case.name, item.parameters) for item in collected.found] == [
        ("first", ("x", "y")),
        ("second", ("y",)),
    ]
