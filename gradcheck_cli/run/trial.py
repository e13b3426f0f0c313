"""One operator on one variant of its inputs: the arguments, how they are called, and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.operator_records import VariantResult
from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.run.arguments import argument_names
from gradcheck_cli.run.layouts import PLAIN, lay_out
from gradcheck_cli.run.variants import Variant
from gradcheck_cli.verdict.judgement import Judgement, skipped

_LONGEST = 40
"""Characters of an attribute's value in the name of a trial."""


@dataclass(frozen=True, eq=False)
class Trial:
    """An operator with the arguments of one variant, named by `words`; everything random comes from `seed`."""

    operator: Operator
    variant: Variant
    words: str
    arrays: list[Any]
    attributes: Mapping[str, Any]
    seed: int

    @property
    def name(self) -> str:
        """What a spec's case of the same arguments is called; the check draws the same numbers there."""
        return f"{self.operator.name}, {self.words}"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The arrays' names, as an expression has them."""
        return tuple(name for name, _ in argument_names(self.operator, len(self.arrays)))

    @cached_property
    def differentiable(self) -> tuple[bool, ...]:
        """Which arrays have a gradient to check."""
        return tuple(
            isinstance(array, np.ndarray) and self.operator.input_at(slot).domain.differentiable
            for slot, array in enumerate(self.arrays)
        )

    @property
    def parameters(self) -> dict[str, Array]:
        """The arrays that have a gradient to check, by name."""
        rows = zip(self.names, self.arrays, self.differentiable, strict=True)
        return {name: array for name, array, wanted in rows if wanted}

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of all arrays, by name."""
        rows = zip(self.names, self.arrays, strict=True)
        return {name: array.shape for name, array in rows if isinstance(array, np.ndarray)}

    def apply(self, values: Mapping[str, Any]) -> Any:
        """Call the operator, with `values` in the place of the arrays of these names."""
        laid_out = range(len(self.arrays)) if self.variant.laid_out is None else self.variant.laid_out
        operands = [
            lay_out(values.get(name, array), self.variant.layout if slot in laid_out else PLAIN)
            for slot, (name, array) in enumerate(zip(self.names, self.arrays, strict=True))
        ]
        return self.operator.apply(operands, dict(self.attributes))

    def checked(
        self, judgement: Judgement, verdict: Verdict, seconds: float, error: str | None = None, set_aside: str = ""
    ) -> VariantResult:
        """Return what became of it; `set_aside` says why it counts neither for nor against the operator."""
        done = {parameter.name: parameter for parameter in judgement.parameters}
        case = CaseResult(
            id=self.name,
            file=self.operator.file,
            line=self.operator.line,
            name=self.name,
            expected="pass",
            verdict=verdict,
            ok=verdict is Verdict.PASS,
            value=judgement.value,
            evaluations=judgement.evaluations,
            seconds=seconds,
            error=error,
            parameters=tuple(done.get(name) or skipped(name, each.shape) for name, each in self.parameters.items()),
            findings=tuple(judgement.findings),
            notes=tuple(judgement.notes),
            seed=self.seed,
            label=self.operator.label,
        )
        return VariantResult(
            self.variant.kind,
            self.words,
            case,
            self.names,
            tuple(self.arrays),
            self.differentiable,
            self.attributes,
            self.variant.layout,
            self.variant.laid_out,
            set_aside,
        )

    def failed(self, error: str) -> VariantResult:
        """Return that it couldn't be checked."""
        return self.checked(Judgement(), Verdict.ERROR, 0.0, error)

    def set_aside(self, why: str) -> VariantResult:
        """Return that it counts neither for nor against the operator."""
        return self.checked(Judgement(), Verdict.SKIP, 0.0, set_aside=why)


def written(value: Any) -> str:
    """Write an attribute's value in a few characters, the same in every run."""
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    text = repr(value)
    if " at 0x" in text:
        text = type(value).__name__
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
