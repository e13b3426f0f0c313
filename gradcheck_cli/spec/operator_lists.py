"""The operators that a command line names: files of Python, and lists in YAML as they stand under `ops:`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gradcheck_cli.core.levels import levels_of
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.spec.operator_files import YAML_SUFFIXES, read_operator_list


def load_operators(paths: Sequence[Path], loader: Loader) -> dict[str, Operator]:
    """Return the operators of all files by name. Raises OperatorError and SpecError."""
    return levels_of(
        [read_operator_list(path, loader) if path.suffix in YAML_SUFFIXES else loader.file(path) for path in paths]
    )
