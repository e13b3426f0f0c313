"""Texts of specs: those that ship, those that pages show, and those that tests are about."""

import ast
import re
from pathlib import Path

from gradcheck_cli.errors import SpecError
from gradcheck_cli.spec.text.nodes import Table, plain
from gradcheck_cli.spec.text.yaml_reader import decode, read_documents

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(
    path
    for folder in ("specs", "examples", "benchmarks", "tests/mutants")
    for path in (ROOT / folder).rglob("*.grad.yaml")
)
KEYS = re.compile(
    r"^ *(- )?(name|expr|params|inputs|dims|ops|seed|check|matrix|expect|value|grad|cases|parms|param)\s*:",
    re.MULTILINE,
)


def documents_of(text):
    """Return the documents of a text as the loader reads them, without positions. Raises SpecError."""
    source, problems = decode(text, "spec.grad.yaml")
    nodes = read_documents(source, problems)
    problems.raise_any()
    return [plain(node) for node in nodes]


def shown_files(ending):
    """Return the YAML files that README and the pages of the documentation show, by page and name."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    found = {
        f"{page.name} {name}": text
        for page in pages
        for name, text in re.findall(r"^```yaml (\S+)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        if name.endswith(ending)
    }
    assert found
    return found


def texts_of_tests():
    """Return what tests of the loader and of the command line give them: every text that reads like a spec."""
    texts = set()
    for folder in ("spec", "cli"):
        for path in (ROOT / "tests" / folder).rglob("test_*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and KEYS.search(node.value):
                    texts.add(node.value)
    return sorted(texts)


def completed(text):
    """Return a fragment of a spec with what it lacks to be one, so that only its own mistakes are refused.

    None for what is no mapping in YAML.
    """
    try:
        source, problems = decode(text, "-")
        nodes = read_documents(source, problems)
    except SpecError:
        return None
    if not nodes or not all(isinstance(node, Table) for node in nodes):
        return None
    keys = set(nodes[0].items)
    if len(nodes) > 1 or "cases" in keys or text.lstrip().startswith(("{", "---")):
        return text
    lacking = "" if "expr" in keys else "expr: tanh(x)\n"
    lacking += "" if "params" in keys else "params: {x: 3}\n"
    return lacking + text
