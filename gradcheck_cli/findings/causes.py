"""From wrong gradients to causes: what each detector has to say, the most specific first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gradcheck_cli.errors import Location
from gradcheck_cli.findings.broadcast_not_summed import broadcast_not_summed
from gradcheck_cli.findings.constant_factor import constant_factor
from gradcheck_cli.findings.contribution_overwritten import contribution_overwritten
from gradcheck_cli.findings.gradient_zero import gradient_zero
from gradcheck_cli.findings.mean_instead_of_sum import mean_instead_of_sum
from gradcheck_cli.findings.missing_chain_factor import missing_chain_factor
from gradcheck_cli.findings.missing_term import missing_term
from gradcheck_cli.findings.sign_flipped import sign_flipped
from gradcheck_cli.findings.small_everywhere import small_everywhere
from gradcheck_cli.findings.some_elements import some_elements
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.findings.swapped_inputs import swapped_inputs
from gradcheck_cli.findings.transposed import transposed
from gradcheck_cli.findings.unexplained import unexplained
from gradcheck_cli.records import Finding

Detector = Callable[[Suspect], Finding | None]

DETECTORS: tuple[Detector, ...] = (
    gradient_zero,
    sign_flipped,
    swapped_inputs,
    transposed,
    broadcast_not_summed,
    contribution_overwritten,
    mean_instead_of_sum,
    missing_chain_factor,
    constant_factor,
    small_everywhere,
    missing_term,
    some_elements,
)
"""The most specific first."""

_SAID_ALREADY: Mapping[str, frozenset[str]] = {
    "gradient-zero": frozenset({"missing-chain-factor", "missing-term", "contribution-overwritten", "some-elements"}),
    "sign-flipped": frozenset({"missing-term", "missing-chain-factor", "swapped-inputs", "constant-factor"}),
    "swapped-inputs": frozenset(
        {"transposed", "missing-chain-factor", "constant-factor", "missing-term", "some-elements"}
    ),
    "transposed": frozenset({"missing-chain-factor", "constant-factor", "missing-term", "some-elements"}),
    "broadcast-not-summed": frozenset({"contribution-overwritten", "missing-term", "some-elements"}),
    "contribution-overwritten": frozenset({"missing-chain-factor", "missing-term", "some-elements"}),
    "mean-instead-of-sum": frozenset({"constant-factor", "missing-chain-factor", "missing-term", "small-everywhere"}),
    "missing-chain-factor": frozenset({"missing-term", "some-elements", "constant-factor"}),
    "constant-factor": frozenset({"missing-term", "small-everywhere"}),
    "missing-term": frozenset({"small-everywhere", "some-elements"}),
    "small-everywhere": frozenset({"some-elements"}),
}
"""What the later findings would only say in other words once the first is there."""


def find_causes(suspects: Sequence[Suspect]) -> tuple[Finding, ...]:
    """Return the causes of wrong gradients, the most specific first.

    `suspects` are of one parameter: operators that were found to be wrong alone, then the parameter itself, which
    is only asked where no operator is wrong: what an operator does to it, any mistake of one number does as a factor.
    What nothing explains is `unexplained`; a right gradient gives none.
    """
    told: list[Finding] = []
    rest: list[Finding] = []
    for suspect in suspects:
        if suspect.application is None and (told or rest):
            break
        causes = causes_of(suspect)
        told += causes
        unknown = None if causes else unexplained(suspect)
        if unknown:
            rest.append(_placed(unknown, suspect))
    return tuple(dict.fromkeys((*told, *rest)))  # an operator that is applied twice has one mistake


def causes_of(suspect: Suspect) -> list[Finding]:
    """Return what the detectors say of one wrong gradient, without what an earlier one has said already."""
    found: list[Finding] = []
    for detect in DETECTORS:
        name = detect.__name__.replace("_", "-")
        if any(name in _SAID_ALREADY.get(each.name, ()) for each in found):
            continue
        with np.errstate(all="ignore"):  # what isn't finite explains nothing
            finding = detect(suspect)
        if finding:
            found.append(_placed(finding, suspect))
    return found


def _placed(finding: Finding, suspect: Suspect) -> Finding:
    """Say where the backward stands that made the gradient."""
    application = suspect.application
    if application is None or finding.location is not None:
        return finding
    argument = suspect.evidence.parameter
    location = _rule_of(suspect)
    return replace(finding, location=location, subject=f"backward of {application.operator.name} for {argument}")


def _rule_of(suspect: Suspect) -> Location:
    assert suspect.application is not None
    operator, argument = suspect.application.operator, suspect.evidence.parameter.partition("[")[0]
    for rule in operator.rules:
        if argument in rule.inputs:
            return rule.location
    return operator.location
