"""A file or folder that is named where operators are: what is suggested in its place can be run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Gradcheck = Callable[..., Any]


@pytest.fixture
def operators(folder: Path, gradcheck: Gradcheck) -> Path:
    (folder / "mine").mkdir()
    assert gradcheck("new", "op", "mine/bend").code == 0
    (folder / "mine" / "notes.py").write_text("x = 1\n", "utf-8")
    (folder / "bend.py").write_text((folder / "mine" / "bend.py").read_text("utf-8"), "utf-8")
    return folder


@pytest.mark.usefixtures("operators")
@pytest.mark.parametrize("line", ["check-ops bend", "show-op bend", "new spec a --op bend"])
def test_the_name_of_a_file_is_no_operator_and_its_option_is_told(gradcheck: Gradcheck, line: str) -> None:
    ended = gradcheck(*line.split())
    assert (ended.code, ended.out) == (2, "")
    assert "no operator is named 'bend'" in ended.err
    assert "--ops bend.py" in ended.err
    assert gradcheck(*line.split(), "--ops", "bend.py").code == 0


@pytest.mark.usefixtures("operators")
def test_a_name_without_a_file_is_told_the_nearest_operator(gradcheck: Gradcheck) -> None:
    assert "did you mean 'sigmoid'?" in gradcheck("check-ops", "sigmoyd").err
    assert "\x1b" not in gradcheck("check-ops", "x\x1b[2J").err
    assert gradcheck("check-ops", "x" * 5000).code == 2


@pytest.mark.usefixtures("operators")
def test_a_folder_of_operators_is_refused_with_its_files(gradcheck: Gradcheck) -> None:
    ended = gradcheck("check-ops", "--ops", "mine")
    assert ended.code == 2
    assert "'mine' is a folder, and operators are named by file" in ended.err
    assert "hint: name its files: mine/bend.py\n" in ended.err
    assert gradcheck("check-ops", "--ops", "mine/bend.py").code == 0


def test_a_folder_under_ops_of_a_spec_is_refused_with_its_files(operators: Path, gradcheck: Gradcheck) -> None:
    spec = operators / "a.grad.yaml"
    text = "ops: [mine]\nexpr: bend(x)\nparams: {x: 3 4}\n"
    spec.write_text(text, "utf-8")
    ended = gradcheck("run", "a.grad.yaml")
    assert ended.code == 2
    assert "'mine' is a folder" in ended.err
    assert "mine/bend.py" in ended.err
    spec.write_text(text.replace("[mine]", "[mine/bend.py]"), "utf-8")
    assert gradcheck("run", "a.grad.yaml").code == 0
