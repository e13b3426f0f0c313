"""What a person should know about the check of an operator beside its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.operator_records import VariantResult
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.declaration_hint import shapes_hint

OF_SHAPES = (Kind.SHAPE, Kind.SCALAR, Kind.BROADCAST, Kind.SIZE_ONE, Kind.EMPTY)


def notes_on(operator: Operator, results: Sequence[VariantResult]) -> list[str]:
    """Say which gradients were zero on both sides in every draw, and how to rule shapes out that don't pass."""
    notes = [
        f"{name}: both sides are zero in every draw: a gradient that is zero by mistake looks the same"
        for name in _always_vacuous(results)
    ]
    off = [result for result in results if not result.skipped and result.case.verdict is not Verdict.PASS]
    if off and all(result.kind in OF_SHAPES for result in off) and (hint := shapes_hint(operator)):
        notes.append(hint)
    return notes


def _always_vacuous(results: Sequence[VariantResult]) -> list[str]:
    base = [result.case for result in results if result.kind is Kind.BASE and not result.skipped]
    zero: dict[str, list[bool]] = {}
    for case in base:
        for parameter in case.parameters:
            vacuous = parameter.verdict is Verdict.PASS and any(f.name == "vacuous" for f in parameter.findings)
            zero.setdefault(parameter.name, []).append(vacuous)
    return [name for name, flags in zero.items() if all(flags)]
