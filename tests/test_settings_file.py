"""The file of settings: where it is found, what it may hold, and what is said of anything else."""

from pathlib import Path

import pytest

from gradcheck_cli.settings import INCLUDE, Settings
from gradcheck_cli.settings_file import SettingsError, settings_in, settings_near

WHOLE = """
[project]
name = "x"

[tool.gradcheck]
paths = ["specs", "more/*.yaml"]
include = ["*.grad.yaml", "grad/*.yml"]
exclude = ["slow", "specs/old/*"]
ops = "my_ops.py"
report = ["junit=out/gradcheck.xml"]
require-device = ["cuda"]
seed = 7
strict = true
jobs = "auto"
color = "never"
cache-dir = ".cache/gradcheck"

[tool.gradcheck.check]
rtol = 1e-6
budget = "none"
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, name="pyproject.toml"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_every_setting_is_read_and_paths_start_at_the_file(project, tmp_path):
    project(WHOLE)
    settings = settings_near(Path())
    assert settings.paths == ("specs", "more/*.yaml")
    assert settings.include == ("*.grad.yaml", "grad/*.yml")
    assert settings.exclude == ("slow", "specs/old/*")
    assert settings.ops == (tmp_path / "my_ops.py",)
    assert settings.report == ("junit=out/gradcheck.xml",)
    assert settings.require_device == ("cuda",)
    assert (settings.seed, settings.strict, settings.jobs, settings.color) == (7, True, "auto", "never")
    assert settings.cache_dir == tmp_path / ".cache/gradcheck"
    assert settings.knobs == {"rtol": 1e-6, "budget": float("inf")}


def test_paths_are_seen_from_the_current_folder(project, tmp_path, monkeypatch):
    project(WHOLE)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep" / "er")
    settings = settings_near(Path())
    assert settings.paths == ("../../specs", "../../more/*.yaml")
    assert settings.report == ("junit=../../out/gradcheck.xml",)


def test_without_a_file_the_defaults_hold(tmp_path):
    settings = settings_near(tmp_path)
    assert settings.file is None or not settings.file.is_relative_to(tmp_path)
    assert Settings().include == INCLUDE


def test_the_nearest_file_that_has_settings_counts(project, tmp_path):
    project("[tool.gradcheck]\nseed = 1\n")
    inner = project("[project]\nname = 'inner'\n", "a/pyproject.toml")
    assert settings_near(inner.parent).seed == 1
    inner.write_text("[tool.gradcheck]\nseed = 2\n")
    assert settings_near(inner.parent).seed == 2
    assert settings_near(tmp_path).seed == 1


def test_files_that_nobody_set_up_for_us_are_not_even_parsed(project, tmp_path):
    project("this is = = no TOML")
    assert settings_near(tmp_path).seed == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("inclde = 'x'", "unknown key 'inclde'"),
        ("cache_dir = 'x'", "did you mean 'cache-dir'?"),
        ("seed = -1", "seed should be a whole number"),
        ("seed = true", "seed should be a whole number"),
        ("strict = 'yes'", "strict should be true or false"),
        ("jobs = 'many'", "jobs should be a whole number, 1 or more, or 'auto'"),
        ("jobs = 0x" + "f" * 5000, "jobs should be a whole number, 1 or more, or 'auto'"),
        ("jobs = 0", "jobs should be a whole number, 1 or more, or 'auto'"),
        ("color = 'red'", "color should be 'auto', 'always' or 'never'"),
        ("paths = [1]", "paths should be a text or a list of texts"),
        ("check = 3", "check should be a table of knobs"),
        ("check = {rtol = 2}", "rtol should be a number between 0 and 1"),
        ("check = {rtl = 2}", "unknown knob 'rtl'. did you mean 'rtol'?"),
        ("cache-dir = ''", "cache-dir should be the path of a folder"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(project, line, said):
    project(f"[tool.gradcheck]\n{line}\n")
    with pytest.raises(SettingsError) as caught:
        settings_near(Path())
    message = str(caught.value)
    assert said in message
    assert message.startswith("pyproject.toml:2")
    assert line in message  # the line itself is shown


def test_all_that_is_wrong_is_said_at_once(project):
    project("[tool.gradcheck]\nseed = -1\n\n[tool.gradcheck.check]\nrtol = 3\n")
    with pytest.raises(SettingsError) as caught:
        settings_near(Path())
    assert [problem.location.line for problem in caught.value.problems] == [2, 5]


def test_a_key_of_another_table_is_not_taken_for_ours(project):
    project("[tool.other]\nseed = 5\n\n[tool.gradcheck]\nseed = -1\n")
    with pytest.raises(SettingsError, match=r"^pyproject\.toml:5:1"):
        settings_near(Path())


def test_no_toml_is_said_with_the_place(project):
    project("[tool.gradcheck]\nseed = \n")
    with pytest.raises(SettingsError, match=r"^pyproject\.toml:2:\d+: error: this is no TOML"):
        settings_near(Path())


def test_a_named_file_may_have_any_name_but_needs_the_table(project):
    assert settings_in(project("[tool.gradcheck]\nseed = 3\n", "ci.toml")).seed == 3
    with pytest.raises(SettingsError, match="no table"):
        settings_in(project("[project]\n", "empty.toml"))
    with pytest.raises(SettingsError, match="can't be read"):
        settings_in(Path("missing.toml"))
    (Path("latin.toml")).write_bytes(b"[tool.gradcheck]\nops = '\xe9'\n")
    with pytest.raises(SettingsError, match="it is not UTF-8"):
        settings_in(Path("latin.toml"))


def test_a_number_of_some_thousand_digits_is_no_number(project):
    project(f"[tool.gradcheck]\njobs = {'9' * 5000}\n")
    with pytest.raises(SettingsError, match="this is no TOML: Exceeds the limit"):
        settings_near(Path())
