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
PARTS = ("ratios", "backward", "nodes", "shipped", "growth", "startup", "jobs")
WORDS = {
    "ratios": "Seven workloads beside what else checks gradients",
    "backward": "Backward against forward",
    "nodes": "What a node costs",
    "shipped": "Shipped specs of more than 100 elements, against a loop over the bare forwards",
    "growth": "Growth",
    "startup": "Whole processes, a scalar spec",
    "jobs": "Two processes beside one",
}
INTRODUCTION = """\
# Performance

This page is written by `python -m benchmarks --write`, with PyTorch and JAX beside gradcheck where they are installed.

Every way checks every element in float64 on one thread and one core; they are timed in turns in one process, by CPU
time, and a figure is the median. *Evaluations* is what the others do: record, go back, two evaluations of each
element, compare. *Numbers* adds what makes a verdict of it: the noise of each output, steps that fit, error bars, a
second look at what two evaluations don't settle. The plan of a case is made before both, as JAX's compiled function is
before it is timed. *Whole check* adds the plan and the contract of every operator: all that a run does for a case. The
*structured floor* is code by hand for each workload, which computes only what one element reaches; nobody would write
it. The workloads are the specs in `benchmarks/`.
"""


def main(argv=None):
    """Print the parts that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all")
    parser.add_argument("--workloads", default="W1,W2,W3,W4,W5,W6,W7", help="for ratios")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--most", type=int, default=10**6, help="elements that growth goes up to")
    parser.add_argument("--rounds", type=int, default=3, help="for jobs: how often each way is timed")
    parser.add_argument("--cases", type=int, default=40, help="for jobs")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md (all parts)")
    options = parser.parse_args(argv)
    if options.parts[:1] == ["child"]:
        from benchmarks.processes import growth_child

        growth_child(options.parts[1], int(options.parts[2]))
        return
    wrong = [part for part in options.parts if part not in PARTS]
    if wrong:
        parser.error(f"unknown part '{wrong[0]}': choose from {', '.join(PARTS)}")
    texts = []
    for part in PARTS if options.write or not options.parts else options.parts:
        text = f"## {WORDS[part]}\n\n{run(part, options)}\n"
        print(text, flush=True)
        texts.append(text)
    if options.write:
        from benchmarks.report import machine, today

        page = Path(__file__).parents[1] / "docs" / "performance.md"
        busy = f"load average {os.getloadavg()[0]:.0f} at the end, this run included"
        head = f"{INTRODUCTION}\nMeasured on {today()}: {machine()}; {busy}.\n"
        page.write_text("\n".join([head, *texts]), encoding="utf-8")


def run(part, options):
    """Return the text of one part."""
    from benchmarks import parts, processes, report

    many = options.repetitions
    if part == "startup":
        return report.startup_text(processes.startup(many))
    if part == "jobs":
        from benchmarks.jobs import HIDDEN, jobs

        return report.jobs_text(*jobs(options.rounds, options.cases), options.cases, HIDDEN * (HIDDEN + 11) + 10)
    if part == "growth":
        elementwise, network = (processes.growth(kind, options.most) for kind in ("elementwise", "network"))
        heads = ("An elementwise spec:", "A network of two layers, a batch of 32, 10 classes:")
        tables = (report.growth_text(elementwise), report.growth_text(network))
        return "\n\n".join(f"{head}\n\n{rows}" for head, rows in zip(heads, tables, strict=True))
    if part == "ratios":
        return report.ratio_text(parts.ratios(options.workloads.split(","), many))
    return {
        "backward": lambda: report.backward_text(parts.backward(many)),
        "nodes": lambda: report.nodes_text(parts.nodes(many)),
        "shipped": lambda: report.shipped_text(parts.shipped(many)),
    }[part]()


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        # The libraries read these when they are loaded.
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks", *sys.argv[1:]], {**os.environ, **ONE_THREAD})
    main()
