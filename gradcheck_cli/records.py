"""Frozen results: what a run found, as data that every report reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from gradcheck_cli.codes import FINDING_CODES
from gradcheck_cli.errors import Location, Problem
from gradcheck_cli.light_dataclass import dataclass

if TYPE_CHECKING:
    from gradcheck_cli.graph_records import Graph


class Verdict(StrEnum):
    """The answers; the order is that of severity within a case, mildest first."""

    PASS = "pass"
    SKIP = "skip"
    INCONCLUSIVE = "inconclusive"
    FAIL = "fail"
    ERROR = "error"

    @classmethod
    def worst(cls, verdicts: list[Verdict]) -> Verdict:
        """Return the most severe of `verdicts`; `pass` for none."""
        order = list(cls)
        return max(verdicts, key=order.index, default=cls.PASS)


@dataclass(frozen=True)
class Finding:
    """A coded cause: its name (`missing-term`), one sentence with the figures, and where to look.

    `subject` says what stands at the location: "backward of layer_norm for x". `accepted` marks a
    broken contract that the spec allows.
    """

    name: str
    message: str
    location: Location | None = None
    subject: str = ""
    accepted: bool = False

    @property
    def code(self) -> str:
        """The number, `GC203`."""
        return FINDING_CODES[self.name].code


@dataclass(frozen=True)
class WorstElement:
    """The element that decided a parameter's verdict."""

    index: tuple[int, ...]
    analytic: float
    numeric: float
    error_bar: float


@dataclass(frozen=True)
class SweepPoint:
    """The deciding number of one element at one relative step."""

    eps: float
    rel_err: float


@dataclass(frozen=True)
class ParameterResult:
    """The verdict on the gradient of one parameter.

    `elements` is its size, `checked` how many were compared. `max_rel_err` and `resolution` are
    relative numbers; None where nothing was compared. `expected` is what the spec expects of this
    parameter by name, None where it expects one verdict of the whole case. `directions` counts random
    directions that were checked in place of elements; then `resolution` is that of the whole
    parameter, and `element_resolution` that of one element with the median gradient. `planned` tells that all elements
    would have cost too much: `checked` of them were sampled, and the directions go across the others. `line` is where
    the spec names the parameter, 0 where none does. `errors` has the deciding number of every element in the
    parameter's shape, nan where none was compared; only for reports that ask for it.
    """

    name: str
    shape: tuple[int, ...]
    elements: int
    checked: int
    verdict: Verdict
    max_rel_err: float | None = None
    resolution: float | None = None
    worst: WorstElement | None = None
    sweep: tuple[SweepPoint, ...] = ()
    findings: tuple[Finding, ...] = ()
    expected: str | None = None
    directions: int = 0
    element_resolution: float | None = None
    planned: bool = False
    line: int = 0
    errors: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Culprit:
    """An operator whose gradient of one argument is wrong when it is applied alone.

    `places` are its wrong calls, the one nearest to the outputs first, `applications` how many there are (some may
    have no known place), `backward` the function that returns the gradient. `argument` is empty and `message`
    says more where it isn't one gradient that is wrong.
    """

    operator: str
    argument: str
    applications: int
    places: tuple[Location, ...] = ()
    backward: Location | None = None
    message: str = ""

    @property
    def location(self) -> Location | None:
        """The wrong call that is nearest to the outputs."""
        return self.places[0] if self.places else None


@dataclass(frozen=True)
class Blame:
    """What came of checking every application of an operator on the path from the wrong parameters to the outputs.

    `applications` counts them, `wrong` and `right` those that are so alone, up to a relative `resolution`. `undecided`
    says of others why nothing can be said, `notes` what else there is to know: how they may be wrong together.
    """

    applications: int
    wrong: int
    right: int
    culprits: tuple[Culprit, ...] = ()
    undecided: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    resolution: float | None = None
    evaluations: int = 0


@dataclass(frozen=True)
class CaseResult:
    """What became of one case, drawn with `seed`. `ok` says whether the verdict was the expected one.

    `notes` are sentences about what was taken into account without being a finding. `label` names
    the device and dtype of its operators where they aren't plain float64, `dtype` is the floating type in which the
    case computes. `blame` says which operators
    are wrong, None where no gradient is. `health` has what is ill about the graph, where that was asked for; it
    changes no verdict. `graph` is what the case computes, for reports that ask for it.
    """

    id: str
    file: str
    line: int
    name: str
    expected: str
    verdict: Verdict
    ok: bool
    value: float | None = None
    evaluations: int = 0
    seconds: float = 0.0
    error: str | None = None
    parameters: tuple[ParameterResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    seed: int = 0
    notes: tuple[str, ...] = ()
    label: str = ""
    blame: Blame | None = None
    health: tuple[Finding, ...] = ()
    dtype: str = "float64"
    graph: Graph | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class RunResult:
    """All cases of a run, in the order of the specs; `interrupted` if the user stopped it.

    `problems` are those of specs and operator files that can't be used; then nothing was checked. `seconds` is what
    the run took, None where nobody looked at the clock.
    """

    seed: int | None
    cases: tuple[CaseResult, ...]
    interrupted: bool = False
    problems: tuple[Problem, ...] = ()
    seconds: float | None = None

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many cases have each verdict."""
        counter = Counter(case.verdict for case in self.cases)
        return {verdict: counter[verdict] for verdict in Verdict}

    @property
    def ok(self) -> bool:
        """Whether every case ended as expected and none was left out."""
        return not self.interrupted and not self.problems and all(case.ok for case in self.cases)
