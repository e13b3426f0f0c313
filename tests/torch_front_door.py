"""What the tests of `gradcheck_cli.torch.gradcheck` check, and what it raises."""

from __future__ import annotations

import importlib

import torch
from torch.autograd import Function

GradcheckError = importlib.import_module("torch.autograd.gradcheck").GradcheckError


def tensor(*shape, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()


class Product(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, g * x
