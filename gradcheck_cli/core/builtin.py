"""The built-in operators by name, for `+`, `@`, methods and NumPy functions called on Variables."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


class _Builtins(dict[str, Callable[..., Any]]):
    """Look an operator up in `gradcheck_cli.ops` once.

    The import is a late one by name: operators stand on the core, so the core can't import them.
    Raises AttributeError for a name that is no operator there.
    """

    def __missing__(self, name: str) -> Callable[..., Any]:
        marked = getattr(importlib.import_module("gradcheck_cli.ops"), name)
        # The record itself, not what `@op` wrapped around it, saves a call each time; what else
        # stands in the module (its submodules, NumPy) has none.
        found: Callable[..., Any] = marked.operator
        self[name] = found
        return found


builtin = _Builtins()
