"""Start-up is light: what doesn't compute imports no NumPy (98 ms of every process)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LISTED = Path(__file__).with_name("startup_modules.json")
HEAVY = ("numpy", "scipy", "yaml", "pydantic", "torch", "jax", "importlib.metadata", "rich")

# Calls the command line as its script does, and writes what was imported to a file.
OBSERVER = """
import json, sys
destination, sys.argv = sys.argv[1], ["gradcheck", *sys.argv[2:]]
try:
    from gradcheck_cli.cli.main import main
    sys.exit(main())
finally:
    with open(destination, "w") as stream:
        json.dump(sorted(sys.modules), stream)
"""


def imports(
    folder: Path, *arguments: str, environment: dict[str, str] | None = None
) -> tuple[list[str], subprocess.CompletedProcess[str]]:
    """Run the command line in a new process; return what it imported, and the process."""
    destination = folder / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", OBSERVER, str(destination), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return json.loads(destination.read_text()), done


def heavy_imports(
    folder: Path, *arguments: str, environment: dict[str, str] | None = None
) -> tuple[list[str], subprocess.CompletedProcess[str]]:
    """Run the command line in a new process; return which heavy modules it imported, and the process."""
    modules, done = imports(folder, *arguments, environment=environment)
    return [name for name in HEAVY if name in modules], done


# What each of these loads is listed, so that no change makes the start slower unnoticed.
COMMANDS = ("--version", "--help", "list-ops", "run one.grad.yaml")


def own_modules(folder: Path, line: str) -> list[str]:
    """Return the modules of the program that a command loads, without its name in front."""
    (folder / "one.grad.yaml").write_text("expr: tanh(w * x)\nparams: {w: 1.2}\ninputs: {x: 0.5}\n", "utf-8")
    modules, done = imports(folder, *line.split())
    assert done.returncode == 0, done.stderr
    return [name.partition(".")[2] for name in modules if name.startswith("gradcheck_cli.")]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_loads_the_modules_that_are_listed(tmp_path: Path, line: str) -> None:
    listed = json.loads(LISTED.read_text("utf-8"))[line]
    hint = "if it should load more, or less: python -m tests.test_startup"
    assert own_modules(tmp_path, line) == listed, hint


# The standard dataclass compiles methods for every class, 0.8 ms each time. These have slots, or wait for their turn.
COMPILING = {"spec.text.nodes"}


def compiling(folder: Path, modules: list[str]) -> set[str]:
    """Return those of `modules` of the package in `folder` whose dataclasses are the standard library's."""
    files = {name: folder.joinpath(*name.split(".")).with_suffix(".py") for name in modules}
    pattern = re.compile(r"^from dataclasses import [^\n]*\bdataclass\b|^import dataclasses", re.MULTILINE)
    return {name for name, file in files.items() if file.exists() and pattern.search(file.read_text("utf-8"))}


@pytest.mark.parametrize("line", COMMANDS)
def test_what_a_command_loads_compiles_no_dataclasses(line: str) -> None:
    listed = json.loads(LISTED.read_text("utf-8"))[line]
    hint = "a module that is loaded at start-up takes its dataclass from gradcheck_cli.light_dataclass"
    assert compiling(ROOT / "gradcheck_cli", listed) - {"light_dataclass"} <= COMPILING, hint


def test_a_compiled_dataclass_is_caught(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "slow.py").write_text("import os\nfrom dataclasses import dataclass, field\n", "utf-8")
    (tmp_path / "run" / "quick.py").write_text("from dataclasses import field, replace\n", "utf-8")
    assert compiling(tmp_path, ["run", "run.slow", "run.quick"]) == {"run.slow"}


WRONG_VALUES = ("check-ops --samples none", "run --rtol tight a.grad.yaml")

# Arguments, exit status, and a word that the answer holds.
LIGHT = [
    ("--version", 0, "gradcheck 0.1.0"),
    ("--help", 0, "list-ops"),
    ("run --help", 0, "--rtol"),
    ("list-ops --help", 0, "--format"),
    ("check-ops --help", 0, "--samples"),
    ("check-ops --samples none", 2, "--samples"),
    ("show-op --help", 0, "name"),
    ("graph --help", 0, "--memory"),
    ("schema --help", 0, "--operators"),
    ("graph", 2, "spec"),
    ("", 2, "--help"),
    ("rum", 2, "rum"),
    ("run --no-such-option", 2, "--no-such-option"),
    ("run --rtol tight a.grad.yaml", 2, "--rtol"),
    ("show-op", 2, "name"),
]


@pytest.mark.parametrize(("line", "status", "said"), LIGHT, ids=[line or "(nothing)" for line, _, _ in LIGHT])
def test_what_does_not_compute_imports_no_numpy(tmp_path: Path, line: str, status: int, said: str) -> None:
    heavy, done = heavy_imports(tmp_path, *line.split())
    assert done.returncode == status, done.stderr
    assert said in (done.stdout + done.stderr).lower()
    assert "Traceback" not in done.stderr
    # Typer says with pydantic what is wrong with the value of an option.
    assert heavy == [] or (line in WRONG_VALUES and heavy == ["pydantic", "importlib.metadata"])


def test_shell_completion_imports_no_numpy(tmp_path: Path) -> None:
    typed = {"_GRADCHECK_COMPLETE": "complete_bash", "COMP_WORDS": "gradcheck ru", "COMP_CWORD": "1"}
    heavy, done = heavy_imports(tmp_path, environment=typed)
    assert done.stdout.split() == ["run"], done.stderr
    assert heavy == []


# What computes needs NumPy, and yaml for specs and lists of operator files. Pydantic says what is wrong with a spec,
# and is needed for nothing else.
COMPUTING = [
    (line, {"numpy", "yaml"}) for line in ("list-ops", "show-op tanh", "run one.grad.yaml", "graph one.grad.yaml")
]


@pytest.mark.parametrize(("line", "needed"), COMPUTING, ids=[line for line, _ in COMPUTING])
def test_what_computes_imports_only_what_it_needs(tmp_path: Path, line: str, needed: set[str]) -> None:
    (tmp_path / "one.grad.yaml").write_text("expr: tanh(w * x)\nparams: {w: 1.2}\ninputs: {x: 0.5}\n", "utf-8")
    heavy, done = heavy_imports(tmp_path, *line.split())
    assert done.returncode == 0, done.stderr
    assert set(heavy) <= {*needed, "importlib.metadata", "rich"}
    assert needed <= set(heavy)


def test_a_wrong_spec_is_seen_to_import_pydantic(tmp_path: Path) -> None:
    """The partner of the test above: the observer sees it where it is needed."""
    (tmp_path / "one.grad.yaml").write_text("expr: tanh(w)\nparams: {w: 1.2}\nseed: many\n", "utf-8")
    heavy, done = heavy_imports(tmp_path, "run", "one.grad.yaml")
    assert done.returncode == 2, done.stderr
    assert "pydantic" in heavy


def test_a_run_of_a_scalar_spec_declares_only_the_operators_that_it_uses() -> None:
    program = (
        "from gradcheck_cli.core.loader import Loader; built_in = Loader().built_in; built_in['tanh']; "
        "import gradcheck_cli.ops as F; print(sum('declared' in vars(getattr(F, name)) for name in built_in))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["1"]


def test_importing_the_package_imports_no_numpy() -> None:
    program = "import sys, gradcheck_cli; print(gradcheck_cli.__version__, 'numpy' in sys.modules)"
    program += "; gradcheck_cli.op; print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["0.1.0", "False", "True"]


def write_list() -> None:
    """Write what the commands load now."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = {line: own_modules(Path(folder), line) for line in COMMANDS}
    LISTED.write_text(json.dumps(loaded, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write_list()
