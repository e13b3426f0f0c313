"""How times are taken: alternating, medians, the CPU time of one core, so that what else runs counts little."""

import os
import statistics
import time
from contextlib import contextmanager

_LEAST = 0.02
"""Seconds that a timed stretch takes, at least: calls that are faster are repeated."""


@contextmanager
def pinned():
    """Stay on one core inside the `with` block, children too, where the system allows to choose."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def clock(call, times=1):
    """Return the CPU seconds of one call."""
    started = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - started) / times


def alternating(calls, repetitions):
    """Return the median seconds of each of the named calls, which are timed in turns; None for one that is None."""
    inner = {}
    for name, call in calls.items():
        if call is not None:
            first = clock(call)  # also fills caches
            inner[name] = max(1, int(_LEAST / max(clock(call), 1e-9))) if first < 1 else 1
    times = {name: [] for name in inner}
    for _ in range(repetitions):
        for name, count in inner.items():
            times[name].append(clock(calls[name], count))
    return {name: statistics.median(times[name]) if name in times else None for name in calls}


def geometric_mean(numbers):
    """Return the geometric mean of those that aren't None; None if all are."""
    known = [number for number in numbers if number is not None]
    return statistics.geometric_mean(known) if known else None
