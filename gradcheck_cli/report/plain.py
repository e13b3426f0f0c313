"""Text that a terminal can take: hostile names made harmless, and what the encoding can't write."""

from __future__ import annotations

import os
import shlex

from gradcheck_cli.errors import Location, printable


def encodable(text: str, encoding: str) -> bool:
    """Tell whether `encoding` can write `text`."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def times_sign(encoding: str) -> str:
    """Return the sign between the sizes of a shape."""
    return "\N{MULTIPLICATION SIGN}" if encodable("\N{MULTIPLICATION SIGN}", encoding) else "x"


def plus_minus_sign(encoding: str) -> str:
    """Return the sign before an error bar."""
    return "\N{PLUS-MINUS SIGN}" if encodable("\N{PLUS-MINUS SIGN}", encoding) else "+/-"


def safe(text: str, encoding: str) -> str:
    """Return one line of `text` without control characters, escaped where `encoding` can't write it."""
    shown = printable(text)
    return shown if encodable(shown, encoding) else shown.encode(encoding, "backslashreplace").decode(encoding)


def shell_quoted(text: str, encoding: str) -> str:
    """Quote `text` for a shell, so that the line can be copied and means the same there.

    Characters that can't be shown are written as bash, zsh and POSIX.1-2024 read them, in `$'...'`.
    """
    if safe(text, encoding) == text:
        return shlex.quote(text)
    return "$'" + "".join(_shell_escaped(char, encoding) for char in text) + "'"


def _shell_escaped(char: str, encoding: str) -> str:
    if char in "\\'":
        return "\\" + char
    if safe(char, encoding) == char:
        return char
    number = ord(char)
    if 0xDC80 <= number <= 0xDCFF:  # how Python holds a byte of a file name that is no UTF-8
        return f"\\x{number - 0xDC00:02x}"
    if number < 0x80:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def from_here(location: Location) -> str:
    """Write a location below the current folder as a person there writes it: `my_ops.py:16`."""
    return str(location).removeprefix(_here())


def paths_from_here(text: str) -> str:
    """Write the paths inside a sentence that are below the current folder as a person there writes them."""
    here = _here()
    return text.replace(f" {here}", " ") if len(here) > 1 else text


def _here() -> str:
    """Return the current folder as paths below it start; empty where it has been removed meanwhile."""
    try:
        return os.path.join(os.getcwd(), "")
    except OSError:
        return ""
