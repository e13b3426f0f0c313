"""Patterns of files and folders, with the meaning that .gitignore gives them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

from gradcheck_cli.light_dataclass import dataclass


@dataclass(frozen=True)
class _Pattern:
    """One pattern. `rooted`: it starts at the root, else it fits a name anywhere. `folder`: it fits folders only."""

    fits: re.Pattern[str]
    rooted: bool
    folder: bool
    negated: bool


def matches_any(path: str, root: Path, patterns: Sequence[str], *, inside: bool = False) -> bool:
    """Tell whether the last of the patterns that fits `path`, a file or a folder below `root`, takes it.

    A pattern fits a name anywhere; with a slash, one at its end apart, it fits the path from the root. `*`, `?` and
    `[a-z]` don't cross slashes, `**` stands for any folders. A slash at the end is for folders, with `inside` also for
    what is in them. A `!` in front takes back what patterns before it take.
    """
    taken = False
    relative = ""
    for each in map(_read, patterns):
        if each.negated is not taken:
            continue
        if (each.rooted or each.folder) and not relative:
            # The folder's links are followed, as those of the root are; the path's own name is the one that it has.
            real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
            relative = Path(os.path.relpath(real, os.path.realpath(root))).as_posix()
        if any(each.fits.fullmatch(candidate) for candidate in _candidates(each, path, relative, inside)):
            taken = not each.negated
    return taken


def _candidates(pattern: _Pattern, path: str, relative: str, inside: bool) -> Iterator[str]:
    """Yield the texts that a pattern may fit: the path or its name, and those of its folders where they count."""
    if not pattern.folder:
        yield relative if pattern.rooted else os.path.basename(path)
        return
    folders = [PurePosixPath(relative)] if os.path.isdir(path) else []
    if inside:
        folders += [each for each in PurePosixPath(relative).parents if each.name not in ("", "..")]
    for folder in folders:
        yield str(folder) if pattern.rooted else folder.name


@cache
def _read(pattern: str) -> _Pattern:
    negated = pattern.startswith("!")
    text = pattern.removeprefix("!")
    while text.startswith("./"):
        text = text[2:]
    folder = text.endswith("/")
    text = text.rstrip("/")
    rooted = "/" in text
    parts = text.lstrip("/").split("/")
    written = "".join(_part(part, last=at == len(parts) - 1) for at, part in enumerate(parts))
    return _Pattern(re.compile(written, re.DOTALL), rooted, folder, negated)


def _part(part: str, last: bool) -> str:
    """Return one part between slashes as a regular expression, with the slash behind it."""
    if part == "**":
        return ".+" if last else "(?:.*/)?"
    return _name(part) + "/" * (not last)


def _name(part: str) -> str:
    """Return a pattern of one name as a regular expression."""
    written, at = "", 0
    while at < len(part):
        char = part[at]
        at += 1
        group = re.match(r"([!^]?)(\]?(?:\\.|[^\]\\])*)\]", part[at:], re.DOTALL) if char == "[" else None
        if group:
            one = _one_of(group[2])
            written += f"(?!{one})[^/]" if group[1] else f"(?!/){one}"
            at += group.end()
        elif char == "*":
            written += "[^/]*"
        elif char == "?":
            written += "[^/]"
        elif char == "\\" and at < len(part):
            written += re.escape(part[at])
            at += 1
        else:
            written += re.escape(char)
    return written


def _one_of(inner: str) -> str:
    """Return what stands between brackets, characters and ranges of them, as a regular expression of one character."""
    chars = [found[1] or found[0] for found in re.finditer(r"\\(.)|.", inner, re.DOTALL)]
    written, at = "", 0
    while at < len(chars):
        low, high = chars[at], chars[at]
        if chars[at + 1 : at + 2] == ["-"] and at + 2 < len(chars):
            high = chars[at + 2]
            at += 2
        at += 1
        if low <= high:  # a range the wrong way round holds nothing
            written += f"{re.escape(low)}-{re.escape(high)}"
    return f"[{written}]" if written else "(?!)"
