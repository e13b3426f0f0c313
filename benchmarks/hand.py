"""The workloads by hand, in NumPy: the loop that a user would write, with gradients derived on paper.

A function takes the inputs `c` and the parameters in the order of the spec.
"""

import math
from types import SimpleNamespace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

EPS = 1e-6
GELU = math.sqrt(2 / math.pi)


def mlp_small(o, c, W1, b1, W2, b2):
    d = o.tanh(c.x @ W1 + b1) @ W2 + b2 - c.t
    return (d * d).mean()


def mlp_medium(o, c, W1, b1, W2, b2):
    return o.xent(o.tanh(c.x @ W1 + b1) @ W2 + b2, c.y)


def deep_tanh(o, c, *wb):
    h = c.x
    for W, b in zip(wb[::2], wb[1::2]):
        h = o.tanh(h @ W + b)
    return (h * h).sum()


def conv(o, c, x, w, b):
    r = o.relu(o.conv2d(x, w, b))
    return (r * r).mean()


def elementwise(o, c, x):
    return (o.log(1 + o.exp(x)) * o.sin(x) / (1 + x * x)).sum()


def attention(o, c, Q, K, V):
    a = o.softmax(Q @ K.T / 4) @ V
    return (a * a).sum()


def ln_gelu(o, c, x, gamma, beta, W):
    h = o.gelu(o.layernorm(x, gamma, beta) @ W) + x
    return (h * h).mean()


FORWARDS = {
    "W1": mlp_small,
    "W2": mlp_medium,
    "W3": deep_tanh,
    "W4": conv,
    "W5": elementwise,
    "W6": attention,
    "W7": ln_gelu,
}


def operators():
    """Return the functions that the workloads use, as NumPy has them."""

    def xent(z, y):
        z = z - z.max(axis=1, keepdims=True)
        return (np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(y)), y]).mean()

    def softmax(z):
        e = np.exp(z - z.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def conv2d(x, w, b):
        win = sliding_window_view(x, w.shape[2:], axis=(2, 3))
        return np.tensordot(win, w, axes=([1, 4, 5], [1, 2, 3])).transpose(0, 3, 1, 2) + b[:, None, None]

    def layernorm(x, gamma, beta):
        d = x - x.mean(axis=-1, keepdims=True)
        return d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5) * gamma + beta

    def gelu(x):
        return 0.5 * x * (1 + np.tanh(GELU * (x + 0.044715 * (x * x * x))))

    return SimpleNamespace(
        tanh=np.tanh,
        exp=np.exp,
        log=np.log,
        sin=np.sin,
        relu=lambda x: np.maximum(x, 0),
        xent=xent,
        softmax=softmax,
        conv2d=conv2d,
        layernorm=layernorm,
        gelu=gelu,
    )


def grad_W1(c, W1, b1, W2, b2):

    h = np.tanh(c.x @ W1 + b1)
    gy = h @ W2 + b2 - c.t
    gy *= 2 / gy.size
    gz = (gy @ W2.T) * (1 - h * h)
    return [c.x.T @ gz, gz.sum(0), h.T @ gy, gy.sum(0)]


def grad_W2(c, W1, b1, W2, b2):

    h = np.tanh(c.x @ W1 + b1)
    z = h @ W2 + b2
    e = np.exp(z - z.max(axis=1, keepdims=True))
    g = e / e.sum(axis=1, keepdims=True)
    g[np.arange(len(c.y)), c.y] -= 1
    g /= len(c.y)
    gz = (g @ W2.T) * (1 - h * h)
    return [c.x.T @ gz, gz.sum(0), h.T @ g, g.sum(0)]


def grad_W3(c, *wb):

    hs = [c.x]
    for W, b in zip(wb[::2], wb[1::2]):
        hs.append(np.tanh(hs[-1] @ W + b))
    g, out = 2 * hs[-1], []
    for i in range(len(wb) // 2 - 1, -1, -1):
        g = g * (1 - hs[i + 1] * hs[i + 1])
        out += [g.sum(0), hs[i].T @ g]
        g = g @ wb[2 * i].T
    return out[::-1]


def grad_W4(c, x, w, b):

    kh, kw = w.shape[2:]
    win = sliding_window_view(x, (kh, kw), axis=(2, 3))
    z = np.tensordot(win, w, axes=([1, 4, 5], [1, 2, 3])).transpose(0, 3, 1, 2) + b[:, None, None]
    g = np.maximum(z, 0) * (2 / z.size)
    H, W = z.shape[2:]
    gx = np.zeros_like(x)
    for i in range(kh):
        for j in range(kw):
            gx[:, :, i : i + H, j : j + W] += np.tensordot(g, w[:, :, i, j], axes=(1, 0)).transpose(0, 3, 1, 2)
    return [gx, np.tensordot(g, win, axes=([0, 2, 3], [0, 2, 3])), g.sum(axis=(0, 2, 3))]


def grad_W5(c, x):

    e = np.exp(x)
    a, s, q = np.log(1 + e), np.sin(x), 1 + x * x
    return [(e / (1 + e) * s + a * np.cos(x)) / q - a * s * 2 * x / (q * q)]


def grad_W6(c, Q, K, V):

    s = Q @ K.T / 4
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    P = e / e.sum(axis=-1, keepdims=True)
    go = 2 * (P @ V)
    gp = go @ V.T
    gs = P * (gp - (gp * P).sum(axis=-1, keepdims=True)) / 4
    return [gs @ K, gs.T @ Q, P.T @ go]


def grad_W7(c, x, gamma, beta, W):

    d = x - x.mean(axis=-1, keepdims=True)
    r = 1 / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5)
    xh = d * r
    n = xh * gamma + beta
    u = n @ W
    t = np.tanh(GELU * (u + 0.044715 * u * u * u))
    h = 0.5 * u * (1 + t) + x
    gh = h * (2 / h.size)
    gu = gh * (0.5 * (1 + t) + 0.5 * u * (1 - t * t) * GELU * (1 + 3 * 0.044715 * u * u))
    gn = gu @ W.T
    g = gn * gamma
    gx = gh + r * (g - g.mean(axis=-1, keepdims=True) - xh * (g * xh).mean(axis=-1, keepdims=True))
    return [gx, (gn * xh).sum(0), gn.sum(0), n.T @ gu]


GRADIENTS = {
    "W1": grad_W1,
    "W2": grad_W2,
    "W3": grad_W3,
    "W4": grad_W4,
    "W5": grad_W5,
    "W6": grad_W6,
    "W7": grad_W7,
}


def compare(analytic, numeric, rtol=1e-4, atol=1e-7):
    """Raise AssertionError unless all gradients agree."""
    for a, n in zip(analytic, numeric, strict=True):
        difference = np.abs(a - np.asarray(n).reshape(a.shape))
        if not (difference <= atol + rtol * np.abs(a)).all():
            raise AssertionError(f"gradients differ by {difference.max()}")


def central_differences(forward, params):
    """Return the gradient by two evaluations of `forward(*params)` for each element."""
    numeric = []
    for p in params:
        flat, g = p.reshape(-1), np.empty(p.size)
        for i in range(p.size):
            v = flat[i]
            flat[i] = v + EPS
            above = forward(*params)
            flat[i] = v - EPS
            below = forward(*params)
            flat[i] = v
            g[i] = (above - below) / (2 * EPS)
        numeric.append(g.reshape(p.shape))
    return numeric


def hand_loop(name, inputs, params):
    """Return a call that checks every element of a workload."""
    c, o, params = SimpleNamespace(**inputs), operators(), [np.array(p) for p in params]

    def run():
        compare(GRADIENTS[name](c, *params), central_differences(lambda *ps: FORWARDS[name](o, c, *ps), params))

    return run
