"""The page of the documentation that keeps the counts."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Sequence

import numpy as np
import scipy

from gradcheck_cli import __version__
from tests.accuracy.corpus import FAMILIES, OPERATORS
from tests.accuracy.counting import corpus_table, cost_table, right_table, rules_table, table, wrong_table
from tests.accuracy.labelled import RIGHT, LabelledCheck
from tests.accuracy.random_functions import CLASSES
from tests.accuracy.randomised import RandomCheck

INTRODUCTION = """\
# How often is the verdict right?

This page is written by `python -m tests.accuracy --write docs/accuracy.md`. It counts what the checker says of
gradients about which the truth is known from elsewhere. Two mistakes matter: a right gradient called wrong, and a
wrong one called right although it is wrong by more than the resolution that was printed. `inconclusive` is no
mistake, but no help either."""

LABELLED = """\
## Labelled operators

{operators} operators in {families} families, each with a label that `tests/accuracy/test_labels.py` confirms by
derivatives of order 8 in extended precision, over the full Jacobian. Many come from public reports of wrong
gradients. `as labelled` says that the label was recognised by its own finding, `also ok` that the answer was one that
a careful tool may give instead, `undecided` that a right or wrong gradient came out as inconclusive. False passes and
false failures have to be zero."""

RULES = """\
The same checks by other rules. The plain rule is that of textbooks: step 1e-5, the gradient of the sum of the outputs,
relative error below 1e-7. PyTorch's rule is the default of `torch.autograd.gradcheck`: step 1e-6, the full Jacobian,
|a - n| <= 1e-5 + 1e-3 |n|. Only right gradients, and kinks with a valid one, should pass."""

RIGHT_ONES = """\
## Random functions

Compositions of smooth functions over 16 decades of the scale of x and of the outputs, with exact derivatives
(`tests/accuracy/random_functions.py`). Each class adds one trouble. Here the backward is right: `called wrong` has to
be as near to zero as can be. The steps of the other rules are absolute, which these scales don't forgive."""

WRONG_ONES = """\
Here one entry of the Jacobian is wrong: by 1e-6 to 1e-2 of its value in four of five, else it is zeroed, doubled,
halved or negated; at a kink the slope lies outside of the one-sided ones by at least 1 % of the kink. A pass is a
mistake only where the planted error is above the printed resolution. The next column counts the passes where it is
above twice the bar of the element itself, as far as that element is the one shown. The plain rule passes little because
it rejects nearly everything."""

COST = """\
## Cost

Evaluations of the forward, those of the contract included: for every compared element, and for every parameter beyond
two for each of its elements."""


def write_page(labelled: Sequence[LabelledCheck], randomised: Sequence[RandomCheck], today: datetime.date) -> str:
    """Return the page as Markdown."""
    right = [check for check in randomised if check.right]
    wrong = [check for check in randomised if not check.right]
    named = (("labelled", labelled), ("random, right", right), ("random, wrong", wrong))
    groups = [(name, [check.outcome for check in part]) for name, part in named]
    parts = [INTRODUCTION, _facts(labelled, right, today)]
    if labelled:
        parts += [LABELLED.format(operators=len(OPERATORS), families=len(FAMILIES)), corpus_table(labelled)]
        parts += [RULES, rules_table(labelled)]
    if randomised:
        classes = table(["class", "trouble"], CLASSES.items())
        parts += [RIGHT_ONES, classes, right_table(right), WRONG_ONES, wrong_table(wrong)]
    parts += [COST, cost_table(groups), "## Exceptions", _exceptions(labelled, randomised)]
    return "\n\n".join(parts) + "\n"


def _facts(labelled: Sequence[LabelledCheck], right: Sequence[RandomCheck], today: datetime.date) -> str:
    facts = [
        f"Written on {today.isoformat()} with gradcheck {__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__} and SciPy {scipy.__version__} on {platform.machine()}."
    ]
    if labelled:
        seeds = sorted({check.seed for check in labelled})
        facts.append(f"Labelled operators: seeds {seeds[0]} to {seeds[-1]}.")
    if right:
        last = max(check.index for check in right)
        facts.append(f"Random functions: numbers 0 to {last} of every class with the seed {right[0].seed}.")
    return " ".join(facts)


def _exceptions(labelled: Sequence[LabelledCheck], randomised: Sequence[RandomCheck]) -> str:
    lines = [check.describe() for check in labelled if check.status not in RIGHT]
    lines += [check.describe() for check in randomised if check.is_exception]
    head = "Each can be seen again with `python -m tests.accuracy --show ...` and what stands after it.\n\n"
    return head + "\n".join(f"- {line}" for line in lines) if lines else "None."
