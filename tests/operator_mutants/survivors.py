"""Why some mutants survive: the change is none, or less than can be seen."""

from __future__ import annotations

HARMLESS: dict[tuple[str, str, str], str] = {
    ("adaptive_avg_pool2d", "swapped arguments", "starts - ends"): "both axes change their sign, which cancels",
    ("norm", "sign", "return _several(lambda part: -part, np.zeros_like(x))"): "of arrays without elements",
    ("norm", "factor 2", "return _several(lambda part: 2 * part, np.zeros_like(x))"): "of arrays without elements",
}
"""By operator, kind of mistake and changed code: mutants that are right."""

ALWAYS = {
    "sign": "its gradient is zero, with any sign and factor",
}
"""By operator, whatever is changed: mutants that are right."""

NOT_SEEN = {
    ("soft_cross_entropy", "dropped term", "log_p.shape[:axis] * 1"): "shows with three axes; its domain draws two",
    ("sinc", "dropped term", "1 / 840 * 1"): "the last term of a series: 7e-11 of the slope at most, below `rtol`",
}
"""Mutants that are wrong where nothing is drawn, or by less than differences resolve."""


def harmless(name: str, kind: str, code: str) -> str:
    """Return why a mutant is no mistake; empty where it is one."""
    return HARMLESS.get((name, kind, code), "") or ALWAYS.get(name, "")


def explained(name: str, kind: str, code: str) -> str:
    """Return why a mutant survives; empty where that isn't known."""
    return harmless(name, kind, code) or NOT_SEEN.get((name, kind, code), "")
