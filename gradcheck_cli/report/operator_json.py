"""The report on checked operators for programs: JSON whose keys are a contract, to which a version only adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcheck_cli import __version__
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.operator_records import OperatorResult, OperatorsResult, VariantResult
from gradcheck_cli.report.json_format import (
    SCHEMA_VERSION,
    dump,
    finding_record,
    number,
    parameter_record,
    problem_record,
)
from gradcheck_cli.report.spec_text import Unwritten
from gradcheck_cli.report.variant_spec import Frame, reproducible, spec_text, variant_case
from gradcheck_cli.run.trial import written

_SUMMARY = ("pass", "fail", "inconclusive", "error", "skip")


def operators_json(operators: Sequence[Operator], result: OperatorsResult, frame: Frame) -> str:
    """Return what became of `operators` as strict JSON in ASCII, with a newline at the end.

    `frame` is what the specs of failing variants have in common.
    """
    counts = {str(verdict): number for verdict, number in result.counts.items()}
    pairs = zip(operators, result.operators, strict=True)
    return dump(
        {
            "schema_version": SCHEMA_VERSION,
            "gradcheck": __version__,
            "seed": result.seed,
            "samples": result.samples,
            "problems": [problem_record(problem) for problem in result.problems],
            "operators": [_operator(operator, each, frame) for operator, each in pairs],
            "summary": {**{name: counts[name] for name in _SUMMARY}, "ok": result.ok},
        }
    )


def _operator(operator: Operator, result: OperatorResult, frame: Frame) -> dict[str, Any]:
    failing = reproducible(result)
    return {
        "name": result.name,
        "signature": operator.signature,
        "file": result.file,
        "line": result.line,
        "label": result.label,
        "verdict": str(result.verdict),
        "ok": result.ok,
        "tried": len(result.variants),
        "checked": len(result.counted),
        "skipped": len(result.variants) - len(result.counted),
        "elements": result.elements,
        "max_rel_err": number(result.max_rel_err),
        "resolution": number(result.resolution),
        "evaluations": result.evaluations,
        "seconds": number(result.seconds),
        "error": result.error,
        "notes": list(result.notes),
        "backward": [
            {"inputs": list(rule.inputs), "file": rule.file, "line": rule.line or None} for rule in operator.rules
        ],
        "variants": [
            {**_variant(variant), "spec": _spec(operator, variant, frame) if variant in failing else None}
            for variant in result.variants
        ],
    }


def _variant(variant: VariantResult) -> dict[str, Any]:
    case = variant.case
    return {
        "name": variant.words,
        "kind": str(variant.kind),
        "verdict": str(case.verdict),
        "skipped": variant.skipped or None,
        "layout": variant.layout,
        "shapes": {
            name: None if array is None else [int(size) for size in array.shape]
            for name, array in zip(variant.names, variant.arrays, strict=True)
        },
        "attributes": {name: written(value) for name, value in variant.attributes.items()},
        "evaluations": case.evaluations,
        "seconds": number(case.seconds),
        "error": case.error,
        "parameters": [parameter_record(parameter) for parameter in case.parameters],
        "findings": [finding_record(finding) for finding in case.findings],
        "notes": list(case.notes),
    }


def _spec(operator: Operator, variant: VariantResult, frame: Frame) -> str | None:
    """Return the spec that reproduces a failing variant, None where a spec has no words for it."""
    try:
        return spec_text(variant_case(operator, variant), frame, operator.name)
    except Unwritten:
        return None
