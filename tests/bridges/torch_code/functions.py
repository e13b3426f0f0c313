"""Right functions of PyTorch, for tests to check or to break."""

from __future__ import annotations

import numpy as np
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from gradcheck_cli import check
from gradcheck_cli.bridges.torch_code.pytorch import from_torch
from gradcheck_cli.records import Verdict

X = np.random.default_rng(0).standard_normal((3, 4))
W = np.random.default_rng(1).standard_normal((4, 5))


def judged(code, params=None, call=None, **options):
    """Check an operator made of `code` at X, or at other parameters; `call` gets the operator and the Variables."""
    operator = from_torch("code", code, **options)[0]
    call = call or (lambda op, *values: op(*values))
    return check(lambda **given: call(operator, *given.values()), params or {"x": X})


def passes(operator, params, call=None):
    """Check `call`, or the operator, at the parameters; return the result, which has to be a pass."""
    call = call or operator
    result = check(lambda **given: call(*given.values()), params)
    assert result.verdict is Verdict.PASS, result
    return result


class View(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.view(-1)

    @staticmethod
    def backward(ctx, g):
        return g.reshape(ctx.shape)


class ReluInPlace(Function):
    @staticmethod
    def forward(ctx, x):
        x.clamp_(min=0)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (y > 0)


class SineOnce(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.cos()


class Product(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.T, x.T @ g


class KeepsItsMask(Function):
    @staticmethod
    def forward(ctx, x):
        mask = (torch.rand_like(x) < 0.5).to(x.dtype)
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, g):
        (mask,) = ctx.saved_tensors
        return g * mask
