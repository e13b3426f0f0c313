"""Activation functions, written so that no input overflows."""

import functools
import math

import numpy as np

from gradcheck_cli import arr, op

from .checks import check_axis


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


@op(beta=[1.0, 2.0], batch="elementwise")
def softplus(x, *, beta=1.0):
    """log(1 + exp(beta * x)) / beta."""
    return np.logaddexp(0, np.multiply(beta, x)) / beta


@softplus.backward
def _(g, x, beta):
    return g * _logistic(beta * x)


@op(batch="elementwise")
def log_sigmoid(x):
    """log(1 / (1 + exp(-x))) = -log(1 + exp(-x))."""
    return -np.logaddexp(0, -np.asarray(x))


@log_sigmoid.backward
def _(g, x):
    return g * _logistic(-x)


@op(batch="elementwise")
def softsign(x):
    """x / (1 + |x|)."""
    return x / (1 + np.abs(x))


@softsign.backward
def _(g, x):
    size = 1 + np.abs(x)
    return g / size / size  # the square may overflow


@op(batch="elementwise")
def tanhshrink(x):
    """x - tanh(x)."""
    return x - np.tanh(x)


@tanhshrink.backward
def _(g, x):
    return g * np.tanh(x) ** 2


@op(batch="elementwise")
def silu(x):
    """x * sigmoid(x), also called swish."""
    return x * _logistic(x)


@silu.backward
def _(g, x):
    gate = _logistic(x)
    return g * gate * (1 + x * (1 - gate))


@op(batch="elementwise")
def mish(x):
    """x * tanh(log(1 + exp(x))) (Misra, 2019)."""
    return x * np.tanh(np.logaddexp(0, x))


@mish.backward
def _(g, x):
    t = np.tanh(np.logaddexp(0, x))
    return g * (t + x * (1 - t * t) * _logistic(x))


@op(x=arr("... 4"), axis=[-1], batch="axis")
def glu(x, *, axis=-1):
    """a * sigmoid(b), where a and b are the halves of x along axis."""
    a, b = _halves(x, axis)
    return a * _logistic(b)


@glu.backward
def _(g, x, axis):
    a, b = _halves(x, axis)
    gate = _logistic(b)
    return np.concatenate([g * gate, g * a * gate * (1 - gate)], axis=axis)


def _halves(x, axis):
    check_axis(axis, np.shape(x))
    if np.shape(x)[axis] % 2:
        raise ValueError(f"x should have an even size along axis {axis}, not {np.shape(x)[axis]}")
    return np.split(np.asarray(x), 2, axis=axis)


@op(approximate=["none", "tanh"], batch="elementwise")
def gelu(x, *, approximate="none"):
    """x * Phi(x), Phi the normal distribution function; or x * (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate should be 'none' or 'tanh', not {approximate!r}")
    x = np.asarray(x)
    return x * (_normal_cdf(x) if approximate == "none" else (1 + np.tanh(_gelu_argument(x))) / 2)


@gelu.backward
def _(g, x, approximate):
    x = np.clip(x, -_GELU_SETTLED, _GELU_SETTLED)
    if approximate == "none":
        return g * (_normal_cdf(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi))
    t = np.tanh(_gelu_argument(x))
    slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
    return g * ((1 + t) / 2 + x * (1 - t * t) * slope / 2)


_GELU_SETTLED = 40.0  # beyond, the slope is 0 or 1 in every floating type, and powers of x might overflow


def _gelu_argument(x):
    x = np.clip(x, -_GELU_SETTLED, _GELU_SETTLED)
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
