"""The examples that ship: each spec ends as it expects, and what it shows is really seen."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SPECS = sorted(path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*.grad.yaml"))


def gradcheck(*arguments: str, cwd: Path = EXAMPLES) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "gradcheck_cli", *arguments]
    root = str(EXAMPLES.parent)
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False, env={"PYTHONPATH": root, "PATH": ""}
    )


def needs(spec: str) -> str:
    """Return the framework that a spec needs, which its first line says."""
    first = (EXAMPLES / spec).read_text(encoding="utf-8").splitlines()[0]
    return next((module for name, module in (("PyTorch", "torch"), ("JAX", "jax")) if f"Needs {name}" in first), "")


@pytest.mark.parametrize("spec", SPECS)
def test_an_example_ends_as_it_expects(spec: str) -> None:
    framework = needs(spec)
    if framework and importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    ended = gradcheck("run", spec)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize("spec", [spec for spec in SPECS if needs(spec)])
def test_a_missing_framework_is_said_with_the_line_that_installs_it(spec: str) -> None:
    framework = needs(spec)
    if importlib.util.find_spec(framework) is not None:
        pytest.skip(f"{framework} is installed")
    ended = gradcheck("run", spec)
    assert ended.returncode == 2
    assert f"pip install 'gradcheck-cli[{framework}]'" in ended.stderr


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.startswith("bridges/")])
def test_every_bridge_has_right_and_wrong_twins(spec: str) -> None:
    text = (EXAMPLES / spec).read_text(encoding="utf-8")
    wanted = ["right", "sign", "missing term", "detached", "nondeterministic"]
    # JAX arrays can't be written to.
    wanted += [] if "jax" in spec else ["in place"]
    assert [twin for twin in wanted if f"{twin}," not in text] == []


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the course's files, to be changed."""
    return Path(shutil.copytree(EXAMPLES / "course", tmp_path / "course"))


def rows(ended: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Return the verdict of each operator."""
    return {row["name"]: row["verdict"] for row in json.loads(ended.stdout)["operators"]}


def test_a_file_of_layers_needs_no_yaml_for_what_can_be_guessed() -> None:
    ended = gradcheck("check-ops", "--ops", "course/layers.py", "--format", "json")
    assert ended.returncode == 1, ended.stderr
    verdicts = rows(ended)
    assert (verdicts["affine"], verdicts["relu"], verdicts["softmax_loss"]) == ("fail", "pass", "pass")
    assert [verdicts[name] for name in ("batchnorm", "dropout", "conv", "max_pool")] == ["skip"] * 4
    text = gradcheck("check-ops", "--ops", "course/layers.py").stdout
    assert "the gradient of b has shape (5,), b has (4,)" in text
    assert "layers.py:15" in text
    for name, last in (("conv", "conv_param"), ("dropout", "dropout_param"), ("batchnorm", "bn_param")):
        (line,) = [line for line in text.splitlines() if f"{name}: {{x:" in line]
        assert f"{last}: [...]" in line


def test_thirty_lines_of_domains_check_every_layer(course: Path) -> None:
    assert len((course / "domains.yaml").read_text(encoding="utf-8").splitlines()) < 30
    ended = gradcheck("check-ops", "--ops", "domains.yaml", "--format", "json", cwd=course)
    verdicts = rows(ended)
    assert (len(verdicts), {name for name, verdict in verdicts.items() if verdict != "pass"}) == (7, {"affine"})
    mend(course)
    ended = gradcheck("check-ops", "--ops", "domains.yaml", "--format", "json", cwd=course)
    assert (ended.returncode, set(rows(ended).values())) == (0, {"pass"}), ended.stdout


def test_twenty_five_lines_check_the_network(course: Path) -> None:
    spec = course / "network.grad.yaml"
    assert len(spec.read_text(encoding="utf-8").splitlines()) < 25
    assert gradcheck("run", spec.name, cwd=course).returncode == 0
    mend(course)
    assert gradcheck("run", spec.name, cwd=course).returncode == 1  # it no longer fails, as it is expected to
    spec.write_text(spec.read_text(encoding="utf-8").replace("expect: fail\n", ""), encoding="utf-8")
    ended = gradcheck("run", spec.name, cwd=course)
    assert ended.returncode == 0, ended.stdout


def mend(course: Path) -> None:
    """Put the planted mistake right."""
    layers = course / "layers.py"
    text = layers.read_text(encoding="utf-8")
    assert text.count("db = dout.sum(axis=1)") == 1
    layers.write_text(text.replace("db = dout.sum(axis=1)", "db = dout.sum(axis=0)"), encoding="utf-8")


def test_one_element_of_an_adjoint_that_is_a_hundredth_off_is_named() -> None:
    report = json.loads(gradcheck("run", "diffusion.grad.yaml", "--format", "json").stdout)
    right, wrong = report["cases"]
    assert [parameter["verdict"] for parameter in right["parameters"]] == ["pass", "pass"]
    assert [parameter["verdict"] for parameter in wrong["parameters"]] == ["pass", "fail"]
    assert wrong["parameters"][1]["worst"]["index"] == [2]
