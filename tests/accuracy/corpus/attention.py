"""Softmax, attention and positions."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.formulas import softmax
from tests.accuracy.corpus.inputs import normal
from tests.accuracy.corpus.record import correct, wrong


def logits_50(rng):
    return (np.array([[50.0, 0.0, -50.0, 49.0], [1.0, 2.0, 3.0, -50.0]]) + 0.1 * rng.standard_normal((2, 4)),)


def log_softmax(x):
    m = x.max(axis=-1, keepdims=True)
    return x - m - np.log(np.exp(x - m).sum(axis=-1, keepdims=True))


def attention_weights(q, k):
    """Return causal weights: the last query sees every key."""
    visible = np.arange(len(k))[None, :] <= np.arange(len(q))[:, None] + len(k) - len(q)
    return softmax(np.where(visible, (q @ k.T) * 0.5, -np.inf), 1)


def attention(q, k, v):
    return attention_weights(q, k) @ v


def unscaled_attention_backward(g, out, q, k, v):
    p = attention_weights(q, k)
    dp = g @ v.T
    ds = p * (dp - (dp * p).sum(axis=1, keepdims=True))
    return ds @ k, ds.T @ q, p.T @ g


def rotate(x):
    angle = np.arange(1.0, x.shape[0] + 1)[:, None] * np.array([0.9, 0.2])[None, :]
    a, b = x[:, :2], x[:, 2:]
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], axis=1)


OPERATORS = (
    wrong(
        "softmax_diagonal_only",
        softmax,
        lambda g, out, x: (g * out * (1 - out),),
        normal((3, 4)),
        "off-diagonal terms of the Jacobian missing",
        "easy",
        source="Apiquet/DeepLearningFrameworkFromScratchCpp#1",
    ),
    correct(
        "softmax_middle_axis",
        lambda x: softmax(x, axis=1),
        lambda g, out, x: (out * (g - (g * out).sum(axis=1, keepdims=True)),),
        normal((2, 3, 4)),
        "control: rank 3, axis 1",
    ),
    correct(
        "log_softmax_logits_50",
        log_softmax,
        lambda g, out, x: (g - np.exp(out) * g.sum(axis=-1, keepdims=True),),
        logits_50,
        "outputs of -100 next to outputs of -1e-22",
    ),
    wrong(
        "attention_scale_forgotten",
        attention,
        unscaled_attention_backward,
        normal((2, 4), (3, 4), (3, 2)),
        "1/sqrt(d) missing in the score gradient",
        "value gradient is right",
    ),
    wrong(
        "rotary_embedding_rotates_again",
        rotate,
        lambda g, out, x: (rotate(g),),
        normal((3, 4)),
        "forward rotation applied to the gradient",
        "right at position 0; norm of the gradient is right",
    ),
)
