"""The contracts of the house, in pyproject.toml, name every floor: one left out would be bound by no rule."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
CONTRACTS: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]

# Front doors, not floors: what stands above the cli.
DOORS = {"__init__", "__main__"}
ALLOWED = {
    "yaml": {"spec"},
    "pydantic": {"spec"},
    "rich": {"report", "cli"},
    "typer": {"cli"},
    "pytest": {"pytest_plugin"},
}


def floors_in(package: Path) -> set[str]:
    """Name the packages and modules that stand directly in `package`, the doors left out."""
    found = {path.parent.name for path in package.glob("*/__init__.py")}
    return (found | {path.stem for path in package.glob("*.py")}) - DOORS


def named_in(layers: list[str]) -> tuple[set[str], set[str]]:
    """Return the floors that a list of layers names, and which of them may be missing (in parentheses)."""
    names = [name.strip() for layer in layers for name in layer.replace(":", "|").split("|")]
    optional = {name.strip("()") for name in names if name.startswith("(")}
    short = {name.strip("()").removeprefix("gradcheck_cli.") for name in names}
    return short, {name.removeprefix("gradcheck_cli.") for name in optional}


def bound_by_none(package: Path, layers: list[str]) -> set[str]:
    """Return the floors of `package` that `layers` doesn't name."""
    return floors_in(package) - named_in(layers)[0]


def layers() -> list[str]:
    (contract,) = [contract for contract in CONTRACTS if contract["type"] == "layers"]
    return list(contract["layers"])


def test_the_layers_name_every_floor() -> None:
    assert bound_by_none(ROOT / "gradcheck_cli", layers()) == set()


def test_the_layers_name_no_floor_that_is_gone() -> None:
    named, optional = named_in(layers())
    assert named - optional - floors_in(ROOT / "gradcheck_cli") == set()


def test_a_floor_without_a_layer_is_caught(tmp_path: Path) -> None:
    for floor in ("core", "attic"):
        (tmp_path / floor).mkdir()
        (tmp_path / floor / "__init__.py").touch()
    for module in ("__init__", "records", "gossip"):
        (tmp_path / f"{module}.py").touch()
    found = bound_by_none(tmp_path, ["gradcheck_cli.core", "gradcheck_cli.records | (gradcheck_cli.codes)"])
    assert found == {"attic", "gossip"}


@pytest.mark.parametrize("library", ALLOWED)
def test_a_library_is_forbidden_on_every_floor_but_its_own(library: str) -> None:
    contracts = [c for c in CONTRACTS if library in c.get("forbidden_modules", ()) and c["source_modules"] != ["ops"]]
    forbidden = {name.removeprefix("gradcheck_cli.") for contract in contracts for name in contract["source_modules"]}
    assert floors_in(ROOT / "gradcheck_cli") - forbidden == ALLOWED[library]


def test_operators_may_use_no_floor() -> None:
    (contract,) = [c for c in CONTRACTS if c.get("source_modules") == ["ops"]]
    forbidden = {name.removeprefix("gradcheck_cli.") for name in contract["forbidden_modules"]}
    assert floors_in(ROOT / "gradcheck_cli") - forbidden == set()
