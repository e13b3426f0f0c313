"""The built-in operators by name, for `+`, `@`, methods and NumPy functions called on Variables."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcheck_cli.core.operator import Operator

BUILT_IN = "gradcheck_cli.ops"


def is_built_in(function: Callable[..., Any]) -> bool:
    """Tell whether a function stands in one of the modules of the built-in operators."""
    return f"{getattr(function, '__module__', None)}.".startswith(f"{BUILT_IN}.")


class _Builtins(dict[str, "Operator"]):
    """Look an operator up in `gradcheck_cli.ops` once.

    The import is a late one by name: operators stand on the core, so the core can't import them.
    Raises AttributeError for a name that is no operator there.
    """

    def __missing__(self, name: str) -> Operator:
        marked = getattr(importlib.import_module(BUILT_IN), name)
        # The record itself, not what `@op` wrapped around it, saves a call each time; what else
        # stands in the module (its submodules, NumPy) has none.
        found: Operator = marked.operator
        self[name] = found
        return found


builtin = _Builtins()
