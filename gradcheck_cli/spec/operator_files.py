"""The operators of a spec's own: the files and modules under `ops:`."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.scope import Scope, levels_of
from gradcheck_cli.errors import OperatorError, near
from gradcheck_cli.spec.folders import Folders
from gradcheck_cli.spec.nodes import Listing, Node, Scalar, Table, describe
from gradcheck_cli.spec.problems import Problems

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
        except ValueError as error:
            self.problems.add(node.mark, str(error), "wrong-ops")
            return None
        hint = "write a file as my_ops.py, an operator of a module as package.module:name"
        self.problems.add(node.mark, f"'{text}' is neither a Python file nor module:name", "wrong-ops", hint)
        return None

    def _file(self, text: str) -> tuple[Operator, ...]:
        path = self.folders.locate(text)
        if not self.folders.is_file(path):
            hint = near(path.name, _python_files(path.parent))
            raise ValueError(f"no operator file '{text}'" + (f": {hint}" if hint else ""))
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
            raise ValueError(f"the module '{module}' has no operator '{name}'" + (f": {hint}" if hint else ""))
        return tuple(operators)

    def _import(self, module: str) -> tuple[Operator, ...]:
        try:
            return self.loader.module(module)
        except OperatorError as error:
            where = _raised_at(error.__cause__, self.folders.project)
            if where:
                raise ValueError(f"{error.problems[0].message} (at {where})") from error
            raise
        except SystemExit as error:
            raise ValueError(f"can't import '{module}': it ended the program") from error


def _python_files(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir() if path.suffix == ".py"]
    except OSError:
        return []


def _raised_at(error: BaseException | None, project: Path | None) -> str:
    """Return the deepest line of the project that an import reached, as `file:line`."""
    frames = traceback.extract_tb(error.__traceback__) if error else []
    own = [frame for frame in frames if _belongs(frame.filename, project)]
    return f"{own[-1].filename}:{own[-1].lineno}" if own else ""


def _belongs(file: str | None, project: Path | None) -> bool:
    """Tell whether a module's file is the project's own; an environment inside the project is not."""
    if not file or project is None:
        return False
    real = Path(os.path.realpath(file))
    return real.is_relative_to(project) and not {"site-packages", "dist-packages"} & set(real.parts)


@contextmanager
def _project_importable(project: Path | None) -> Iterator[None]:
    """Make the project's modules importable, but not those of the current folder; forget them afterwards."""
    path, modules = list(sys.path), set(sys.modules)
    elsewhere = [entry for entry in sys.path if entry not in ("", ".", os.getcwd())]
    sys.path[:] = [*([str(project)] if project else []), *elsewhere]
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            # Our own modules can stand in the project too (a checkout): they are never forgotten.
            if name.partition(".")[0] != "gradcheck_cli" and _belongs(
                getattr(sys.modules[name], "__file__", None), project
            ):
                del sys.modules[name]
