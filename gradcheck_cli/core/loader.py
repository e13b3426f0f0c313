"""Load operator files and modules, and collect what they marked with `@op`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from gradcheck_cli.core.definition import Definition
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import GradcheckError, Location, OperatorError, Problem


class Loader:
    """Loads each operator file once per resolved path; registers nothing outside itself."""

    def __init__(self) -> None:
        self._files: dict[Path, tuple[Operator, ...]] = {}

    def file(self, path: Path) -> tuple[Operator, ...]:
        """Run the Python file at `path` and return the operators that it defines.

        Raises OperatorError when the file is missing, doesn't import (with its own line), defines no
        operator, two of one name, or declares one wrongly.
        """
        resolved = path.resolve()
        if resolved not in self._files:
            self._files[resolved] = self._load(resolved, str(path))
        return self._files[resolved]

    def _load(self, path: Path, shown: str) -> tuple[Operator, ...]:
        if not path.is_file():
            raise OperatorError(Problem(f"no operator file '{shown}'", code="missing-file"))
        spec = importlib.util.spec_from_file_location(f"gradcheck_file_{len(self._files)}_{path.stem}", path)
        if spec is None or spec.loader is None:
            message = f"'{shown}' is not a Python file"
            raise OperatorError(Problem(message, code="not-python", hint="operator files end with .py"))
        module = importlib.util.module_from_spec(spec)
        with _importable(path.parent):
            sys.modules[module.__name__] = module  # dataclasses and pickle look their module up
            try:
                spec.loader.exec_module(module)
            except GradcheckError:
                raise
            except (Exception, SystemExit) as error:
                raise _import_failed(path, error) from error
            finally:
                sys.modules.pop(module.__name__, None)
        operators = collect([module], path)
        if not operators:
            message = f"'{shown}' defines no operator"
            raise OperatorError(Problem(message, Location(str(path)), "no-operator", "mark one with @op"))
        return operators

    def module(self, name: str) -> tuple[Operator, ...]:
        """Import a module, or a package with its submodules imported by it, and return its operators.

        Raises OperatorError when it can't be imported or declares an operator wrongly.
        """
        try:
            module = importlib.import_module(name)
        except Exception as error:
            message = f"can't import '{name}': {type(error).__name__}: {error}"
            raise OperatorError(Problem(message, code="import-failed")) from error
        return collect([module])


def collect(modules: list[ModuleType], defined_in: Path | None = None) -> tuple[Operator, ...]:
    """Return the operators that `modules` hold; only those defined in one file if that is given.

    Raises OperatorError with all problems of all declarations, and for two operators of one name.
    """
    found: dict[int, Definition] = {}
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Definition) and (defined_in is None or value.file.resolve() == defined_in):
                found[id(value)] = value
    operators: dict[str, Operator] = {}
    problems: list[Problem] = []
    for definition in found.values():
        try:
            operator = definition.operator
        except OperatorError as error:
            problems.extend(error.problems)
            continue
        other = operators.setdefault(operator.name, operator)
        if other is not operator:
            problems.append(same_name(other, operator))
    if problems:
        raise OperatorError(problems)
    return tuple(operators.values())


def same_name(first: Operator, second: Operator) -> Problem:
    """Describe two operators of one name at one level."""
    message = f"two operators are named '{first.name}': here and at {first.file}:{first.line}"
    return Problem(message, Location(second.file, second.line), "same-name", "rename one of them")


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Make the modules of `folder` importable, and forget them afterwards.

    Two operator files in different folders may each have a `utils.py` beside them.
    """
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and Path(file).resolve().is_relative_to(folder) and "site-packages" not in file:
                del sys.modules[name]


def _import_failed(path: Path, error: BaseException) -> OperatorError:
    """Describe why an operator file doesn't import, at its own line."""
    message = f"{path.name} doesn't import: {type(error).__name__}: {error}"
    line, source, column = 0, "", 0
    if isinstance(error, SyntaxError) and error.filename == str(path):
        message = f"{path.name} doesn't import: {type(error).__name__}: {error.msg}"
        line, source, column = error.lineno or 0, (error.text or "").rstrip("\n"), error.offset or 0
    else:
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == str(path):
                line, source = frame.lineno or 0, frame.line or ""
    return OperatorError(Problem(message, Location(str(path), line, column), "import-failed", source=source))
