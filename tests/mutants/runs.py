"""Run the mutants and their twins at drawn sizes and seeds, and keep what was reported first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gradcheck_cli.bridges.library import Library
from gradcheck_cli.records import CaseResult
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.options import Options
from gradcheck_cli.spec.case import Case
from gradcheck_cli.spec.loader import load_spec

FOLDER = Path(__file__).parent
UNSEEN = "unseen"
"""The file of operators that were written after the detectors, with mistakes of all kinds."""

KINDS = sorted({path.name.removesuffix(".grad.yaml") for path in FOLDER.glob("*.grad.yaml")} - {UNSEEN})
"""The planted mistakes, as files are named."""

SMALLEST, LARGEST = 3, 7


@dataclass(frozen=True)
class Seen:
    """What was said of one parameter of a mutant: the planted finding ("" for a right one) and those reported."""

    case: str
    parameter: str
    draw: int
    planted: str
    verdict: str
    reported: tuple[str, ...]
    message: str = ""

    @property
    def first(self) -> str:
        """What was reported first; the verdict where nothing was."""
        return self.reported[0] if self.reported else self.verdict


def drawn_cases(kind: str, draw: int) -> tuple[Case, ...]:
    """Return the cases of a file, at the sizes that it has for draw 0, at drawn ones for others."""
    path = FOLDER / f"{kind}.grad.yaml"
    text = path.read_text(encoding="utf-8")
    if draw:
        rng = np.random.default_rng([draw, len(kind)])
        sizes = re.search(r"^dims: \{(.*)\}$", text, re.MULTILINE)
        if sizes:
            names = re.findall(r"(\w+):", sizes[1])
            chosen = ", ".join(f"{name}: {rng.integers(SMALLEST, LARGEST + 1)}" for name in names)
            # A filter is no longer than what it runs along.
            chosen = re.sub(r"\bp: (\d+)", lambda size: f"p: {int(size[1]) + 5}", chosen)
            text = text.replace(sizes[0], f"dims: {{{chosen}}}")
    return load_spec(path, shown=path.name, text=text, loader=Library(), given={})


def see(kind: str, draw: int) -> Iterator[Seen]:
    """Check the cases of a file with the draw's number as the seed, and yield what is said of each parameter."""
    for case in drawn_cases(kind, draw):
        names = [item.name for item in case.parameters]
        result = check_case(case, names, Options(seed=draw))
        yield from _seen(case, result, draw)


def _seen(case: Case, result: CaseResult, draw: int) -> Iterator[Seen]:
    assert result.error is None, f"{case.id}, draw {draw}: {result.error}"
    for parameter in result.parameters:
        planted = case.expect.parameters.get(parameter.name, "")
        findings = parameter.findings
        names = tuple(finding.name for finding in findings)
        message = findings[0].message if findings else ""
        yield Seen(case.name, parameter.name, draw, planted, str(parameter.verdict), names, message)
