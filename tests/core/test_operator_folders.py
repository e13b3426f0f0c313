"""Which files of a folder declare operators, without running any."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator_folders import files_to_name
from gradcheck_cli.errors import OperatorError


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name in ("e", "a", "d", "c", "b"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit\n@op(x=1)\ndef f(x): ...\n", "utf-8")
    (tmp_path / "plain.py").write_text("# @op\nx = 1\n@optional\ndef f(): ...\n", "utf-8")
    (tmp_path / "notes.txt").write_text("@op\n", "utf-8")
    return tmp_path


def test_files_that_declare_operators_are_named_in_order(files: Path) -> None:
    assert files_to_name(files, "ops/") == "name its files: ops/a.py, ops/b.py, ops/c.py, ops/d.py and 1 more"
    (files / "e.py").unlink()
    (files / "a.py").write_text("import gradcheck_cli as g\n\n\n@g.op\ndef f(x): ...\n", "utf-8")
    assert files_to_name(files, "ops") == "name its files: ops/a.py, ops/b.py, ops/c.py, ops/d.py"


def test_a_folder_without_any_is_no_mistake_of_ours(tmp_path: Path) -> None:
    assert files_to_name(tmp_path, "x") == "name its files of operators one by one"
    assert files_to_name(tmp_path / "missing", "x") == "name its files of operators one by one"


def test_a_folder_is_not_loaded(files: Path) -> None:
    with pytest.raises(OperatorError) as refused:
        Loader().file(files)
    (problem,) = refused.value.problems
    assert "is a folder" in problem.message
    assert "a.py" in problem.hint
