"""Counts of what the checker said, as Markdown tables."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from gradcheck_cli.records import Verdict
from tests.accuracy.checker import Outcome
from tests.accuracy.labelled import STATUSES, LabelledCheck
from tests.accuracy.random_functions import CLASSES
from tests.accuracy.randomised import RIGHT_ANSWERS, RandomCheck

LABELS = ("correct", "wrong", "kink", "nan", "nondeterministic", "shape", "mutates")
"""The labels in the order of the tables."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def corpus_table(checks: Sequence[LabelledCheck]) -> str:
    """Count what became of every label."""
    shown = [s for s in STATUSES if s in STATUSES[:2] + STATUSES[-3:-1] or any(c.status == s for c in checks)]
    labels = [label for label in LABELS if any(check.label == label for check in checks)]
    rows = [_corpus_row(label, [c for c in checks if c.label == label], shown) for label in labels]
    return table(["label", "operators", "checks", *shown], [*rows, _corpus_row("all", checks, shown)])


def _corpus_row(label: str, checks: Sequence[LabelledCheck], shown: Sequence[str]) -> list[object]:
    counts = Counter(check.status for check in checks)
    return [label, len({check.name for check in checks}), len(checks), *(counts[status] for status in shown)]


def rules_table(checks: Sequence[LabelledCheck]) -> str:
    """Count how many checks of every label the checker and the other rules pass."""
    rules = list(checks[0].rules) if checks else []
    rows = []
    for label in LABELS:
        part = [check for check in checks if check.label == label]
        if part:
            passed = sum(check.outcome.verdict is Verdict.PASS for check in part)
            rows.append([label, len(part), passed, *(sum(check.rules[rule] for check in part) for rule in rules)])
    return table(["label", "checks", "gradcheck passes", *(f"{rule} passes" for rule in rules)], rows)


def right_table(checks: Sequence[RandomCheck]) -> str:
    """Count what was said of right gradients, by class."""
    extra = ["error"] if any(c.answer == "error" for c in checks) else []
    rules = list(checks[0].rules) if checks else []
    head = ["class", "right ones", *RIGHT_ANSWERS, *extra, *(f"{rule} calls wrong" for rule in rules)]

    def row(name: str, part: Sequence[RandomCheck]) -> list[object]:
        counts = Counter(check.answer for check in part)
        rejected = [sum(not check.rules[rule] for check in part) for rule in rules]
        return [name, len(part), *(counts[answer] for answer in (*RIGHT_ANSWERS, *extra)), *rejected]

    return table(head, [*(row(kind, part) for kind, part in by_class(checks)), row("all", checks)])


def wrong_table(checks: Sequence[RandomCheck]) -> str:
    """Count what was said of wrong gradients, by class, and how many of the passes were visible."""
    rules = list(checks[0].rules) if checks else []
    head = ["class", "wrong ones", "fail", "inconclusive or jump", "passed"]
    head += ["of these above the resolution", "above twice the element's bar", *(f"{rule} passes" for rule in rules)]

    def row(name: str, part: Sequence[RandomCheck]) -> list[object]:
        counts = Counter(check.answer for check in part)
        passed = [check for check in part if check.answer == "passed"]
        above = sum(not check.hidden for check in passed)
        in_front = sum(check.behind_bar is False for check in passed)
        others = [sum(check.rules[rule] for check in part) for rule in rules]
        return [name, len(part), counts["fail"], counts["undecided"], counts["passed"], above, in_front, *others]

    return table(head, [*(row(kind, part) for kind, part in by_class(checks)), row("all", checks)])


def by_class(checks: Sequence[RandomCheck]) -> list[tuple[str, list[RandomCheck]]]:
    """Group checks by class, in the order of the classes."""
    groups = [(kind, [check for check in checks if check.kind == kind]) for kind in CLASSES]
    return [(kind, part) for kind, part in groups if part]


def cost_table(groups: Sequence[tuple[str, Sequence[Outcome]]]) -> str:
    """Show evaluations of the forward: per element, and per parameter beyond two for each of its elements."""
    head = ["", "checks", "per element: median", "mean", "worst"]
    head += ["per parameter, beyond 2 per element: median", "mean", "worst"]
    rows = []
    for name, outcomes in groups:
        compared = [o for o in outcomes if o.elements]
        if not compared:
            continue
        each = [o.calls / o.elements for o in compared]
        beyond = [(o.calls - 2 * o.elements) / len(o.parameters) for o in compared]
        rows.append([name, len(compared), *_spread(each), *_spread(beyond)])
    return table(head, rows)


def _spread(values: Sequence[float]) -> list[str]:
    return [f"{value:.1f}" for value in (statistics.median(values), statistics.fmean(values), max(values))]
