"""What the YAML parser complains about, in plain words."""

from __future__ import annotations

import re
from typing import Any

import yaml

from gradcheck_cli.spec.text.nodes import Mark
from gradcheck_cli.spec.text.problems import Problems

# Pattern of the parser's message (libyaml's and PyYAML's own differ), what it means, what to do, and
# whether the place where the thing began says more than the place where the parser gave up.
_PLAIN_WORDS: tuple[tuple[str, str, str, bool], ...] = (
    (
        "mapping values are not allowed",
        "a ':' that can't stand here",
        "quote a text that contains ': ', and give keys of one mapping the same indentation",
        False,
    ),
    ("could not find expected ':'", "this line is neither 'key: value' nor a list item", "a ':' may be missing", True),
    (r"expected ',' or '\]'", "a list that opened on line {start} isn't closed", "a ',' or a ']' is missing", False),
    (r"expected ',' or '\}'", "a mapping that opened on line {start} isn't closed", "a ',' or a '}' is missing", False),
    ("unexpected end of stream", "the quote that opens here is never closed", "", True),
    (
        "document separator",
        "the quote that opens here is never closed",
        "a line of --- begins a new document",
        True,
    ),
    (
        "cannot start any token",
        "a text can't begin with this character",
        "quote the text",
        False,
    ),
    ("unknown escape character", "unknown escape in a text", r"in double quotes write \\ for a backslash", False),
    ("invalid unicode|escape sequence", "not a character: this escape stands for none", "", False),
    (
        "expected '-' indicator|expected key|expected <block end>|(sequence|block) .*not allowed",
        "this line doesn't fit what stands above it",
        "check its indentation, and that a list and a mapping aren't mixed",
        False,
    ),
    ("nesting depth", "values are nested too deeply", "", False),
    ("document start", "text after the end of a document", "begin a new document with a line of ---", False),
    ("node content", "a value is missing here", "", False),
    ("incompatible yaml", "a version of YAML that isn't known here", "leave the %YAML line out", False),
)


def report_yaml_error(error: Exception, problems: Problems, last: Mark) -> None:
    """Describe what the parser raised; `last` is a place to name if the parser names none."""
    text, start, mark = str(error), last, last
    if isinstance(error, yaml.MarkedYAMLError):
        text = str(error.problem)
        mark = mark_of(error.problem_mark) or mark_of(error.context_mark) or last
        start = mark_of(error.context_mark) or mark
    if _indented_by_tab(problems.lines, mark):
        column = len(problems.lines[mark.line - 1]) - len(problems.lines[mark.line - 1].lstrip(" ")) + 1
        problems.add(Mark(mark.line, column), "a tab indents this line", "not-yaml", "YAML indents with spaces")
        return
    for pattern, meaning, hint, at_start in _PLAIN_WORDS:
        if re.search(pattern, text, re.IGNORECASE):
            message = f"not YAML: {meaning.replace('{start}', str(start.line))}"
            problems.add(_inside(problems, start if at_start else mark), message, "not-yaml", hint)
            return
    problems.add(_inside(problems, mark), f"not YAML: {text}", "not-yaml")


def mark_of(mark: Any) -> Mark | None:
    """Turn a mark of the parser, which counts from 0, into a position."""
    return None if mark is None else Mark(mark.line + 1, mark.column + 1)


def _inside(problems: Problems, mark: Mark) -> Mark:
    """Return `mark`, or the end of the last line for one behind the end of the file."""
    lines = problems.lines
    if mark.line <= len(lines) and (mark.line < len(lines) or lines[-1]):
        return mark
    filled = [number for number, line in enumerate(lines, start=1) if line.strip()]
    return Mark(filled[-1], len(lines[filled[-1] - 1]) + 1) if filled else Mark(1, 1)


def _indented_by_tab(lines: tuple[str, ...], mark: Mark) -> bool:
    if mark.line > len(lines):
        return False
    line = lines[mark.line - 1]
    return "\t" in line[: len(line) - len(line.lstrip())]
