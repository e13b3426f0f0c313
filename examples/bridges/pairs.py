"""swish, x * sigmoid(beta * x), as pairs of functions that hand a cache on: a right one and five wrong twins."""

import numpy as np


def swish_forward(x, beta):
    """X * sigmoid(beta * x)."""
    s = 1 / (1 + np.exp(-beta * x))
    return x * s, (x, beta, s)


def swish_backward(dout, cache):
    x, beta, s = cache
    slope = s * (1 - s)
    return dout * (s + beta * x * slope), dout * x * x * slope


def sign_forward(x, beta):
    return swish_forward(x, beta)


def sign_backward(dout, cache):
    dx, dbeta = swish_backward(dout, cache)
    return -dx, dbeta


def missing_term_forward(x, beta):
    return swish_forward(x, beta)


def missing_term_backward(dout, cache):
    _, dbeta = swish_backward(dout, cache)
    return dout * cache[2], dbeta  # the product rule has a second term


def detached_forward(x, beta):
    return swish_forward(x, beta)


def detached_backward(dout, cache):
    dx, dbeta = swish_backward(dout, cache)
    return dx, np.zeros_like(dbeta)


def in_place_forward(x, beta):
    return swish_forward(x, beta)


def in_place_backward(dout, cache):
    dx, dbeta = swish_backward(dout, cache)
    dout *= 0  # somebody else may read it
    return dx, dbeta


def nondeterministic_forward(x, beta):
    return swish_forward(x + 1e-3 * np.random.default_rng().standard_normal(x.shape), beta)


def nondeterministic_backward(dout, cache):
    return swish_backward(dout, cache)
