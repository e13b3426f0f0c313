"""How a case is called that has no name of its own. It needs no NumPy, since completion at a prompt asks, too."""

from __future__ import annotations

from gradcheck_cli.spec.text.nodes import Scalar, Table

_LONGEST_EXPRESSION = 60
_SUFFIXES = (".grad.yaml", ".grad.yml", ".yaml", ".yml")


def stem_of(name: str) -> str:
    """Return the name of a spec file without what every spec file ends in."""
    for suffix in _SUFFIXES:
        if name.endswith(suffix) and name != suffix:
            return name.removesuffix(suffix)
    return name


def document_name(stem: str, number: int) -> str:
    """Name the only case of a document, counted from 1, after its file."""
    return stem if number == 1 else f"{stem} {number}"


def case_name(own: Table, number: int) -> str:
    """Name a case, counted from 1, after its own expression if that is short, else by its position."""
    expression = own.items.get("expr")
    text = str(expression.value).strip() if isinstance(expression, Scalar) else ""
    return text if 0 < len(text) <= _LONGEST_EXPRESSION and text.isprintable() else f"case {number}"
