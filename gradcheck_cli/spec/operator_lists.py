"""The operators that a command line names: files of Python, and lists in YAML as they stand under `ops:`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gradcheck_cli.core.levels import levels_of
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Problem, SpecError
from gradcheck_cli.spec.folders import Folders, near_file
from gradcheck_cli.spec.operator_files import OperatorFiles
from gradcheck_cli.spec.text.nodes import Listing, Node, Table
from gradcheck_cli.spec.text.yaml_reader import LARGEST_FILE, decode, read_documents

YAML_SUFFIXES = (".yaml", ".yml")
_EXAMPLE = "ops: [{pairs: layers.py}]"


def load_operators(paths: Sequence[Path], loader: Loader) -> dict[str, Operator]:
    """Return the operators of all files by name. Raises OperatorError and SpecError."""
    return levels_of([_read(path, loader) if path.suffix in YAML_SUFFIXES else loader.file(path) for path in paths])


def _read(path: Path, loader: Loader) -> tuple[Operator, ...]:
    """Read a list of operators, or what stands under `ops:` in a mapping; other keys of a spec are left alone."""
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        hint = near_file(path, (".py", *YAML_SUFFIXES))
        raise SpecError(Problem(f"no operator file '{path}': {error}", None, "missing-file", hint)) from error
    text, problems = decode(data, str(path))
    documents = read_documents(text, problems)
    node: Node = documents[0]
    if isinstance(node, Table) and "ops" in node.items:
        node = node.items["ops"]
    elif not isinstance(node, Listing):
        problems.add(node.mark, "this file lists no operators", "no-operator", _EXAMPLE)
        problems.raise_any()
    groups = OperatorFiles(loader, {}, Folders(path.parent), problems).groups(node)
    problems.raise_any()
    return tuple(operator for group in groups for operator in group or ())
