"""What an installation holds. `.ci/run` builds the wheel and tries it; here are the parts that take no build."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import gradcheck_cli

ROOT = Path(__file__).parent.parent
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS: dict[str, Any] = PYPROJECT["tool"]["setuptools"]


def packages_under(root: Path) -> set[str]:
    """Name every folder of gradcheck_cli/ and ops/ that holds Python files, as an installation names it."""
    found = set()
    for top, name in (("gradcheck_cli", "gradcheck_cli"), ("ops", "gradcheck_cli.ops")):
        for file in (root / top).rglob("*.py"):
            found.add(".".join([name, *file.parent.relative_to(root / top).parts]))
    return found


def test_the_list_of_packages_is_that_of_the_folders() -> None:
    assert sorted(SETUPTOOLS["packages"]) == sorted(packages_under(ROOT))


def test_a_forgotten_folder_is_caught(tmp_path: Path) -> None:
    for file in ("gradcheck_cli/__init__.py", "gradcheck_cli/attic/deep/box.py", "ops/__init__.py", "ops/deep/a.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    found = packages_under(tmp_path)
    assert found == {"gradcheck_cli", "gradcheck_cli.attic.deep", "gradcheck_cli.ops", "gradcheck_cli.ops.deep"}


@pytest.mark.parametrize("top", ["gradcheck_cli", "ops"])
def test_every_package_has_an_init_file(top: str) -> None:
    folders = {file.parent for file in (ROOT / top).rglob("*.py")}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_the_operators_install_inside_the_package() -> None:
    assert SETUPTOOLS["package-dir"] == {"gradcheck_cli.ops": "ops"}
    assert not any(name.split(".")[0] == "ops" for name in SETUPTOOLS["packages"])


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "gradcheck_cli" / "py.typed").is_file()
    assert "py.typed" in SETUPTOOLS["package-data"]["gradcheck_cli"]


def test_the_version_is_the_same_everywhere() -> None:
    assert PYPROJECT["project"]["version"] == gradcheck_cli.__version__
    assert f"## [{gradcheck_cli.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_script_points_to_a_function() -> None:
    module, _, function = PYPROJECT["project"]["scripts"]["gradcheck"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))


def without_installation(*arguments: str, folder: Path, path: Path | None) -> subprocess.CompletedProcess[str]:
    """Run Python where nothing of this project is installed: third-party packages are plain folders on its path.

    `-S` leaves out site-packages and with it what an editable installation puts there.
    """
    third_party = [place for place in sys.path if Path(place).name in ("site-packages", "dist-packages")]
    places = [*([str(path)] if path else []), *third_party]
    return subprocess.run(
        [sys.executable, "-S", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


IMPORT_OPERATORS = "import gradcheck_cli.ops as F; print(F.__name__, F.__file__)"


def test_a_checkout_finds_its_operators_from_its_own_folder() -> None:
    done = without_installation("-c", IMPORT_OPERATORS, folder=ROOT, path=None)
    assert done.stdout.split() == ["gradcheck_cli.ops", str(ROOT / "ops" / "__init__.py")], done.stderr


def test_a_checkout_on_the_path_finds_its_operators_from_elsewhere(tmp_path: Path) -> None:
    done = without_installation("-c", IMPORT_OPERATORS, folder=tmp_path, path=ROOT)
    assert done.stdout.split() == ["gradcheck_cli.ops", str(ROOT / "ops" / "__init__.py")], done.stderr


def test_a_package_beside_no_checkout_borrows_nothing(tmp_path: Path) -> None:
    """Only our own pyproject.toml makes the folder above the package a place to look in."""
    (tmp_path / "gradcheck_cli").mkdir()
    (tmp_path / "gradcheck_cli" / "__init__.py").write_bytes((ROOT / "gradcheck_cli" / "__init__.py").read_bytes())
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "__init__.py").touch()
    done = without_installation("-c", IMPORT_OPERATORS, folder=tmp_path, path=None)
    assert done.returncode == 1
    assert "No module named 'gradcheck_cli.ops'" in done.stderr


def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    done = without_installation("-m", "gradcheck_cli", "--version", folder=tmp_path, path=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["gradcheck", gradcheck_cli.__version__]
