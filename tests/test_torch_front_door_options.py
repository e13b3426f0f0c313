"""`gradcheck_cli.torch.gradcheck`: what its options mean beside those of torch.autograd.gradcheck."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from torch.autograd import Function  # noqa: E402

from gradcheck_cli.torch import gradcheck  # noqa: E402
from tests.torch_front_door import GradcheckError, Product, tensor  # noqa: E402


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"check_backward_ad": False}, NotImplementedError),
        ({"check_batched_forward_grad": True, "check_forward_ad": True}, NotImplementedError),
    ],
)
def test_what_is_not_supported_is_refused(options, error):
    with pytest.raises(error):
        gradcheck(torch.sin, tensor(3), **options)


class Inexact(Product):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w * (1 + 1e-4), g * x


def test_rtol_is_the_error_that_gradients_may_have():
    inputs = (tensor(3, 4), tensor(3, 4, seed=1))
    assert not gradcheck(Inexact.apply, inputs, raise_exception=False)
    assert gradcheck(Inexact.apply, inputs, rtol=2e-3)
    assert not gradcheck(Inexact.apply, inputs, rtol=1e-5, raise_exception=False)
    assert not gradcheck(Inexact.apply, inputs, rtol=0.0, atol=1.0, raise_exception=False)
    assert gradcheck(Product.apply, inputs, rtol=1e-9)


def test_nondet_tol_is_the_difference_that_identical_calls_may_have():
    calls = []

    def function(x):
        calls.append(1)
        return x * (1 + 1e-10 * (len(calls) % 2))

    assert not gradcheck(function, tensor(3), raise_exception=False)
    assert gradcheck(function, tensor(3), nondet_tol=1e-8)


def test_eps_is_the_step_relative_to_each_element():
    assert gradcheck(lambda x: x**3, tensor(3), eps=1e-4)


def test_fast_mode_checks_directions():
    evaluations = []

    def function(x, w):
        evaluations.append(1)
        return (x * w).sin()

    inputs = (tensor(20, 20), tensor(20, 20, seed=1))
    assert gradcheck(function, inputs, fast_mode=True)
    assert len(evaluations) < 400
    assert not gradcheck(Inexact.apply, inputs, fast_mode=True, raise_exception=False)


class Two(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return 2 * x, 3 * x

    @staticmethod
    def backward(ctx, g, h):
        return 2 * g + 3 * h  # one of them is None where nobody uses that output


def test_output_that_nobody_uses_is_tried():
    with pytest.raises(GradcheckError, match="has a gradient, its backward raises TypeError"):
        gradcheck(Two.apply, tensor(3))
    assert gradcheck(Two.apply, tensor(3), check_undefined_grad=False)

    class AddsOne(Product):
        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return (g * w, g * x) if g is not None else (torch.ones_like(x), None)

    assert gradcheck(AddsOne.apply, (tensor(3), tensor(3, seed=1)))


def test_vectorised_backward_is_compared_with_single_ones():
    class Looped(Product):
        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return torch.tensor([float(each) for each in g]).to(g) * w, g * x

    inputs = (tensor(3), tensor(3, seed=1))
    assert gradcheck(lambda x, w: (x * w).sin(), inputs, check_batched_grad=True)
    assert gradcheck(Looped.apply, inputs)
    with pytest.raises(GradcheckError, match="a vectorised backward"):
        gradcheck(Looped.apply, inputs, check_batched_grad=True)


def test_forward_mode_is_compared_with_the_backward():
    class Wave(Function):
        factor = 1.0

        @staticmethod
        def forward(x):
            return x.sin()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0].cos()

        @staticmethod
        def jvp(ctx, t):
            return Wave.factor * t * ctx.saved_tensors[0].cos()

    assert gradcheck(Wave.apply, tensor(3), check_forward_ad=True)
    assert gradcheck(lambda x, z: x * z.abs() * math.pi, (tensor(3), tensor(3, seed=1)), check_forward_ad=True)
    Wave.factor = 1.1
    assert gradcheck(Wave.apply, tensor(3))
    with pytest.raises(GradcheckError, match="forward-reverse-mismatch"):
        gradcheck(Wave.apply, tensor(3), check_forward_ad=True)
