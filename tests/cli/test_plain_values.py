"""Values that need no validator get none, and all others get what typer makes of them."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer

from gradcheck_cli.cli.plain_values import PlainValuesCommand, _Reader


class Size(enum.StrEnum):
    """Values of an option."""

    SMALL = "small"
    LARGE = "large"


def parsed(*words: str, cls: type[PlainValuesCommand] | None = PlainValuesCommand) -> dict[str, Any]:
    """Return the values of a command that has options of every kind."""
    seen: dict[str, Any] = {}
    app = typer.Typer(add_completion=False)

    def command(
        words: Annotated[list[str] | None, typer.Argument()] = None,
        text: Annotated[str, typer.Option()] = "a",
        maybe: Annotated[str | None, typer.Option()] = None,
        number: Annotated[int, typer.Option(min=1)] = 3,
        real: Annotated[float | None, typer.Option()] = None,
        files: Annotated[list[Path] | None, typer.Option()] = None,
        there: Annotated[list[Path] | None, typer.Option(exists=True)] = None,
        size: Annotated[Size, typer.Option()] = Size.SMALL,
        flag: Annotated[bool, typer.Option("--flag")] = False,
    ) -> None:
        seen.update(locals())
        del seen["seen"]

    app.command(cls=cls)(command) if cls else app.command()(command)
    app(list(words), standalone_mode=False)
    return seen


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["a", "b"],
        ["--text", "", "--maybe", "b"],
        ["--number", "5", "--real", "1e-3"],
        ["--files", "a", "--files", "b/c"],
        ["--there", ".", "--size", "large", "--flag"],
    ],
    ids=" ".join,
)
def test_values_are_those_that_typer_gives(words: list[str]) -> None:
    ours, theirs = parsed(*words), parsed(*words, cls=None)
    assert ours == theirs
    assert {name: type(value) for name, value in ours.items()} == {name: type(value) for name, value in theirs.items()}


@pytest.mark.parametrize(
    "words",
    [["--number", "0"], ["--number", "x"], ["--real", "x"], ["--size", "medium"], ["--there", "no-such-file"]],
    ids=" ".join,
)
def test_wrong_values_are_refused_where_typer_refuses_them(words: list[str]) -> None:
    with pytest.raises(Exception, match=f"'{words[1]}'") as ours:
        parsed(*words)
    with pytest.raises(type(ours.value)) as theirs:
        parsed(*words, cls=None)
    assert ours.value.exit_code == theirs.value.exit_code == 2


def test_a_plain_value_builds_no_validator(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(self: _Reader) -> None:
        raise AssertionError("a validator was built")

    with monkeypatch.context() as patch:
        patch.setattr(_Reader, "_build", build, raising=False)
        patch.setattr(_Reader, "__init__", lambda self, _: None)
        assert parsed("a", "--text", "b", "--files", "c")["files"] == [Path("c")]
