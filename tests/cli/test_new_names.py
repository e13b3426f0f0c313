"""The names of new files: suffixes are kept and never doubled, and what can't be a name is said with a better one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradcheck_cli.cli.new_names import operator_path, schema_of, spec_path, walked_for
from gradcheck_cli.errors import GradcheckError, Problem


def problem_of(read: Callable[[str], Path], given: str) -> Problem:
    with pytest.raises(GradcheckError) as caught:
        read(given)
    (problem,) = caught.value.problems
    assert problem.code == "wrong-name"
    return problem


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("softsign", "softsign.py"),
        ("softsign.py", "softsign.py"),
        ("my/own/softsign", "my/own/softsign.py"),
        ("my/own.py/softsign.py", "my/own.py/softsign.py"),
        ("match", "match.py"),
        ("relu", "relu.py"),
        ("\N{GREEK SMALL LETTER PHI}", "\N{GREEK SMALL LETTER PHI}.py"),
    ],
)
def test_an_operator_stands_in_a_python_file(given: str, path: str) -> None:
    assert operator_path(given) == Path(path)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("layer_norm", "layer_norm.grad.yaml"),
        ("layer_norm.grad", "layer_norm.grad.yaml"),
        ("layer_norm.grad.yaml", "layer_norm.grad.yaml"),
        ("specs/layer norm", "specs/layer norm.grad.yaml"),
        ("v1.2", "v1.2.grad.yaml"),
        ("layer_norm.yaml", "layer_norm.yaml"),
        ("layer_norm.yml", "layer_norm.yml"),
    ],
)
def test_a_spec_is_named_as_folders_are_walked_for(folder: Path, given: str, path: str) -> None:
    assert spec_path(given) == Path(path)
    assert walked_for(spec_path(given)) == ("" if path.endswith(".grad.yaml") else "*.grad.yaml")


def test_the_settings_say_what_folders_are_walked_for(folder: Path) -> None:
    settings = folder / "pyproject.toml"
    settings.write_text('[tool.gradcheck]\ninclude = ["*.spec.yaml", "checks/*.yaml"]\n', encoding="utf-8")
    assert walked_for(Path("new/folder/a.grad.yaml")) == "*.spec.yaml, checks/*.yaml"
    assert walked_for(Path("new/folder/a.spec.yaml")) == walked_for(Path("checks/a.grad.yaml")) == ""
    settings.write_text("[tool.gradcheck]\ninclude = 7\n", encoding="utf-8")
    assert walked_for(Path("a.grad.yaml")) == ""


@pytest.mark.parametrize(
    ("given", "why", "better"),
    [
        ("soft-sign", "letters, digits and _", "soft_sign"),
        ("ops/soft sign.py", "letters, digits and _", "ops/soft_sign"),
        ("3d", "begin with a digit", "my_3d"),
        ("lambda", "Python's grammar", "my_lambda"),
        ("None", "Python's grammar", "my_None"),
        ("_hidden", "begins with _", "hidden"),
        ("np", "imports that name", "my_np"),
        ("keep", "imports that name", "my_keep"),
        ("random", "hide the module", "my_random"),
        ("numpy.py", "hide the module", "my_numpy"),
        ("gradcheck_cli", "hide the module", "my_gradcheck_cli"),
        ("\N{LATIN SMALL LIGATURE FI}t", "write it 'fit'", "fit"),
        ("a.b", "letters, digits and _", "a_b"),
    ],
)
def test_what_cannot_name_an_operator_is_answered_with_a_name_that_can(given: str, why: str, better: str) -> None:
    problem = problem_of(operator_path, given)
    assert why in problem.message
    assert problem.hint == f"for instance {better}"
    assert operator_path(better).stem == Path(better).name


def test_without_a_letter_there_is_no_better_name() -> None:
    assert problem_of(operator_path, "-+-").hint == "choose another name"


@pytest.mark.parametrize("read", [operator_path, spec_path])
@pytest.mark.parametrize("given", ["", " ", ".", "..", "ops/", "/", "a/.."])
def test_a_folder_is_no_name(read: Callable[[str], Path], given: str) -> None:
    assert "names no file" in problem_of(read, given).message


def test_a_suffix_alone_is_no_name() -> None:
    assert "names no file" in problem_of(spec_path, "specs/.grad.yaml").message
    assert "digits" in problem_of(operator_path, ".py").message


@pytest.mark.parametrize("read", [operator_path, spec_path])
@pytest.mark.parametrize("given", ["a\x1b[2Jb", "a\nb", "a\0b", "a\N{RIGHT-TO-LEFT OVERRIDE}b", "a\udc80b"])
def test_a_name_that_a_terminal_cannot_show_is_refused(read: Callable[[str], Path], given: str) -> None:
    problem = problem_of(read, given)
    assert "can't be printed" in problem.message
    assert str(problem).partition("\n")[0].isprintable()


def test_the_other_kind_of_file_is_answered_with_its_command() -> None:
    assert problem_of(operator_path, "softsign.yaml").hint == "gradcheck new spec softsign.yaml"
    assert "gradcheck new spec softsign --ops ops/softsign.py" in problem_of(spec_path, "ops/softsign.py").hint


def test_a_module_beside_the_current_folder_hides_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as a module, Python puts the current folder first."""
    (folder / "losses.py").touch()
    monkeypatch.syspath_prepend(folder)
    assert operator_path("ops/losses") == Path("ops/losses.py")


def test_an_installed_module_is_not_hidden_and_a_bare_folder_is_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder / "installed"
    (place / "bare").mkdir(parents=True)
    (place / "attention_kernels.py").touch()
    monkeypatch.syspath_prepend(place)
    assert "hide the module" in problem_of(operator_path, "attention_kernels").message
    assert operator_path("bare") == Path("bare.py")


def test_a_schema_is_found_beside_the_spec_and_above_it_in_its_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    spec = project / "specs" / "deep" / "a.grad.yaml"
    spec.parent.mkdir(parents=True)
    (tmp_path / "gradcheck.schema.json").touch()
    assert schema_of(spec) == ""
    (project / "pyproject.toml").touch()
    assert schema_of(spec) == ""
    (project / "gradcheck.schema.json").touch()
    assert schema_of(spec) == "../../gradcheck.schema.json"
    (spec.parent / "gradcheck.schema.json").touch()
    assert schema_of(spec) == "gradcheck.schema.json"


def test_without_a_project_only_the_folder_of_the_spec_counts(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "gradcheck.schema.json").touch()
    assert schema_of(tmp_path / "specs" / "a.grad.yaml") == ""
    assert schema_of(tmp_path / "a.grad.yaml") == "gradcheck.schema.json"
