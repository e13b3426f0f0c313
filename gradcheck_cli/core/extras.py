"""Packages that some operators need, and that an installation may go without."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NoReturn

from gradcheck_cli.errors import MissingExtra

_EXTRAS = ("scipy", "torch", "jax", "report")
"""What can be installed with this package; most are named as the package that they bring."""


@functools.cache
def is_installed(package: str) -> bool:
    """Tell whether a package can be imported, without importing it."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # a part of a package that isn't there
        return False


def install_line(package: str) -> str:
    """Return the command that installs a package, or an extra of this one."""
    return f"pip install 'gradcheck-cli[{package}]'" if package in _EXTRAS else f"pip install {package}"


def install_hint(module: str) -> str:
    """Return the command that brings a module that is missing; empty for one that isn't an extra's."""
    package = module.partition(".")[0]
    return install_line(package) if package in _EXTRAS else ""


def standing_in(forward: Callable[..., Any], package: str) -> Callable[..., Any]:
    """Return what stands for a forward whose package is missing: calling it raises MissingExtra."""

    @functools.wraps(forward)
    def missing(*_: Any, **__: Any) -> NoReturn:
        raise MissingExtra(forward.__name__, package, install_line(package))

    return missing
