"""What pytest collects, and what it doesn't, where the package is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.pytest_plugin.conftest import ROOT, Project

Write = Callable[[str, str], Path]

TANH = "expr: tanh(x)\nparams: {x: 3}\n"
BROKEN = "expr: tnh(x)\nparams: {y: 2}\n"
ONLY_THE_PLUGIN = {"gradcheck_cli", "gradcheck_cli.pytest_plugin"}

NAMES = """
    params: {x: [1, 2, 3]}
    cases:
      - {expr: "x[::2]"}
      - {expr: "x[0] * 2"}
      - {name: "a::b", expr: x}
      - {name: "a:::b [c::d]", expr: x}
      - {name: "::", expr: x}
      - {name: "λ ∂ ü", expr: x}
      - {name: 'back\\slash and "quotes"', expr: x}
      - {name: "tail [", expr: x}
      - {name: LONG, expr: x}
      - {name: m, expr: a * x, matrix: {a: [1, 2.5]}}
""".replace("LONG", "long " * 30 + "end")


def test_cases_of_specs_are_tests_beside_those_of_python(project: Project, write: Write) -> None:
    write("specs/deep/tanh.grad.yaml", TANH)
    write("specs/several.grad.yaml", "params: {x: 3}\ncases: [{expr: x}, {name: square, expr: x**2}]\n---\n" + TANH)
    write("specs/notes.yaml", BROKEN)
    write("test_plain.py", "def test_plain(): pass\n")
    ran = project.pytest()
    assert ran.tests == {
        "specs/deep/tanh.grad.yaml::tanh": "passed",
        "specs/several.grad.yaml::x": "passed",
        "specs/several.grad.yaml::square": "passed",
        "specs/several.grad.yaml::several 2": "passed",
        "test_plain.py::test_plain": "passed",
    }
    assert ran.status == 0


def test_collect_only_shows_files_and_cases(project: Project, write: Write) -> None:
    write("specs/tanh.grad.yaml", TANH)
    ran = project.pytest("--collect-only")
    assert "    <GradSpec tanh.grad.yaml>\n      <GradCase tanh>\n" in ran.out


def test_a_tree_without_specs_loads_nothing_but_the_plugin(project: Project, write: Write) -> None:
    write("test_plain.py", "def test_plain(): pass\n")
    write("data/notes.yaml", TANH)
    ran = project.pytest()
    assert ran.tests == {"test_plain.py::test_plain": "passed"}
    assert ran.ours == ONLY_THE_PLUGIN
    assert "numpy" not in ran.modules


def test_settings_alone_load_no_numpy(project: Project, write: Write) -> None:
    write("test_plain.py", "def test_plain(): pass\n")
    write("pyproject.toml", '[tool.pytest.ini_options]\n[tool.gradcheck]\ninclude = "*.gradient"\n')
    ran = project.pytest()
    assert "gradcheck_cli.settings" in ran.ours
    assert "numpy" not in ran.modules


def test_a_spec_is_seen_to_load_numpy(project: Project, write: Write) -> None:
    """The partner of the tests above: the recorder sees what is loaded."""
    write("tanh.grad.yaml", TANH)
    assert "numpy" in project.pytest().modules


def test_it_can_be_switched_off(project: Project, write: Write) -> None:
    write("tanh.grad.yaml", TANH)
    ran = project.pytest("-p", "no:gradcheck")
    assert ran.status == pytest.ExitCode.NO_TESTS_COLLECTED
    assert ran.ours == set()


def test_a_wrong_spec_is_an_error_in_words_and_the_others_run(project: Project, write: Write) -> None:
    write("bad.grad.yaml", BROKEN)
    write("tanh.grad.yaml", TANH)
    ran = project.pytest("--continue-on-collection-errors")
    assert ran.status == pytest.ExitCode.TESTS_FAILED
    assert ran.tests == {"tanh.grad.yaml::tanh": "passed"}
    said = ran.out.partition("ERROR collecting bad.grad.yaml _")[2].partition("\n")[2].partition("====")[0]
    assert said.splitlines() == [
        "bad.grad.yaml:1:7: error: unknown operator 'tnh' [unknown-operator]",
        "  expr: tnh(x)",
        "        ^",
        "  hint: did you mean 'tanh'?",
        "bad.grad.yaml:1:11: error: undefined name 'x' [undefined-name]",
        "  expr: tnh(x)",
        "            ^",
        "  hint: name it under params:, inputs: or dims:, or assign it on a line above",
    ]
    assert "Traceback" not in ran.out


def test_what_is_no_spec_is_said_in_words(project: Project, write: Write) -> None:
    texts = {
        "same_name": ("params: {x: 3}\ncases: [{name: a, expr: x}, {name: a, expr: x}]\n", "two cases are named 'a'"),
        "same_name_again": (f"name: a\n{TANH}---\nname: a\n{TANH}", "two cases are named 'a'"),
        "no_file": ("ops: [gone.py]\n" + TANH, "no operator file 'gone.py'"),
        "no_python": ("ops: [no_python.py]\n" + TANH, "no_python.py:1"),
        "no_yaml": ("- [", "no_yaml.grad.yaml:1:4: error: "),
        "empty": ("", "the file holds no spec"),
        "latin": ("expr: \xff", "UTF-8"),
    }
    write("no_python.py", "def (:\n")
    for name, (text, _) in texts.items():
        (project.folder / f"{name}.grad.yaml").write_bytes(text.encode("latin-1"))
    ran = project.pytest()
    assert ran.status == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in ran.out
    sections = dict(re.findall(r"_ ERROR collecting (\w+)\.grad\.yaml _+\n(.*?)\n(?=[_=]{3})", ran.out, re.DOTALL))
    assert [name for name, (_, said) in texts.items() if said not in sections[name]] == [], ran.out


def test_names_of_all_kinds_can_be_selected_by_their_ids(project: Project, write: Write) -> None:
    write("names.grad.yaml", NAMES)
    first = project.pytest()
    assert first.status == 0, first.out
    assert len(first.tests) == 11
    for suffix in ("x[::2]", "x[0] * 2", "a: :b", "a: : :b [c::d]", ": :", "λ ∂ ü", "m[a=1]", "m[a=2.5]"):
        assert f"names.grad.yaml::{suffix}" in first.tests
    again = project.pytest(*first.tests)
    assert again.tests == first.tests
    assert project.pytest("names.grad.yaml::m").tests.keys() == {"names.grad.yaml::m[a=1]", "names.grad.yaml::m[a=2.5]"}


TWINS = r"""
params: {x: 3}
cases:
  - {name: "a::b", expr: x, expect: fail}
  - {name: "a: :b", expr: x}
  - {name: "a:  :b", expr: x}
  - {name: "a:::b", expr: x}
  - {name: "a:: :b", expr: x}
  - {name: "a: ::b", expr: x}
  - {name: "λ", expr: x}
  - {name: '\u03bb', expr: x}
  - {name: '\u03bb (2)', expr: x}
"""


def test_names_that_look_alike_have_ids_of_their_own(project: Project, write: Write) -> None:
    write("twins.grad.yaml", TWINS)
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "utf-8"}
    first = project.pytest("--junitxml=junit.xml", **plain)
    assert len(first.tests) == 9
    assert list(first.tests)[-3:] == [f"twins.grad.yaml::\\u03bb{more}" for more in ("", " (2)", " (2) (2)")]
    assert [name for name, outcome in first.tests.items() if outcome == "failed"] == ["twins.grad.yaml::a: :b"]
    names = [case.get("name") for case in ElementTree.parse(project.folder / "junit.xml").iter("testcase")]
    assert len(set(names)) == len(names) == 9
    assert project.pytest("--lf", **plain).tests == {"twins.grad.yaml::a: :b": "failed"}
    name = list(first.tests)[1]
    assert project.pytest(name).tests == {name: first.tests[name]}


def test_workers_collect_the_same_ids(project: Project, write: Write) -> None:
    write("names.grad.yaml", NAMES)
    alone, shared = project.pytest("--collect-only", "-q"), project.pytest("-n", "2")
    assert shared.status == 0, shared.out
    assert set(shared.tests) == {line for line in alone.out.splitlines() if "::" in line}


def test_what_cannot_be_encoded_is_escaped_in_an_id(project: Project, write: Write) -> None:
    write("names.grad.yaml", "name: λ\n" + TANH)
    ran = project.pytest(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="utf-8")
    assert ran.tests == {"names.grad.yaml::\\u03bb": "passed"}


def test_named_yaml_is_a_spec_unless_somebody_else_takes_it(project: Project, write: Write) -> None:
    write("tanh.yaml", TANH)
    write("tanh.yml", TANH)
    assert project.pytest("tanh.yaml", "tanh.yml::tanh").tests == {
        "tanh.yaml::tanh": "passed",
        "tanh.yml::tanh": "passed",
    }
    assert project.pytest().tests == {}
    write("conftest.py", "import other\npytest_collect_file = other.collect\n")
    write(
        "other.py",
        """
        import pytest

        def collect(file_path, parent):
            if file_path.suffix == ".yaml":
                return Other.from_parent(parent, path=file_path)

        class Other(pytest.File):
            def collect(self):
                yield Test.from_parent(self, name="others")

        class Test(pytest.Item):
            def runtest(self): pass
        """,
    )
    ran = project.pytest("-p", "other", "tanh.yaml", PYTHONPATH=project.environment()["PYTHONPATH"] + ":.")
    assert ran.tests == {"tanh.yaml::others": "passed"}


def test_doctests_live_beside_specs(project: Project, write: Write) -> None:
    write("tanh.grad.yaml", TANH)
    write("documented.py", '"""\n>>> 1 + 1\n2\n"""\n')
    ran = project.pytest("--doctest-modules", "--import-mode=importlib", "-p", "no:cacheprovider")
    assert ran.tests == {"tanh.grad.yaml::tanh": "passed", "documented.py::documented": "passed"}


def test_specs_of_an_importable_package_are_collected(project: Project, write: Write) -> None:
    write("pack/__init__.py", "")
    write("pack/specs/tanh.grad.yaml", TANH)
    ran = project.pytest("--pyargs", "pack", PYTHONPATH=project.environment()["PYTHONPATH"] + f":{project.folder}")
    assert list(ran.tests.values()) == ["passed"]


def test_a_program_that_has_imported_the_package_can_run_pytest(project: Project, write: Write) -> None:
    """pytest warns where it comes too late to rewrite a plugin's package, and takes that from its list of files."""
    (project.support / "gradcheck_cli-0.1.0.dist-info" / "RECORD").write_text("gradcheck_cli/__init__.py,,\n")
    write("tanh.grad.yaml", TANH)
    program = "import gradcheck_cli, pytest, sys; sys.exit(pytest.main(['-W', 'error', '-p', 'recorder']))"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_files_are_named_as_seen_from_where_pytest_was_started(project: Project, write: Write) -> None:
    write("specs/bad.grad.yaml", BROKEN)
    write("elsewhere/pytest.ini", "[pytest]\n")
    ran = project.pytest("../specs", "--rootdir=..", cwd=project.folder / "elsewhere")
    assert "\n../specs/bad.grad.yaml:1:7: error: unknown operator" in ran.out


def test_planted_mistakes_of_our_own_are_not_collected(project: Project) -> None:
    ran = project.pytest("--collect-only", "-q", "tests/mutants", cwd=ROOT)
    assert "tests/mutants/test_mutants.py::" in ran.out
    assert ".grad.yaml" not in ran.out
