"""GC203: a term of the gradient isn't there."""

import numpy as np

from gradcheck_cli import arr, keep, op


@op(x=arr("n m"))
def layer_norm(x):
    deviation = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    return keep((x - x.mean(axis=1, keepdims=True)) / deviation, deviation=deviation)


@layer_norm.backward
def _(g, out, deviation):
    mean = g.mean(axis=1, keepdims=True)
    return (g - mean - out * (g * out).mean(axis=1, keepdims=True)) / deviation


@op(x=arr("n m"))
def layer_norm_without_mean(x):
    deviation = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    return keep((x - x.mean(axis=1, keepdims=True)) / deviation, deviation=deviation)


@layer_norm_without_mean.backward
def _(g, out, deviation):
    return (g - out * (g * out).mean(axis=1, keepdims=True)) / deviation


@op(x=arr("n m"))
def layer_norm_without_variance(x):
    deviation = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    return keep((x - x.mean(axis=1, keepdims=True)) / deviation, deviation=deviation)


@layer_norm_without_variance.backward
def _(g, deviation):
    return (g - g.mean(axis=1, keepdims=True)) / deviation


@op(x=arr("n m"))
def softmax_of_rows(x):
    shifted = np.exp(x - x.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


@softmax_of_rows.backward
def _(g, out):
    return out * (g - (g * out).sum(axis=1, keepdims=True))


@op(x=arr("n m"))
def softmax_of_rows_wrong(x):
    shifted = np.exp(x - x.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


@softmax_of_rows_wrong.backward
def _(g, out):
    return out * g


@op(x=arr("n m"))
def centred(x):
    return x - x.mean(axis=0)


@centred.backward
def _(g):
    return g - g.mean(axis=0)


@op(x=arr("n m"))
def centred_wrong(x):
    return x - x.mean(axis=0)


@centred_wrong.backward
def _(g):
    return g


@op
def swish(x):
    gate = 1 / (1 + np.exp(-x))
    return keep(x * gate, gate=gate)


@swish.backward
def _(g, x, gate):
    return g * (gate + x * gate * (1 - gate))


@op
def swish_wrong(x):
    gate = 1 / (1 + np.exp(-x))
    return keep(x * gate, gate=gate)


@swish_wrong.backward
def _(g, x, gate):
    return g * gate


@op(x=arr("n m"), w=arr("m"), y=arr("n"))
def ridge(x, w, y, *, penalty=0.3):
    miss = x @ w - y
    return keep(0.5 * miss @ miss + 0.5 * penalty * w @ w, miss=miss)


@ridge.backward
def _(g, x, w, penalty, miss):
    return g * np.outer(miss, w), g * (miss @ x + penalty * w), -g * miss


@op(x=arr("n m"), w=arr("m"), y=arr("n"))
def ridge_wrong(x, w, y, *, penalty=0.3):
    miss = x @ w - y
    return keep(0.5 * miss @ miss + 0.5 * penalty * w @ w, miss=miss)


@ridge_wrong.backward
def _(g, x, w, miss):
    return g * np.outer(miss, w), g * (miss @ x), -g * miss
