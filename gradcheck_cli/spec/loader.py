"""Load a spec: from a file, or the text of one, to its cases or to everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Location, Problem, SpecError
from gradcheck_cli.settings import Settings
from gradcheck_cli.spec.arrays.files import ArrayFiles
from gradcheck_cli.spec.arrays.given import GivenValues
from gradcheck_cli.spec.case import Case
from gradcheck_cli.spec.cases import CaseReader, Draft
from gradcheck_cli.spec.folders import Folders, near_file
from gradcheck_cli.spec.matrix import MOST_CASES
from gradcheck_cli.spec.naming import case_name, document_name, stem_of
from gradcheck_cli.spec.operator_files import OperatorFiles
from gradcheck_cli.spec.structure import Checked, check_structure
from gradcheck_cli.spec.text.nodes import Listing, Mark, Node, Scalar, Table, describe
from gradcheck_cli.spec.text.problems import Problems
from gradcheck_cli.spec.text.yaml_reader import LARGEST_FILE, decode, read_documents

_NEEDS = "a spec needs an expression and its parameters: {expr: tanh(x), params: {x: 2 3}}"
_LARGEST_NAME = 200


def load_spec(
    path: Path | None,
    *,
    shown: str,
    text: str | bytes | None = None,
    loader: Loader,
    given: Mapping[str, Operator],
    data_only: bool = False,
    settings: Settings | None = None,
) -> tuple[Case, ...]:
    """Return the cases of a spec file in order.

    `shown` is how the file is named in ids and messages. With `text` that is read in place of the
    file (standard input), and relative paths start at the folder of `path`, or at the current one
    if that is None. `given` are operators that the command line names; `data_only` refuses those
    that the spec names. `settings` hold for what the spec doesn't say. Raises SpecError with all
    problems of the file, in its order.
    """
    source, problems = decode(_contents(path, shown) if text is None else text, shown)
    documents = read_documents(source, problems)
    folders = Folders(path.parent if path else Path.cwd())
    operators = OperatorFiles(loader, given, folders, problems, data_only)
    reader = CaseReader(problems, operators, ArrayFiles(folders), GivenValues(problems), settings or Settings())
    if all(_is_empty(document) for document in documents):
        problems.add(Mark(1, 1), "the file holds no spec", "empty-spec", _NEEDS)
        problems.raise_any()
    stem = stem_of(path.name) if path else "stdin"
    found: list[tuple[str, Case | None, Mark]] = []
    for number, document in enumerate(documents, start=1):
        reader.begin_document()
        name = document_name(stem, number)
        for draft, name_mark in _drafts(document, name, problems):
            found += [(case_name, case, name_mark) for case_name, case in reader.read(draft).items()]
            if len(found) > MOST_CASES:
                message = f"the file has more than {MOST_CASES:,} cases"
                problems.add(draft.mark, message, "too-large", "split it")
                problems.raise_any()
        _report_idle_defaults(document, reader)
    _report_same_names([(case_name, mark) for case_name, _, mark in found], problems)
    problems.raise_any()
    return tuple(case for _, case, _ in found if case is not None)


def _contents(path: Path | None, shown: str) -> bytes:
    where = Location(shown)
    if path is not None and path.suffix == ".py":
        hint = f"to check the operators in it: gradcheck check-ops --ops {path.name}"
        raise SpecError(Problem("a Python file is no spec", where, "not-a-spec", hint))
    if path is None:
        raise SpecError(Problem("no file and no text to read", where, "missing-file"))
    try:
        with path.open("rb") as stream:
            return stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        message, hint = "no such file", near_file(path, (".yaml", ".yml"))
    except IsADirectoryError:
        message, hint = "this is a folder, not a spec", ""
    except (OSError, ValueError) as error:
        message, hint = f"can't be read: {getattr(error, 'strerror', None) or error}", ""
    raise SpecError(Problem(message, where, "missing-file", hint))


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None and not node.broken


def _drafts(document: Node, stem: str, problems: Problems) -> Iterator[tuple[Draft, Mark]]:
    """Return the cases of one document with their defaults merged in, each with where its name stands."""
    if not isinstance(document, Table):
        if _is_empty(document):
            problems.add(document.mark, "this document is empty", "empty-spec", _NEEDS)
        elif not (isinstance(document, Scalar) and document.broken):
            message = f"a spec should be a mapping of keys to values, not {describe(document)}"
            problems.add(document.mark, message, "wrong-type", _NEEDS)
        return
    top = check_structure(document, problems, ["cases"])
    if "cases" not in document.items:
        name, mark = _name(top, stem, document.mark, problems)
        yield Draft(top, top.table, name, document.mark), mark
        return
    listing = document.items["cases"]
    if not isinstance(listing, Listing) or not listing.items:
        found = "a list without cases" if isinstance(listing, Listing) else describe(listing)
        if not (isinstance(listing, Scalar) and listing.broken):
            problems.add(document.keys["cases"], f"cases should be a list of cases, not {found}", "wrong-type")
        return
    if len(listing.items) > MOST_CASES:
        problems.add(listing.mark, f"the file has more than {MOST_CASES:,} cases", "too-large", "split it")
        problems.raise_any()
    if "name" in top.table.items and len(listing.items) > 1:
        message = "a name beside 'cases' would be the name of every case"
        problems.add(top.table.keys["name"], message, "same-name", "name the cases one by one")
        top = replace(top, table=top.table.without({"name"}))
    for number, node in enumerate(listing.items, start=1):
        if not isinstance(node, Table):
            if not (isinstance(node, Scalar) and node.broken):
                message = f"a case should be a mapping of keys to values, not {describe(node)}"
                problems.add(node.mark, message, "wrong-type")
            continue
        own = check_structure(node, problems)
        checked = own.over(top)
        name, mark = _name(checked, case_name(own.table, number), node.mark, problems)
        yield Draft(checked, own.table, name, node.mark), mark


def _name(checked: Checked, default: str, mark: Mark, problems: Problems) -> tuple[str, Mark]:
    """Return the name of a case, and where it stands."""
    node = checked.table.items.get("name")
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return default, mark
    name = node.value.strip()
    if not name:
        problems.add(node.mark, "the name is empty", "wrong-name", "leave it out, or write one")
    elif len(name) > _LARGEST_NAME:
        problems.add(node.mark, f"the name is longer than {_LARGEST_NAME} characters", "wrong-name")
    elif not name.isprintable():
        problems.add(node.mark, "a name holds a character that can't be shown", "wrong-name", "write it on one line")
    return name, node.mark


def _report_idle_defaults(document: Node, reader: CaseReader) -> None:
    """Report entries at the top of a document that none of its cases uses."""
    if not isinstance(document, Table) or "cases" not in document.items or not reader.understood:
        return
    for key in ("params", "inputs", "matrix"):
        table = document.items.get(key)
        for name in table.keys if isinstance(table, Table) else ():
            if isinstance(table, Table) and (key, name) in reader.unused - reader.used:
                reader.report_idle(key, name, table.keys[name])


def _report_same_names(names: list[tuple[str, Mark]], problems: Problems) -> None:
    first: dict[str, Mark] = {}
    said: set[Mark] = set()
    for name, mark in names:
        other = first.setdefault(name, mark)
        if other != mark and mark not in said:
            said.add(mark)
            message = f"two cases are named '{name}': here and on line {other.line}"
            problems.add(mark, message, "same-name", "give one of them another name")
