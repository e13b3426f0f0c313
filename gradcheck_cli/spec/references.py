"""References to code: `layers.py:affine_forward` in a file, `package.module:name` of what is installed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from gradcheck_cli.core.extras import install_hint
from gradcheck_cli.core.importing import importable, importable_beside
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.errors import OperatorError, near
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.folders import Folders, Unusable

_NAMES = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_IN_FILE = re.compile(rf"(?P<file>.+\.py):(?P<names>{_NAMES})")
_IN_MODULE = re.compile(rf"(?P<module>{_NAMES}):(?P<names>{_NAMES})")

# Modules of a project are forgotten after their import, so each loader remembers what it imported.
_modules: WeakKeyDictionary[Loader, dict[tuple[Path | None, str], ModuleType]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Found:
    """What a reference leads to; `home` makes the modules importable that it may still import."""

    value: Any
    home: Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, eq=False)
class References:
    """Finds the code that a spec in `folders` names."""

    loader: Loader
    folders: Folders

    def find(self, text: str) -> Found:
        """Return what `text` names. Raises Unusable, or OperatorError for code that doesn't import."""
        in_file, in_module = _IN_FILE.fullmatch(text), _IN_MODULE.fullmatch(text)
        if in_file:
            path = self.path(in_file["file"])
            return Found(_member(self.loader.namespace(path), in_file), partial(importable_beside, path.resolve()))
        if in_module:
            home = partial(_project_importable, self.folders.project)
            return Found(_member(self.module(in_module["module"]), in_module), home)
        hint = "write file.py:name, or package.module:name"
        raise Unusable(f"'{text}' names no code", hint)

    def path(self, text: str) -> Path:
        """Return the path of the Python file that `text` means. Raises Unusable if there is none in reach."""
        path = self.folders.locate(text)
        if not self.folders.is_file(path):
            raise Unusable(f"no operator file '{text}'", self.folders.near_file(text, (".py", ".yaml", ".yml")))
        return path

    def module(self, name: str) -> ModuleType:
        """Import a module that is installed or under the project, once. Raises Unusable and OperatorError."""
        imported = _modules.setdefault(self.loader, {})
        key = (self.folders.project, name)
        if key not in imported:
            with _project_importable(self.folders.project):
                imported[key] = self._import(name)
        return imported[key]

    def _import(self, name: str) -> ModuleType:
        try:
            module = self.loader.imported(name)
            # Now, while its parts can be found: what a package marks is spread over them.
            self.loader.operators_in(module)
        except OperatorError as error:
            cause = error.__cause__
            if isinstance(cause, ModuleNotFoundError) and f"{name}.".startswith(f"{cause.name}."):
                message = f"no module named '{cause.name}' is installed or in the project"
                raise Unusable(message, install_hint(str(cause.name))) from error
            raise
        return module


def _member(module: ModuleType, match: re.Match[str]) -> Any:
    """Follow the names behind the colon. Raises Unusable where one isn't there."""
    value: Any = module
    where = match.group().partition(":")[0]
    for name in match["names"].split("."):
        if not hasattr(value, name):
            raise Unusable(f"'{where}' has no '{name}'", near(name, [each for each in dir(value) if each[:1] != "_"]))
        value = getattr(value, name)
        where += f":{name}" if ":" not in where else f".{name}"
    return value


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
