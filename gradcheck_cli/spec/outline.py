"""What a spec file holds, at a glance: names of cases and operators, and tags, read from the text alone.

Nothing is checked, no code is run, and NumPy isn't needed: it is for completion at a prompt, where what can't be read
has no names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gradcheck_cli.core.names_in_source import names_in
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.spec.matrix import read_matrix
from gradcheck_cli.spec.naming import case_name, document_name, stem_of
from gradcheck_cli.spec.tags import read_tags
from gradcheck_cli.spec.text.nodes import Listing, Node, Scalar, Table, merged, plain
from gradcheck_cli.spec.text.problems import Problems
from gradcheck_cli.spec.text.yaml_reader import decode, read_documents

_LARGEST = 1 << 18
_MOST_CASES = 1000
_YAML = (".yaml", ".yml")


@dataclass(frozen=True)
class CaseOutline:
    """A case by name, the parameters that it has, and its tags."""

    name: str
    parameters: tuple[str, ...]
    tags: tuple[str, ...] = ()


def outline(path: Path) -> list[CaseOutline]:
    """Return the cases of a spec file in order; none of a file that can't be read or is large."""
    documents, problems = _documents(path)
    found: list[CaseOutline] = []
    for number, document in enumerate(documents, start=1):
        if isinstance(document, Table):
            for name, table in _cases(document, document_name(stem_of(path.name), number)):
                found += _combinations(name, table, problems) if "expr" in table.items else []
                if len(found) > _MOST_CASES:
                    return found
    return found


def operators_in(path: Path) -> list[str]:
    """Return the names of the operators of a Python file, or of a list of operators in YAML."""
    if path.suffix not in _YAML:
        return names_in(path)
    names: list[str] = []
    for document in _documents(path)[0]:
        node = document.items.get("ops", document) if isinstance(document, Table) else document
        for entry in node.items if isinstance(node, Listing) else [node]:
            names += _named(entry, path.parent)
    return list(dict.fromkeys(names))


def _named(entry: Node, folder: Path) -> list[str]:
    """Return the names that one entry of a list of operators stands for; those of further lists are left out."""
    if isinstance(entry, Table):
        pairs = entry.items.get("pairs")
        return names_in(folder / str(plain(pairs))) if isinstance(pairs, Scalar) else list(entry.items)
    text = str(plain(entry))
    return names_in(folder / text) if text.endswith(".py") else [text.partition(":")[2]] * (":" in text)


def _documents(path: Path) -> tuple[list[Node], Problems]:
    problems = Problems(path.name)
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            return [], problems
        text, problems = decode(data, path.name)
        return read_documents(text, problems), problems
    except (OSError, ValueError, GradcheckError):
        return [], problems


def _cases(document: Table, name: str) -> Iterator[tuple[str, Table]]:
    """List the cases of a document with their defaults merged in."""
    cases = document.items.get("cases")
    defaults = document.without({"cases"})
    if not isinstance(cases, Listing):
        yield _own_name(defaults) or name, defaults
        return
    for number, own in enumerate(cases.items, start=1):
        if isinstance(own, Table):
            table = merged(defaults, own)
            yield _own_name(table) or case_name(own, number), table


def _own_name(table: Table) -> str:
    node = table.items.get("name")
    return node.value.strip() if isinstance(node, Scalar) and isinstance(node.value, str) else ""


def _combinations(name: str, table: Table, problems: Problems) -> list[CaseOutline]:
    """Return a case once for each combination of its matrix; keys that nothing in it mentions multiply nothing."""
    mentioned = set(re.findall(r"\w+", str(plain(table.without({"matrix", "name", "dims"})))))
    parameters, matrix, dims = (table.items.get(key) for key in ("params", "matrix", "dims"))
    words = set(re.findall(r"\w+", str(plain(table.items.get("expr", Scalar(table.mark, ""))))))
    used = tuple(each for each in parameters.items if each in words) if isinstance(parameters, Table) else ()
    tags = read_tags(table.items.get("tags"), problems)
    if isinstance(matrix, Table):
        matrix = matrix.without(set(matrix.items) - mentioned - {"dtype"})
        sizes = set(dims.items) if isinstance(dims, Table) else set()
        return [CaseOutline(name + each.suffix, used, tags) for each in read_matrix(matrix, sizes, problems)]
    return [CaseOutline(name, used, tags)]
