"""A folder where a file of operators should be named: which of its files those are."""

from __future__ import annotations

import re
from pathlib import Path

_MARK = re.compile(rb"^@(?:\w+\.)?op\b", re.MULTILINE)

_MOST_READ = 200
_MOST_NAMED = 4


def files_to_name(folder: Path, shown: str) -> str:
    """Return the hint for a folder that was named in place of files: those that declare operators, by `shown`/name.

    Files are read, and not run.
    """
    try:
        files = [path.name for path in sorted(folder.glob("*.py"))[:_MOST_READ] if _MARK.search(path.read_bytes())]
    except OSError:
        files = []
    if not files:
        return "name its files of operators one by one"
    named = ", ".join(f"{shown.rstrip('/')}/{name}" for name in files[:_MOST_NAMED])
    more = len(files) - _MOST_NAMED
    return f"name its files: {named}{f' and {more} more' if more > 0 else ''}"
