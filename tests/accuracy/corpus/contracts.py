"""Broken contracts: randomness, hidden state, writing to arguments."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import away_from_zero, normal
from tests.accuracy.corpus.record import broken


def fresh_mask_in_backward():
    rng = np.random.default_rng(20240229)
    return (
        lambda x: x * (np.arange(12) % 2) * 2.0,
        lambda g, out, x: (g * (rng.random(x.shape) < 0.5) * 2.0,),
    )


def running_mean():
    mean = 0.0

    def forward(x):
        nonlocal mean
        mean = 0.9 * mean + 0.1 * float(x.mean())
        return (x - mean) * 2.0

    return forward, lambda g, out, x: (2.0 * g,)


def square_scaling_g_in_place():
    def backward(g, out, x):
        g *= 2.0
        return (g * x,)

    return lambda x: x**2, backward


def relu_in_place():
    def forward(x):
        np.maximum(x, 0.0, out=x)
        return x.copy()

    return forward, lambda g, out, x: (g * (out > 0),)


OPERATORS = (
    broken(
        "dropout_backward_new_mask",
        "nondeterministic",
        fresh_mask_in_backward,
        normal((12,)),
        "recomputation in backward draws another mask",
        "forward is deterministic",
        source="openai/guided-diffusion#167",
        also_ok=("wrong",),
    ),
    broken(
        "running_mean_updated_by_forward",
        "nondeterministic",
        running_mean,
        lambda rng: (3.0 + rng.standard_normal(4),),
        "every forward call moves a running mean",
        "looks deterministic once the mean has settled",
        source="cybertronai/gradient-checkpointing#35",
    ),
    broken(
        "backward_scales_grad_output_in_place",
        "mutates",
        square_scaling_g_in_place,
        normal((4,)),
        "the cotangent is multiplied in place",
        "the returned gradient is right the first time",
        source="pytorch/pytorch#81417",
        also_ok=("wrong", "nondeterministic"),
    ),
    broken(
        "forward_relu_in_place",
        "mutates",
        relu_in_place,
        away_from_zero((8,)),
        "forward overwrites its input",
        "gradient is right",
        source="BVLC/caffe#2413",
        also_ok=("wrong",),
    ),
)
