"""Activation functions with corners: linear, or nearly so, in pieces."""

import numpy as np

from gradcheck_cli import arr, op


@op(x=arr(avoid=0), batch="elementwise")
def relu(x):
    """max(x, 0); its gradient at 0 is taken as 0."""
    return np.maximum(x, 0)


@relu.backward
def _(g, out):
    return np.where(out <= 0, 0, g)  # so that NaN stays NaN


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


@op(x=arr("n c m", avoid=0), weight=arr("c"))
def prelu(x, weight):
    """x where x > 0, else weight * x, a weight for each channel (axis 1), or one for all; at 0 the slope is weight."""
    return np.where(np.greater(x, 0), x, _along_channels(weight, x) * x)


@prelu.backward("x")
def _(g, x, weight):
    return np.where(x > 0, g, _along_channels(weight, x) * g)


@prelu.backward("weight")
def _(g, x, weight_shape):
    parts = np.where(x > 0, 0, g * x)
    if weight_shape in ((), (1,)):
        return np.sum(parts).reshape(weight_shape)
    return np.sum(parts, axis=tuple(axis for axis in range(x.ndim) if axis != 1))


@prelu.batch
def _(moved, x, weight):
    rank = x.ndim - ("x" in moved)
    own = weight.shape["weight" in moved :]
    axes = (1,) * rank if own in ((), (1,)) else (1, *own, *(1,) * (rank - 2))
    return np.where(x > 0, x, weight.reshape((*weight.shape[: "weight" in moved], *axes)) * x)


def _along_channels(weight, x):
    """Give the weight the axes of x."""
    if np.size(weight) == 1 and np.ndim(weight) < 2:
        return np.reshape(weight, ())
    if np.ndim(x) < 2 or np.shape(weight) != np.shape(x)[1:2]:
        raise ValueError(
            f"weight should have a number for each channel of x {np.shape(x)}, or one, not {np.shape(weight)}"
        )
    return np.reshape(weight, (-1, *(1,) * (np.ndim(x) - 2)))


# The numbers of Klambauer et al. (2017), for which activations keep mean 0 and variance 1.
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


@op(x=arr(avoid=0), batch="elementwise")
def selu(x):
    """scale * (x where x > 0, else alpha * (exp(x) - 1)), alpha = 1.6733, scale = 1.0507; at 0 the slope from below."""
    return _SELU_SCALE * np.where(np.greater(x, 0), x, _SELU_ALPHA * np.expm1(np.minimum(x, 0)))


@selu.backward
def _(g, x):
    return _SELU_SCALE * np.where(x > 0, g, g * _SELU_ALPHA * np.exp(np.minimum(x, 0)))


@op(alpha=[1.0, 0.5], batch="elementwise")
def celu(x, *, alpha=1.0):
    """x where x > 0, else alpha * (exp(x / alpha) - 1), which has no corner."""
    if alpha == 0:
        raise ValueError("alpha should not be 0: x is divided by it")
    return np.where(np.greater(x, 0), x, alpha * np.expm1(np.minimum(x, 0) / alpha))


@celu.backward
def _(g, x, alpha):
    return np.where(x > 0, g, g * np.exp(np.minimum(x, 0) / alpha))


@op(x=arr(low=-6, high=6, avoid=(-3, 3)), batch="elementwise")
def hardsigmoid(x):
    """x / 6 + 1 / 2 between 0 and 1; its gradient at -3 and 3 is taken as 0.

    PyTorch (2.13) takes the sixth in single precision, and its slope is right to 1e-7 only.
    """
    return np.clip(np.divide(x, 6) + 0.5, 0, 1)


@hardsigmoid.backward
def _(g, x):
    return np.where((x > -3) & (x < 3), g / 6, 0)


@op(x=arr(low=-6, high=6, avoid=(-3, 3)), batch="elementwise")
def hardswish(x):
    """x * (x / 6 + 1 / 2 between 0 and 1); its gradient at -3 is taken as 0, at 3 as 1 (Howard et al., 2019)."""
    return x * np.clip(np.divide(x, 6) + 0.5, 0, 1)


@hardswish.backward
def _(g, x):
    return np.where(x <= -3, 0, np.where(x < 3, g * (x / 3 + 0.5), g))


@op(x=arr(low=-3, high=3, avoid=(-1, 1, 2)), min_val=[-1.0], max_val=[1.0, 2.0], batch="elementwise")
def hardtanh(x, *, min_val=-1.0, max_val=1.0):
    """x between min_val and max_val; its gradient at these two is taken as 0."""
    if min_val > max_val:
        raise ValueError(f"min_val should be at most max_val, {max_val!r}, not {min_val!r}")
    return np.clip(x, min_val, max_val)


@hardtanh.backward
def _(g, x, min_val, max_val):
    return np.where((x <= min_val) | (x >= max_val), 0, g)
