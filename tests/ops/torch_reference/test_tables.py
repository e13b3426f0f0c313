"""The tables of what PyTorch has are complete: no built-in operator is left out without a reason."""

from __future__ import annotations

import pytest

import gradcheck_cli.ops as F
from tests.ops.torch_reference.reference import differences

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from tests.ops.torch_reference import test_elementwise, test_layers, test_linear_algebra  # noqa: E402
from tests.ops.torch_reference import test_shape_and_reductions_as_in_torch as shapes_and_reductions  # noqa: E402

COMPARED = [
    *test_elementwise.THEIRS,
    *test_layers.THEIRS,
    *test_linear_algebra.THEIRS,
    *shapes_and_reductions.REDUCED,
    *shapes_and_reductions.SHAPED,
    *shapes_and_reductions.CHOSEN,
]
WITHOUT = {
    "cbrt": "PyTorch has no cube root",
    "dropout": "its mask is drawn, by another generator: tests/ops/test_layers.py has its known values",
    "one_hot": "it has no gradient; its values are compared beside the tables",
}


def test_every_built_in_operator_is_compared_with_pytorch_or_says_why_not() -> None:
    assert len(COMPARED) == len(set(COMPARED))
    assert sorted([*COMPARED, *WITHOUT]) == sorted(F.__all__)


def test_what_has_no_counterpart_has_none() -> None:
    assert not hasattr(torch, "cbrt")
    assert not hasattr(torch.special, "cbrt")


def test_value_that_the_operator_always_refuses_is_no_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    """The partner of the comparisons over all attribute values."""
    monkeypatch.setattr("tests.ops.torch_reference.reference._refuses", lambda *args: args[2]["axis"] == 0)
    with pytest.raises(AssertionError, match=r"cumsum was never compared with \[\('axis', '0'\)\]"):
        list(differences("cumsum", lambda x, axis: torch.cumsum(*shapes_and_reductions.line(x, axis))))
