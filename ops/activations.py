"""Activation functions, written so that no input overflows."""

import functools
import math

import numpy as np

from gradcheck_cli import arr, op


@op(batch="elementwise")
def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return _logistic(x)


@sigmoid.backward
def _(g, out):
    return g * out * (1 - out)


def _logistic(x):
    small = np.exp(-np.abs(x))  # at most 1, so it can't overflow
    return np.where(np.greater_equal(x, 0), 1, small) / (1 + small)


@op(batch="elementwise")
def tanh(x):
    """tanh(x)."""
    return np.tanh(x)


@tanh.backward
def _(g, out):
    return g * (1 - out * out)


@op(x=arr(avoid=0), batch="elementwise")
def relu(x):
    """max(x, 0); its gradient at 0 is taken as 0."""
    return np.maximum(x, 0)


@relu.backward
def _(g, out):
    return np.where(out > 0, g, 0)


@op(x=arr(avoid=0), slope=[0.01, 0.3], batch="elementwise")
def leaky_relu(x, *, slope=0.01):
    """x where x > 0, else slope * x; its gradient at 0 is taken as slope."""
    return np.where(np.greater(x, 0), x, np.multiply(slope, x))


@leaky_relu.backward
def _(g, x, slope):
    return np.where(x > 0, g, slope * g)


@op(x=arr(avoid=0), alpha=[1.0, 0.5], batch="elementwise")
def elu(x, *, alpha=1.0):
    """x where x > 0, else alpha * (exp(x) - 1); its gradient at 0 is taken as alpha."""
    return np.where(np.greater(x, 0), x, alpha * np.expm1(np.minimum(x, 0)))


@elu.backward
def _(g, x, alpha):
    return np.where(x > 0, g, g * alpha * np.exp(np.minimum(x, 0)))


@op(beta=[1.0, 2.0], batch="elementwise")
def softplus(x, *, beta=1.0):
    """log(1 + exp(beta * x)) / beta."""
    return np.logaddexp(0, np.multiply(beta, x)) / beta


@softplus.backward
def _(g, x, beta):
    return g * _logistic(beta * x)


@op(batch="elementwise")
def silu(x):
    """x * sigmoid(x), also called swish."""
    return x * _logistic(x)


@silu.backward
def _(g, x):
    gate = _logistic(x)
    return g * gate * (1 + x * (1 - gate))


@op(approximate=["none", "tanh"], batch="elementwise")
def gelu(x, *, approximate="none"):
    """x * Phi(x), Phi the normal distribution function; or x * (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate should be 'none' or 'tanh', not {approximate!r}")
    return x * (_normal_cdf(x) if approximate == "none" else (1 + np.tanh(_gelu_argument(x))) / 2)


@gelu.backward
def _(g, x, approximate):
    if approximate == "none":
        return g * (_normal_cdf(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi))
    t = np.tanh(_gelu_argument(x))
    slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
    return g * ((1 + t) / 2 + x * (1 - t * t) * slope / 2)


def _gelu_argument(x):
    return math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)


def _normal_cdf(x):
    # By erfc, not 1 + erf, which cancels in the lower tail.
    scaled = np.asarray(x) / -math.sqrt(2)
    return np.asarray(_erfc()(scaled)).astype(scaled.dtype) / 2


@functools.cache
def _erfc():
    """SciPy's erfc where it is installed, else the standard library's on every element."""
    try:
        from scipy.special import erfc  # here, since only gelu needs it and it takes long to import
    except ImportError:
        return np.vectorize(math.erfc, otypes=[float])
    return erfc


@op(axis=[-1, 0], batch="axis")
def softmax(x, *, axis=-1):
    """exp(x) / sum(exp(x)) along axis."""
    powers = np.exp(_below_zero(x, axis))
    return powers / np.sum(powers, axis=axis, keepdims=True)


@softmax.backward
def _(g, out, axis):
    return out * (g - np.sum(g * out, axis=axis, keepdims=True))


@op(axis=[-1, 0], batch="axis")
def log_softmax(x, *, axis=-1):
    """x - log(sum(exp(x))) along axis."""
    shifted = _below_zero(x, axis)
    with np.errstate(divide="ignore"):  # only a sum of no elements is 0
        return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@log_softmax.backward
def _(g, out, axis):
    return g - np.exp(out) * np.sum(g, axis=axis, keepdims=True)


def _below_zero(x, axis):
    """Subtract the largest element along `axis`, which changes no softmax and keeps exp below 1."""
    return x - np.max(x, axis=axis, keepdims=True) if np.size(x) else np.asarray(x)
