"""The labelled operators, by family."""

from __future__ import annotations

from types import MappingProxyType

from tests.accuracy.corpus import (
    activations,
    attention,
    broadcasting,
    contracts,
    cotangents,
    elementwise,
    geometry,
    indexing,
    kinks,
    linalg,
    losses,
    normalisation,
    precision,
    probability,
    recurrent,
    reductions,
    selections,
    signals,
    solvers,
    windows,
)
from tests.accuracy.corpus.record import LabelledOperator

__all__ = ["FAMILIES", "OPERATORS", "LabelledOperator"]

_MODULES = (
    activations,
    attention,
    broadcasting,
    contracts,
    cotangents,
    elementwise,
    geometry,
    indexing,
    kinks,
    linalg,
    losses,
    normalisation,
    precision,
    probability,
    recurrent,
    reductions,
    selections,
    signals,
    solvers,
    windows,
)

FAMILIES = MappingProxyType({module.__name__.rsplit(".", 1)[-1]: module.OPERATORS for module in _MODULES})
"""The operators of each family."""

OPERATORS = MappingProxyType({operator.name: operator for family in FAMILIES.values() for operator in family})
"""All labelled operators by name."""

if len(OPERATORS) != sum(map(len, FAMILIES.values())):
    raise ValueError("two labelled operators have one name")
