"""What a check of operators is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gradcheck_cli.knobs import Knobs, read_knobs


@dataclass(frozen=True)
class OperatorOptions:
    """How operators are checked: `samples` draws for each combination of attribute values.

    `given` are knobs by name, as in a spec's `check:`; the timeout is for each operator. `strict` turns kinks and
    vacuous passes into failures. An operator that isn't checked because one of `require_devices` is missing
    is an error.
    """

    samples: int = 1
    seed: int = 0
    given: Mapping[str, Any] = field(default_factory=dict)
    strict: bool = False
    require_devices: tuple[str, ...] = ()

    @property
    def knobs(self) -> Knobs:
        """The knobs of every check."""
        return read_knobs(self.given)
