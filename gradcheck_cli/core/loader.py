"""Load operator files and modules, and collect what they marked with `@op`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType
from weakref import WeakKeyDictionary

from gradcheck_cli.core.builtin import BUILT_IN
from gradcheck_cli.core.definition import Definition, marks_of
from gradcheck_cli.core.import_failure import import_failure
from gradcheck_cli.core.importing import FreshLoader, importable, package_of
from gradcheck_cli.core.levels import same_name
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.packs import Packs, load_packs
from gradcheck_cli.core.same_folder import same_folder
from gradcheck_cli.errors import Location, OperatorError, Problem


class Loader:
    """Loads each operator file once per resolved path; registers nothing outside itself."""

    def __init__(self) -> None:
        self._files: dict[Path, ModuleType | OperatorError] = {}
        self._operators: dict[Path, tuple[Operator, ...]] = {}
        self._modules: WeakKeyDictionary[ModuleType, tuple[Operator, ...]] = WeakKeyDictionary()

    def file(self, path: Path) -> tuple[Operator, ...]:
        """Run the Python file at `path` and return the operators that are marked in it.

        Operators that it imports are not its own. Raises OperatorError for a file that can't be used
        (see `namespace`), that marks no operator, two of one name, or declares some wrongly (with all
        problems at once).
        """
        module = self.namespace(path)
        resolved = path.resolve()
        if resolved not in self._operators:
            named = [value for value in vars(module).values() if isinstance(value, Definition)]
            own = [definition for definition in named if definition.home == module.__name__]
            operators = collect(own, marks_of(module)) or self.unmarked(module, resolved)
            if not operators:
                raise OperatorError(_no_operator(str(path), resolved, named))
            self._operators[resolved] = operators
        return self._operators[resolved]

    def unmarked(self, module: ModuleType, path: Path) -> tuple[Operator, ...]:  # noqa: ARG002 (for subclasses)
        """Return the operators of a file that marks none: here there are none."""
        return ()

    def namespace(self, path: Path) -> ModuleType:
        """Run the Python file at `path` and return what it defines, each file once.

        It is imported as a member of its package, and modules beside it can be imported while it runs.
        Raises OperatorError when the file is missing or doesn't import (with its own line).
        """
        try:
            resolved = path.resolve()
        except (OSError, RuntimeError, ValueError) as error:  # a circle of links, a null byte
            raise OperatorError(Problem(f"no operator file '{path}': {error}", code="missing-file")) from error
        if resolved not in self._files:
            try:
                self._files[resolved] = self._load(resolved, str(path))
            except OperatorError as error:
                self._files[resolved] = error
        found = self._files[resolved]
        if isinstance(found, OperatorError):
            raise OperatorError(found.problems) from found
        return found

    def module(self, name: str) -> tuple[Operator, ...]:
        """Import a module or package and return the operators in its namespace.

        Those that it imports from its own parts count, built-in ones don't. Raises OperatorError
        when it can't be imported, has two operators of one name or declares one wrongly.
        """
        return self.operators_in(self.imported(name))

    def imported(self, name: str) -> ModuleType:
        """Import a module or package. Raises OperatorError when that fails."""
        try:
            with same_folder():
                return importlib.import_module(name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # pytest.skip raises no Exception
            raise OperatorError(import_failure(error, f"'{name}' doesn't import")) from error

    def operators_in(self, module: ModuleType) -> tuple[Operator, ...]:
        """Return the operators in the namespace of a module that was just imported; see `module`."""
        if module not in self._modules:
            name = module.__name__
            own = [
                value
                for value in vars(module).values()
                if isinstance(value, Definition) and (_is_built_in(name) or not _is_built_in(value.home))
            ]
            parts = [part for key, part in list(sys.modules.items()) if f"{key}.".startswith(f"{name}.")]
            self._modules[module] = collect(own, [mark for part in parts for mark in marks_of(part)])
        return self._modules[module]

    @cached_property
    def built_in(self) -> Mapping[str, Operator]:
        """The built-in operators by name. Each is read from its declaration when it is first asked for."""
        return _BuiltIn(value for value in vars(self.imported(BUILT_IN)).values() if isinstance(value, Definition))

    @cached_property
    def packs(self) -> Packs:
        """The operators of installed packages."""
        return load_packs(self.module)

    def _load(self, path: Path, shown: str) -> ModuleType:
        if path.is_dir():
            from gradcheck_cli.core.operator_folders import files_to_name  # here, since few name a folder

            hint = files_to_name(path, shown)
            raise OperatorError(
                Problem(f"'{shown}' is a folder, and operators are named by file", None, "folder", hint)
            )
        if path.suffix != ".py":
            hint = "operator files end with .py"
            raise OperatorError(Problem(f"'{shown}' is not a Python file", None, "not-python", hint))
        if not path.is_file():
            raise OperatorError(Problem(f"no operator file '{shown}'", code="missing-file"))
        package, root = package_of(path)
        name = f"{package}.{path.stem}" if package else f"gradcheck_file_{len(self._files)}_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path, loader=FreshLoader(name, str(path)))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        with importable(path.parent), importable(root):
            try:
                if package:
                    importlib.import_module(package)
                sys.modules[name] = module  # dataclasses and pickle look their module up
                spec.loader.exec_module(module)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # pytest.skip raises no Exception
                raise OperatorError(import_failure(error, f"{path.name} doesn't import", path)) from error
            finally:
                sys.modules.pop(name, None)
        return module


class _BuiltIn(Mapping[str, Operator]):
    """Operators by name, in the order of their declarations: reading those takes longer than a small check."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        ordered = sorted(definitions, key=lambda definition: definition.place)
        self._definitions = {definition.forward.__name__: definition for definition in ordered}

    def __getitem__(self, name: str) -> Operator:
        return self._definitions[name].operator

    def __contains__(self, name: object) -> bool:
        return name in self._definitions

    def __iter__(self) -> Iterator[str]:
        return iter(self._definitions)

    def __len__(self) -> int:
        return len(self._definitions)


def collect(definitions: Iterable[Definition], marks: Iterable[Definition] = ()) -> tuple[Operator, ...]:
    """Return the operators of a file or module: `definitions` are those in its namespace.

    `marks` are all that were ever marked there; one that another of its name hides is an error.
    Raises OperatorError with all problems of all declarations.
    """
    named = dict.fromkeys(definitions)
    names = {definition.forward.__name__ for definition in named}
    lost = [mark for mark in marks if mark not in named and mark.forward.__name__ in names]
    operators: dict[str, Operator] = {}
    problems: list[Problem] = []
    for definition in sorted([*named, *lost], key=lambda definition: definition.place):
        operator, wrong = definition.declared
        problems.extend(wrong)
        other = operators.setdefault(operator.name, operator)
        if other is not operator:
            problems.append(same_name(other, operator))
    if problems:
        raise OperatorError(problems)
    return tuple(operators.values())


def _is_built_in(module: str) -> bool:
    return f"{module}.".startswith(f"{BUILT_IN}.")


def _no_operator(shown: str, path: Path, imported: list[Definition]) -> Problem:
    hint = "mark a function with @op"
    if imported:
        first = imported[0]
        hint = f"{first.forward.__name__} is imported: name {first.place[0]}, where it is marked, or its module"
    return Problem(f"'{shown}' marks no operator", Location(str(path)), "no-operator", hint)
