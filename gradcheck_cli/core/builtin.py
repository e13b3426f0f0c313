"""The built-in operators by name, for `+`, `@`, methods and NumPy functions called on Variables."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


class _Builtins(dict[str, Callable[..., Any]]):
    """Look an operator up in `gradcheck_cli.ops` once.

    The import is a late one by name: operators stand on the core, so the core can't import them.
    """

    def __missing__(self, name: str) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(importlib.import_module("gradcheck_cli.ops"), name)
        self[name] = found
        return found


builtin = _Builtins()
