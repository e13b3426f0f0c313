"""Why nothing is checked, and what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.run.collect import collect_all
from gradcheck_cli.run.nothing_selected import why_nothing
from gradcheck_cli.run.options import Options
from gradcheck_cli.settings import Settings

Write = Callable[[str, str], Path]

TAGGED = """
params: {x: 2, y: 3}
cases:
  - {name: first, expr: x * y, tags: slow gpu}
  - {name: second, expr: tanh(x) + y, tags: slow}
"""


def why(*paths: str, **options: Any) -> str:
    asked = Options(paths=paths or (".",), **options)
    collected = collect_all(asked)
    assert collected.selected == []
    return why_nothing(collected.found, asked)


def test_where_there_are_no_specs_it_is_said_how_they_are_named(folder: Path) -> None:
    assert "no case was found (folders are walked for *.grad.yaml)" in why()
    assert "walked for *.spec.yml, *.grad.yaml)" in why(settings=Settings(include=("*.spec.yml", "*.grad.yaml")))


def test_tags_that_there_are_stand_beside_those_that_there_are_not(write: Write) -> None:
    write("a.grad.yaml", TAGGED)
    assert why(tags="nosuch") == (
        "nothing to check: the tags of 2 cases don't match --tag 'nosuch'\n  hint: tags: gpu, slow"
    )
    assert why("a.grad.yaml::second", tags="gpu").endswith(
        "of the only case don't match --tag 'gpu'\n  hint: tags: slow"
    )


def test_where_nothing_has_tags_that_is_said(write: Write) -> None:
    write("a.grad.yaml", "expr: tanh(x)\nparams: {x: 2}\n")
    assert why(tags="slow").endswith("hint: none has tags")


def test_of_many_tags_some_are_listed(write: Write) -> None:
    write("a.grad.yaml", f"expr: tanh(x)\nparams: {{x: 2}}\ntags: {' '.join(f't{n:02}' for n in range(30))}\n")
    assert why(tags="slow").endswith("t18, t19, ...")


@pytest.mark.parametrize("path", [".", "a.grad.yaml::first::x"])
def test_words_that_no_id_has_are_repeated(write: Write, path: str) -> None:
    write("a.grad.yaml", TAGGED)
    said = why(path, keyword="second and first")
    assert said.startswith("nothing to check: no id of ")
    assert "matches -k 'second and first'" in said
    assert "grad.yaml" not in said


def test_words_are_looked_for_among_the_ids_of_the_command_line(write: Write) -> None:
    write("a.grad.yaml", TAGGED)
    assert "no id of the only case matches -k '::y'" in why("a.grad.yaml::first::x", keyword="::y")


def test_words_and_tags_may_each_match_and_both_not(write: Write) -> None:
    write("a.grad.yaml", TAGGED)
    assert why(keyword="second", tags="gpu") == (
        "nothing to check: none of 2 cases matches both -k 'second' and --tag 'gpu'"
    )
