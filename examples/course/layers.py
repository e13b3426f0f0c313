"""The layers of a small image classifier, as a course has them written: pairs that hand a cache on.

One of them is wrong. `gradcheck check-ops --ops examples/course/layers.py` says which.
"""

import numpy as np


def affine_forward(x, w, b):
    """x, one row per sample, times w plus b."""
    out = x.reshape(len(x), -1) @ w + b
    return out, (x, w)


def affine_backward(dout, cache):
    x, w = cache
    dx = (dout @ w.T).reshape(x.shape)
    dw = x.reshape(len(x), -1).T @ dout
    db = dout.sum(axis=1)
    return dx, dw, db


def relu_forward(x):
    """max(x, 0)."""
    return np.maximum(x, 0), x


def relu_backward(dout, cache):
    return dout * (cache > 0)


def batchnorm_forward(x, gamma, beta, bn_param):
    """Normalise each column over the samples; running means are kept in bn_param."""
    momentum, eps = bn_param.get("momentum", 0.9), bn_param.get("eps", 1e-5)
    if bn_param["mode"] == "test":
        scale = 1 / np.sqrt(bn_param.get("running_var", np.ones(x.shape[1])) + eps)
        normal = (x - bn_param.get("running_mean", np.zeros(x.shape[1]))) * scale
        return gamma * normal + beta, ("test", normal, gamma, scale)
    mean, var = x.mean(axis=0), x.var(axis=0)
    bn_param["running_mean"] = momentum * bn_param.get("running_mean", np.zeros_like(mean)) + (1 - momentum) * mean
    bn_param["running_var"] = momentum * bn_param.get("running_var", np.ones_like(var)) + (1 - momentum) * var
    scale = 1 / np.sqrt(var + eps)
    normal = (x - mean) * scale
    return gamma * normal + beta, ("train", normal, gamma, scale)


def batchnorm_backward(dout, cache):
    mode, normal, gamma, scale = cache
    dnormal = dout * gamma
    dx = dnormal * scale
    if mode == "train":
        dx = scale * (dnormal - dnormal.mean(axis=0) - normal * (dnormal * normal).mean(axis=0))
    return dx, (dout * normal).sum(axis=0), dout.sum(axis=0)


def dropout_forward(x, dropout_param):
    """Drop elements with probability 1 - p while training, and scale the others up."""
    p, mask = dropout_param["p"], None
    if dropout_param["mode"] == "train":
        rng = np.random.default_rng(dropout_param.get("seed"))
        mask = (rng.random(x.shape) < p) / p
        x = x * mask
    return x, (dropout_param, mask)


def dropout_backward(dout, cache):
    dropout_param, mask = cache
    return dout * mask if dropout_param["mode"] == "train" else dout


def conv_forward_naive(x, w, b, conv_param):
    """Correlate images x (n, c, height, width) with filters w (f, c, height, width)."""
    stride, pad = conv_param["stride"], conv_param["pad"]
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    rows = (padded.shape[2] - w.shape[2]) // stride + 1
    columns = (padded.shape[3] - w.shape[3]) // stride + 1
    out = np.empty((len(x), len(w), rows, columns))
    for i in range(rows):
        for j in range(columns):
            window = padded[:, :, i * stride : i * stride + w.shape[2], j * stride : j * stride + w.shape[3]]
            out[:, :, i, j] = np.tensordot(window, w, axes=((1, 2, 3), (1, 2, 3))) + b
    return out, (x.shape, padded, w, conv_param)


def conv_backward_naive(dout, cache):
    shape, padded, w, conv_param = cache
    stride, pad = conv_param["stride"], conv_param["pad"]
    dpadded, dw = np.zeros_like(padded), np.zeros_like(w)
    for i in range(dout.shape[2]):
        for j in range(dout.shape[3]):
            rows = slice(i * stride, i * stride + w.shape[2])
            columns = slice(j * stride, j * stride + w.shape[3])
            g = dout[:, :, i, j]
            dw += np.tensordot(g, padded[:, :, rows, columns], axes=(0, 0))
            dpadded[:, :, rows, columns] += np.tensordot(g, w, axes=(1, 0))
    dx = dpadded[:, :, pad : pad + shape[2], pad : pad + shape[3]]
    return dx, dw, dout.sum(axis=(0, 2, 3))


def max_pool_forward(x, pool_param):
    """Take the maximum of windows that don't overlap."""
    size = pool_param["size"]
    n, c, height, width = x.shape
    windows = x.reshape(n, c, height // size, size, width // size, size)
    out = windows.max(axis=(3, 5))
    return out, (windows, out)


def max_pool_backward(dout, cache):
    windows, out = cache
    winners = windows == out[:, :, :, None, :, None]
    spread = dout[:, :, :, None, :, None] * winners / winners.sum(axis=(3, 5), keepdims=True)
    n, c, rows, size, columns, _ = windows.shape
    return spread.reshape(n, c, rows * size, columns * size)


def softmax_loss(x, y):
    """The mean cross-entropy of scores x and labels y, with its gradient."""
    shifted = x - x.max(axis=1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    loss = -log_probs[np.arange(len(y)), y].mean()
    dx = np.exp(log_probs)
    dx[np.arange(len(y)), y] -= 1
    dx /= len(y)
    return loss, dx
