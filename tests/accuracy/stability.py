"""Whether the verdicts on the shipped specs depend on the seed: `python -m tests.accuracy.stability --seeds 100`.

Prints every case that doesn't end as its spec says. Exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options

SPECS = Path(__file__).parents[2] / "specs"


def unexpected(seeds: Iterable[int], every: int = 1) -> list[str]:
    """Check the shipped cases with every seed; return a line for each that doesn't end as its spec says.

    With `every` larger than 1 each seed takes one case of so many, another one than the seed before.
    """
    selected = collect(Options(paths=(str(SPECS),)))
    lines = []
    for seed in seeds:
        for item in selected[seed % every :: every]:
            result = check_case(item.case, item.parameters, Options(seed=seed))
            if not result.ok:
                verdicts = " ".join(f"{parameter.name}:{parameter.verdict}" for parameter in result.parameters)
                name = f"{Path(result.file).name}::{result.name}"
                lines.append(f"{name} --seed {seed}: {result.error or result.verdict} {verdicts}")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the options ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy.stability", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many seeds (100)")
    parser.add_argument("--seed", type=int, default=0, help="the first one (0)")
    options = parser.parse_args(arguments)
    lines = unexpected(range(options.seed, options.seed + options.seeds))
    sys.stdout.write("".join(f"{line}\n" for line in [*lines, f"{len(lines)} unexpected over {options.seeds} seeds"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
