"""Try one operator: on what it declares, then on the variants of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Problem
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.operator_records import VariantResult
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.arguments import combinations
from gradcheck_cli.run.base_arguments import Arguments
from gradcheck_cli.run.base_draws import Choice, base_draws, combined, remaining, unseen_values
from gradcheck_cli.run.declaration_hint import declares_values, refused_hint, undefined_hint
from gradcheck_cli.run.operator_case import Refusal, check_trial, refusal
from gradcheck_cli.run.operator_notes import notes_on
from gradcheck_cli.run.operator_options import OperatorOptions
from gradcheck_cli.run.trial import Trial, written
from gradcheck_cli.run.variants import Variant, variants_of
from gradcheck_cli.spec.arrays.values import number_of
from gradcheck_cli.verdict.watcher import Watcher

_TWICE = (Kind.SHAPE, Kind.SCALAR, Kind.SIZE_ONE)
"""Variants that are checked with two choices of attribute values; the others with one."""

_MOST_WRONG = 4
"""Variants with a wrong gradient after which no others are tried: one more says little, and takes long to examine."""

_LONGEST = 120
"""Characters in the words of a trial: the name of a spec's case has to hold them."""


class Trials:
    """The check of one operator in the making: `results` and `notes` hold what is known so far.

    The seed, the operator's name and the words of a variant decide what is drawn, so that no outcome
    depends on another. `still_wanted` is called before every evaluation, and raises to stop.
    """

    def __init__(
        self,
        operator: Operator,
        options: OperatorOptions,
        still_wanted: Callable[[], None] = lambda: None,
        watcher: Watcher | None = None,
    ) -> None:
        self.operator = operator
        self.options = options
        self.still_wanted = still_wanted
        self.watcher = watcher
        self.results: list[VariantResult] = []
        self.notes: list[str] = []
        self._words: set[str] = set()

    def run(self) -> None:
        """Check the operator on its base draws, and on variants of these if none of them is wrong.

        Raises OperatorError when nothing can be drawn, Skipped where something that it needs isn't there.
        """
        choices = combinations(self.operator)
        self._try_base(choices)
        verdicts = [result.case.verdict for result in self.results]
        if Verdict.FAIL in verdicts:
            self.notes.append("it is wrong on what it declares, so other shapes and layouts were not tried")
        elif any(verdict is not Verdict.ERROR for verdict in verdicts):
            for number, variant in enumerate(variants_of(self.operator)):
                start = number % len(choices)
                self._try_variant(variant, [*choices[start:], *choices[:start]])
            if self._is_wrong_enough:
                self.notes.append(f"it is wrong on {_MOST_WRONG} variants, so others were not tried")
        self.notes += notes_on(self.operator, self.results)

    @property
    def _is_wrong_enough(self) -> bool:
        """Whether enough variants are wrong."""
        wrong = [result for result in self.results if not result.skipped and result.case.verdict is Verdict.FAIL]
        return len(wrong) >= _MOST_WRONG

    def _try_base(self, choices: Sequence[Choice]) -> None:
        """Check the base draws.

        One that the forward refuses is an error, unless the operator takes each of its attribute values in
        another combination: a list of values says that each is right, not that all go together.
        """
        variant = Variant(Kind.BASE, "as sampled" if self.operator.sampler else "as declared", lambda _: None)
        draws = base_draws(self.operator, choices, self.options.samples, self._rng)
        if unseen := unseen_values(self.operator, draws):
            self.notes.append(f"its sample function never gave {', '.join(unseen)}: not tried")
        taken: set[tuple[str, str]] = set()
        refused: dict[int, tuple[Trial, Refusal]] = {}
        for arguments in draws:
            if self._is_wrong_enough:
                return
            trial = self._trial(variant, arguments)
            why = self._refusal(trial)
            if why and why.cause == "raised":
                refused[len(self.results)] = trial, why
                self.results.append(trial.set_aside(f"refused: {why.message}"))
                continue
            taken |= _values(trial)
            if why and why.cause == "not-finite" and declares_values(self.operator):
                why = None  # it has no value where it says that it has one: the contract is broken
            self.results.append(self._could_not(trial, why) if why else self._checked(trial))
        for place, (trial, why) in refused.items():
            blamed = [f"{name}={written(trial.attributes[name])}" for name, _ in sorted(_values(trial) - taken)]
            if blamed or not trial.attributes:
                self.results[place] = self._could_not(trial, why, blamed if taken else ())

    def _try_variant(self, variant: Variant, choices: Sequence[Choice]) -> None:
        """Check a variant with the first choices of attribute values that the forward takes there."""
        drawn = None if self._is_wrong_enough else variant.make(self._rng(variant.words))
        if drawn is None:
            return
        taken, refused = 0, None
        for chosen in remaining(choices, drawn[1]):
            trial = self._trial(variant, combined(drawn, chosen))
            why = self._refusal(trial)
            if why and why.cause != "broken":
                refused = refused or trial.set_aside(f"refused: {why.message}")
                continue
            self.results.append(self._could_not(trial, why) if why else self._checked(trial))
            taken += 1
            if taken == 1 + (variant.kind in _TWICE):
                return
        if refused and not taken:
            self.results.append(refused)

    def _rng(self, *words: object) -> np.random.Generator:
        numbers = number_of(self.operator.name), number_of("/".join(map(str, words)))
        return np.random.default_rng([self.options.seed, *numbers])

    def _trial(self, variant: Variant, arguments: Arguments) -> Trial:
        """Put a variant and its arguments together, under words that no other trial has."""
        arrays, attributes = arguments
        words = ", ".join([variant.words, *(f"{name}={written(value)}" for name, value in attributes.items())])
        words = words[:_LONGEST].strip()
        numbered = (words if number == 1 else f"{words}, draw {number}" for number in count(1))
        own = next(name for name in numbered if name not in self._words)
        self._words.add(own)
        return Trial(self.operator, variant, own, arrays, attributes, self.options.seed)

    def _refusal(self, trial: Trial) -> Refusal | None:
        self.still_wanted()
        return refusal(trial)

    def _checked(self, trial: Trial) -> VariantResult:
        return check_trial(trial, self.options, self.still_wanted, self.watcher)

    def _could_not(self, trial: Trial, why: Refusal, values: Sequence[str] = ()) -> VariantResult:
        """Say why an operator gives no value where it should, and what to declare if it shouldn't.

        `values` are attribute values that it never takes, where it takes others.
        """
        if why.cause == "broken" and why.problem:
            return trial.failed(str(why.problem))
        shapes = ", ".join(f"{name} {_dimensions(shape)}" for name, shape in trial.shapes.items())
        hint = refused_hint(self.operator) if why.cause == "raised" else undefined_hint(self.operator)
        if values:
            hint = f"it takes other values than {', '.join(values)}: the list of values to try shouldn't have it"
        hint = f"it was given {shapes}: {hint}"
        problem = why.problem or Problem(why.message, self.operator.location, "non-finite")
        return trial.failed(str(replace(problem, hint=hint)))


def _values(trial: Trial) -> set[tuple[str, str]]:
    return {(name, repr(value)) for name, value in trial.attributes.items()}


def _dimensions(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) if shape else "0-d"
