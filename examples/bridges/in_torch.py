"""swish as PyTorch has it written by hand: a right autograd.Function and five wrong twins, and a module."""

import os

import torch


class Swish(torch.autograd.Function):
    """x * sigmoid(beta * x)."""

    @staticmethod
    def forward(ctx, x, beta):
        ctx.save_for_backward(x, beta)
        return x * torch.sigmoid(beta * x)

    @staticmethod
    def backward(ctx, g):
        return gradients(ctx, g)


def gradients(ctx, g):
    x, beta = ctx.saved_tensors
    s = torch.sigmoid(beta * x)  # again, since a saved one would be a constant to second derivatives
    slope = s * (1 - s)
    return g * (s + beta * x * slope), g * x * x * slope


class Sign(Swish):
    @staticmethod
    def backward(ctx, g):
        gx, gbeta = gradients(ctx, g)
        return -gx, gbeta


class MissingTerm(Swish):
    @staticmethod
    def backward(ctx, g):
        x, beta = ctx.saved_tensors
        return g * torch.sigmoid(beta * x), gradients(ctx, g)[1]


class Detached(Swish):
    @staticmethod
    def backward(ctx, g):
        return gradients(ctx, g)[0], None


class InPlace(Swish):
    @staticmethod
    def backward(ctx, g):
        found = gradients(ctx, g)
        g.zero_()  # others read it, too
        return found


class SavedTooMuch(Swish):
    """Right, but its second derivatives are not: the sigmoid that it saves is a constant to them."""

    @staticmethod
    def forward(ctx, x, beta):
        s = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, beta, s)
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, beta, s = ctx.saved_tensors
        slope = s * (1 - s)
        return g * (s + beta * x * slope), g * x * x * slope


class Nondeterministic(Swish):
    @staticmethod
    def forward(ctx, x, beta):
        noise = torch.Generator().manual_seed(int.from_bytes(os.urandom(4), "little"))
        return Swish.forward(ctx, x + 1e-3 * torch.randn(x.shape, generator=noise, dtype=x.dtype), beta)


def make_network():
    """A small network with a Function in the middle; its weights are parameters of the check."""
    torch.manual_seed(0)

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.outer = torch.nn.Linear(4, 3), torch.nn.Linear(3, 2)

        def forward(self, x):
            h = self.inner(x)
            return self.outer(Swish.apply(h, torch.ones_like(h)))

    return Network()
