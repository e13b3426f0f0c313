"""Why some mutants survive: the change is none."""

from __future__ import annotations

HARMLESS: dict[tuple[str, str, str], str] = {}
"""By operator, kind of mistake and changed code."""

ALWAYS = {
    "sign": "its gradient is zero, with any sign and factor",
}
"""By operator, whatever is changed."""


def explained(name: str, kind: str, code: str) -> str:
    """Return why a mutant is no mistake; empty where it is one."""
    return HARMLESS.get((name, kind, code), "") or ALWAYS.get(name, "")
