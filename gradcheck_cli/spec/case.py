"""Cases: what a spec says, as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import Location
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.spec.language.expression import Expression


@dataclass(frozen=True, eq=False)
class ArraySpec:
    """One named array of a case: a parameter (differentiated and checked) or an input (given).

    `value` is the array as given or read from a file, None if it is drawn: by `init`
    (normal, uniform, zeros, ones, he, xavier, spd), or from `domain` where `init` is empty.
    `below` is the exclusive bound of integers. `sample` limits how many elements are checked.
    """

    name: str
    location: Location
    shape: tuple[int, ...]
    dtype: str
    value: Array | None = None
    init: str = ""
    domain: Domain = field(default_factory=Domain)
    below: int | None = None
    sample: int | None = None


@dataclass(frozen=True)
class Expectation:
    """The expected verdict: of the case, and of single parameters (a mapping in the spec)."""

    verdict: str = "pass"
    parameters: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str | None:
        """Return what is expected of the parameter `name` by itself, None without a mapping."""
        return self.parameters.get(name, "pass") if self.parameters else None

    def __str__(self) -> str:
        parts = [f"{name}: {verdict}" for name, verdict in self.parameters.items()]
        return ", ".join(parts) if parts else self.verdict


@dataclass(frozen=True, eq=False)
class Case:
    """One expression with its parameters: the thing checked.

    `value` and `gradients` are known results, to which the computed ones must agree.
    `tags` are words by which cases are selected together.
    """

    file: str
    name: str
    location: Location
    expression: Expression
    parameters: tuple[ArraySpec, ...]
    inputs: tuple[ArraySpec, ...]
    scope: Scope
    seed: int = 0
    knobs: Knobs = field(default_factory=Knobs)
    expect: Expectation = field(default_factory=Expectation)
    value: Array | None = None
    gradients: Mapping[str, Array] = field(default_factory=dict)
    tags: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name by which a case is selected: FILE::case."""
        return f"{self.file}::{self.name}"
