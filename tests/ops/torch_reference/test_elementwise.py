"""Elementwise operators, activations and losses agree with PyTorch in value and gradient."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.torch_reference.reference import AGREES, assert_agrees, differences, renamed

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch
nn = torch.nn.functional

# The same name, arguments and attributes in torch, and in torch.nn.functional.
SAME = """
abs add arccos arccosh arcsin arcsinh arctan arctan2 arctanh cos cosh digamma divide erf erfc exp exp2 expm1 hypot
lgamma log log10 log1p log2 logaddexp maximum minimum multiply negative reciprocal sign sin sinc sinh sqrt square
subtract tan tanh where xlogy
""".split()
OF_NN = """
celu elu hardswish hardtanh mish prelu relu selu silu softsign tanhshrink gelu hardsigmoid softplus
binary_cross_entropy hinge_embedding_loss kl_div l1_loss mse_loss triplet_margin_loss huber_loss smooth_l1_loss
""".split()
WEIGHTED = ("cross_entropy", "nll_loss", "binary_cross_entropy_with_logits")
TO_DIM = {"axis": "dim"}


def _weighted(name: str) -> Any:
    """Return a loss of PyTorch, which takes weights by name."""

    def call(x: Any, target: Any, weight: Any = None, **attributes: Any) -> Any:
        given = "pos_weight" if name == "binary_cross_entropy_with_logits" else "weight"
        return getattr(nn, name)(x, target, **{given: weight}, **attributes)

    return call


def _soft_cross_entropy(x: Any, target: Any, weight: Any = None, **attributes: Any) -> Any:
    return nn.cross_entropy(x, target, weight, **attributes)


THEIRS = {
    **{name: getattr(torch, name) for name in SAME},
    **{name: getattr(nn, name) for name in OF_NN},
    **{name: _weighted(name) for name in WEIGHTED},
    "clip": lambda x, min, max: x if min is None and max is None else torch.clip(x, min, max),
    "power": torch.pow,
    "mod": torch.remainder,
    "sigmoid": torch.sigmoid,
    "log_sigmoid": nn.logsigmoid,
    "leaky_relu": renamed(nn.leaky_relu, {"slope": "negative_slope"}),
    "softmax": renamed(nn.softmax, TO_DIM),
    "log_softmax": renamed(nn.log_softmax, TO_DIM),
    "glu": renamed(nn.glu, TO_DIM),
    "cosine_similarity": renamed(nn.cosine_similarity, TO_DIM),
    "soft_cross_entropy": _soft_cross_entropy,
}

# PyTorch 2.13 has a short series for trigamma, and in hardsigmoid a sixth in single precision. SciPy's polygamma and
# the formula agree with ours to 1e-14: tests/ops/test_special.py, tests/ops/test_rectifiers.py.
NO_BETTER = {"digamma": 1e-8, "hardsigmoid": 1e-7}


@pytest.mark.filterwarnings("ignore:.*target size", "ignore:.*batchmean")
@pytest.mark.parametrize("name", sorted(THEIRS))
def test_value_and_gradient_are_pytorchs(name: str) -> None:
    assert_agrees(name, THEIRS[name], within=NO_BETTER.get(name, AGREES))


def test_another_function_is_told_apart() -> None:
    """The partner of the test above."""
    assert max(far for far, _ in differences("sin", torch.cos)) > AGREES
