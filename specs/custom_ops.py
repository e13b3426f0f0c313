"""An operator of one's own, and five broken twins of it, each with a mistake that people make."""

import numpy as np

from gradcheck_cli import arr, keep, op


@op(x=arr("n d"), gamma=arr("d", low=0.5, high=2.0), beta=arr("d"))
def layer_norm(x, gamma, beta, *, eps=1e-5):
    """(x - mean(x)) / sqrt(var(x) + eps) * gamma + beta, over the last axis."""
    centered = x - x.mean(axis=-1, keepdims=True)
    inverse = 1 / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
    normalised = centered * inverse
    return keep(normalised * gamma + beta, normalised=normalised, inverse=inverse)


def right_gradient(g, normalised, inverse, gamma):
    """Return the gradient of layer_norm for x."""
    g_normalised = g * gamma
    mean = g_normalised.mean(axis=-1, keepdims=True)
    along = (g_normalised * normalised).mean(axis=-1, keepdims=True)
    return inverse * (g_normalised - mean - normalised * along)


@layer_norm.backward
def _(g, normalised, inverse, gamma):
    gx = right_gradient(g, normalised, inverse, gamma)
    return gx, (g * normalised).sum(axis=0), g.sum(axis=0)


def twin(backward):
    """Mark layer_norm's forward once more, with another backward, under the backward's name."""

    def forward(x, gamma, beta, *, eps=1e-5):
        centered = x - x.mean(axis=-1, keepdims=True)
        inverse = 1 / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps)
        normalised = centered * inverse
        return keep(normalised * gamma + beta, normalised=normalised, inverse=inverse)

    forward.__name__ = backward.__name__
    forward.__doc__ = backward.__doc__
    marked = op(x=arr("n d"), gamma=arr("d", low=0.5, high=2.0), beta=arr("d"))(forward)
    marked.backward(backward)
    return marked


@twin
def layer_norm_sign(g, normalised, inverse, gamma):
    """Layer norm whose gradient for x has the wrong sign."""
    gx = -right_gradient(g, normalised, inverse, gamma)
    return gx, (g * normalised).sum(axis=0), g.sum(axis=0)


@twin
def layer_norm_gain(g, normalised, inverse, gamma):
    """Layer norm whose gradient for gamma is off by a thousandth."""
    gx = right_gradient(g, normalised, inverse, gamma)
    return gx, 1.001 * (g * normalised).sum(axis=0), g.sum(axis=0)


@twin
def layer_norm_no_mean(g, normalised, inverse, gamma):
    """Layer norm whose gradient for x forgets that x moves the mean."""
    g_normalised = g * gamma
    along = (g_normalised * normalised).mean(axis=-1, keepdims=True)
    return inverse * (g_normalised - normalised * along), (g * normalised).sum(axis=0), g.sum(axis=0)


@twin
def layer_norm_no_sum(g, normalised, inverse, gamma):
    """Layer norm whose gradient for beta isn't summed over the rows that beta was broadcast to."""
    gx = right_gradient(g, normalised, inverse, gamma)
    return gx, (g * normalised).sum(axis=0), g


@twin
def layer_norm_in_place(g, normalised, inverse, gamma):
    """Layer norm whose backward scales the cotangent in place."""
    gbeta = g.sum(axis=0)
    ggamma = (g * normalised).sum(axis=0)
    g *= gamma
    mean = g.mean(axis=-1, keepdims=True)
    along = (g * normalised).mean(axis=-1, keepdims=True)
    return inverse * (g - mean - normalised * along), ggamma, gbeta
