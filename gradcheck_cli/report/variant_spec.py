"""Specs that reproduce failing variants of operators, their numbers written out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.operator_records import OperatorResult, OperatorsResult, VariantResult
from gradcheck_cli.records import Verdict
from gradcheck_cli.report.spec_text import Unwritten, array_text, call_text, files_text, quoted
from gradcheck_cli.run.layouts import FORTRAN, STRIDED
from gradcheck_cli.spec.text.yaml_reader import LARGEST_FILE

Case: TypeAlias = list[str]
"""The lines of one case, without indentation."""

_ROOM = LARGEST_FILE - 10_000
"""Bytes for the cases of a spec; the rest is for what stands around them."""


@dataclass(frozen=True)
class Frame:
    """What the specs of one run have in common: the seed, knobs as `check:` names them, operator files.

    `files` are as a spec names them, `given` the names of the operators that come from them. Where a spec
    can't name the files, `files` is empty and `options` hands them to the command line. `strict` says that they
    fail with `--strict` only, perhaps.
    """

    seed: int = 0
    knobs: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()
    options: str = ""
    strict: bool = False


def spec_text(case: Case, frame: Frame, operator: str) -> str:
    """Write a spec of one case, which calls `operator`."""
    return "".join(f"{line}\n" for line in [*_head(frame, [operator]), *case])


def _head(frame: Frame, operators: Iterable[str]) -> list[str]:
    """Write the lines before the cases, which call `operators`."""
    from_files = not frame.given.isdisjoint(operators)
    again = [frame.options] * (from_files and not frame.files) + ["--strict"] * frame.strict
    lines = [f"# run it with {' '.join(again)}"] if again else []
    lines += [files_text(frame.files)] if from_files and frame.files else []
    lines.append(f"seed: {frame.seed}")
    if frame.knobs:
        lines.append(f"check: {{{', '.join(f'{name}: {value}' for name, value in frame.knobs.items())}}}")
    return lines


def failing_specs(
    operators: Sequence[Operator], result: OperatorsResult, frame: Frame, heading: str
) -> tuple[str, list[str]]:
    """Write one spec of all failing variants, and list those that it can't hold, with the reason.

    The text is empty where nothing failed. Where it would be too long for a spec, the plainest variants of every
    operator come first.
    """
    found: list[tuple[int, int, str, Case]] = []
    missing: list[str] = []
    for place, (operator, each) in enumerate(zip(operators, result.operators, strict=True)):
        for rank, variant in enumerate(reproducible(each)):
            try:
                found.append((rank, place, operator.name, variant_case(operator, variant)))
            except Unwritten as why:
                missing.append(f"{variant.case.name}: {why}")
    room, kept = _ROOM, []
    for rank, place, name, case in sorted(found, key=lambda each: each[:2]):
        room -= sum(len(line.encode()) + 5 for line in case)
        if room > 0:
            kept.append((place, rank, name, case))
    if len(kept) < len(found):
        missing.append(f"{len(found) - len(kept)} more variants, for which a spec has no room")
    kept.sort(key=lambda each: each[:2])
    lines = [f"# {line}".rstrip() for line in heading.splitlines()]
    lines += [*_head(frame, [name for _, _, name, _ in kept]), "cases:"]
    lines += [f"{'    ' if number else '  - '}{line}" for *_, case in kept for number, line in enumerate(case)]
    return "".join(f"{line}\n" for line in lines) if kept else "", missing


def reproducible(result: OperatorResult) -> list[VariantResult]:
    """List the failing variants, without those that the forward didn't take: there is no gradient to look at."""
    return [each for each in result.faults if each.case.evaluations or each.case.verdict is not Verdict.ERROR]


def variant_case(operator: Operator, variant: VariantResult) -> Case:
    """Write the case that calls `operator` with the arguments of a variant.

    It has the name under which the variant was checked, so that the same random numbers are drawn. Raises
    Unwritten, with the reason, for arguments that a spec has no words for.
    """
    if operator.name.startswith("_"):
        raise Unwritten(f"an expression can't call {operator.name}, whose name starts with _")
    laid_out = range(len(variant.arrays)) if variant.laid_out is None else variant.laid_out
    # Where time allows no more, another check plans anew.
    sampled = [each for each in variant.case.parameters if 0 < each.checked < each.elements and not each.planned]
    samples = {each.name: each.checked for each in sampled}
    given: dict[bool, Case] = {True: [], False: []}
    parts = []
    for slot, (name, array) in enumerate(zip(variant.names, variant.arrays, strict=True)):
        if array is None:
            parts.append("None")
            continue
        if not isinstance(array, np.ndarray):
            raise Unwritten(f"{name} is {type(array).__name__}, not an array")
        before, after = _laid_out(array, variant.layout if slot in laid_out else "")
        parts.append(name + after)
        # In another layout the elements have other places, so all of them are looked at.
        sample = None if after else samples.get(name)
        given[variant.differentiable[slot]] += _entry(name, before, bool(after), sample)
    lines = [f"name: {quoted(variant.case.name)}", f"expr: {quoted(call_text(operator, parts, variant.attributes))}"]
    for title, entries in (("params", given[True]), ("inputs", given[False])):
        lines += [f"{title}:", *entries] if entries else []
    return lines


def _laid_out(array: Array, layout: str) -> tuple[Array, str]:
    """Return an array, and the text behind its name that makes of it what the operator was given."""
    if layout == FORTRAN and array.ndim > 1:
        return array.T, ".T"
    if layout == STRIDED and array.ndim:
        return np.stack([array, array], axis=-1), "[..., 0]"
    return array, ""


def _entry(name: str, array: Array, typed: bool, sample: int | None) -> Case:
    """Write an array as a parameter or an input: `typed` where no operator takes it directly and says its type."""
    untold = typed and array.dtype.kind != "f"
    keys = {"dtype": _dtype(array)} if untold or array.dtype == np.float32 else {}
    keys |= {"sample": str(sample)} if sample else {}
    if array.size == 0:
        return [f"  {name}: {_mapping({'shape': ' '.join(map(str, array.shape)), 'init': 'zeros', **keys})}"]
    if array.ndim > 1 and not keys:
        return [f"  {name}:", *(f"    - {array_text(row)}" for row in array)]
    text = array_text(array)
    return [f"  {name}: {_mapping({'value': text, **keys}) if keys else text}"]


def _dtype(array: Array) -> str:
    return "int64" if array.dtype.kind in "iu" else str(array.dtype)


def _mapping(keys: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{key}: {value}' for key, value in keys.items())}}}"
