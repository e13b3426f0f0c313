"""Operators made for one test from a forward and a backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gradcheck_cli import op


def make_operator(forward: Callable[..., Any], backward: Callable[..., Any], **options: Any) -> Any:
    """Mark `forward` as an operator with `backward`; `options` are those of `@op`."""
    marked = op(**options)(forward)
    marked.backward(backward)
    return marked


@pytest.fixture(scope="session")
def operator() -> Callable[..., Any]:
    return make_operator
