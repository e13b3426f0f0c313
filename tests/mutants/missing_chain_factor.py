"""GC204: a link of the chain is missing."""

import numpy as np

from gradcheck_cli import arr, keep, op


@op
def tangent(x):
    return np.tanh(x)


@tangent.backward
def _(g, out):
    return g * (1 - out * out)


@op
def tangent_wrong(x):
    return np.tanh(x)


@tangent_wrong.backward
def _(g):
    return g


@op
def cube_of_sine(x):
    return np.sin(x) ** 3


@cube_of_sine.backward
def _(g, x):
    return 3 * g * np.sin(x) ** 2 * np.cos(x)


@op
def cube_of_sine_wrong(x):
    return np.sin(x) ** 3


@cube_of_sine_wrong.backward
def _(g, x):
    return 3 * g * np.sin(x) ** 2


@op(x=arr("n m"), w=arr("m k"))
def sigmoid_layer(x, w):
    return 1 / (1 + np.exp(-(x @ w)))


@sigmoid_layer.backward
def _(g, x, w, out):
    slope = out * (1 - out)
    return (g * slope) @ w.T, x.T @ (g * slope)


@op(x=arr("n m"), w=arr("m k"))
def sigmoid_layer_wrong(x, w):
    return 1 / (1 + np.exp(-(x @ w)))


@sigmoid_layer_wrong.backward
def _(g, x, w, out):
    slope = out * (1 - out)
    return (g * slope) @ w.T, x.T @ g


@op(x=arr("n k"), w1=arr("k h"), w2=arr("h h"), w3=arr("h m"))
def three_layers(x, w1, w2, w3):
    h1 = np.tanh(x @ w1)
    h2 = np.tanh(h1 @ w2)
    return keep(h2 @ w3, h1=h1, h2=h2)


@three_layers.backward
def _(g, x, w1, w2, w3, h1, h2):
    d3 = g @ w3.T
    d2 = (d3 * (1 - h2 * h2)) @ w2.T
    dz1 = d2 * (1 - h1 * h1)
    return dz1 @ w1.T, x.T @ dz1, h1.T @ (d3 * (1 - h2 * h2)), h2.T @ g


@op(x=arr("n k"), w1=arr("k h"), w2=arr("h h"), w3=arr("h m"))
def three_layers_wrong(x, w1, w2, w3):
    h1 = np.tanh(x @ w1)
    h2 = np.tanh(h1 @ w2)
    return keep(h2 @ w3, h1=h1, h2=h2)


@three_layers_wrong.backward
def _(g, x, w1, w2, w3, h1, h2):
    d3 = g @ w3.T
    d2 = (d3 * (1 - h2 * h2)) @ w2.T
    dz1 = d2 * (1 - h1 * h1)
    return dz1 @ w1.T, x.T @ dz1, h1.T @ d3, h2.T @ g


@op(x=arr("n m"), gamma=arr("m"))
def scaled(x, gamma):
    return x * gamma


@scaled.backward
def _(g, x, gamma):
    return g * gamma, (g * x).sum(axis=0)


@op(x=arr("n m"), gamma=arr("m"))
def scaled_wrong(x, gamma):
    return x * gamma


@scaled_wrong.backward
def _(g, gamma):
    return g * gamma, g.sum(axis=0)
