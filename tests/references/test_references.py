"""The reference pages are current, whole, and the same wherever they are written."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer

from gradcheck_cli.cli.commands import Commands
from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.spec.bridge_schema import BRIDGES
from gradcheck_cli.spec.json_schema import spec_schema
from gradcheck_cli.spec.schema import ArrayKeys, CheckKeys, HealthKeys, SpecKeys
from gradcheck_cli.spec.text.nodes import plain
from gradcheck_cli.spec.text.yaml_reader import decode, read_documents
from tests.references import commands as commands_module
from tests.references.commands import commands_page
from tests.references.markdown import cell, code, table
from tests.references.operators import operators_page
from tests.references.pages import DOCS, PAGES, stale
from tests.references.spec import in_yaml, spec_page

ROOT = Path(__file__).parents[2]


def test_every_page_is_current() -> None:
    assert stale() == [], "python -m tests.references --write"


def test_a_stale_page_and_a_missing_one_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "cli.md"
    page.write_text(commands_page().replace("`--rtol NUMBER`", "`--tolerance NUMBER`"), encoding="utf-8")
    monkeypatch.setitem(PAGES, "cli.md", (page, commands_page))
    monkeypatch.setitem(PAGES, "operators.md", (tmp_path / "none.md", operators_page))
    assert stale() == ["cli.md", "operators.md"]


def section(page: str, heading: str) -> str:
    """Return what stands below a heading of the second level."""
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_every_command_and_option_is_documented() -> None:
    """The list is that of the functions behind the commands, not that of the tree which the page is made of."""
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    functions: dict[str, Callable[..., Any]] = {}
    for name in Commands():
        home = name.replace("-", "_")
        found = getattr(importlib.import_module(f"gradcheck_cli.cli.{home}"), home)
        if not isinstance(found, typer.Typer):
            functions[name] = found
            continue
        for info in found.registered_commands:
            assert info.callback is not None
            functions[f"{name} {info.name}"] = info.callback
    assert len(functions) > 5
    for name, function in functions.items():
        own = section(page, f"gradcheck {name}")
        assert own, name
        for option in re.findall(r"\"(--?[a-z][\w-]*)\"", source_of(function)):
            assert f"`{option}" in own, (name, option)


def source_of(function: Callable[..., Any]) -> str:
    """Return the text of the parameters of a command."""
    path = Path(function.__code__.co_filename)
    lines = path.read_text(encoding="utf-8").splitlines()[function.__code__.co_firstlineno - 1 :]
    return "\n".join(lines[: next(number for number, line in enumerate(lines) if "-> None:" in line)])


def test_a_new_command_is_documented_without_a_change_here(monkeypatch: pytest.MonkeyPatch) -> None:
    grown = typer.Typer(name="gradcheck", rich_markup_mode=None)
    made = typer.Typer(name="new")

    @grown.command()
    def forge(
        paths: Annotated[list[str], typer.Argument(help="What to | forge.")],
        heat: Annotated[float, typer.Option(envvar="FORGE_HEAT", help="How *hot*.")] = 1.5,
        fuel: Annotated[str, typer.Option("--fuel", "-f", metavar="NAME", help="Burns. [default: coal]")] = "",
        lit: Annotated[bool, typer.Option("--lit/--unlit", help="Begin at once.")] = True,
    ) -> None:
        """Forge a thing.

        Slowly.
        """

    @made.command("op")
    def new_op(name: str) -> None:
        """Write a thing: well."""

    @made.command("spec")
    def new_spec(name: str) -> None:
        """Write another."""

    grown.add_typer(made)
    monkeypatch.setattr(commands_module, "app", grown)
    page = commands_page()
    forged = section(page, "gradcheck forge")
    assert "gradcheck forge [OPTIONS] PATHS..." in forged
    assert "\n\nForge a thing.\n\nSlowly.\n\n" in forged
    assert "| `PATHS` | What to \\| forge. Required. |" in forged
    assert "| `--heat NUMBER` | How \\*hot\\*. | `1.5` | `FORGE_HEAT` |" in forged
    assert re.search(r"\| `--fuel`?.*, `-f NAME` \| Burns\. \| `coal` \|", forged)
    assert re.search(r"\| `--lit`, `--unlit` \| Begin at once\. \| `yes` \|", forged)
    assert section(page, "gradcheck new op")
    assert "[new op](#gradcheck-new-op) | Write a thing |" in page
    assert "| `FORGE_HEAT` | stands for `--heat NUMBER` of `gradcheck forge` |" in section(
        page + "\n## ", "Environment"
    )


def test_every_exit_code_and_every_variable_that_is_read_stands_on_the_page() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    for each in ExitCode:
        assert f"| {int(each)} |" in section(page, "Exit codes")
    read = set()
    for path in (ROOT / "gradcheck_cli").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        read |= set(re.findall(r"(?:environ(?:\.get\(|\[)|getenv\()\s*[\"']([A-Z_]+)[\"']", text))
    named = {name for name in read if not name.startswith(("_", "COMP_"))}
    assert "NO_COLOR" in named
    for name in named:
        assert f"`{name}`" in section(page + "\n## ", "Environment"), (
            f"say what {name} does in tests/references/commands.py"
        )


def test_every_key_stands_on_the_page() -> None:
    page = (DOCS / "spec.md").read_text(encoding="utf-8")
    for heading, model in (
        ("Keys of a case", SpecKeys),
        ("Parameters and inputs", ArrayKeys),
        ("Knobs of check", CheckKeys),
        ("Limits of health", HealthKeys),
    ):
        for key in model.model_fields:
            assert f"| `{key}` |" in section(page, heading), (heading, key)
    for kind, model in BRIDGES.items():
        own = section(page, "Operators").partition(f"### `{kind}`")[2].partition("\n### ")[0]
        for key in model.model_fields:
            assert f"| `{key}` |" in own, (kind, key)
    for name in spec_schema()["definitions"]["verdict"]["enum"]:
        assert f"`{name}`" in section(page, "Expectations")


def test_every_operator_stands_on_the_page_with_its_formula() -> None:
    page = (DOCS / "operators.md").read_text(encoding="utf-8")
    built_in = Loader().built_in
    assert len(built_in) > 30
    for name, operator in built_in.items():
        own = page.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
        assert f"`{operator.signature}`" in own
        assert operator.doc.splitlines()[0] in own
        for each in (*operator.inputs, *operator.attributes):
            assert re.search(rf"\| `\*?{each.name}` \|", own), (name, each.name)


@pytest.mark.parametrize("page", ["cli.md", "spec.md", "operators.md"])
def test_links_lead_to_headings(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    links = re.findall(r"\]\(#([^)]*)\)", text)
    assert links
    assert set(links) <= anchors
    for name in re.findall(r"\]\(([\w-]+\.md)\)", text):
        assert (DOCS / name).is_file()


@pytest.mark.parametrize(
    "changes",
    [
        {"COLUMNS": "30"},
        {"COLUMNS": "300", "FORCE_COLOR": "1", "GITHUB_ACTIONS": "true"},
        {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"},
        {"LC_ALL": "C.UTF-8", "LANGUAGE": "de", "NO_COLOR": "1", "TERM": "dumb"},
        {"PYTHONHASHSEED": "7"},
    ],
    ids="-".join,
)
def test_pages_are_the_same_wherever_they_are_written(changes: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.references"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **changes},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "value",
    [
        1e-7,
        1e6,
        256.0,
        0.1,
        -0.055139,
        3,
        True,
        "he",
        "4 5",
        "3",
        "on",
        "true",
        "",
        "a: b",
        "x # y",
        "one\ntwo",
        [1, "n"],
        {"a": [1.5, {"b": "... n"}]},
        {"x": "file.py:name"},
        [],
    ],
    ids=repr,
)
def test_a_value_is_written_as_a_spec_reads_it(value: Any) -> None:
    text = in_yaml(value)
    source, problems = decode(text, "-")
    (document,) = read_documents(source, problems)
    problems.raise_any()
    assert plain(document) == value
    assert "\n" not in text


def test_a_table_holds_any_text() -> None:
    assert cell("a | b\n c") == "a \\| b c"
    assert code("`x`") == "`` `x` ``"
    assert table(["a", "b"], [("1", ""), ("2", "")]) == "| a |\n| --- |\n| 1 |\n| 2 |"
    assert table(["a"], []) == ""


def test_the_page_of_specs_shows_a_spec_that_loads() -> None:
    shown = re.findall(r"^```yaml\n(.*?)^```$", spec_page(), re.MULTILINE | re.DOTALL)
    assert len(shown) == 1
    from gradcheck_cli.spec.loader import load_spec

    assert load_spec(None, shown="-", text=shown[0], loader=Loader(), given={})
