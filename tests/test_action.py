"""The GitHub Action: its steps, run by hand in a shell, fail on a wrong operator and pass on a right one."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.scratch import OPERATOR, ROOT, SPEC, WRONG_OPERATOR, Scratch, run_module

if shutil.which("bash") is None:
    pytest.skip("bash is not installed", allow_module_level=True)

TEXT = (ROOT / "action.yml").read_text(encoding="utf-8")
ACTION: dict[str, Any] = yaml.safe_load(TEXT)
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SCRIPTS = [step for step in STEPS if "run" in step]

# Writes what it was called with to a file, instead of checking anything.
RECORDER = """\
import json, os, sys
with open(os.environ["RECORDED"], "w") as stream:
    json.dump(sys.argv[1:], stream)
"""


@dataclass(frozen=True)
class Done:
    """How the steps ended: the exit status of the first that failed, what was written, outputs, the job's summary."""

    status: int
    text: str
    outputs: dict[str, str]
    summary: str


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    """A folder with a right operator and its spec."""
    scratch = Scratch(tmp_path)
    scratch.write("my_ops.py", OPERATOR)
    scratch.write("softsign.grad.yaml", SPEC)
    return scratch


def act(scratch: Scratch, **inputs: str) -> Done:
    """Run the steps as a runner does: inputs reach a script by its variables only, and the first failure ends it."""
    given = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    files = {name: scratch.folder.parent / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.write_text("", encoding="utf-8")
    said, status = "", 0
    for step in SCRIPTS:
        script = scratch.folder.parent / "step.sh"
        script.write_text(filled(step["run"], given), encoding="utf-8")
        variables = {name: filled(value, given) for name, value in step["env"].items()}
        runner = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(scratch.folder),
            "GITHUB_ACTION_PATH": str(ROOT),
            **{name: str(file) for name, file in files.items()},
        }
        folder = scratch.folder / filled(step.get("working-directory", "."), given)
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = scratch.run(command, {**runner, **variables}, folder)
        said += done.stdout
        status = done.returncode
        if status:
            break
    lines = files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines()
    summary = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
    return Done(status, said, dict(line.split("=", maxsplit=1) for line in lines), summary)


def filled(text: str, inputs: dict[str, str]) -> str:
    """Put inputs in their places, as the runner does before a shell sees the text."""
    return re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: inputs[found[1]], text)


def recorded(scratch: Scratch, **inputs: str) -> list[str]:
    """Return the words with which the program is called."""
    file = scratch.folder.parent / "recorded.json"
    recorder = scratch.folder.parent / "recorder.py"
    recorder.write_text(RECORDER, encoding="utf-8")
    real = (scratch.bin / "gradcheck").read_text(encoding="utf-8").partition("\n")[2]
    note = f'RECORDED="{file}" exec "{sys.executable}" "{recorder}" "$@"'
    # Whether there are HTML reports is asked with a spec on standard input.
    scratch.program("gradcheck", f'case "$*" in *--isolated*" -") ;; *) {note} ;; esac\n{real}')
    done = act(scratch, **{"report": "", **inputs})
    assert done.status == 0, done.text
    words: list[str] = json.loads(file.read_text())
    return words


def jinja(scratch: Scratch, there: bool) -> None:
    """Decide whether the program can import what writes HTML reports; `python` is of another mind."""
    for name, missing in (("program", not there), ("python", there)):
        folder = scratch.folder.parent / name
        folder.mkdir()
        if missing:
            (folder / "jinja2.py").write_text("raise ImportError", encoding="utf-8")
    scratch.environment["PYTHONPATH"] = str(scratch.folder.parent / "python")
    path = os.pathsep.join([str(scratch.folder.parent / "program"), str(ROOT)])
    scratch.program("gradcheck", f'PYTHONPATH="{path}" exec "{sys.executable}" -m gradcheck_cli "$@"')


def test_a_right_operator_passes_and_a_wrong_one_fails(scratch: Scratch) -> None:
    done = act(scratch, report="")
    assert (done.status, done.outputs) == (0, {"exit-code": "0"}), done.text
    assert "1 passed" in done.text
    assert "::error" not in done.text
    scratch.write("my_ops.py", WRONG_OPERATOR)
    done = act(scratch, report="")
    assert (done.status, done.outputs) == (1, {"exit-code": "1"}), done.text
    assert "GC201 sign-flipped   my_ops.py:14" in done.text
    assert re.search(r"^::error file=my_ops\.py,line=14,.*sign-flipped", done.text, flags=re.MULTILINE)
    assert "sign-flipped" in done.summary


def test_operators_are_checked_without_a_spec(scratch: Scratch) -> None:
    assert act(scratch, command="check-ops", ops="my_ops.py\n", report="").outputs == {"exit-code": "0"}
    scratch.write("my_ops.py", WRONG_OPERATOR)
    done = act(scratch, command="check-ops", ops="my_ops.py\n", report="")
    assert (done.status, done.outputs) == (1, {"exit-code": "1"})


def test_the_exit_code_is_that_of_the_program(scratch: Scratch) -> None:
    scratch.write("my_ops.py", "import nothing_of_that_name\n")
    assert act(scratch, report="").outputs == {"exit-code": "2"}
    assert act(scratch, report="", args="-k nothing_of_that_name").status == 2
    scratch.write("my_ops.py", OPERATOR)
    done = act(scratch, report="", args="-k nothing_of_that_name")
    assert (done.status, done.outputs) == (5, {"exit-code": "5"})


def test_it_runs_in_the_folder_that_is_named(scratch: Scratch) -> None:
    for file in ("my_ops.py", "softsign.grad.yaml"):
        (scratch.folder / "kernels").mkdir(exist_ok=True)
        (scratch.folder / file).rename(scratch.folder / "kernels" / file)
    assert "1 passed" in act(scratch, report="", working_directory="kernels").text
    assert act(scratch, report="", paths="kernels/softsign.grad.yaml").status == 0


def test_words_are_split_as_a_shell_splits_them(scratch: Scratch) -> None:
    args = "-j auto  -k 'relu and not broken' --tag \"slow ones\" a\\ b ''"
    assert recorded(scratch, args=args) == [
        "run",
        *("-j", "auto", "-k", "relu and not broken", "--tag", "slow ones", "a b", ""),
    ]
    assert recorded(scratch) == ["run"]


def test_paths_and_operators_stand_on_lines(scratch: Scratch) -> None:
    words = recorded(scratch, paths="specs\n  my specs/*.grad.yaml \n\n-odd.yaml\n", ops="a.py\nmy ops.py", args="-q")
    assert words == [
        "run",
        *("--ops", "a.py", "--ops", "my ops.py", "-q"),
        "--",
        "specs",
        "my specs/*.grad.yaml",
        "-odd.yaml",
    ]


HOSTILE = ["$(touch hacked) * $HOME", "`touch hacked`; touch hacked", "' ; touch hacked #", '"; touch hacked']


@pytest.mark.parametrize("text", HOSTILE)
def test_an_input_is_never_run(scratch: Scratch, text: str) -> None:
    assert recorded(scratch, paths=text, ops=text) == ["run", "--ops", text, "--", text]
    for names in (("args", "report"), ("command",), ("install",)):
        act(scratch, **dict.fromkeys(names, text))
    assert not list(scratch.folder.parent.rglob("hacked"))


def test_quotes_in_args_have_to_be_closed(scratch: Scratch) -> None:
    done = act(scratch, args="-k 'relu")
    assert (done.status, done.outputs) == (2, {"exit-code": "2"})
    assert "::error title=gradcheck::a quotation mark in args is not closed" in done.text


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"command": "explain"}, "command should be run or check-ops"),
        ({"command": "check-ops", "paths": "specs"}, "paths are for run"),
        ({"install": "yes"}, "install should be auto, true or false"),
    ],
)
def test_a_wrong_input_is_said(scratch: Scratch, inputs: dict[str, str], said: str) -> None:
    done = act(scratch, **inputs)
    assert done.status == 2
    assert f"::error title=gradcheck::{said}" in done.text


@pytest.mark.parametrize("there", [True, False])
def test_a_report_is_asked_for_where_it_can_be_written(scratch: Scratch, there: bool) -> None:
    jinja(scratch, there)
    words = recorded(scratch, report="a report.html", paths="specs")
    assert words == ["run", *(["--report", "html=a report.html"] if there else []), "--", "specs"]


def test_what_ends_the_options_in_args_takes_no_report_with_it(scratch: Scratch) -> None:
    jinja(scratch, there=True)
    words = recorded(scratch, report="a.html", args="-q -- -odd.yaml", paths="specs")
    assert words == ["run", "--report", "html=a.html", "-q", "--", "-odd.yaml", "specs"]
    assert recorded(scratch, args="-q --", paths="--") == ["run", "-q", "--", "--"]


def test_what_asks_for_the_report_leaves_nothing_behind(scratch: Scratch) -> None:
    jinja(scratch, there=True)
    before = sorted(path.name for path in scratch.folder.iterdir())
    recorded(scratch, report="a.html")
    done = act(scratch, report="a.html")
    assert (done.text.count("::error"), done.summary) == (0, "")
    assert "artifact" not in done.outputs
    assert sorted(path.name for path in scratch.folder.iterdir()) == before


def test_a_report_that_cannot_be_written_is_an_error_and_not_a_notice(scratch: Scratch) -> None:
    jinja(scratch, there=True)
    done = act(scratch, report="softsign.grad.yaml/a.html")
    assert done.status == 2
    assert "::notice" not in done.text


def test_a_report_that_was_written_is_kept_also_after_a_failure(scratch: Scratch) -> None:
    jinja(scratch, there=True)
    scratch.program("gradcheck", 'case "$1" in run | check-ops) echo page >gradcheck-report.html; exit 1 ;; esac')
    done = act(scratch)
    assert (done.status, done.outputs) == (1, {"exit-code": "1", "artifact": "gradcheck-run"})
    # Two steps of one job have two artifacts.
    assert act(scratch, command="check-ops").outputs["artifact"] == "gradcheck-check-ops"
    assert act(scratch, artifact="mine\nother=1").outputs == {"exit-code": "1", "artifact": "mine other=1"}
    (upload,) = (step for step in STEPS if "uses" in step)
    assert upload["if"] == "always() && steps.check.outputs.artifact != ''"
    assert upload["with"]["path"] == "${{ inputs.working-directory }}/${{ inputs.report }}"


def test_a_report_of_an_earlier_step_is_not_kept(scratch: Scratch) -> None:
    jinja(scratch, there=True)
    scratch.write("gradcheck-report.html", "old")
    scratch.program("gradcheck", 'case "$1" in run) exit 2 ;; esac')
    done = act(scratch)
    assert (done.status, done.outputs) == (2, {"exit-code": "2"})


@pytest.fixture
def pip(scratch: Scratch) -> Path:
    """Record what is installed; after that there is a gradcheck. Return the record."""
    record = scratch.folder.parent / "pip.txt"
    late = scratch.bin / "late"
    (scratch.bin / "gradcheck").rename(late)
    install = f'echo "$@" >>"{record}"; cp "{late}" "{scratch.bin / "gradcheck"}"; exit'
    scratch.program("python", f'if [ "$2" = pip ]; then {install}; fi\nexec "{sys.executable}" "$@"')
    # Another gradcheck, of the environment in which the tests run, isn't there.
    for tool in ("bash", "sh", "env", "cp", "rm", "mktemp"):
        found = shutil.which(tool)
        assert found is not None
        (scratch.bin / tool).symlink_to(found)
    scratch.environment["PATH"] = str(scratch.bin)
    return record


def test_what_is_missing_is_installed_from_the_action(scratch: Scratch, pip: Path) -> None:
    assert act(scratch, report="").outputs == {"exit-code": "0"}
    assert pip.read_text().split() == [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        f"{ROOT}[report]",
    ]
    act(scratch, report="")
    assert len(pip.read_text().splitlines()) == 1
    act(scratch, report="", install="true")
    assert len(pip.read_text().splitlines()) == 2


def test_nothing_is_installed_where_that_is_not_wanted(scratch: Scratch, pip: Path) -> None:
    done = act(scratch, install="false")
    assert (done.status, pip.exists()) == (2, False)
    assert "::error title=gradcheck::gradcheck is not on the PATH" in done.text


def test_an_environment_without_python_is_said(scratch: Scratch, pip: Path) -> None:
    (scratch.bin / "python").unlink()
    done = act(scratch)
    assert (done.status, pip.exists()) == (2, False)
    assert "::error title=gradcheck::there is no Python" in done.text


def test_every_script_says_its_shell_and_holds_no_input() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert len(SCRIPTS) == 2
    for step in SCRIPTS:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]


def test_every_input_is_explained_and_used() -> None:
    for name, each in ACTION["inputs"].items():
        assert each["description"]
        assert "required" not in each
        assert re.search(rf"inputs\.{name}\b", TEXT), name
    assert set(re.findall(r"inputs\.([a-z-]+)", TEXT)) == set(ACTION["inputs"])
    ids = {step["id"] for step in STEPS if "id" in step}
    assert set(re.findall(r"steps\.([a-z-]+)\.", TEXT)) == ids


def test_actions_of_others_are_pinned_to_a_major_version() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", each) for each in used)


def test_the_action_meets_the_schema_of_github() -> None:
    pytest.importorskip(
        "check_jsonschema", reason="check-jsonschema is not installed (it is one of the dev dependencies)"
    )
    done = run_module("check_jsonschema", "--builtin-schema", "vendor.github-actions", ROOT / "action.yml")
    assert done.returncode == 0, done.stdout
