"""The programs that read pictures of graphs: Graphviz' `dot`, and Mermaid's own parser run by Node.

Mermaid is looked for in the folder that GRADCHECK_MERMAID names: `npm install mermaid jsdom` there.
"""

from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

_SVG = "{http://www.w3.org/2000/svg}"

_PARSE = """
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";
const page = new JSDOM("");
globalThis.window = page.window;
globalThis.document = page.window.document;
const { default: mermaid } = await import("mermaid");
mermaid.initialize({ maxTextSize: 1e7, maxEdges: 1e6 });
const found = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    await mermaid.parse(text);
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    const texts = [...db.getVertices().values()].map((vertex) => vertex.text);
    const titles = db.getSubGraphs().map((group) => group.title);
    const edges = db.getEdges().map((edge) => [edge.start, edge.end]);
    found.push({ error: null, texts: [...texts, ...titles], edges });
  } catch (error) {
    found.push({ error: String(error.message), texts: [], edges: [] });
  }
}
console.log(JSON.stringify(found));
"""


def dot_texts(source: str) -> list[str]:
    """Return the texts that Graphviz draws; fails the test where it refuses `source` or warns."""
    if shutil.which("dot") is None:
        pytest.skip("Graphviz' program dot is not installed")
    # No layout of curves, which takes long and is not what is tested.
    ended = _run(["dot", "-Tsvg", "-Gsplines=false"], source)
    assert (ended.returncode, ended.stderr.decode()) == (0, ""), source[:2000]
    root = ElementTree.fromstring(ended.stdout)
    return ["".join(text.itertext()).replace("\N{NO-BREAK SPACE}", " ") for text in root.iter(f"{_SVG}text")]


def mermaid_texts(sources: Sequence[str]) -> list[list[str]]:
    """Return the texts of each flowchart as Mermaid understands them; fails the test where it refuses one."""
    found = _parsed(tuple(sources))
    for source, result in zip(sources, found, strict=True):
        assert result["error"] is None, f"{result['error']}\n{source[:2000]}"
    return [[_decoded(text) for text in result["texts"]] for result in found]


def mermaid_errors(sources: Sequence[str]) -> list[str | None]:
    """Return what Mermaid has against each flowchart; None if nothing."""
    return [result["error"] for result in _parsed(tuple(sources))]


@cache
def _parsed(sources: tuple[str, ...]) -> list[dict]:
    folder = os.environ.get("GRADCHECK_MERMAID", "")
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed, which runs Mermaid's parser")
    if not folder or not (Path(folder) / "node_modules" / "mermaid").is_dir():
        pytest.skip("Mermaid is not installed: GRADCHECK_MERMAID names no folder that has it")
    # In text on its command line modules are looked for in the current folder.
    ended = _run([node, "--input-type=module", "--eval", _PARSE], json.dumps(sources), folder)
    assert ended.returncode == 0, ended.stderr.decode()
    return json.loads(ended.stdout.decode())


def _run(command: Sequence[str], text: str, folder: str | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, input=text.encode(), cwd=folder, capture_output=True, timeout=120, check=False)


def _decoded(text: str) -> str:
    """Write the marks that Mermaid puts in place of entities as it does when it draws."""
    entities = text.replace("<br>", "\n").replace("ﬂ°°", "&#").replace("ﬂ°", "&").replace("¶ß", ";")
    return html.unescape(entities)
