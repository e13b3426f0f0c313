"""The findings: code, name, and what each means for a verdict."""

from __future__ import annotations

from typing import Literal

from gradcheck_cli.light_dataclass import dataclass

Outcome = Literal["fail", "inconclusive", "pass"]

_FAMILIES: dict[int, str] = {
    100: "gradient-count gradient-shape gradient-dtype input-modified not-repeatable not-linear-in-g "
    "non-finite layout-dependent wrong-batch-declaration unexpected-value differs-from-reference "
    "forward-reverse-mismatch",
    200: "sign-flipped constant-factor missing-term missing-chain-factor transposed broadcast-not-summed "
    "mean-instead-of-sum small-everywhere contribution-overwritten gradient-zero swapped-inputs "
    "some-elements invalid-at-kink unexplained",
    300: "kink-at-point kink-nearby jump rounding-dominates truncation-dominates left-domain "
    "float32-inside nothing-checked vacuous",
    400: "vanishing exploding dead-relu saturated disconnected origin-of-nan",
}
_INCONCLUSIVE = {"jump", "rounding-dominates", "truncation-dominates", "left-domain", "nothing-checked"}


@dataclass(frozen=True)
class FindingCode:
    """A defect with a number: `GC203 missing-term`, and the verdict that it forces."""

    code: str
    name: str
    outcome: Outcome


def _outcome(family: int, name: str) -> Outcome:
    if name in _INCONCLUSIVE:
        return "inconclusive"
    return "fail" if family < 300 else "pass"


FINDING_CODES: dict[str, FindingCode] = {
    name: FindingCode(f"GC{family + number}", name, _outcome(family, name))
    for family, names in _FAMILIES.items()
    for number, name in enumerate(names.split(), start=1)
}

REPORTED = frozenset(name for name, finding in FINDING_CODES.items() if not finding.code.startswith("GC4")) | {
    "disconnected"
}
"""The findings that a spec can expect: those that a run looks for."""
