"""Check the keys and types of a case against the schema, and keep what is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from gradcheck_cli.errors import near
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.names import name_complaint
from gradcheck_cli.spec.plainly_right import is_plainly_right
from gradcheck_cli.spec.text.nodes import Mark, Node, Scalar, Table, describe, holds_broken, merged, plain, resolve
from gradcheck_cli.spec.text.problems import Problems

_OF_ARRAYS = ("params", "inputs")
_OF_CONSTANTS = ("dims", "matrix")
_OF_NO_NAMES = ("grad", "expect", "check")
_MOST_NAMES = 1000
_MAPPINGS = (*_OF_ARRAYS, *_OF_CONSTANTS, *_OF_NO_NAMES)


@dataclass(frozen=True)
class Checked:
    """What is right of a case, and what to be lenient about because it was reported already.

    `damaged` are keys that had something wrong, or that a wrong key may have meant. `lost_arrays`
    and `lost_constants` are names that stood in what was dropped; `nameless` says that there may have
    been others.
    """

    table: Table
    damaged: frozenset[str] = field(default_factory=frozenset)
    lost_arrays: frozenset[str] = field(default_factory=frozenset)
    lost_constants: frozenset[str] = field(default_factory=frozenset)
    nameless: bool = False

    def over(self, below: Checked) -> Checked:
        """Return this with `below` as its defaults."""
        return Checked(
            merged(below.table, self.table),
            self.damaged | below.damaged,
            self.lost_arrays | below.lost_arrays,
            self.lost_constants | below.lost_constants,
            self.nameless or below.nameless,
        )


def check_structure(table: Table, problems: Problems, more_keys: Sequence[str] = ()) -> Checked:
    """Report unknown keys, wrong types and names that are none; return what is left.

    `more_keys` are further keys that may stand here; they are not looked into.
    """
    subject = table.without(set(more_keys))
    _refuse_crowds(subject, problems)
    wrong = _complaints(subject, problems, more_keys) + _wrong_names(subject, problems)
    wrong += [(name,) for name, node in subject.items.items() if _is_broken(node)]
    wrong += [
        (name, entry)
        for name, node in subject.items.items()
        if isinstance(node, Table)
        for entry, value in node.items.items()
        if holds_broken(value)
    ]
    if not wrong:
        return Checked(subject)
    from gradcheck_cli.spec.schema import CaseKeys

    damaged = {path[0] for path in wrong}
    meant = {key for name in damaged for key in CaseKeys.model_fields if near(name, [key])}
    constants = _names_within(subject, [path for path in wrong if path[0] in _OF_CONSTANTS])
    arrays = _names_within(subject, [path for path in wrong if path[0] not in (*_OF_CONSTANTS, *_OF_NO_NAMES)])
    nameless = any(
        len(path) == 1
        and not isinstance(subject.items.get(path[0]), Table)
        and any(near(path[0], [key]) for key in (*_OF_ARRAYS, *_OF_CONSTANTS))
        for path in wrong
    )
    return Checked(_pruned(subject, wrong), frozenset(damaged | meant), arrays, constants, nameless)


def _refuse_crowds(table: Table, problems: Problems) -> None:
    """Refuse mappings that nobody wrote by hand, before names are compared with one another."""
    for node in (table, *table.items.values()):
        if isinstance(node, Table) and len(node.items) > _MOST_NAMES:
            message = f"a mapping with {len(node.items):,} keys: at most {_MOST_NAMES:,} are read"
            problems.add(node.mark, message, "too-large")
            problems.raise_any()


def _is_broken(node: Node) -> bool:
    return isinstance(node, Scalar) and node.broken


def _complaints(table: Table, problems: Problems, more_keys: Sequence[str]) -> list[tuple[str, ...]]:
    """Report what the schema refuses; return the paths to leave out."""
    case = plain(table)
    if is_plainly_right(case):
        return []
    # Here and below, since making the models takes longer than a small check.
    from pydantic import ValidationError

    from gradcheck_cli.spec.schema import CaseKeys

    try:
        CaseKeys.model_validate(case)
    except ValidationError as error:
        details: Sequence[Any] = error.errors(include_url=False, include_input=False)
    else:
        return []
    found = [(*resolve(table, detail["loc"]), detail) for detail in details]
    # A union complains once for each of its forms, at the value and deeper: the deepest says most.
    shallow = {tuple(path[:depth]) for path, _, _ in found for depth in range(1, len(path))}
    wrong: dict[tuple[str, ...], None] = {}
    said: set[tuple[str, ...]] = set()
    for path, node, detail in found:
        names = tuple(str(step) for step in path)
        wrong[names[: 2 if names[0] in _MAPPINGS else 1]] = None
        if holds_broken(node) or names in said or tuple(path) in shallow:
            continue
        said.add(names)
        key = names[: 3 if names[0] in _OF_ARRAYS else 2 if names[0] in _MAPPINGS else 1]
        holder = resolve(table, key[:-1])[1]
        mark = holder.keys[key[-1]] if isinstance(holder, Table) else holder.mark
        if detail["type"] == "extra_forbidden":
            _unknown_key(key, mark, problems, more_keys)
        elif detail["type"] == "value_error":
            problems.add(node.mark, str(detail["ctx"]["error"]), "wrong-knob")
        else:
            _wrong_type(key, node, mark, problems)
    return list(wrong)


def _unknown_key(key: tuple[str, ...], mark: Mark, problems: Problems, more_keys: Sequence[str]) -> None:
    from gradcheck_cli.spec.schema import ArrayKeys, CaseKeys

    known = [*CaseKeys.model_fields, *more_keys]
    what = "key"
    if len(key) == 2:
        known, what = Knobs.names(), "knob"
    elif len(key) == 3:
        known = list(ArrayKeys.model_fields)
    hint = near(key[-1], known) or f"there are: {', '.join(known)}"
    problems.add(mark, f"unknown {what} '{key[-1]}'", f"unknown-{what}", hint)


def _wrong_type(key: tuple[str, ...], node: Node, mark: Mark, problems: Problems) -> None:
    from gradcheck_cli.spec.schema import EXPECTED, INITS

    pattern = key
    if key[0] in _OF_ARRAYS and len(key) > 1:
        pattern = ("*", *key[2:])
    elif len(key) > 1:
        pattern = (key[0], "*")
    hint = ""
    if pattern == ("*", "init") and isinstance(node, Scalar) and isinstance(node.value, str):
        hint = near(node.value, INITS)
    elif EXPECTED[pattern] == "a text" and isinstance(node, Scalar) and node.text:
        hint = f"quote it: '{node.text}'"
    elif isinstance(node, Scalar) and isinstance(node.value, str) and node.style in ("'", '"') and _number(node.value):
        hint = "a quoted number is a text: leave the quotes out"
    where = mark if isinstance(node, Scalar) and node.value is None else node.mark
    message = f"{key[-1]} should be {EXPECTED[pattern]}, not {describe(node)}"
    problems.add(where, message, "wrong-type", hint)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _wrong_names(table: Table, problems: Problems) -> list[tuple[str, ...]]:
    """Report names that an expression can't hold."""
    wrong: list[tuple[str, ...]] = []
    for key in (*_OF_ARRAYS, *_OF_CONSTANTS):
        node = table.items.get(key)
        for name in node.items if isinstance(node, Table) else ():
            complaint = name_complaint(name)
            if complaint and isinstance(node, Table):
                problems.add(node.keys[name], f"'{name}' can't be a name: {complaint}", "wrong-name")
                wrong.append((key, name))
    return wrong


def _pruned(table: Table, wrong: list[tuple[str, ...]]) -> Table:
    for path in wrong:
        if len(path) == 1:
            table = table.without({path[0]})
            continue
        inner = table.items.get(path[0])
        if isinstance(inner, Table):
            table = Table(table.mark, {**table.items, path[0]: inner.without({path[1]})}, table.keys)
    return table


def _names_within(table: Table, wrong: list[tuple[str, ...]]) -> frozenset[str]:
    """Collect the names that stood in what is left out, so that nobody calls them undefined."""
    names: set[str] = set()
    for path in wrong:
        node = table.items.get(path[0])
        names.update(path[1:] or (node.items if isinstance(node, Table) else ()))
    return frozenset(names)
