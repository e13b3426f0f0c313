"""Count how often the first finding names the mistake: `python -m tests.mutants`, from the root of the checkout.

    python -m tests.mutants                        count, at 10 draws of sizes and numbers
    python -m tests.mutants --kinds transposed     one kind of mistake (unseen: those written after the detectors)
    python -m tests.mutants --draws 3 -v           print every check that was not named
    python -m tests.mutants --write                count, and write docs/findings.md
    python -m tests.mutants --write --pages        write it with the counts that it has

Exit code 1 says that fewer than 95 % of the mistakes are named first, or that something was said of a right gradient.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.mutants.counting import is_named, share, table
from tests.mutants.page import DOCUMENT, counts_in, counts_of, document
from tests.mutants.runs import KINDS, UNSEEN, Seen, see

ENOUGH = 0.95


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the options ask for; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--kinds", nargs="+", choices=[*KINDS, UNSEEN], default=[*KINDS, UNSEEN])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args(arguments)
    if options.write and options.pages:
        write(counts_in(DOCUMENT.read_text(encoding="utf-8")))
        return 0
    seen = {kind: [each for draw in range(options.draws) for each in see(kind, draw)] for kind in options.kinds}
    unseen = seen.pop(UNSEEN, [])
    known = [each for some in seen.values() for each in some]
    if options.verbose:
        sys.stdout.writelines(f"{describe(each)}\n" for each in [*known, *unseen] if not is_named(each))
    if options.write:
        write(counts_of(known, unseen))
    else:
        sys.stdout.writelines(f"{table(some)}\n" for some in (known, unseen) if some)
    silent = all(is_named(each) for each in [*known, *unseen] if not each.planted)
    return 0 if silent and share([*known, *unseen]) >= ENOUGH else 1


def write(counts: str) -> None:
    """Write the page."""
    DOCUMENT.write_text(document(counts), encoding="utf-8")


def describe(seen: Seen) -> str:
    """Say in one line what was planted, and what was reported."""
    planted = seen.planted or "nothing"
    where = f"{seen.case}, {seen.parameter}, draw {seen.draw}"
    return (
        f"{where}: planted {planted}, {seen.verdict}, reported {', '.join(seen.reported) or 'nothing'}: {seen.message}"
    )


if __name__ == "__main__":
    sys.exit(main())
