"""The names of new files: what a person typed, as the path of an operator file or of a spec."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from importlib.machinery import PathFinder
from pathlib import Path

from gradcheck_cli.errors import GradcheckError, Problem
from gradcheck_cli.settings import Settings
from gradcheck_cli.settings_file import SettingsError, settings_near
from gradcheck_cli.spec.folders import Folders
from gradcheck_cli.spec.names import name_complaint

SCHEMA = "gradcheck.schema.json"
"""The file for which editors are told to look."""

_PYTHON = ".py"
_SPEC = ".grad.yaml"
_YAML = (".yaml", ".yml")
_USED_BY_THE_FILE = ("arr", "keep", "np", "op")


def operator_path(given: str) -> Path:
    """Return the path of a new operator file; its stem is the operator's name.

    `given` is a name or a path, with or without .py. Raises GradcheckError for what can't be an operator's name.
    """
    path = _path(given)
    if path.suffix in _YAML:
        raise _wrong(f"'{given}' is the name of a spec", f"gradcheck new spec {given}")
    path = path if path.suffix == _PYTHON else path.with_name(path.name + _PYTHON)
    complaint = _complaint(path.stem)
    if complaint:
        better = _better(path.stem)
        hint = f"for instance {path.with_name(better).as_posix()}" if better else "choose another name"
        raise _wrong(f"'{path.stem}' can't be the name of an operator and its file: {complaint}", hint)
    return path


def spec_path(given: str) -> Path:
    """Return the path of a new spec; `given` is a name or a path, with or without .grad.yaml.

    Raises GradcheckError for what can't be a file's name.
    """
    path = _path(given)
    if path.suffix == _PYTHON:
        hint = f"a spec for its operators: gradcheck new spec {path.stem} --ops {given}"
        raise _wrong(f"'{given}' is the name of a Python file", hint)
    if path.suffix in _YAML:
        return path
    return path.with_name(path.name.removesuffix(".grad") + _SPEC)


def walked_for(path: Path) -> str:
    """Return what folders are walked for, where a spec of that name isn't found; empty where it is."""
    folder = path.parent
    while not folder.is_dir() and folder != folder.parent:  # the new file's folder may be new, too
        folder = folder.parent
    try:
        settings = settings_near(folder)
    except SettingsError:  # said by the commands that use them
        settings = Settings()
    return "" if settings.includes(str(path)) else ", ".join(settings.include)


def schema_of(path: Path) -> str:
    """Return where the schema lies, seen from a spec: beside it, or above it in its project; empty if nowhere."""
    folder = Path(os.path.realpath(path.parent))
    project = Folders(folder).project
    above = [each for each in folder.parents if project is not None and each.is_relative_to(project)]
    found = next((each / SCHEMA for each in (folder, *above) if (each / SCHEMA).is_file()), None)
    return Path(os.path.relpath(found, folder)).as_posix() if found else ""


def _path(given: str) -> Path:
    if not given.isprintable():
        raise _wrong(f"'{given}' can't be a name: it holds characters that can't be printed", "choose another name")
    separators = (os.sep, os.altsep or os.sep)
    path = Path(given)
    if not given.strip() or given.endswith(separators) or path.name in ("", "..") or path.name.startswith(_SPEC):
        raise _wrong(f"'{given}' names no file", "a name, or a path that ends with one: specs/layer_norm")
    return path


def _complaint(name: str) -> str:
    """Say why `name` can't be an operator's; empty if it can."""
    if complaint := name_complaint(name):
        return complaint
    if name.startswith("_"):
        return "an expression can't call what begins with _"
    if name in _USED_BY_THE_FILE:
        return "the file itself imports that name"
    if _hides_a_module(name):
        return "the file would hide the module of that name from what is imported beside it"
    return ""


def _better(name: str) -> str:
    """Return a name near `name` that an operator can have; empty if there is none."""
    usual = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", name)).strip("_")
    return next((each for each in (usual, f"my_{usual}") if usual and not _complaint(each)), "")


def _hides_a_module(name: str) -> bool:
    """Tell whether Python or an installed package has a module of that name."""
    if name in sys.stdlib_module_names or name == __package__.partition(".")[0]:
        return True
    here = os.getcwd()
    elsewhere = [place for place in sys.path if place and os.path.abspath(place) != here]
    found = PathFinder.find_spec(name, elsewhere)
    # A folder without __init__.py is no package that somebody meant.
    return found is not None and found.loader is not None


def _wrong(message: str, hint: str) -> GradcheckError:
    return GradcheckError(Problem(message, code="wrong-name", hint=hint))
