"""How fast it has to be, and whether it is, by the figures of the other parts."""

import operator
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.report import HAND, TORCH, table, times
from benchmarks.timing import geometric_mean

_SIGNS = {"≥": (operator.ge, min), "≤": (operator.le, max), "<": (operator.lt, max)}


class Target(NamedTuple):
    """What has to hold for all of the figures that `figures` finds, by name, in what a part returned."""

    part: str
    what: str
    sign: str
    limit: float
    unit: str
    figures: Callable

    def row(self, measured):
        """Return the row of the table."""
        limit = f"{self.sign} {self.limit}{self.unit}"
        found = self.figures(measured)
        if not found:
            return self.what, limit, "not measured", "no"
        holds, worst = _SIGNS[self.sign]
        name = worst(found, key=found.get)
        figure = f"{times(found[name])}{self.unit}" + (f" ({name})" if len(found) > 1 else "")
        missed = sum(not holds(value, self.limit) for value in found.values())
        how_many = f", {missed} of {len(found)} miss it" if len(found) > 1 else ""
        return self.what, limit, figure, f"no{how_many}" if missed else "yes"


def _speeds(found):
    """Return how many times as fast as PyTorch evaluations are."""
    return {name: each[TORCH] / each["gradcheck, evaluations"] for name, each in found.items() if each[TORCH]}


def _mean(found):
    speeds = _speeds(found)
    return {"mean": geometric_mean(speeds.values())} if len(speeds) == 7 else {}


def _speed(name):
    return lambda found: {key: speed for key, speed in _speeds(found).items() if key == name}


def _shipped(found):
    return {name: each[HAND] / each["numbers"] for name, each in found.items() if each[HAND]}


def _quotient(above, below):
    return lambda found: {"": found[above] / found[below]} if above in found and below in found else {}


def _at(rows, size):
    """Return seconds and MiB of the row of about `size` elements, None where it is left out."""
    return next((row[1:] for row in rows if abs(row[0] - size) <= size / 20), None)


def _elementwise(found):
    small, large = (_at(found["elementwise"], size) for size in (10_000, 100_000))
    return {"": large[0] / small[0]} if small and large else {}


def _network(index):
    def figures(found):
        row = _at(found["network"], 100_000)
        return {"": row[index]} if row else {}

    return figures


def _backward(found):
    return {name: each["backward"] / each["forward"] for name, each in found.items()}


def _nodes(found):
    names = dict.fromkeys(name for name, _ in found)
    return {name: 1e6 * (found[name, "recorded"] - found[name, "NumPy"]) for name in names}


_RUN, _VERSION = "gradcheck run, scalar", "gradcheck --version"
_IMPORTS = "import numpy, typer, rich, yaml, pydantic"
_OVER = "evaluations, times torch gradcheck (slow)"
TARGETS = (
    Target("ratios", f"{_OVER}: geometric mean", "≥", 35, "", _mean),
    Target("ratios", f"{_OVER}: each workload", "≥", 4, "", _speeds),
    Target("ratios", f"{_OVER}: W2", "≥", 25, "", _speed("W2")),
    Target("ratios", f"{_OVER}: W5", "≥", 200, "", _speed("W5")),
    Target("backward", "backward / forward", "<", 3, "", _backward),
    Target("nodes", "a node more than the bare NumPy call", "<", 3, " µs", _nodes),
    Target("shipped", "numbers, times a loop over the bare forwards: each shipped case", "≥", 1, "", _shipped),
    Target("growth", "elementwise, 100,000 elements / 10,000", "≤", 15, "", _elementwise),
    Target("growth", "a network of 100,000 elements", "<", 60, " s", _network(0)),
    Target("growth", "a network of 100,000 elements, peak memory", "<", 600, " MiB", _network(1)),
    Target("startup", "run / imports", "≤", 1.6, "", _quotient(_RUN, _IMPORTS)),
    Target("startup", "--version / import typer", "≤", 1.5, "", _quotient(_VERSION, "import typer")),
    Target("startup", "torch / run", "≥", 5, "", _quotient("torch gradcheck, scalar", _RUN)),
)


def rows(measured):
    """Return the rows of the targets whose part was measured, `measured` having what the parts returned by name."""
    return [target.row(measured[target.part]) for target in TARGETS if target.part in measured]


def missed(measured):
    """Return how many targets of the parts that were measured aren't met; those that lack a figure aren't."""
    return sum(row[-1] != "yes" for row in rows(measured))


def targets_text(measured):
    """Write each target, the figure that is furthest from it where there are several, and whether it is met."""
    return table(["target", "limit", "figure", "met"], rows(measured))
