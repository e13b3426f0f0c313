"""Names that can stand in an expression."""

from __future__ import annotations

import keyword
import unicodedata


def name_complaint(name: str) -> str:
    """Say why `name` can't stand in an expression; empty if it can."""
    if not name.isidentifier():
        return "letters, digits and _ make a name, and it doesn't begin with a digit"
    if keyword.iskeyword(name):
        return "it is a word of Python's grammar"
    usual = unicodedata.normalize("NFKC", name)
    return "" if usual == name else f"write it '{usual}'"
