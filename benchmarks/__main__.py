"""Run the benchmark: `python -m benchmarks`, or parts of it by name."""

import argparse
import os
import sys
from pathlib import Path

ONE_THREAD = {
    **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM")},
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
}
PARTS = ("ratios", "backward", "nodes", "shipped", "large", "growth", "startup", "jobs")
WORDS = {
    "ratios": "Seven workloads beside what else checks gradients",
    "backward": "Backward against forward",
    "nodes": "What a node costs",
    "shipped": "Shipped specs of more than 100 elements, against a loop over the bare forwards",
    "large": "Parameters of 10,000 elements, against a loop over the bare forwards",
    "growth": "Growth",
    "startup": "Whole processes, a scalar spec",
    "jobs": "Two processes beside one",
}
FEW = 3
"""How often what takes long is timed, at most."""
INTRODUCTION = """\
# Performance

This page is written by `python -m benchmarks --write`, with PyTorch and JAX beside gradcheck where they are installed.

Every way checks every element in float64 on one thread and one core; they are timed in turns in one process, by CPU
time, and a figure is the median, but where a table says otherwise. Whole processes are timed by wall time, also in
turns and on one core, but for those of the last table. *Evaluations* is what the others do: record, go back, two
evaluations of each element, compare. It leaves out what makes a verdict of it: the noise of each output, steps that
fit, error bars, a second look at what two evaluations don't settle, the verdict itself; *numbers* has all of these. The
plan of a case is made before both, as JAX's compiled function is before it is timed. *Whole check* adds the plan and
the contract of every operator: all that a run does for a case. The *structured floor* is code by hand for each
workload, which computes only what one element reaches; nobody would write it. The workloads are the specs in
`benchmarks/`. JAX evaluates with a compiled function for each parameter, in chunks that fit the cache.
"""


def main(argv=None):
    """Print the parts that are asked for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all")
    parser.add_argument("--workloads", default="W1,W2,W3,W4,W5,W6,W7", help="for ratios")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--most", type=int, default=10**6, help="elements that growth goes up to")
    parser.add_argument("--rounds", type=int, default=3, help="for jobs: how often each way is timed")
    parser.add_argument("--cases", type=int, default=40, help="for jobs")
    parser.add_argument("--check", action="store_true", help="exit 1 where a target isn't met, or has no figure")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md (all parts)")
    options = parser.parse_args(argv)
    if options.parts[:1] == ["child"]:
        from benchmarks.processes import growth_child, large_child

        kind, which = options.parts[1:]
        if kind == "large":
            large_child(which)
        else:
            growth_child(kind, int(which))
        return 0
    wrong = [part for part in options.parts if part not in PARTS]
    if wrong:
        parser.error(f"unknown part '{wrong[0]}': choose from {', '.join(PARTS)}")
    if options.write and options.parts:
        parser.error("--write takes all parts: name none")
    from benchmarks.targets import TARGETS, missed, targets_text

    chosen = options.parts or [p for p in PARTS if not options.check or options.write or p in {t.part for t in TARGETS}]
    measured, texts = {}, []
    for part in chosen:
        measured[part] = measure(part, options)
        texts.append(f"## {WORDS[part]}\n\n{text(part, measured[part], options)}\n")
        print(texts[-1], flush=True)
    targets = f"## Targets\n\n{targets_text(measured)}\n"
    print(targets)
    if options.write:
        from benchmarks.report import machine, today

        page = Path(__file__).parents[1] / "docs" / "performance.md"
        busy = f"load average {os.getloadavg()[0]:.0f} at the end, this run included"
        head = f"{INTRODUCTION}\nMeasured on {today()}: {machine()}; {busy}.\n"
        page.write_text("\n".join([head, targets, *texts]), encoding="utf-8")
    return 1 if options.check and missed(measured) else 0


def measure(part, options):
    """Return the figures of one part."""
    from benchmarks.timing import pinned

    if part == "jobs":  # is there to use two cores
        from benchmarks.jobs import jobs

        return jobs(options.rounds, options.cases)
    from benchmarks import parts, processes

    many, few = options.repetitions, min(options.repetitions, FEW)
    with pinned():
        return {
            "ratios": lambda: parts.ratios(options.workloads.split(","), many),
            "backward": lambda: parts.backward(many),
            "nodes": lambda: parts.nodes(many),
            "shipped": lambda: parts.shipped(many),
            "large": processes.large,
            "growth": lambda: {kind: processes.growth(kind, options.most, few) for kind in processes.SIZES},
            "startup": lambda: processes.startup(many),
        }[part]()


def text(part, found, options):
    """Return the figures of one part as text."""
    from benchmarks import report

    if part == "jobs":
        from benchmarks.jobs import HIDDEN

        return report.jobs_text(*found, options.cases, HIDDEN * (HIDDEN + 11) + 10)
    if part == "growth":
        return report.growth_text(found, min(options.repetitions, FEW))
    if part == "large":
        from benchmarks.processes import EVERY

        return report.large_text(found, EVERY)
    return {
        "ratios": report.ratio_text,
        "backward": report.backward_text,
        "nodes": report.nodes_text,
        "shipped": report.shipped_text,
        "startup": report.startup_text,
    }[part](found)


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        # The libraries read these when they are loaded.
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks", *sys.argv[1:]], {**os.environ, **ONE_THREAD})
    sys.exit(main())
