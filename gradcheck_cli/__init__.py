"""Check hand-written gradients: operators, Variables and the checker, as a library.

The names below are imported when they are first used, so that the command line starts
without NumPy. pytest would rewrite the asserts of a plugin's package, and warn where it comes too
late; it needn't: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcheck_cli.api import assert_gradients as assert_gradients
    from gradcheck_cli.api import check as check
    from gradcheck_cli.core.arrays import unbroadcast as unbroadcast
    from gradcheck_cli.core.checkpoint import checkpoint as checkpoint
    from gradcheck_cli.core.definition import keep as keep
    from gradcheck_cli.core.definition import op as op
    from gradcheck_cli.core.domain import arr as arr
    from gradcheck_cli.core.domain import ints as ints
    from gradcheck_cli.core.domain import mask as mask
    from gradcheck_cli.core.recording import no_grad as no_grad
    from gradcheck_cli.core.variable import Variable as Variable

__version__ = "0.1.0"

_HOME = {
    "Variable": "core.variable",
    "arr": "core.domain",
    "assert_gradients": "api",
    "check": "api",
    "checkpoint": "core.checkpoint",
    "ints": "core.domain",
    "keep": "core.definition",
    "mask": "core.domain",
    "no_grad": "core.recording",
    "op": "core.definition",
    "unbroadcast": "core.arrays",
}

__all__ = [*_HOME, "__version__"]  # noqa: PLE0604 (strings, from the table above)

# In a checkout the operators stand beside this package; an installation has them inside it.
_package = Path(__file__).parent
_ours = _package.parent / "pyproject.toml"
if not (_package / "ops").exists() and _ours.exists() and 'name = "gradcheck-cli"' in _ours.read_text("utf-8"):
    __path__.append(str(_package.parent))


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
