"""Count how many mechanical mistakes in the backward of built-in operators `check-ops` catches.

    python -m tests.operator_mutants              every mutant of every operator
    python -m tests.operator_mutants relu conv2d  of these
    python -m tests.operator_mutants --write      count, and write docs/mutants.md

Exit code 1 says that fewer than 99 % are caught.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePath

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.run.check_operators import check_operator
from gradcheck_cli.run.operator_options import OperatorOptions
from tests.operator_mutants.mutate import KINDS, Mutant, mutants
from tests.operator_mutants.survivors import explained, harmless

PAGE = Path(__file__).parents[2] / "docs" / "mutants.md"
ENOUGH = 0.99

WORDS = """\
# Mistakes that are caught

This page is written by `python -m tests.operator_mutants --write`.

Each backward of the built-in operators is changed in one place: a sign, a factor of 2, a term that is dropped, two
operands or two gradients that are exchanged. `check-ops` is asked about each of the wrong twins, with one draw for each
combination of attribute values. A twin that isn't caught survives. Of {planted} twins {caught} are caught, {share}
of those that are wrong; {harmless} survive since the change is none.
"""


def is_caught(mutant: Mutant) -> bool:
    """Tell whether `check-ops` says that a mutant is wrong."""
    return not check_operator(mutant.operator, OperatorOptions(samples=1)).ok


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the options ask for; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    operators = Loader().built_in
    planted: Counter[tuple[str, str]] = Counter()
    caught: Counter[tuple[str, str]] = Counter()
    survivors: list[tuple[str, str, str]] = []
    for name in options.names or operators:
        family = PurePath(operators[name].file).stem
        for mutant in mutants(operators[name]):
            planted[family, mutant.kind] += 1
            if is_caught(mutant):
                caught[family, mutant.kind] += 1
            else:
                survivors.append((name, mutant.kind, mutant.code))
                sys.stdout.write(f"survives: {name}, {mutant.kind}: {mutant.code}\n")
    right = [each for each in survivors if harmless(*each)]
    wrong = sum(planted.values()) - len(right)
    share = sum(caught.values()) / wrong if wrong else 1.0
    sys.stdout.write(f"{sum(caught.values())} of {wrong} wrong twins caught, {share:.1%}; {len(right)} are no change\n")
    if options.write:
        PAGE.write_text(_page(planted, caught, survivors, wrong, share), encoding="utf-8")
    return 0 if share >= ENOUGH else 1


def _page(
    planted: Counter[tuple[str, str]],
    caught: Counter[tuple[str, str]],
    survivors: Sequence[tuple[str, str, str]],
    wrong: int,
    share: float,
) -> str:
    total = sum(planted.values())
    text = WORDS.format(planted=total, caught=sum(caught.values()), share=f"{share:.1%}", harmless=total - wrong)
    rows = [f"| family | {' | '.join(KINDS)} |", f"|---{'|---' * len(KINDS)}|"]
    for family in sorted({family for family, _ in planted}):
        cells = [f"{caught[family, kind]}/{planted[family, kind]}" if planted[family, kind] else "" for kind in KINDS]
        rows.append(f"| {family} | {' | '.join(cells)} |")
    lines = ["| operator | mistake | changed code | why it survives |", "|---|---|---|---|"]
    for name, kind, code in survivors:
        shown = code.replace("|", "\\|").replace("\n", " ")
        lines.append(f"| `{name}` | {kind} | `{shown}` | {explained(name, kind, code) or 'not explained'} |")
    return "\n".join([text, *rows, "", "## Survivors", "", *lines]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
