"""Import what stands in a folder without leaving a trace: paths, modules and the folder are as before afterwards."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from gradcheck_cli.core.same_folder import same_folder

# Never to be replaced by a file of that name, even for a moment: the program itself stands on them.
_FIXED = {"gradcheck_cli", "numpy", "scipy", "__main__", *sys.stdlib_module_names}


class FreshLoader(SourceFileLoader):
    """Compiles the file each time: cached bytecode counts in seconds and bytes, so an edit could go unseen."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 (the name that the base class gives it)
        """Compile the file as it is now."""
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Make the modules of `folder` (resolved) importable inside the `with` block, and forget them afterwards.

    Two operator files in different folders may each have a `utils.py` beside them, and so may the
    program that loads them. What user code prints goes to standard error.
    """
    path, before, writes_bytecode = list(sys.path), set(sys.modules), sys.dont_write_bytecode
    hidden = _hide_namesakes(folder)
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    try:
        with same_folder(), redirect_stdout(sys.stderr):
            yield
    finally:
        sys.path[:] = path
        sys.dont_write_bytecode = writes_bytecode
        for name, module in list(sys.modules.items()):
            # A part of a package that was there before belongs to it, wherever it stands.
            known = name in before or name.partition(".")[0] in before
            if (name in hidden or not known) and _stands_in(module, folder):
                del sys.modules[name]
        sys.modules.update(hidden)


@contextmanager
def importable_beside(file: Path) -> Iterator[None]:
    """Make importable what a file (resolved) can import: its neighbours, and the package that it is a part of."""
    with importable(file.parent), importable(package_of(file)[1]):
        yield


def package_of(path: Path) -> tuple[str, Path]:
    """Return the dotted name of the package that a file belongs to, and the folder that holds the package.

    The name is empty for a file in a folder without `__init__.py`.
    """
    folder, names = path.parent, []
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        names.append(folder.name)
        folder = folder.parent
    return ".".join(reversed(names)), folder


def _hide_namesakes(folder: Path) -> dict[str, ModuleType]:
    """Take modules of other folders that have the name of one in `folder` out of `sys.modules`; return them."""
    tops = {
        name
        for entry in (folder.iterdir() if folder.is_dir() else ())
        if (name := entry.stem if entry.suffix == ".py" else entry.name) in sys.modules
        and name not in _FIXED
        and (entry.suffix == ".py" or (entry / "__init__.py").is_file())
        and not _stands_in(sys.modules[name], folder)
    }
    hidden = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in tops}
    for name in hidden:
        del sys.modules[name]
    return hidden


def _stands_in(module: ModuleType, folder: Path) -> bool:
    """Tell whether a module's file is in `folder`; an environment inside the folder is somewhere else."""
    # Some packages put objects of their own into sys.modules, which answer any question in their own way.
    path = getattr(module, "__path__", None)
    places = [getattr(module, "__file__", None), *(list(path)[:1] if isinstance(path, Iterable) else ())]
    for place in places:
        if not isinstance(place, str) or not place:
            continue
        real = Path(place).resolve()
        if real.is_relative_to(folder) and not {"site-packages", "dist-packages"} & set(real.parts):
            return True
    return False
