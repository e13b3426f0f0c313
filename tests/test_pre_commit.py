"""pre-commit: the hooks of this repository, and a local one, stop a wrong operator and let a right one through."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.scratch import OPERATOR, ROOT, SPEC, WRONG_OPERATOR, Scratch, run_module

pytest.importorskip("pre_commit", reason="pre-commit is not installed (it is one of the dev dependencies)")
if shutil.which("git") is None:
    pytest.skip("git is not installed", allow_module_level=True)

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
HOOKS: dict[str, Any] = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}

# The hook that docs/ci.md shows first.
LOCAL = (
    (ROOT / "docs" / "ci.md").read_text(encoding="utf-8").split("```yaml .pre-commit-config.yaml\n")[1].split("```")[0]
)


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    """A git repository with a right operator and its spec, staged."""
    scratch = Scratch(tmp_path)
    scratch.git("init", "--quiet")
    scratch.write("my_ops.py", OPERATOR)
    scratch.write("softsign.grad.yaml", SPEC)
    scratch.write(".gitignore", "__pycache__/\n")
    return scratch


def pre_commit(scratch: Scratch, *arguments: str) -> subprocess.CompletedProcess[str]:
    scratch.git("add", "--all")
    return scratch.run([sys.executable, "-m", "pre_commit", *(arguments or ["run"])])


def use(scratch: Scratch, *hooks: dict[str, Any]) -> None:
    """Use hooks of this repository's manifest in the environment at hand: nothing is installed, no network is needed.

    They come from a repository that holds the manifest alone, since a copy of the checkout need not be one.
    """
    source = scratch.folder.parent / "hooks"
    source.mkdir()
    shutil.copy(MANIFEST, source)
    for arguments in ("init --quiet", "add .", "commit --quiet --message hooks"):
        scratch.git("-C", str(source), *arguments.split())
    revision = scratch.git("-C", str(source), "rev-parse", "HEAD")
    listed = [{"language": "system", **hook} for hook in hooks]
    config = {"repos": [{"repo": str(source), "rev": revision, "hooks": listed}]}
    scratch.write(".pre-commit-config.yaml", yaml.safe_dump(config))


def test_a_local_hook_passes_a_right_operator_and_fails_on_a_wrong_one(scratch: Scratch) -> None:
    scratch.write(".pre-commit-config.yaml", LOCAL)
    done = pre_commit(scratch)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^gradients\.+Passed$", done.stdout, flags=re.MULTILINE)
    scratch.git("commit", "--quiet", "--message", "right")
    scratch.write("my_ops.py", WRONG_OPERATOR)
    done = pre_commit(scratch)
    assert done.returncode == 1
    assert "GC201 sign-flipped   my_ops.py:14" in done.stdout


def test_a_commit_is_stopped(scratch: Scratch) -> None:
    """As git calls it: the hook is installed, and the commit is not made."""
    scratch.write(".pre-commit-config.yaml", LOCAL)
    assert pre_commit(scratch, "install").returncode == 0
    scratch.git("commit", "--quiet", "--message", "right")
    scratch.write("my_ops.py", WRONG_OPERATOR)
    scratch.git("add", "--all")
    done = scratch.run(["git", "commit", "--quiet", "--message", "wrong"])
    assert done.returncode == 1
    assert "sign-flipped" in done.stdout
    assert scratch.git("log", "--format=%s") == "right"


def test_the_manifest_is_valid() -> None:
    done = run_module("pre_commit", "validate-manifest", MANIFEST)
    assert done.returncode == 0, done.stdout
    assert list(HOOKS) == ["gradcheck", "gradcheck-all", "gradcheck-ops"]


def test_a_spec_that_changes_is_checked_and_no_other(scratch: Scratch) -> None:
    use(scratch, {"id": "gradcheck"})
    done = pre_commit(scratch)
    assert done.returncode == 0, done.stdout
    assert "Passed" in done.stdout
    scratch.git("commit", "--quiet", "--message", "right")
    scratch.write("other.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\ngrad: {x: 7}\n")
    done = pre_commit(scratch)
    assert done.returncode == 1
    assert "other.grad.yaml" in done.stdout
    assert "softsign" not in done.stdout


def test_an_operator_that_changes_has_all_specs_checked(scratch: Scratch) -> None:
    use(scratch, {"id": "gradcheck"}, {"id": "gradcheck-all"})
    assert pre_commit(scratch).returncode == 0
    scratch.git("commit", "--quiet", "--message", "right")
    scratch.write("my_ops.py", WRONG_OPERATOR)
    done = pre_commit(scratch)
    assert done.returncode == 1
    assert re.search(r"changed specs.*Skipped", done.stdout)
    assert "GC201 sign-flipped   my_ops.py:14" in done.stdout


def test_what_no_spec_can_use_checks_nothing(scratch: Scratch) -> None:
    use(scratch, {"id": "gradcheck"}, {"id": "gradcheck-all"}, {"id": "gradcheck-ops", "args": ["--ops", "my_ops.py"]})
    assert pre_commit(scratch).returncode == 0
    scratch.git("commit", "--quiet", "--message", "right")
    scratch.write("notes.md", "words\n")
    done = pre_commit(scratch)
    assert (done.returncode, done.stdout.count("Skipped")) == (0, 3)


def test_operators_are_checked_without_a_spec(scratch: Scratch) -> None:
    use(scratch, {"id": "gradcheck-ops", "args": ["--ops", "my_ops.py"]})
    assert pre_commit(scratch).returncode == 0
    scratch.write("my_ops.py", WRONG_OPERATOR)
    done = pre_commit(scratch)
    assert done.returncode == 1
    assert "softsign" in done.stdout


@pytest.mark.parametrize(
    ("name", "file", "wanted"),
    [
        ("gradcheck", "specs/a.grad.yaml", True),
        ("gradcheck", "action.yaml", False),
        ("gradcheck", "my_ops.py", False),
        ("gradcheck-all", "specs/a.grad.yaml", True),
        ("gradcheck-all", "my_ops.py", True),
        ("gradcheck-all", "bridges.yml", True),
        ("gradcheck-all", "data/w.npz", True),
        ("gradcheck-all", "pyproject.toml", True),
        ("gradcheck-all", "py", False),
        ("gradcheck-all", "other.toml", False),
        ("gradcheck-ops", "my_ops.py", True),
        ("gradcheck-ops", "README.md", False),
    ],
)
def test_the_files_of_a_hook(name: str, file: str, wanted: bool) -> None:
    assert bool(re.search(HOOKS[name]["files"], file)) is wanted
