"""The operators of a spec's own: the files and modules under `ops:`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from gradcheck_cli.core.importing import importable
from gradcheck_cli.core.levels import levels_of
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import OperatorError, near
from gradcheck_cli.spec.folders import Folders, Unusable, near_file
from gradcheck_cli.spec.text.nodes import Listing, Node, Scalar, Table, describe
from gradcheck_cli.spec.text.problems import Problems

_MODULE_AND_NAME = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*)")

# Modules of a project are forgotten after their import, so each loader remembers what it found in them.
_modules: WeakKeyDictionary[Loader, dict[tuple[Path | None, str], tuple[Operator, ...]]] = WeakKeyDictionary()


@dataclass(eq=False)
class OperatorFiles:
    """Loads what `ops:` names, into one scope for each different list."""

    loader: Loader
    given: Mapping[str, Operator]
    folders: Folders
    problems: Problems
    data_only: bool = False
    _scopes: dict[int, tuple[Node | None, Scope | None]] = field(default_factory=dict)

    def scope(self, node: Node | None) -> Scope | None:
        """Return the scope of a case whose `ops` is `node`; None if something in it is wrong."""
        if id(node) not in self._scopes:
            self._scopes[id(node)] = (node, self._load(node))
        return self._scopes[id(node)][1]

    def _load(self, node: Node | None) -> Scope | None:
        given = dict(self.given)
        if node is None:
            return Scope(self.loader, {}, given)
        if self.data_only:
            hint = "leave --data-only out to run operator files that you trust"
            self.problems.add(node.mark, "--data-only refuses a spec that names operator files", "data-only", hint)
            return None
        entries = node.items if isinstance(node, Listing) else [node]
        groups = [self._entry(entry) for entry in entries]
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
            hint = "for now name a file of operators, or module:name"
            self.problems.add(node.mark, "a bridge to other code comes with a later version", "later", hint)
            return None
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            message = f"ops should be a file of operators or a list of them, not {describe(node)}"
            if not (isinstance(node, Scalar) and node.broken):
                self.problems.add(node.mark, message, "wrong-type", "ops: [my_ops.py]")
            return None
        text = node.value
        named = _MODULE_AND_NAME.fullmatch(text)
        try:
            if text.endswith(".py"):
                return self._file(text)
            if named:
                return self._module(named["module"], named["name"])
        except OperatorError as error:
            located = [problem for problem in error.problems if problem.location]
            self.problems.take(located, node.mark)
            for problem in error.problems:
                if not problem.location:
                    self.problems.add(node.mark, problem.message, problem.code, problem.hint)
            return None
        except Unusable as error:
            self.problems.add(node.mark, str(error), "wrong-ops", error.hint)
            return None
        hint = "write a file as my_ops.py, an operator of a module as package.module:name"
        self.problems.add(node.mark, f"'{text}' is neither a Python file nor module:name", "wrong-ops", hint)
        return None

    def _file(self, text: str) -> tuple[Operator, ...]:
        path = self.folders.locate(text)
        if not self.folders.is_file(path):
            raise Unusable(f"no operator file '{text}'", near_file(path, (".py",)))
        return self.loader.file(path)

    def _module(self, module: str, name: str) -> tuple[Operator, ...]:
        found = _modules.setdefault(self.loader, {})
        key = (self.folders.project, module)
        if key not in found:
            with _project_importable(self.folders.project):
                found[key] = self._import(module)
        operators = [operator for operator in found[key] if operator.name == name]
        if not operators:
            hint = near(name, [operator.name for operator in found[key]])
            raise Unusable(f"the module '{module}' has no operator '{name}'", hint)
        return tuple(operators)

    def _import(self, module: str) -> tuple[Operator, ...]:
        try:
            return self.loader.module(module)
        except OperatorError as error:
            cause = error.__cause__
            if isinstance(cause, ModuleNotFoundError) and f"{module}.".startswith(f"{cause.name}."):
                message = f"no module named '{cause.name}' is installed or in the project"
                raise Unusable(message) from error
            raise


@contextmanager
def _project_importable(project: Path | None) -> Iterator[None]:
    """Make the project's modules importable, but not those of the current folder."""
    path = list(sys.path)
    with importable(project) if project else nullcontext():
        here = ("", ".", os.getcwd())
        sys.path[:] = [entry for entry in sys.path if entry not in here or entry == str(project)]
        try:
            yield
        finally:
            sys.path[:] = path
