"""Layers agree with PyTorch in value and gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from tests.ops.torch_reference.reference import AGREES, assert_agrees, differences

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch
nn = torch.nn.functional


def _one_leading_axis(function: Any, axes: int) -> Any:
    """Return a function that takes any leading axes: PyTorch's takes one at most."""

    def call(x: Any, *others: Any, **attributes: Any) -> Any:
        out = function(x.reshape(-1, *x.shape[-axes:]), *others, **attributes)
        return out.reshape(*x.shape[:-axes], *out.shape[-axes:])

    return call


def _layer_norm(x: Any, weight: Any, bias: Any, normalized_shape: Any, eps: Any) -> Any:
    return nn.layer_norm(x, normalized_shape or x.shape[-1:], weight, bias, eps)


def _rms_norm(x: Any, weight: Any, normalized_shape: Any, eps: Any) -> Any:
    return nn.rms_norm(x, normalized_shape or x.shape[-1:], weight, eps)


def _group_norm(x: Any, weight: Any = None, bias: Any = None, *, num_groups: int, eps: float) -> Any:
    # PyTorch 2.13 can't take the gradient of a bias without a weight.
    weight = torch.ones(x.shape[1], dtype=x.dtype) if weight is None else weight
    return nn.group_norm(x, num_groups, weight, bias, eps)


def _attention(query: Any, key: Any, value: Any, mask: Any, is_causal: bool, scale: Any) -> Any:
    if is_causal and mask is not None:  # PyTorch takes one of both
        seen = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
        mask = mask.masked_fill(~seen, -torch.inf)
    return nn.scaled_dot_product_attention(query, key, value, mask, is_causal=is_causal and mask is None, scale=scale)


def _rnn(x: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None, *, nonlinearity: str) -> Any:
    cell = torch.rnn_tanh_cell if nonlinearity == "tanh" else torch.rnn_relu_cell
    return cell(x, hx, w_ih, w_hh, b_ih, b_hh)


def _rows(cell: Any, states: int) -> Any:
    """Return a cell that may have no axis of rows; both biases are there or none, as PyTorch wants it."""

    def call(*arrays: Any) -> Any:
        single = arrays[0].ndim == 1
        rows = [array[None] if single else array for array in arrays[:states]]
        w_ih, w_hh, *biases = arrays[states:]
        b_ih, b_hh = [*biases, None, None][:2]
        zeros = torch.zeros(len(w_ih), dtype=torch.float64)
        biases = [zeros if bias is None else bias for bias in (b_ih, b_hh)]
        out = cell(*rows, w_ih, w_hh, *biases)
        parts = out if isinstance(out, tuple) else (out,)
        return tuple(part[0] if single else part for part in parts)

    return call


THEIRS = {
    "conv1d": _one_leading_axis(nn.conv1d, 2),
    "conv2d": _one_leading_axis(nn.conv2d, 3),
    "conv_transpose2d": _one_leading_axis(nn.conv_transpose2d, 3),
    "max_pool2d": _one_leading_axis(nn.max_pool2d, 2),
    "avg_pool2d": _one_leading_axis(nn.avg_pool2d, 2),
    "adaptive_avg_pool2d": _one_leading_axis(nn.adaptive_avg_pool2d, 2),
    "batch_norm": nn.batch_norm,
    "instance_norm": nn.instance_norm,
    "group_norm": _group_norm,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "scaled_dot_product_attention": _attention,
    "rnn_cell": _rnn,
    "lstm_cell": _rows(lambda x, h, c, *others: torch.lstm_cell(x, (h, c), *others), 3),
    "gru_cell": _rows(torch.gru_cell, 2),
    "interpolate": nn.interpolate,
    "linear": nn.linear,
}


@pytest.mark.parametrize("name", sorted(THEIRS))
def test_value_and_gradient_are_those_of_pytorch(name: str) -> None:
    assert_agrees(name, THEIRS[name])


def test_another_layer_is_told_apart() -> None:
    """The partner of the test above."""
    assert max(far for far, _ in differences("rms_norm", lambda x, *_, **__: nn.rms_norm(x, x.shape[-1:]))) > AGREES


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear"])
@pytest.mark.parametrize("change", [{"size": 7}, {"size": (2, 11)}, {"scale_factor": 2.3}, {"scale_factor": (0.6, 3)}])
def test_interpolate_lands_on_the_same_elements(mode: str, change: dict[str, Any]) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 8))
    theirs = nn.interpolate(torch.tensor(x), mode=mode, **change).numpy()
    np.testing.assert_allclose(F.interpolate(x, mode=mode, **change), theirs, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (7, 9), (None, 4)])
def test_adaptive_pooling_has_the_same_bins(size: Any) -> None:
    x = np.random.default_rng(0).standard_normal((2, 5, 8))
    theirs = nn.adaptive_avg_pool2d(torch.tensor(x), size).numpy()
    np.testing.assert_allclose(F.adaptive_avg_pool2d(x, output_size=size), theirs, rtol=1e-12)


@pytest.mark.parametrize("shape", [(4,), (3, 4)])
def test_layer_norm_goes_over_several_axes(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x, weight, bias = rng.standard_normal((2, 3, 4)), rng.standard_normal(shape), rng.standard_normal(shape)
    theirs = nn.layer_norm(torch.tensor(x), shape, torch.tensor(weight), torch.tensor(bias)).numpy()
    np.testing.assert_allclose(F.layer_norm(x, weight, bias, normalized_shape=shape), theirs, rtol=1e-10)


def test_boolean_masks_say_what_is_seen_and_nothing_seen_gives_zeros() -> None:
    rng = np.random.default_rng(0)
    query, key, value = (rng.standard_normal((2, n, 4)) for n in (3, 5, 5))
    mask = rng.random((3, 5)) < 0.5
    mask[1] = False
    theirs = nn.scaled_dot_product_attention(*map(torch.tensor, (query, key, value)), torch.tensor(mask)).numpy()
    ours = F.scaled_dot_product_attention(query, key, value, mask)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-14)
    assert not ours[:, 1].any()


def test_the_first_of_tying_elements_gets_the_gradient() -> None:
    x = np.array([[1.0, 3.0, 3.0, 0.0], [3.0, 2.0, 1.0, 1.0]])
    tensor, variable = torch.tensor(x[None], requires_grad=True), Variable(x)
    nn.max_pool2d(tensor, 2).sum().backward()
    F.sum(F.max_pool2d(variable, kernel_size=2)).backward()
    np.testing.assert_array_equal(variable.grad, tensor.grad[0].numpy())
