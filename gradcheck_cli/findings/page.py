"""The page of every finding: a summary, then Markdown, with a small example that fires it.

A detector's page is its docstring; what is told on other floors has its page in `pages/`.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from functools import cache

from gradcheck_cli.codes import FINDING_CODES
from gradcheck_cli.errors import GradcheckError, Problem, near
from gradcheck_cli.findings.causes import DETECTORS
from gradcheck_cli.findings.disconnected import disconnected
from gradcheck_cli.findings.pages import calls, gradients, graph, kinks, precision
from gradcheck_cli.findings.unexplained import unexplained

FAMILIES = {
    "GC1": "contract: what every backward has to keep",
    "GC2": "wrong gradient: what the mistake is",
    "GC3": "not to be trusted, or only so far",
    "GC4": "health of the graph: gradients may be right, and training fail",
}
"""What the findings of a hundred have in common."""

_OUTCOMES = {"fail": "fails", "inconclusive": "inconclusive", "pass": "a note; the verdict stays"}

_FILE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Page:
    """What there is to know about a finding. `body` is Markdown."""

    code: str
    name: str
    summary: str
    body: str

    @property
    def verdict(self) -> str:
        """The verdict that the finding stands for."""
        return FINDING_CODES[self.name].outcome

    @property
    def outcome(self) -> str:
        """What the finding does to the verdict, in words."""
        return _OUTCOMES[self.verdict]

    @property
    def files(self) -> dict[str, str]:
        """The files of the example by name; `case.grad.yaml` is the spec."""
        return dict(_FILE.findall(self.body))

    @property
    def markdown(self) -> str:
        """The whole page."""
        heading = f"# {self.code} {self.name}\n\n{self.summary}\n\n*Verdict: {self.outcome}.*"
        return f"{heading}\n\n{shown(self.body)}\n"


def shown(body: str) -> str:
    """Return a page's text as it is shown: each file of the example with its name above it."""
    return _FILE.sub(lambda file: f"`{file[1]}`:\n\n{file[0].replace(' ' + file[1], '', 1)}", body)


@cache
def pages() -> dict[str, Page]:
    """Return every page by the finding's name, in the order of the codes."""
    texts = {detect.__name__.replace("_", "-"): inspect.getdoc(detect) or "" for detect in DETECTORS}
    for detector in (unexplained, disconnected):
        texts[detector.__name__] = inspect.getdoc(detector) or ""
    for module in (gradients, calls, kinks, precision, graph):
        texts.update(module.PAGES)
    return {name: _page(name, texts[name]) for name in FINDING_CODES}


def find_page(text: str) -> Page:
    """Return the page of a code or a name, in upper or lower case. Raises GradcheckError with a near one."""
    known = pages()
    for page in known.values():
        if text.lower() in (page.name, page.code.lower()):
            return page
    names = [*known, *(page.code for page in known.values())]
    hint = near(text.lower(), names) or near(text.upper(), names) or "gradcheck explain lists them all"
    raise GradcheckError(Problem(f"no finding is named '{text}'", None, "unknown-finding", hint))


def _page(name: str, text: str) -> Page:
    summary, _, body = text.partition("\n\n")
    return Page(FINDING_CODES[name].code, name, summary.strip(), body.strip())
