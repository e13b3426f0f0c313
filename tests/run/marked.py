"""Operators that are marked by a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcheck_cli import op
from gradcheck_cli.core.operator import Operator


def make(forward: Callable[..., Any], backward: Callable[..., Any], **options: Any) -> Operator:
    definition = op(**options)(forward)
    definition.backward(backward)
    operator: Operator = definition.operator
    return operator
