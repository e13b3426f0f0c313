"""`gradcheck new`: what it writes runs at once, convicts a planted fault, and never replaces a file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.test_startup import heavy_imports

Gradcheck = Callable[..., Any]

RIGHT = "return g * scale / denominator**2"
FAULTS = {
    "a sign": "return -g * scale / denominator**2",
    "the square": "return g * scale / denominator",
    "a factor": "return g / denominator**2",
}


def commands(out: str) -> list[str]:
    """Return the commands that are to come next."""
    return [line.strip() for line in out.partition("next:\n")[2].splitlines()]


def test_a_new_operator_is_right_and_so_is_the_spec_that_comes_next(folder: Path, gradcheck: Gradcheck) -> None:
    ended = gradcheck("new", "op", "squash")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("wrote squash.py\n")
    check, spec = commands(ended.out)
    assert check == "gradcheck check-ops --ops squash.py"
    assert gradcheck(*check.split()[1:]).code == 0
    written = gradcheck(*spec.split()[1:])
    assert (written.code, written.err) == (0, "")
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["squash.grad.yaml", "squash.py"]
    (run,) = commands(written.out)
    assert run == "gradcheck run squash.grad.yaml"
    ended = gradcheck(*run.split()[1:], "--format", "json")
    assert (ended.code, ended.verdicts) == (0, {"squash[scale=1.0]": "pass", "squash[scale=2.5]": "pass"})


def test_the_lines_about_broadcasting_are_right(folder: Path, gradcheck: Gradcheck) -> None:
    gradcheck("new", "op", "squash")
    lines = (folder / "squash.py").read_text("utf-8").splitlines()
    taught = [line.removeprefix("#     ") for line in lines if line.startswith("#     ")]
    (imported, returned) = taught
    product = f"""
from gradcheck_cli import op
{imported}


@op
def product(x, y):
    return x * y


@product.backward
def _(g, x, y):
    {returned}
"""
    (folder / "product.py").write_text(product, "utf-8")
    assert gradcheck("check-ops", "--ops", "product.py").code == 0
    (folder / "product.py").write_text(product.replace(returned, "return g * y, g * x"), "utf-8")
    assert gradcheck("check-ops", "--ops", "product.py").code == 1


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_in_a_new_operator_is_caught(folder: Path, gradcheck: Gradcheck, fault: str) -> None:
    gradcheck("new", "op", "squash")
    gradcheck("new", "spec", "squash", "--ops", "squash.py")
    file = folder / "squash.py"
    text = file.read_text("utf-8")
    assert text.count(RIGHT) == 1
    file.write_text(text.replace(RIGHT, fault), "utf-8")
    assert gradcheck("check-ops", "--ops", "squash.py").code == 1
    ended = gradcheck("run", "squash.grad.yaml", "--format", "json")
    assert ended.code == 1


def test_a_new_spec_passes_and_notices_what_is_wrong(folder: Path, gradcheck: Gradcheck) -> None:
    ended = gradcheck("new", "spec", "layer_norm")
    assert (ended.code, ended.err) == (0, "")
    (run,) = commands(ended.out)
    assert run == "gradcheck run layer_norm.grad.yaml"
    ended = gradcheck(*run.split()[1:], "--format", "json")
    assert ended.code == 0
    assert ended.verdicts == {"a small network": "pass", "a step has no derivative where it jumps": "inconclusive"}
    file = folder / "layer_norm.grad.yaml"
    file.write_text(file.read_text("utf-8").replace("    expect: jump\n", ""), "utf-8")
    assert gradcheck("run", "layer_norm.grad.yaml").code == 1


@pytest.mark.parametrize("name", ["squash", "my_activation_with_a_rather_long_name", "x", "g", "out", "scale", "print"])
def test_what_is_written_is_formatted_and_free_of_lint(folder: Path, gradcheck: Gradcheck, name: str) -> None:
    assert gradcheck("new", "op", name).code == 0
    for arguments in (["format", "--check"], ["check", "--extend-select", "W,I,B,D2"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, "--isolated", "--no-cache", f"{name}.py"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert gradcheck("check-ops", "--ops", f"{name}.py").code == 0
    assert gradcheck("new", "spec", name, "--ops", f"{name}.py").code == 0
    assert gradcheck("run", f"{name}.grad.yaml").code == 0


@pytest.mark.parametrize(("line", "file"), [("new op squash", "squash.py"), ("new spec a", "a.grad.yaml")])
def test_what_is_there_is_never_overwritten(folder: Path, gradcheck: Gradcheck, line: str, file: str) -> None:
    (folder / file).write_text("mine", "utf-8")
    ended = gradcheck(*line.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"{file}: error: exists already [file-exists]")
    assert "never overwritten" in ended.err
    assert (folder / file).read_text("utf-8") == "mine"


@pytest.mark.parametrize(("line", "file"), [("new op softsign", "softsign.py"), ("new spec a", "a.grad.yaml")])
def test_a_dry_run_needs_no_free_name(folder: Path, gradcheck: Gradcheck, line: str, file: str) -> None:
    fresh = gradcheck(*line.split(), "--dry-run")
    (folder / file).write_text("mine", "utf-8")  # as `gradcheck new ... --dry-run > FILE` has it
    ended = gradcheck(*line.split(), "--dry-run")
    assert (ended.code, ended.out, ended.err) == (0, fresh.out, fresh.err)
    assert (folder / file).read_text("utf-8") == "mine"


def test_a_link_that_leads_nowhere_is_not_followed(folder: Path, gradcheck: Gradcheck) -> None:
    (folder / "squash.py").symlink_to(folder / "elsewhere.py")
    assert gradcheck("new", "op", "squash").code == 2
    assert not (folder / "elsewhere.py").exists()


def test_folders_are_made_and_commands_name_them(folder: Path, gradcheck: Gradcheck) -> None:
    ended = gradcheck("new", "op", "my ops/squash.py")
    assert ended.out.startswith("wrote my ops/squash.py\n")
    assert commands(ended.out) == [
        "gradcheck check-ops --ops 'my ops/squash.py'",
        "gradcheck new spec squash --ops 'my ops/squash.py'",
    ]
    # The file can be carried to another folder.
    assert "my ops" not in (folder / "my ops" / "squash.py").read_text("utf-8")
    assert gradcheck("new", "spec", "squash", "--ops", "my ops/squash.py").code == 0
    assert "\nops: ['my ops/squash.py']\n" in (folder / "squash.grad.yaml").read_text("utf-8")
    assert gradcheck("run", "squash.grad.yaml").code == 0


def test_a_file_in_the_place_of_a_folder_is_said(folder: Path, gradcheck: Gradcheck) -> None:
    (folder / "ops").touch()
    ended = gradcheck("new", "op", "ops/squash")
    assert ended.code == 2
    assert ended.err == "ops/squash.py: error: can't be written: 'ops' is no folder [wrong-file]\n"


def test_a_dry_run_writes_to_standard_output_only(folder: Path, gradcheck: Gradcheck) -> None:
    ended = gradcheck("new", "op", "squash", "--dry-run")
    assert (ended.code, os.listdir(folder)) == (0, [])
    assert "squash.py is not written" in ended.err
    gradcheck("new", "op", "squash")
    assert (folder / "squash.py").read_text("utf-8") == ended.out


def test_the_name_of_a_builtin_operator_is_noted(folder: Path, gradcheck: Gradcheck) -> None:
    ended = gradcheck("new", "op", "relu")
    assert (ended.code, ended.err) == (0, "note: this relu hides the built-in one wherever its file is named\n")
    assert gradcheck("new", "spec", "relu", "--ops", "relu.py").code == 0
    shown = gradcheck("run", "relu.grad.yaml", "-v")
    assert shown.code == 0
    assert "relu" in shown.err


def test_a_spec_that_folders_are_not_walked_for_is_noted(folder: Path, gradcheck: Gradcheck) -> None:
    ended = gradcheck("new", "spec", "a.yaml")
    assert (ended.code, os.listdir(folder)) == (0, ["a.yaml"])
    assert "a.yaml has to be named itself" in ended.err


def test_a_schema_beside_the_spec_is_named_in_its_first_line(folder: Path, gradcheck: Gradcheck) -> None:
    gradcheck("new", "spec", "a")
    assert not (folder / "a.grad.yaml").read_text("utf-8").startswith("# yaml-language-server")
    (folder / "gradcheck.schema.json").touch()
    gradcheck("new", "spec", "b")
    gradcheck("new", "spec", "c", "--op", "tanh")
    for name in ("b", "c"):
        text = (folder / f"{name}.grad.yaml").read_text("utf-8")
        assert text.startswith("# yaml-language-server: $schema=gradcheck.schema.json\n")
        assert "gradcheck schema >" not in text
        assert gradcheck("run", f"{name}.grad.yaml").code == 0


@pytest.mark.parametrize("line", ["new op x\x1b[2J", "new spec x\x1b[2J", "new op soft-sign"])
def test_a_wrong_name_is_a_mistake(folder: Path, gradcheck: Gradcheck, line: str) -> None:
    ended = gradcheck(*line.split(" "))
    assert (ended.code, ended.out, os.listdir(folder)) == (2, "", [])
    assert "[wrong-name]" in ended.err
    assert "\x1b" not in ended.err


def test_an_ascii_terminal_gets_escapes(folder: Path, process: Gradcheck) -> None:
    ended = process("new", "op", "\N{GREEK SMALL LETTER PHI}", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"})
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("wrote \\u03c6.py\n")
    assert (folder / "\N{GREEK SMALL LETTER PHI}.py").exists()


def test_a_name_that_looks_like_an_option_stays_a_path_in_the_command(folder: Path, gradcheck: Gradcheck) -> None:
    ended = gradcheck("new", "spec", "--", "-x")
    assert commands(ended.out) == ["gradcheck run ./-x.grad.yaml"]
    assert gradcheck("run", "./-x.grad.yaml").code == 0


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("new", 2, "op"),
        ("new --help", 0, "spec"),
        ("new op --help", 0, "--dry-run"),
        ("new spec --help", 0, "--op name"),
        ("new op", 2, "name"),
        ("new pos", 2, "no such command"),
        ("new op soft-sign", 2, "soft_sign"),
        ("new spec a --dry-run", 0, "expr:"),
    ],
)
def test_what_needs_no_operators_imports_no_numpy(tmp_path: Path, line: str, status: int, said: str) -> None:
    heavy, done = heavy_imports(tmp_path, *line.split())
    assert done.returncode == status, done.stderr
    assert said in (done.stdout + done.stderr).lower()
    assert heavy == []
