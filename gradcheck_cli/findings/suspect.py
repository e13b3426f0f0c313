"""What a finding is told from: a gradient that is wrong, and everything that stood around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Location
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.records import WorstElement
from gradcheck_cli.verdict.evidence import Evidence


@dataclass(frozen=True, eq=False)
class Application:
    """One call of an operator in the graph, with all that its backward could have used.

    `arguments` are its operands by name (None for one that was left out), `outputs` and `cotangents` what it returned
    and what arrived there, by name; `kept` are the values that the forward kept for the backward. `location` is the
    call in the expression.
    """

    operator: Operator
    arguments: Mapping[str, Any]
    attributes: Mapping[str, Any]
    outputs: Mapping[str, Array]
    cotangents: Mapping[str, Array]
    kept: Mapping[str, Any] = field(default_factory=dict)
    location: Location | None = None


@dataclass(frozen=True, eq=False)
class Suspect:
    """A wrong gradient: of one argument of an `application`, or of a parameter of the case where that is None.

    `shapes` are those of the arrays around it by name: the case's, or the application's. `others` are the
    gradients of the application's other arguments by name, right ones too. `shown` is the element that a person is
    shown of this very gradient, None where it is another one that they see.
    """

    evidence: Evidence
    shapes: Mapping[str, tuple[int, ...]]
    application: Application | None = None
    others: Mapping[str, Evidence] = field(default_factory=dict)
    shown: WorstElement | None = None

    @property
    def is_even(self) -> bool:
        """Whether all elements of the argument, several, have one value: there, any function of it is a number."""
        array = self.application.arguments.get(self.evidence.parameter) if self.application else None
        return isinstance(array, np.ndarray) and array.size > 1 and bool((array == array.flat[0]).all())

    def is_even_along(self, axes: tuple[int, ...]) -> bool:
        """Tell whether the cotangents are constant along axes of the argument: there, a sum over them is no other."""
        given = self.application.cotangents.values() if self.application else ()
        live = [g for g in given if g.shape == self.evidence.shape and g.any()]
        return bool(live) and all((g.max(axis=axes) == g.min(axis=axes)).all() for g in live)
