"""swish in JAX with a hand-written rule: a right one and five wrong twins."""

import os

import jax
import jax.numpy as jnp
import numpy as np


def value(x, beta):
    return x * jax.nn.sigmoid(beta * x)


def forward(x, beta):
    return value(x, beta), (x, beta)


def backward(saved, g):
    x, beta = saved
    s = jax.nn.sigmoid(beta * x)
    slope = s * (1 - s)
    return g * (s + beta * x * slope), g * x * x * slope


def with_backward(rule):
    """Return swish with another backward."""
    function = jax.custom_vjp(value)
    function.defvjp(forward, rule)
    return function


def backward_sign(saved, g):
    gx, gbeta = backward(saved, g)
    return -gx, gbeta


def backward_missing_term(saved, g):
    x, beta = saved
    return g * jax.nn.sigmoid(beta * x), backward(saved, g)[1]


def backward_detached(saved, g):
    return backward(saved, g)[0], jnp.zeros_like(g)


def nondeterministic(x, beta):
    """JAX arrays can't be written to; what varies is drawn outside of it."""
    noise = np.random.default_rng(int.from_bytes(os.urandom(4), "little")).standard_normal(x.shape)
    return value(x + 1e-3 * noise, beta)


swish = with_backward(backward)
sign = with_backward(backward_sign)
missing_term = with_backward(backward_missing_term)
detached = with_backward(backward_detached)

forward_mode = jax.custom_jvp(value)


@forward_mode.defjvp
def _(primals, tangents):
    x, beta = primals
    tx, tbeta = tangents
    s = jax.nn.sigmoid(beta * x)
    slope = s * (1 - s)
    return value(x, beta), tx * (s + beta * x * slope) + tbeta * x * x * slope
