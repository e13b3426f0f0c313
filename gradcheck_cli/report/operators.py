"""What operators there are and what one takes, as text and as JSON."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from rich.cells import cell_len

from gradcheck_cli.core.batching import MEANINGS
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.extras import install_line, is_installed
from gradcheck_cli.core.numpy_names import other_names
from gradcheck_cli.core.operator import REQUIRED, Attribute, Input, Operator
from gradcheck_cli.report.example_spec import example_spec
from gradcheck_cli.report.json_format import dump, number
from gradcheck_cli.report.plain import safe, times_sign

_GAP = "   "
_SIGNATURE = 36
"""Columns for a signature in the list; a longer one has its formula on the next line."""


def list_text(operators: Iterable[Operator], encoding: str = "utf-8") -> str:
    """List operators by family (the file that defines them): signature and formula of each."""
    families: dict[str, list[Operator]] = defaultdict(list)
    for operator in operators:
        families[operator.file].append(operator)
    stems = [PurePath(file).stem for file in families]
    blocks = []
    for file in sorted(families, key=lambda file: (PurePath(file).stem, file)):
        stem = PurePath(file).stem
        heading = stem if stems.count(stem) == 1 else f"{stem}{_GAP}{file}"
        members = sorted(families[file], key=lambda operator: operator.name)
        blocks.append([heading, *(line for member in members for line in _entry(member))])
    lines = [line for block in blocks for line in ["", *block]][1:]
    return "".join(safe(line, encoding) + "\n" for line in lines)


def list_json(operators: Iterable[Operator]) -> str:
    """Return a JSON list of operators by name: family, signature, formula, inputs with their domains, and so on."""
    return dump([_record(operator) for operator in sorted(operators, key=lambda each: (each.name, each.file))])


def show_text(operator: Operator, ops: Sequence[str] = (), encoding: str = "utf-8") -> str:
    """Describe one operator: formula, arguments with their domains, where it is, and a spec that checks it.

    `ops` are the operator files that the spec has to name; none for a built-in operator.
    """
    sections = {
        "": operator.doc.splitlines(),
        "other names": [", ".join(other_names(operator.name))] * bool(other_names(operator.name)),
        "requires": _requires_words(operator),
        "inputs": _columns([input_words(operator, item, times_sign(encoding)) for item in operator.inputs]),
        "sample function": sample_words(operator),
        "attributes": _columns([attribute_words(attribute) for attribute in operator.attributes]),
        "outputs": [", ".join(operator.outputs)],
        "many perturbations": _batch_words(operator),
        "source": _columns(_source_words(operator)),
        "example": example_spec(operator, ops).splitlines() or ["none: it has no input with a gradient"],
    }
    lines = [operator.signature]
    for title, content in sections.items():
        if content:
            lines += ["", *[title] * bool(title), *(f"  {line}".rstrip() for line in content)]
    return "".join(safe(line, encoding) + "\n" for line in lines)


def show_json(operator: Operator, ops: Sequence[str] = ()) -> str:
    """Return one operator as JSON: what the list holds, and its backward rules and example."""
    rules = [
        {"inputs": list(rule.inputs), "asks": list(rule.asks), "file": rule.file, "line": rule.line}
        for rule in operator.rules
    ]
    extra = {"backward": rules, "example": example_spec(operator, ops) or None}
    return dump(_record(operator) | extra)


def _entry(operator: Operator) -> list[str]:
    formula = next(iter(operator.doc.splitlines()), "")
    if operator.requires and not is_installed(operator.requires):
        formula = f"{formula} Unavailable: {install_line(operator.requires)}".strip()
    space = _SIGNATURE - cell_len(operator.signature)
    if not formula:
        return [f" {operator.signature}"]
    if space < 0:
        return [f" {operator.signature}", " " * (_SIGNATURE + 1) + _GAP + formula]
    return [f" {operator.signature}{' ' * space}{_GAP}{formula}"]


def _requires_words(operator: Operator) -> list[str]:
    if not operator.requires:
        return []
    missing = "" if is_installed(operator.requires) else f", which isn't installed: {install_line(operator.requires)}"
    return [operator.requires + missing]


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Pad all cells but the last of each row to the width of their column."""
    if not rows:
        return []
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        _GAP.join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def input_words(operator: Operator, item: Input, times: str) -> tuple[str, str, str]:
    """Return an input's name, its shape with `times` between sizes, and what it holds, in words."""
    words = item.domain.words
    if words is None:
        alone = sum(each.domain.words is None or each.variadic for each in operator.inputs) == 1 and not item.variadic
        shape = "any shape" if alone else "common shape"
    else:
        shape = times.join(words) or "scalar"
    name = f"*{item.name}" if item.variadic else item.name
    remarks = [_domain_words(item.domain)]
    remarks += ["any number of arrays"] * item.variadic
    remarks += ["may be left out"] * item.optional
    remarks += ["no gradient"] * (not item.domain.differentiable)
    return name, shape, "; ".join(remarks)


def _domain_words(domain: Domain) -> str:
    if domain.kind == "bool":
        return "true or false"
    if domain.kind == "int":
        last = domain.below - 1 if isinstance(domain.below, int) else f"{domain.below} - 1"
        return f"whole numbers from 0 to {last}"
    words = ["real numbers"]
    if domain.low is not None and domain.high is not None:
        words[0] += f" from {domain.low:g} to {domain.high:g}"
    elif domain.low is not None:
        words[0] += f" from {domain.low:g} up"
    elif domain.high is not None:
        words[0] += f" up to {domain.high:g}"
    if domain.avoid:
        words.append("away from " + " and ".join(f"{value:g}" for value in domain.avoid))
    words += ["no two alike"] * domain.distinct
    words += ["symmetric positive definite"] * domain.spd
    return ", ".join(words)


def attribute_words(attribute: Attribute) -> tuple[str, str]:
    """Return an attribute's name, and its default and the values that are tried, in words."""
    default = "required" if attribute.default is REQUIRED else f"default {_written(attribute.default)}"
    tried = ", ".join(_written(value) for value in attribute.values)
    plain = attribute.default is not REQUIRED and list(attribute.values) == [attribute.default]
    return attribute.name, default + (f"; tried with {tried}" if tried and not plain else "")


def sample_words(operator: Operator) -> list[str]:
    """Return what the sample function draws in place of the domains: its docstring, else where it stands."""
    if operator.sampler is None:
        return []
    code = getattr(operator.sampler, "__code__", None)
    where = f" in {PurePath(code.co_filename).name}:{code.co_firstlineno}" if code else ""
    return (inspect.getdoc(operator.sampler) or f"Draws for check-ops{where}.").splitlines()


def _batch_words(operator: Operator) -> list[str]:
    """Say how perturbed arrays go through the forward together."""
    batch, linear = operator.batch, operator.linear
    if not operator.rules:
        return []
    if batch is None:
        words = ["one call for each: the operator has no batch="]
    elif batch.kind == "function":
        words = ["together, by a function of its own"]
    elif batch.kind == "leading" and batch.words != ("...",):
        named = ["the leading axes" if word == "..." else word for word in batch.words if word != "_"]
        axes = " and ".join(named)
        words = [f"together, batch={' '.join(batch.words)!r}: each index along {axes} is on its own"]
    else:
        words = [f"together, batch={batch.kind!r}: {MEANINGS[batch.kind]}"]
    if linear is not None:
        *others, last = linear.names
        names = f"{', '.join(others)} and {last}" if others else last
        words.append(f"linear in {names}{(' together' if linear.jointly else ', each alone') * bool(others)}")
    return words


def _source_words(operator: Operator) -> list[tuple[str, str, str]]:
    rows = [("forward", f"{operator.file}:{operator.line}", "")]
    for rule in operator.rules:
        served = f"for {', '.join(rule.inputs)}, from {', '.join(rule.asks)}"
        rows.append(("backward", f"{rule.file}:{rule.line}", served))
    return rows


def _record(operator: Operator) -> dict[str, Any]:
    return {
        "name": operator.name,
        "file": operator.file,
        "line": operator.line,
        "inputs": [_input(item) for item in operator.inputs],
        "attributes": [_attribute(attribute) for attribute in operator.attributes],
        "outputs": list(operator.outputs),
        "doc": operator.doc,
        "requires": operator.requires or None,
        "available": not operator.requires or is_installed(operator.requires),
        "family": PurePath(operator.file).stem,
        "signature": operator.signature,
        "formula": next(iter(operator.doc.splitlines()), ""),
        "other_names": other_names(operator.name),
        "batch": None if operator.batch is None else " ".join(operator.batch.words) or operator.batch.kind,
        "linear": None if operator.linear is None else list(operator.linear.names),
        "jointly_linear": operator.linear is not None and operator.linear.jointly,
        "sample": "\n".join(sample_words(operator)) or None,
    }


def _input(item: Input) -> dict[str, Any]:
    domain = item.domain
    return {
        "name": item.name,
        "kind": domain.kind,
        "shape": domain.shape,
        "differentiable": domain.differentiable,
        "optional": item.optional,
        "variadic": item.variadic,
        "low": number(domain.low),
        "high": number(domain.high),
        "avoid": [number(value) for value in domain.avoid],
        "distinct": domain.distinct,
        "spd": domain.spd,
        "below": domain.below,
    }


def _attribute(attribute: Attribute) -> dict[str, Any]:
    required = attribute.default is REQUIRED
    return {
        "name": attribute.name,
        "required": required,
        "default": None if required else _plain_value(attribute.default),
        "values": [_plain_value(value) for value in attribute.values],
    }


def _plain_value(value: Any) -> Any:
    """Return an attribute's value as JSON has it; what JSON has no word for as the text that writes it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list | tuple):
        return [_plain_value(part) for part in value]
    if isinstance(value, dict):
        return {str(key): _plain_value(part) for key, part in value.items()}
    return _written(value)


def _written(value: Any) -> str:
    """Write an attribute's value; functions and classes by name, since their repr differs from run to run."""
    if inspect.isclass(value) or inspect.isroutine(value):
        return str(value.__name__)
    return repr(value)
