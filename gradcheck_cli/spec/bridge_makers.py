"""From the keys of a bridge, read and checked, to its operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradcheck_cli.bridges.functions.pairs import from_pair, from_pairs
from gradcheck_cli.bridges.functions.values import from_value, from_value_and_grad
from gradcheck_cli.bridges.jax_code.jax_functions import from_jax
from gradcheck_cli.bridges.objects.classes import from_function
from gradcheck_cli.bridges.objects.layers import from_layer
from gradcheck_cli.bridges.objects.models import from_model
from gradcheck_cli.bridges.torch_code.pytorch import from_torch
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.spec.references import References

# The function that builds the operator, and the keys that name the code which it takes.
_MAKERS: dict[str, tuple[Callable[..., Operator], tuple[str, ...]]] = {
    "forward": (from_pair, ("forward", "backward")),
    "value_and_grad": (from_value_and_grad, ("value_and_grad",)),
    "value": (from_value, ("value", "grad")),
    "layer": (from_layer, ("layer",)),
    "model": (from_model, ("model",)),
    "function": (from_function, ("function",)),
    "jax": (from_jax, ("jax",)),
}


def make(kind: str, name: str, options: dict[str, Any], references: References) -> tuple[Operator, ...]:
    """Find the code that the keys name, and build the operators.

    Raises Unusable and OperatorError for code that can't be found, imported or understood.
    """
    rest = dict(options)
    if kind == "pairs":
        path = references.path(rest.pop("pairs"))
        return from_pairs(references.loader.namespace(path), **rest)
    if kind == "torch":
        return _torch(name, rest, references)
    build, keys = _MAKERS[kind]
    found = [references.find(rest.pop(key)) for key in keys]
    return (build(name, *(each.value for each in found), home=found[0].home, **rest),)


def _torch(name: str, options: dict[str, Any], references: References) -> tuple[Operator, ...]:
    """Build one operator for each device; the first holds the others."""
    found = references.find(options.pop("torch"))
    reference = references.find(options.pop("reference")).value if "reference" in options else None
    built = [
        from_torch(name, found.value, device=device, reference=reference, home=found.home, **options)
        for device in options.pop("devices", ["cpu"])
    ]
    return tuple(replace(here[0], elsewhere=tuple(here[1:])) for here in zip(*built, strict=True))
