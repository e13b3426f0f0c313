"""Where something stands in a source file."""

from pathlib import Path


def line_of(file, text):
    """Return the number of the first line of `file` that holds `text`."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
