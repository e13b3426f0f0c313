"""Frozen results of operators: what became of each on variants of its inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from gradcheck_cli.errors import Problem
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.records import CaseResult, Verdict


class VariantKind(StrEnum):
    """In what the inputs of a variant differ from those that an operator declares."""

    BASE = "base"
    SHAPE = "shape"
    SCALAR = "scalar"
    SIZE_ONE = "size-one"
    EMPTY = "empty"
    BROADCAST = "broadcast"
    LAYOUT = "layout"
    REPEATED = "repeated"
    LEFT_OUT = "left-out"


@dataclass(frozen=True, eq=False)
class VariantResult:
    """What became of an operator on one variant of its inputs.

    `words` name the variant, `case` holds what was found. `names`, `arrays` and `attributes` are the
    arguments, an array that was left out being None; `differentiable` flags those that were checked.
    `layout` is how the arrays lay in memory, `laid_out` the positions of those that did (None: all).
    `skipped` says why the variant counts neither for nor against the operator; it is empty for one that does.
    """

    kind: VariantKind
    words: str
    case: CaseResult
    names: tuple[str, ...] = ()
    arrays: tuple[Any, ...] = ()
    differentiable: tuple[bool, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    layout: str = "C"
    laid_out: tuple[int, ...] | None = None
    skipped: str = ""


@dataclass(frozen=True, eq=False)
class OperatorResult:
    """What became of one operator on all variants of its inputs, drawn with `seed`.

    `label` names its device and dtype where they aren't plain. `error` says why it couldn't be tried
    at all. `notes` are sentences for a person about what was taken into account.
    """

    name: str
    file: str
    line: int
    verdict: Verdict
    variants: tuple[VariantResult, ...] = ()
    label: str = ""
    error: str | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    seed: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against the operator; there may be nothing to check."""
        return self.verdict in (Verdict.PASS, Verdict.SKIP)

    @property
    def counted(self) -> tuple[VariantResult, ...]:
        """The variants that were checked."""
        return tuple(variant for variant in self.variants if not variant.skipped)

    @property
    def faults(self) -> tuple[VariantResult, ...]:
        """The variants that speak against the operator in order, those that decided nothing last."""
        off = [variant for variant in self.counted if variant.case.verdict not in (Verdict.PASS, Verdict.SKIP)]
        return tuple(sorted(off, key=lambda variant: variant.case.verdict is Verdict.INCONCLUSIVE))

    @property
    def elements(self) -> int:
        """How many elements were compared."""
        return sum(parameter.checked for variant in self.counted for parameter in variant.case.parameters)

    @property
    def all_elements(self) -> int:
        """How many elements there are in the variants that were checked: of large arrays some are sampled."""
        return sum(parameter.elements for variant in self.counted for parameter in variant.case.parameters)

    @property
    def plans(self) -> tuple[str, ...]:
        """What was checked in place of everything where that would have taken too long, each once."""
        cases = [variant.case for variant in self.counted]
        planned = [case for case in cases if any(parameter.planned for parameter in case.parameters)]
        return tuple(dict.fromkeys(note for case in planned for note in case.notes))

    @property
    def evaluations(self) -> int:
        """How many times the operator was evaluated."""
        return sum(variant.case.evaluations for variant in self.variants)

    @property
    def max_rel_err(self) -> float | None:
        """The worst relative error; None where nothing was compared."""
        return _largest(p.max_rel_err for variant in self.counted for p in variant.case.parameters)

    @property
    def resolution(self) -> float | None:
        """The smallest relative error that each variant could have seen; None where nothing was compared."""
        return _largest(p.resolution for variant in self.counted for p in variant.case.parameters)


@dataclass(frozen=True, eq=False)
class OperatorsResult:
    """All operators that were asked for, in order; `interrupted` if the user stopped the check.

    `problems` are those of files that can't be used; then nothing was checked.
    """

    seed: int
    samples: int
    operators: tuple[OperatorResult, ...]
    interrupted: bool = False
    problems: tuple[Problem, ...] = ()

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many operators have each verdict."""
        counter = Counter(operator.verdict for operator in self.operators)
        return {verdict: counter[verdict] for verdict in Verdict}

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against any operator and none was left out."""
        return not self.interrupted and not self.problems and all(operator.ok for operator in self.operators)


def _largest(figures: Iterable[float | None]) -> float | None:
    return max((figure for figure in figures if figure is not None), default=None)
