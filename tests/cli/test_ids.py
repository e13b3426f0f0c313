"""Ids of standard input on a command line: put where nothing is an option, and nothing else is moved."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
import typer

from gradcheck_cli.cli.ids import CommandWithIds


def parsed(*words: str) -> dict[str, Any]:
    """Return what a command with a flag, an option and arguments makes of a command line."""
    seen: dict[str, Any] = {}
    app = typer.Typer(add_completion=False)

    @app.command(cls=CommandWithIds)
    def command(
        paths: Annotated[list[str] | None, typer.Argument()] = None,
        keyword: Annotated[str, typer.Option("-k", "--keyword")] = "",
        quiet: Annotated[bool, typer.Option("-q")] = False,
    ) -> None:
        seen.update(paths=list(paths or []), keyword=keyword, quiet=quiet)

    app(list(words), standalone_mode=False)
    return seen


@pytest.mark.parametrize(
    ("words", "paths", "keyword", "quiet"),
    [
        (["-::a"], ["-::a"], "", False),
        (["-::a", "-::b", "c"], ["c", "-::a", "-::b"], "", False),
        (["-q", "-::a"], ["-::a"], "", True),
        (["-::a", "-k", "x", "-q"], ["-::a"], "x", True),
        (["-k", "-::a", "b"], ["b"], "-::a", False),
        (["--keyword", "-::a", "-::b"], ["-::b"], "-::a", False),
        (["--keyword=-::a", "-::b"], ["-::b"], "-::a", False),
        (["-::a", "--", "-q", "-::b"], ["-::a", "-q", "-::b"], "", False),
        (["-", "--", "-::b"], ["-", "-::b"], "", False),
        ([], [], "", False),
    ],
)
def test_ids_of_standard_input_are_arguments(words: list[str], paths: list[str], keyword: str, quiet: bool) -> None:
    assert parsed(*words) == {"paths": paths, "keyword": keyword, "quiet": quiet}


def test_what_only_looks_like_an_id_stays_an_option() -> None:
    with pytest.raises(Exception, match="No such option"):
        parsed("-:a")
