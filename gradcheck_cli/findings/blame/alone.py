"""One application of an operator, checked alone at the inputs and under the cotangents that it had in the graph."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.findings.blame.evidence import plain_evidence
from gradcheck_cli.findings.blame.ledger import Entry
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.call import Subject
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.records import Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.evidence import Evidence
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement

_BESIDE = ("differs-from-reference", "forward-reverse-mismatch", "wrong-batch-declaration")
"""Findings about what an operator has beside its backward, which make no gradient wrong."""

_MANY = 16
"""Elements of an operand that are all compared at once..."""

_FEW = 8
"""...and those of a larger one that are compared first."""

_PAIR = 2
"""Evaluations of an element that is right."""


@dataclass(eq=False)
class Alone:
    """What became of one application: the wrong arguments by name, each with how it is wrong, and broken contracts.

    `undecided` says why nothing can be said, `kinks` are arguments that passed at one. `resolution` is the coarsest
    of its arguments', `sampled` tells that not all elements were compared.
    """

    entry: Entry
    wrong: dict[str, Suspect | None] = field(default_factory=dict)
    broken: dict[str, Finding] = field(default_factory=dict)
    undecided: str = ""
    kinks: tuple[str, ...] = ()
    resolution: float | None = None
    sampled: bool = False
    evaluations: int = 0

    @property
    def accused(self) -> bool:
        """Whether something of it is wrong."""
        return bool(self.wrong or self.broken)

    @property
    def right(self) -> bool:
        """Whether every gradient of it is right."""
        return not self.accused and not self.undecided


def check_alone(
    entry: Entry, knobs: Knobs, seed: Sequence[int], evaluations: int, still_wanted: Callable[[], None] = lambda: None
) -> Alone:
    """Check the gradients that an application has in the graph, as strictly as the case's.

    First under the cotangents that arrived there, then under those that the check draws itself: what is wrong for
    these only isn't what made the graph wrong, and is wrong all the same. It takes about so many `evaluations` at most,
    and the budget of `knobs`: of large operands fewer elements are compared. `still_wanted` is called before every
    evaluation that isn't one of many, and raises to stop.
    """
    knobs = replace(knobs, sweep=False, sample=None, directions=None, timeout=None, budget=knobs.budget / 2)
    alone = Alone(entry)
    arrived = entry.arrived()
    floating = [g for g, out in zip(arrived, entry.outputs, strict=True) if out.dtype.kind == "f"]
    if any(g.any() for g in floating):
        _judge(alone, knobs, seed, arrived, evaluations // 2, still_wanted)
    # One number has no other cotangent than a multiple of it.
    others = sum(g.size for g in floating) > 1 or alone.resolution is None
    if alone.right and others:
        _judge(alone, knobs, seed, (), evaluations // 2, still_wanted)
    return alone


def operands_of(entry: Entry) -> dict[str, Array]:
    """Return the operands that gradients flow to, by name."""
    return {entry.operator.slot_name(slot): entry.arrays[slot] for slot in entry.tracked}


def function_of(entry: Entry, still_wanted: Callable[[], None] = lambda: None) -> TracedFunction:
    """Return the application as a function of the operands that gradients flow to."""
    operator = entry.operator
    names = {slot: operator.slot_name(slot) for slot in entry.tracked}

    def call(values: Mapping[str, Any]) -> Any:
        still_wanted()
        operands = [values[names[slot]] if slot in names else array for slot, array in enumerate(entry.arrays)]
        return operator.apply(operands, entry.attributes)

    return TracedFunction(call, Subject(operator.name, operator.location))


def _judge(
    alone: Alone,
    knobs: Knobs,
    seed: Sequence[int],
    cotangents: tuple[Array, ...],
    evaluations: int,
    still_wanted: Callable[[], None],
) -> None:
    """Check under some cotangents (none: drawn ones), and write down what is found.

    Of all but small operands a few elements first: wrong ones take many times as long as right ones, so that all of
    an operand are compared only where these are right.
    """
    entry = alone.entry
    operands = operands_of(entry)
    function = function_of(entry, still_wanted)
    seed = [*seed, zlib.crc32(entry.operator.name.encode())]

    def judged(names: Sequence[str], samples: Mapping[str, int]) -> Judgement:
        judgement = Judgement(cotangents=cotangents)
        try:
            judge(function, operands, knobs, seed, samples, judgement, names)
        except GradcheckError as error:
            alone.undecided = f"it can't be called alone: {error.problems[0].message}"
        alone.evaluations += judgement.evaluations
        return judgement

    samples = {name: _FEW for name, array in operands.items() if array.size > _MANY}
    started = time.perf_counter()
    judgement = judged(list(operands), samples)
    taken = time.perf_counter() - started
    results = {result.name: result for result in judgement.parameters}
    so_far_right = [name for name in samples if name in results and results[name].verdict is Verdict.PASS]
    if so_far_right and not alone.undecided:
        # As many as were granted, or as there is time for, which is the last resort.
        in_time = _FEW * knobs.budget / max(taken, 1e-9)
        most = max(_FEW, int(min(evaluations // _PAIR, in_time) / len(so_far_right)))
        more = judged(so_far_right, {name: most for name in so_far_right if operands[name].size > most})
        results |= {result.name: result for result in more.parameters}
        judgement.evidence |= more.evidence
        judgement.findings += more.findings
    for result in results.values():
        _note(alone, result)
    for finding in judgement.findings:
        if not finding.accepted and finding.name not in _BESIDE:
            alone.broken.setdefault(finding.name, finding)
    wrong = [name for name, result in results.items() if result.verdict is Verdict.FAIL]
    if wrong:
        alone.undecided = ""
        partly = [name for name in wrong if results[name].checked < results[name].elements]
        evidence = dict(judgement.evidence)
        if partly:
            evidence |= plain_evidence(function, operands, partly, judgement.cotangents, evaluations, knobs.budget)
        alone.wrong.update(_suspects(entry, wrong, judgement.cotangents, evidence))


def _suspects(
    entry: Entry, wrong: Sequence[str], cotangents: Sequence[Array], evidence: Mapping[str, Evidence]
) -> dict[str, Suspect | None]:
    """Return the wrong gradients as findings see them, None for one of which nothing was measured."""
    application = entry.described(cotangents)
    named = {**application.arguments, **application.outputs}
    shapes = {name: array.shape for name, array in named.items() if isinstance(array, np.ndarray)}
    return {
        name: Suspect(
            evidence[name], shapes, application, {other: each for other, each in evidence.items() if other != name}
        )
        if name in evidence
        else None
        for name in wrong
    }


def _note(alone: Alone, result: ParameterResult) -> None:
    """Take over what the result of an operand says beside right and wrong."""
    if result.verdict is Verdict.INCONCLUSIVE and not alone.undecided:
        why = f": {result.findings[0].message}" if result.findings else ""
        alone.undecided = f"the gradient of {result.name} can't be decided{why}"
    if result.resolution is not None:
        alone.resolution = max(alone.resolution or 0.0, result.resolution)
    if any(finding.name == "kink-at-point" for finding in result.findings) and result.name not in alone.kinks:
        alone.kinks = (*alone.kinks, result.name)
    alone.sampled = alone.sampled or result.checked < result.elements or bool(result.directions)
