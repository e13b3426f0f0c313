"""The figures as text: one Markdown table for each part."""

import datetime
import importlib.metadata
import os
import platform

from benchmarks.timing import geometric_mean

TORCH, HAND = "torch gradcheck (slow)", "hand loop"


def times(number):
    """Write a ratio with three digits."""
    return "-" if number is None else f"{number:.3g}"


def table(heading, rows):
    """Return a Markdown table."""
    lines = [f"| {' | '.join(heading)} |", "|" + "---|" * len(heading)]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def ratio_text(found):
    """Write how many times as fast as torch, or as the hand loop without it, each way is."""
    base = TORCH if all(each[TORCH] for each in found.values()) else HAND
    rows = []
    for way in next(iter(found.values())):
        speeds = [each[base] / each[way] if each[way] else None for each in found.values()]
        if any(speeds):
            rows.append([way, *map(times, speeds), times(geometric_mean(speeds))])
    milliseconds = [[way, *(times(1e3 * e[way] if e[way] else None) for e in found.values())] for way in _ways(found)]
    return "\n\n".join(
        [
            f"How many times as fast as {base}, every element, one thread:",
            table(["", *found, "geometric mean"], rows),
            "Milliseconds:",
            table(["", *found], milliseconds),
        ]
    )


def _ways(found):
    return [way for way in next(iter(found.values())) if any(each[way] for each in found.values())]


def backward_text(found):
    """Write the cost of going back against that of going forward."""
    rows = [
        [name, times(1e6 * e["forward"]), times(e["recording"] / e["forward"]), times(e["backward"] / e["forward"])]
        for name, e in found.items()
    ]
    return table(["", "forward, µs", "recording / forward", "backward / forward"], rows)


def nodes_text(found):
    """Write what a node costs beside the bare call."""
    rows = []
    for name in dict.fromkeys(name for name, _ in found):
        bare, recorded = found[name, "NumPy"], found[name, "recorded"]
        rows.append([name, *(f"{1e6 * seconds:.2f}" for seconds in (bare, recorded, recorded - bare))])
    return table(["16 × 16", "NumPy, µs", "recorded, µs", "a node more, µs"], rows)


def shipped_text(found):
    """Write how many times as fast as the loop over bare forwards cases are checked."""
    rows = [
        [name, *(times(e["hand loop"] / e[way]) if e["hand loop"] else "-" for way in ("numbers", "whole check"))]
        for name, e in found.items()
    ]
    return table(["case", "numbers", "whole check"], rows)


def large_text(found, every):
    """Write how the check of large parameters compares with the loop over bare forwards."""
    rows = [
        [f"`{name}`", *(f"{e[way]:.3g}" for way in (HAND, "numbers")), times(e[HAND] / e["numbers"]), f"{e['MiB']:.0f}"]
        for name, e in found.items()
    ]
    said = (
        "W is 100 × 100. Each case has a process of its own and is timed once; the loop takes one element in "
        f"{every}, and its time is multiplied."
    )
    return f"{said}\n\n{table(['case', 'loop, s', 'numbers, s', 'loop / numbers', 'peak memory, MiB'], rows)}"


def growth_text(found, repetitions):
    """Write time and memory by the number of elements."""
    heads = {
        "elementwise": "An elementwise spec:",
        "network": "A network of two layers, a batch of 32, 10 classes:",
    }
    of = f"the median of {repetitions} processes" if repetitions > 1 else "one process"
    said = f"The whole check; each row is {of} of its own, by wall time."
    return "\n\n".join([said, *(f"{heads[kind]}\n\n{_growth_table(rows)}" for kind, rows in found.items())])


def _growth_table(rows):
    lines, before = [], None
    for elements, seconds, peak in rows:
        lines.append([f"{elements:,}", f"{seconds:.3g}", times(seconds / before) if before else "-", f"{peak:.0f}"])
        before = seconds
    return table(["elements", "seconds", "times the one before", "peak memory, MiB"], lines)


def startup_text(found):
    """Write the times of whole processes and the ratios that matter."""
    lines = [[name, f"{1e3 * seconds:.0f}"] for name, seconds in found.items()]
    run, version = found["gradcheck run, scalar"], found["gradcheck --version"]
    said = [
        f"run / imports: {times(run / found['import numpy, typer, rich, yaml, pydantic'])}",
        f"--version / import typer: {times(version / found['import typer'])}",
    ]
    if "torch gradcheck, scalar" in found:
        said.append(f"torch / run: {times(found['torch gradcheck, scalar'] / run)}")
    return table(["process", "ms"], lines) + "\n\n" + "; ".join(said) + "."


def jobs_text(found, same, cases, elements):
    """Write what a second process brings, and whether the output stays the same."""
    rows = [[f"`gradcheck run -j {number}`", f"{seconds:.3g}"] for number, seconds in found.items()]
    said = "is the same but for times" if same else "is NOT the same"
    head = f"A suite of {cases} networks of {elements:,} elements each, whole processes, timed in turns."
    ratio = f"-j 1 / -j 2: {times(found[1] / found[2])}. The text {said}, from run to run and with one process or two."
    return "\n\n".join([head, table(["", "seconds"], rows), ratio])


def machine():
    """Describe the machine in general words."""
    versions = [f"Python {platform.python_version()}"]
    for package in ("numpy", "torch", "jax"):
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()}; {', '.join(versions)}"


def _processor():
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def today():
    """Return the date."""
    return datetime.date.today().isoformat()
