"""Operators from code that was not written for this program: each bridge builds an `Operator` from something else.

The names below are imported when they are first used: some bridges come with a framework.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcheck_cli.bridges.functions.pairs import from_pair as from_pair
    from gradcheck_cli.bridges.functions.pairs import from_pairs as from_pairs
    from gradcheck_cli.bridges.functions.values import from_value as from_value
    from gradcheck_cli.bridges.functions.values import from_value_and_grad as from_value_and_grad
    from gradcheck_cli.bridges.jax_code.jax_functions import from_jax as from_jax
    from gradcheck_cli.bridges.objects.classes import from_function as from_function
    from gradcheck_cli.bridges.objects.layers import from_layer as from_layer
    from gradcheck_cli.bridges.objects.models import from_model as from_model
    from gradcheck_cli.bridges.torch_code.pytorch import from_torch as from_torch

_HOME = {
    "from_function": "gradcheck_cli.bridges.objects.classes",
    "from_jax": "gradcheck_cli.bridges.jax_code.jax_functions",
    "from_layer": "gradcheck_cli.bridges.objects.layers",
    "from_model": "gradcheck_cli.bridges.objects.models",
    "from_pair": "gradcheck_cli.bridges.functions.pairs",
    "from_pairs": "gradcheck_cli.bridges.functions.pairs",
    "from_torch": "gradcheck_cli.bridges.torch_code.pytorch",
    "from_value": "gradcheck_cli.bridges.functions.values",
    "from_value_and_grad": "gradcheck_cli.bridges.functions.values",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
