"""Many checks, over several processes; the order and the results don't depend on how many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from multiprocessing import Pool
from typing import Any, TypeVar

from tests.accuracy.corpus import OPERATORS
from tests.accuracy.labelled import LabelledCheck, check_labelled
from tests.accuracy.randomised import RandomCheck, check_random

Result = TypeVar("Result")


def run_corpus(
    seeds: Sequence[int], names: Sequence[str] = (), jobs: int = 1, compare: bool = False
) -> list[LabelledCheck]:
    """Check the labelled operators (default: all) with every seed; with `compare` also by the other rules."""
    return run_each(check_labelled, [(name, seed, compare) for name in names or OPERATORS for seed in seeds], jobs)


def run_random(seed: int, kinds: Sequence[str], count: int, jobs: int = 1, compare: bool = False) -> list[RandomCheck]:
    """Check the first `count` random functions of every class, right and wrong."""
    truths = (True, False)
    tasks = [(seed, kind, index, right, compare) for right in truths for kind in kinds for index in range(count)]
    return run_each(check_random, tasks, jobs)


def run_each(function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]], jobs: int = 1) -> list[Result]:
    """Return `function(*task)` for every task, in order."""
    if jobs == 1:
        return [function(*task) for task in tasks]
    with Pool(jobs) as pool:
        return pool.starmap(function, tasks, chunksize=8)
