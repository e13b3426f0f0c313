"""Pages of the documentation as scripts: files to write, commands to run, outputs to expect."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

# ```python my_ops.py ... ``` | ```console name ... ``` | <!-- sh: command --> | <!-- files: page -->
_PIECE = re.compile(
    r"^```(?P<language>\w+)(?: (?P<name>\S+))?\n(?P<text>.*?)^```$"
    r"|^<!-- sh: (?P<command>.*?) -->$"
    r"|^<!-- files: (?P<page>.*?) -->$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class File:
    """A file that a page shows, to be written."""

    name: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command that a page shows with its output; none is expected of a hidden one."""

    line: str
    output: str | None


def steps(page: Path) -> Iterator[File | Command]:
    """Yield what a page shows in order. Comments run commands unseen, and take the files of another page."""
    for piece in _PIECE.finditer(page.read_text(encoding="utf-8")):
        if piece["command"]:
            yield Command(piece["command"], None)
        elif piece["page"]:
            yield from (step for step in steps(page.parent / piece["page"]) if isinstance(step, File))
        elif piece["language"] == "console":
            for shown in re.split(r"^\$ ", piece["text"], flags=re.MULTILINE)[1:]:
                line, _, output = shown.partition("\n")
                yield Command(line, output)
        elif piece["name"] and piece["language"] != "sh":
            yield File(piece["name"], piece["text"])


def run(command: Command, folder: Path, environment: dict[str, str]) -> tuple[str, str]:
    """Run a command in a shell; return what it wrote to both streams, and what it should have, without the seconds."""
    done = subprocess.run(
        ["/bin/sh", "-c", command.line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
        text=True,
        encoding="utf-8",
    )
    return without_seconds(done.stdout), without_seconds(command.output or "")


def without_seconds(text: str) -> str:
    """Return a text in which only the seconds are left out."""
    return re.sub(r"\bin [0-9.]+ m?s\b", "in # s", text)
