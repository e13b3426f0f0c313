"""The specs that `gradcheck check-ops` shows and saves for what failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.checked_operators import RIGHT

Gradcheck = Callable[..., Any]
Write = Callable[[str, str], Path]


def test_the_spec_on_the_screen_shows_the_failure(
    gradcheck: Gradcheck, mine: Callable[..., Path], write: Write
) -> None:
    mine("2 * g.sum(axis=0)")
    shown = gradcheck("check-ops", "moved", "--ops", "my_ops.py").out
    spec = shown[shown.index("\n spec\n") + 7 : shown.index("\n rerun")]
    write("a.grad.yaml", "\n".join(line[3:] for line in spec.splitlines()) + "\n")
    ended = gradcheck("run", "a.grad.yaml", "--format", "json")
    assert ended.code == 1
    assert ended.verdicts == {"moved, as declared": "fail"}


def test_failing_variants_are_saved_as_one_spec(gradcheck: Gradcheck, mine: Callable[..., Path], folder: Path) -> None:
    mine("2 * g.sum(axis=0)")
    (folder / "out").mkdir()
    (folder / "pyproject.toml").touch()
    save = ("--save-spec", "out/failed.grad.yaml", "--seed", "5", "--samples", "2")
    ended = gradcheck("check-ops", "--ops", "my_ops.py", *save)
    assert ended.code == 1
    assert ended.err == "note: wrote out/failed.grad.yaml\n"
    text = (folder / "out/failed.grad.yaml").read_text(encoding="utf-8")
    assert text.startswith("# Written by gradcheck check-ops")
    assert "ops: [../my_ops.py]\nseed: 5\ncases:\n" in text
    again = gradcheck("run", "out/failed.grad.yaml", "--format", "json")
    assert again.code == 1
    assert again.verdicts == {"moved, as declared": "fail", "moved, as declared, draw 2": "fail"}
    assert sorted(folder.iterdir()) == sorted(
        folder / name for name in (".gradcheck_cache", "my_ops.py", "out", "pyproject.toml")
    )
    mine(RIGHT)
    assert gradcheck("run", "out/failed.grad.yaml").code == 0


def test_a_file_out_of_reach_is_handed_to_the_command_line(
    gradcheck: Gradcheck, mine: Callable[..., Path], folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = mine("2 * g.sum(axis=0)")
    saved = tmp_path_factory.mktemp("elsewhere") / "failed.grad.yaml"
    said = gradcheck("check-ops", "--ops", path, "--save-spec", saved).err
    assert said == f"note: wrote {saved}: its operators lie elsewhere, run it with --ops {path}\n"
    assert f"# run it with --ops {path}\n" in saved.read_text(encoding="utf-8")
    assert gradcheck("run", saved).code == 2
    assert gradcheck("run", saved, "--ops", path).code == 1


def test_a_saved_spec_replaces_its_like_and_nothing_else(
    gradcheck: Gradcheck, mine: Callable[..., Path], write: Write
) -> None:
    mine("2 * g.sum(axis=0)")
    own = write("own.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\n")
    ended = gradcheck("check-ops", "--ops", "my_ops.py", "--save-spec", "own.grad.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert "own.grad.yaml: error: exists" in ended.err
    assert own.read_text(encoding="utf-8").startswith("expr: tanh(x)")
    for _ in range(2):
        assert gradcheck("check-ops", "--ops", "my_ops.py", "--save-spec", "saved.grad.yaml").code == 1


def test_nothing_is_saved_where_nothing_failed(gradcheck: Gradcheck, mine: Callable[..., Path], folder: Path) -> None:
    ended = gradcheck("check-ops", "--ops", mine(), "--save-spec", "failed.grad.yaml")
    assert (ended.code, ended.err) == (0, "note: failed.grad.yaml is not written: there is nothing to reproduce\n")
    assert not (folder / "failed.grad.yaml").exists()
