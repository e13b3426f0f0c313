"""The operators of a spec's own: the files, modules and bridges under `ops:`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gradcheck_cli.core.levels import levels_of
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import Location, OperatorError, Problem, SpecError, near
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.folders import Folders, Unusable, near_file
from gradcheck_cli.spec.text.nodes import Listing, Node, Scalar, Table, describe
from gradcheck_cli.spec.text.problems import Problems
from gradcheck_cli.spec.text.yaml_reader import LARGEST_FILE, decode, read_documents

if TYPE_CHECKING:
    from gradcheck_cli.spec.bridge_entries import BridgeEntries
    from gradcheck_cli.spec.references import References

YAML_SUFFIXES = (".yaml", ".yml")

_MODULE_AND_NAME = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*)")


@dataclass(eq=False)
class OperatorFiles:
    """Loads what `ops:` names, into one scope for each different list.

    `within` are the lists of operators that led to this one.
    """

    loader: Loader
    given: Mapping[str, Operator]
    folders: Folders
    problems: Problems
    data_only: bool = False
    within: tuple[Path, ...] = ()
    _scopes: dict[int, tuple[Node | None, Scope | None]] = field(default_factory=dict)

    # Imported here, since most specs name no operators of their own.
    @cached_property
    def references(self) -> References:
        """Finds the code that the spec names."""
        from gradcheck_cli.spec.references import References

        return References(self.loader, self.folders)

    @cached_property
    def bridges(self) -> BridgeEntries:
        """Reads the mappings under `ops:`."""
        from gradcheck_cli.spec.bridge_entries import BridgeEntries

        return BridgeEntries(self.references, self.problems)

    def scope(self, node: Node | None) -> Scope | None:
        """Return the scope of a case whose `ops` is `node`; None if something in it is wrong."""
        if id(node) not in self._scopes:
            self._scopes[id(node)] = (node, self._load(node))
        return self._scopes[id(node)][1]

    def groups(self, node: Node) -> list[tuple[Operator, ...] | None]:
        """Load the entries of a list of operators; None for one that can't be used, which is said.

        What is said of an operator by its name goes before what was found in a file of pairs.
        """
        entries = node.items if isinstance(node, Listing) else [node]
        groups = [self._entry(entry) for entry in entries]
        found = [self.bridges.is_search(entry) for entry in entries]
        said = {
            each.name for group, searched in zip(groups, found, strict=True) if not searched for each in group or ()
        }
        return [
            tuple(each for each in group if each.name not in said) if group and searched else group
            for group, searched in zip(groups, found, strict=True)
        ]

    def _load(self, node: Node | None) -> Scope | None:
        given = dict(self.given)
        if node is None:
            return Scope(self.loader, {}, given)
        if self.data_only and not (isinstance(node, Listing) and not node.items):
            hint = "leave --data-only out to run operator files that you trust"
            self.problems.add(node.mark, "--data-only refuses a spec that names operator files", "data-only", hint)
            return None
        groups = self.groups(node)
        found = [group for group in groups if group is not None]
        try:
            own = levels_of(found)
        except OperatorError as error:
            self.problems.take(error.problems, node.mark)
            return None
        return Scope(self.loader, own, given) if len(found) == len(groups) else None

    def _entry(self, node: Node) -> tuple[Operator, ...] | None:
        """Load one entry; None if it can't be used, which is said."""
        if isinstance(node, Table):
            return self.bridges.read(node)
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            message = f"ops should be a file of operators or a list of them, not {describe(node)}"
            if not (isinstance(node, Scalar) and node.broken):
                self.problems.add(node.mark, message, "wrong-type", "ops: [my_ops.py]")
            return None
        text = node.value
        named = _MODULE_AND_NAME.fullmatch(text)
        with self.bridges.reporting(node.mark) as worked:
            if text.endswith(".py"):
                worked.operators = self.loader.file(self.references.path(text))
            elif text.endswith(YAML_SUFFIXES):
                worked.operators = read_operator_list(self.references.path(text), self.loader, self.within)
            elif named:
                worked.operators = self._marked(named["module"], named["name"])
            else:
                self._refuse_folder(text)
                hint = "write a file as my_ops.py, an operator of a module as package.module:name"
                raise Unusable(f"'{text}' is neither a Python file nor module:name", hint)
        return worked.operators

    def _refuse_folder(self, text: str) -> None:
        """Raise Unusable, with the files to name, where `text` is a folder."""
        path = self.references.folders.locate(text)
        if path.is_dir():
            from gradcheck_cli.core.operator_folders import files_to_name  # here, since few name a folder

            raise Unusable(f"'{text}' is a folder, and operators are named by file", files_to_name(path, text))

    def _marked(self, module: str, name: str) -> tuple[Operator, ...]:
        found = self.loader.operators_in(self.references.module(module))
        operators = [operator for operator in found if operator.name == name]
        if not operators:
            hint = near(name, [operator.name for operator in found])
            raise Unusable(f"the module '{module}' has no operator '{name}'", hint)
        return tuple(operators)


def read_operator_list(path: Path, loader: Loader, within: tuple[Path, ...] = ()) -> tuple[Operator, ...]:
    """Read a YAML list of operators, or what stands under `ops:` in a mapping; other keys of a spec are left alone.

    `within` are the lists that name this one. Raises SpecError with everything that is wrong in it.
    """
    try:
        resolved = path.resolve()
        if resolved in within:
            raise SpecError(Problem(f"'{path.name}' names itself", Location(str(path)), "wrong-ops"))
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        hint = near_file(path, (".py", *YAML_SUFFIXES))
        raise SpecError(Problem(f"no operator file '{path}': {error}", None, "missing-file", hint)) from error
    text, problems = decode(data, str(path))
    node: Node = read_documents(text, problems)[0]
    if isinstance(node, Table) and "ops" in node.items:
        node = node.items["ops"]
    elif not isinstance(node, Listing):
        problems.add(node.mark, "this file lists no operators", "no-operator", "ops: [{pairs: layers.py}]")
        problems.raise_any()
    files = OperatorFiles(loader, {}, Folders(path.parent), problems, within=(*within, resolved))
    groups = files.groups(node)
    problems.raise_any()
    return tuple(operator for group in groups for operator in group or ())
