"""Count how often the checker is right: `python -m tests.accuracy`, from the root of the checkout.

    python -m tests.accuracy --corpus --seeds 20              the labelled operators
    python -m tests.accuracy --random 500 --seed 7            random functions, 500 right and wrong a class
    python -m tests.accuracy --random 500 --classes noise inside
    python -m tests.accuracy --list-exceptions                also print every wrong answer, to be seen again
    python -m tests.accuracy -j 2 --write docs/accuracy.md    write the page instead of printing the tables
    python -m tests.accuracy --show kink-near:17 --seed 7     one random function in full, and what is said of it
    python -m tests.accuracy --show gelu_tanh --seed 3        the same for a labelled operator

Without `--corpus` and `--random` both run, with 20 seeds and 500 functions a class. `-j 2` uses two processes.
The tables show other rules beside the checker, torch itself where it is installed; `--alone` leaves them out.
Exit code 1 says that a labelled operator didn't get its label, that a right random gradient was called wrong, or that
a wrong one passed although it is wrong by more than the printed resolution.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.accuracy.labelled import LabelledCheck
    from tests.accuracy.randomised import RandomCheck

# Before NumPy is imported: the arrays are small, and two processes would share the cores.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the options ask for; return the exit code."""
    from tests.accuracy.corpus import OPERATORS
    from tests.accuracy.random_functions import CLASSES

    options = _options(list(CLASSES), list(OPERATORS)).parse_args(arguments)
    if options.show:
        return _show(options.show, options.seed)
    from tests.accuracy.labelled import RIGHT
    from tests.accuracy.runs import run_corpus, run_random

    both = not options.corpus and options.random is None
    labelled: list[LabelledCheck] = []
    randomised: list[RandomCheck] = []
    if options.corpus or both:
        seeds = range(options.seed, options.seed + options.seeds)
        labelled = run_corpus(seeds, options.names, options.jobs, not options.alone)
    if options.random is not None or both:
        count = 500 if options.random is None else options.random
        randomised = run_random(options.seed, options.classes, count, options.jobs, not options.alone)
    if options.write:
        from tests.accuracy.page import write_page

        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text(write_page(labelled, randomised, datetime.date.today()), encoding="utf-8")
    else:
        _print_tables(labelled, randomised)
    exceptions = [check.describe() for check in labelled if check.status not in RIGHT]
    exceptions += [check.describe() for check in randomised if check.is_exception]
    if options.list_exceptions and exceptions:
        _say("\n".join(exceptions))
    return 1 if exceptions else 0


def _print_tables(labelled: Sequence[LabelledCheck], randomised: Sequence[RandomCheck]) -> None:
    from tests.accuracy.counting import corpus_table, cost_table, right_table, rules_table, wrong_table

    right = [check for check in randomised if check.right]
    wrong = [check for check in randomised if not check.right]
    if labelled:
        _say(corpus_table(labelled))
        _say(rules_table(labelled))
    if randomised:
        _say(right_table(right))
        _say(wrong_table(wrong))
    named = (("labelled", labelled), ("random, right", right), ("random, wrong", wrong))
    _say(cost_table([(name, [check.outcome for check in part]) for name, part in named]))


def _options(classes: Sequence[str], operators: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.accuracy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", action="store_true", help="check the labelled operators")
    parser.add_argument(
        "--names", nargs="+", choices=operators, metavar="NAME", default=[], help="only these operators"
    )
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds for every labelled operator (20)")
    parser.add_argument("--random", type=int, metavar="N", help="check N random functions a class, right and wrong")
    parser.add_argument(
        "--classes",
        nargs="+",
        choices=classes,
        metavar="CLASS",
        default=classes,
        help=f"only some of {', '.join(classes)}",
    )
    parser.add_argument("--seed", type=int, default=0, help="the seed, for the labelled operators the first one (0)")
    parser.add_argument("--list-exceptions", action="store_true", help="print every wrong answer")
    parser.add_argument("--show", metavar="NAME", help="print one random function (CLASS:INDEX) or labelled operator")
    parser.add_argument("--alone", action="store_true", help="leave out the other rules: faster")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write a Markdown page with the tables")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (1)")
    return parser


def _show(name: str, seed: int) -> int:
    from tests.accuracy.labelled import check_labelled
    from tests.accuracy.random_functions import draw_function
    from tests.accuracy.randomised import check_random

    if ":" not in name:
        _say(check_labelled(name, seed).describe())
        return 0
    kind, index = name.split(":")
    _say(draw_function(seed, kind, int(index)).describe())
    for right in (True, False):
        _say(check_random(seed, kind, int(index), right).describe())
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n\n")


if __name__ == "__main__":
    sys.exit(main())
