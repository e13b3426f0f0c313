"""Blame: which operators make a gradient wrong, found by checking each application on the path alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.findings.blame.alone import Alone, check_alone
from gradcheck_cli.findings.blame.between import amplified, kept_between_calls, sums
from gradcheck_cli.findings.blame.detached import detached_uses
from gradcheck_cli.findings.blame.ledger import Entry, Locate, Sweep, record
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.records import Blame, Culprit, Finding, ParameterResult, Verdict
from gradcheck_cli.verdict.judgement import Judgement

_MOST = 5
"""Blame takes so many times the evaluations of the check, at most..."""

_GRANTED = 5000
"""...but so many are always granted."""

_LEAST = 500
"""Evaluations that one application may take, at least: more than a check of a hundred elements needs."""

_LONGEST = 20.0
"""Times as long as the check it may take. What is counted decides, so that a busy machine finds what an idle one does;
the clock is for operators that take far longer alone than the whole."""

_PATIENCE = 10.0
"""Seconds that are always granted, within the budget of the case."""


@dataclass(eq=False)
class _Group:
    """Applications that are the same, the one nearest to the outputs first, and what became of that one."""

    entries: list[Entry]
    alone: Alone | None = None


class Blaming:
    """Looks for what makes the gradients of a judged function wrong; filled step by step, so that a stop loses nothing.

    Blame costs a few times what the check did at most, in evaluations; `seconds` are those that it took. `locate` says
    where the call stands that is being made.
    """

    def __init__(
        self,
        function: TracedFunction,
        values: Mapping[str, Array],
        judgement: Judgement,
        knobs: Knobs,
        seed: Sequence[int],
        locate: Locate,
        seconds: float,
    ) -> None:
        self.function = function
        self.values = values
        self.judgement = judgement
        self.knobs = knobs
        self.seed = seed
        self.locate = locate
        self.evaluations = max(_MOST * judgement.evaluations, _GRANTED)
        self.seconds = min(max(_LONGEST * seconds, _PATIENCE), knobs.budget)
        self.failed = wrong_parameters(judgement)
        self._sweep: Sweep | None = None
        self._groups: list[_Group] = []
        self._kept: list[tuple[Entry, str]] = []
        self._notes: list[str] = []

    def run(self, still_wanted: Callable[[], None] = lambda: None) -> None:
        """Check every application between the wrong parameters and the outputs; then look between them.

        `still_wanted` is called between evaluations, and raises to stop. Raises what the function raises.
        """
        cotangents = self.judgement.cotangents
        names = [parameter.name for parameter in self.failed]
        self._sweep = sweep = record(self.function, self.values, cotangents, self.locate, self.knobs.allow)
        path = sweep.path(names)
        self._groups = _grouped(path)
        self._check_all(still_wanted)
        if not any(group.alone and group.alone.accused for group in self._groups):
            self._look_between(sweep, path, still_wanted)

    def stop(self, why: str) -> None:
        """Note that it ends before all was checked, and why."""
        checked = sum(len(group.entries) for group in self._groups if group.alone)
        total = sum(len(group.entries) for group in self._groups)
        self._notes.append(f"{why}: {checked} of {total} applications were checked")

    def _check_all(self, still_wanted: Callable[[], None]) -> None:
        # Where time is short, operators of a person's own come first, and one application of each before the others.
        seen: set[Hashable] = set()
        ranks = []
        for number, group in enumerate(self._groups):
            operator = group.entries[0].operator
            own = not (operator.trusted and all(rule.trusted for rule in operator.rules))
            ranks.append((operator in seen, not own, number))
            seen.add(operator)
        count = max(1, len(self._groups))
        share = max(self.evaluations // count, _LEAST)
        knobs = replace(self.knobs, budget=self.seconds / count)
        started, evaluations = time.perf_counter(), 0
        for known, _, number in sorted(ranks):
            still_wanted()
            group = self._groups[number]
            if known and (evaluations > self.evaluations or time.perf_counter() - started > self.seconds):
                self.stop("all would take too long")
                return
            group.alone = check_alone(group.entries[0], knobs, self.seed, share, still_wanted)
            evaluations += group.alone.evaluations

    def _look_between(self, sweep: Sweep, path: Sequence[Entry], still_wanted: Callable[[], None]) -> None:
        """Look at what may be wrong between applications that are right alone."""
        still_wanted()
        self._kept = kept_between_calls(path, self.knobs.repeat)
        if self._kept:
            return
        faults = [each.fault() for each in sums(sweep, path, [parameter.name for parameter in self.failed])]
        for overwritten, text in faults:
            if overwritten:
                self._add_finding(Finding("contribution-overwritten", text))
        texts = [text for _, text in faults if text]
        self._notes += texts
        if texts:
            return
        for parameter in self.failed:
            still_wanted()
            # Along directions it may be that no single element shows what is wrong.
            if parameter.worst is not None and len(parameter.worst.index) == len(parameter.shape):
                self._notes += self._why(sweep, parameter, parameter.worst.index)

    def _why(self, sweep: Sweep, parameter: ParameterResult, element: tuple[int, ...]) -> list[str]:
        """Say why one gradient is wrong, by the element that is off most."""
        cotangents = self.judgement.cotangents
        detached = detached_uses(sweep, self.function, self.values, cotangents, parameter.name, element)
        if detached:
            return detached
        assert parameter.worst is not None, parameter.name
        checked = [group.alone for group in self._groups if group.alone]
        error = max((alone.resolution or 0.0 for alone in checked), default=0.0)
        off = abs(parameter.worst.analytic - parameter.worst.numeric)
        rng = np.random.default_rng([*self.seed, 6])
        change = amplified(sweep, cotangents, parameter.name, element, error, rng) if error else 0.0
        if change >= off > 0:
            size = abs(parameter.worst.numeric) or 1.0
            return [
                f"the gradient of {parameter.name} is ill-conditioned: relative errors of {error:.0e} in the gradients "
                f"of single applications, too small to be seen there, are {change / size:.0e} of it"
            ]
        kinks = dict.fromkeys(f"{name} of {alone.entry.name}" for alone in checked for name in alone.kinks)
        if kinks:
            return [
                f"{', '.join(kinks)}: at a kink, where the gradient of each is valid alone, and what they make "
                f"together isn't valid for {parameter.name}"
            ]
        return []

    def _add_finding(self, finding: Finding) -> None:
        """Give a cause to the wrong parameters that have none yet."""
        names = {parameter.name for parameter in self.failed}
        for position, result in enumerate(self.judgement.parameters):
            if result.name in names and finding not in result.findings:
                findings = (finding, *(each for each in result.findings if each.name != "unexplained"))
                self.judgement.parameters[position] = replace(result, findings=findings)

    @property
    def suspects(self) -> dict[str, list[Suspect]]:
        """The wrong gradients of applications by the parameter that suffers from them, nearest to the outputs first."""
        found: dict[str, list[Suspect]] = {}
        if self._sweep is None:
            return found
        for parameter in self.failed:
            operands = self._sweep.operands([parameter.name])
            found[parameter.name] = [
                suspect
                for group in self._groups
                if group.alone
                for argument, suspect in group.alone.wrong.items()
                if suspect is not None and any((entry, argument) in operands for entry in group.entries)
            ]
        return found

    def result(self) -> Blame:
        """Return what was found so far."""
        checked = [(group, group.alone) for group in self._groups if group.alone]
        resolutions = [alone.resolution for _, alone in checked if alone.right and alone.resolution is not None]
        spoilt = {entry for entry, _ in self._kept}
        right = [entry for group, alone in checked if alone.right for entry in group.entries if entry not in spoilt]
        undecided = [
            f"{group.entries[0].name}: {alone.undecided}"
            for group, alone in checked
            if alone.undecided and not alone.accused
        ]
        notes = list(self._notes)
        sampled = [alone.entry.name for _, alone in checked if alone.sampled and alone.right]
        if sampled:
            notes.append(f"not every element was compared, since that would take too long: {', '.join(sampled)}")
        return Blame(
            applications=sum(len(group.entries) for group in self._groups),
            wrong=len(spoilt) + sum(len(group.entries) for group, alone in checked if alone.accused),
            right=len(right),
            culprits=tuple(self._culprits()),
            undecided=tuple(undecided),
            notes=tuple(dict.fromkeys(notes)),
            resolution=max(resolutions, default=None),
            evaluations=sum(alone.evaluations for _, alone in checked),
        )

    def _culprits(self) -> list[Culprit]:
        """List the operators that are wrong, by argument, the one nearest to the outputs first."""
        rows: list[tuple[Entry, str, str]] = []
        for group in self._groups:
            if group.alone is None:
                continue
            rows += [(entry, argument, "") for argument in group.alone.wrong for entry in group.entries]
            rows += [(entry, "", each.message) for each in group.alone.broken.values() for entry in group.entries]
        kept = "right alone and wrong in the graph: its backward uses what another call left"
        rows += [(entry, argument, kept) for entry, argument in self._kept]
        joined: dict[tuple[Operator, str], list[tuple[Entry, str]]] = {}
        for entry, argument, message in rows:
            joined.setdefault((entry.operator, argument), []).append((entry, message))
        return [
            _culprit(operator, argument, list(dict.fromkeys(entry for entry, _ in found)), found[0][1])
            for (operator, argument), found in joined.items()
        ]


def wrong_parameters(judgement: Judgement) -> list[ParameterResult]:
    """Return the results of the parameters whose gradient was found to be wrong."""
    return [parameter for parameter in judgement.parameters if parameter.verdict is Verdict.FAIL]


def _grouped(path: Sequence[Entry]) -> list[_Group]:
    groups: dict[Hashable, _Group] = {}
    for entry in path:
        groups.setdefault(entry.key, _Group([])).entries.append(entry)
    return list(groups.values())


def _culprit(operator: Operator, argument: str, entries: Sequence[Entry], message: str) -> Culprit:
    name = argument.partition("[")[0]
    rule = next((rule for rule in operator.rules if not name or name in rule.inputs), None)
    places = tuple(dict.fromkeys(entry.location for entry in entries if entry.location is not None))
    return Culprit(
        operator=operator.name,
        argument=argument,
        applications=len(entries),
        places=places,
        backward=rule.location if rule else None,
        message=message,
    )
