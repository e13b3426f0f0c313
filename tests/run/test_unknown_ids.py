"""What is said of an id that names nothing: of its case, or of its parameter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradcheck_cli.errors import Problem, SpecError
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options

Write = Callable[[str, str], Path]

CASES = """
params: {gate: 2, bias: 3}
cases:
  - {name: gate, expr: gate * bias}
  - {name: "gate::wide", expr: gate + bias}
  - {name: other, expr: tanh(gate) + bias}
"""
ALL = "cases of a.grad.yaml: 'gate', 'gate::wide', 'other'"


@pytest.fixture
def said(write: Write) -> Callable[..., list[Problem]]:
    write("a.grad.yaml", CASES)

    def problems(*ids: str) -> list[Problem]:
        with pytest.raises(SpecError) as caught:
            collect(Options(paths=tuple(f"a.grad.yaml::{each}" for each in ids)))
        return list(caught.value.problems)

    return problems


@pytest.mark.parametrize(
    ("wanted", "message", "hint"),
    [
        ("gate::gaet", "no parameter 'gaet' in case 'gate'", "did you mean 'gate'?"),
        ("other::b", "no parameter 'b' in case 'other'", "its parameters: 'gate', 'bias'"),
        ("gate::wide::bais", "no parameter 'bais' in case 'gate::wide'", "did you mean 'bias'?"),
        ("gaet", "nothing is named 'a.grad.yaml::gaet'", f"did you mean 'gate'?; {ALL}"),
        ("othr::bias", "nothing is named 'a.grad.yaml::othr::bias'", f"did you mean 'other'?; {ALL}"),
        ("zzz", "nothing is named 'a.grad.yaml::zzz'", ALL),
    ],
)
def test_what_is_missing_is_named_with_what_is_near(
    said: Callable[..., list[Problem]], wanted: str, message: str, hint: str
) -> None:
    (problem,) = said(wanted)
    assert (problem.message, problem.code, problem.hint) == (message, "unknown-id", hint)


def test_only_what_names_nothing_is_spoken_of(said: Callable[..., list[Problem]]) -> None:
    problems = said("gate::gate", "gate::wide", "other::x", "none")
    assert [problem.message for problem in problems] == [
        "no parameter 'x' in case 'other'",
        "nothing is named 'a.grad.yaml::none'",
    ]


def test_of_many_names_a_few_are_listed(write: Write) -> None:
    cases = ", ".join(f"{{name: case{number}, expr: tanh(x)}}" for number in range(9))
    write("b.grad.yaml", f"params: {{x: 2}}\ncases: [{cases}]\n")
    with pytest.raises(SpecError) as caught:
        collect(Options(paths=("b.grad.yaml::zzz",)))
    hint = caught.value.problems[0].hint
    assert hint == "cases of b.grad.yaml: 'case0', 'case1', 'case2', 'case3', 'case4', ..."
