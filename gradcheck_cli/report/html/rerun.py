"""The line that runs something again."""

from __future__ import annotations

from gradcheck_cli.report.plain import shell_quoted


def rerun_line(selected: str, seed: int, options: tuple[str, ...]) -> str:
    """Return a command that can be copied into a shell; `options` are words of the command line that it repeats."""
    words = (selected, "--seed", str(seed), *options)
    return " ".join(["gradcheck run", *(shell_quoted(word, "utf-8") for word in words)])
