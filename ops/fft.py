"""Fourier transforms of real arrays, complex numbers being two arrays: real parts and imaginary parts."""

import numpy as np

from gradcheck_cli import op, unbroadcast

from .axes import aligned, behind
from .checks import check_axis

_NORMS = [None, "ortho", "forward"]

# The factor of a transform belongs to its adjoint as well, which runs in the other direction.
_ADJOINT = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


@op(n=[None, 3, 6], axis=[-1, 0], norm=_NORMS, outputs="real imag", linear=True)
def rfft(x, *, n=None, axis=-1, norm=None):
    """sum of x[j] * exp(-2 pi i j k / n) over j, for k = 0 to n // 2, along axis: real parts and imaginary parts.

    x is cut or filled with zeros to n. The sum is divided by nothing, by sqrt(n) ("ortho") or by n ("forward").
    """
    check_axis(axis, np.shape(x))
    spectrum = np.fft.rfft(x, n, axis, norm)
    return spectrum.real.copy(), spectrum.imag.copy()


@rfft.backward
def _(g_real, g_imag, x_shape, n, axis, norm):
    size = x_shape[axis]
    n = size if n is None else n
    spectrum = np.fft.ifft(g_real + 1j * g_imag, n, axis, _ADJOINT[norm])  # ifft fills with zeros what rfft left out
    return _fitted(spectrum.real, size, axis)


@rfft.batch
def _(moved, x, *, n=None, axis=-1, norm=None):  # noqa: ARG001 (the form of such a function)
    return rfft(x, n=n, axis=behind(axis), norm=norm)


@op(n=[None, 5, 8], axis=[-1, 0], norm=_NORMS, linear=True)
def irfft(real, imag, *, n=None, axis=-1, norm=None):
    """(1/n) sum of X[k] * exp(2 pi i j k / n) over k < n, where X[k] = real[k] + i imag[k], X[n - k] its conjugate.

    n is 2 (m - 1) by default, m the number of k given along axis; of these the first n // 2 + 1 are taken, zeros where
    there are fewer. Imaginary parts that no real array has, at k = 0 and n / 2, count as 0. The factor is that of the
    norm: 1/n (None, "backward"), 1/sqrt(n) ("ortho"), 1 ("forward").
    """
    spectrum = np.add(real, np.multiply(1j, imag))
    check_axis(axis, spectrum.shape)
    if n and not spectrum.shape[axis]:  # of nothing NumPy 2.4 returns whatever is in memory
        spectrum = _fitted(spectrum, 1, axis)
    return np.fft.irfft(spectrum, n, axis, norm)


@irfft.backward
def _(g, real_shape, imag_shape, axis, norm):
    shape = np.broadcast_shapes(real_shape, imag_shape)
    n = g.shape[axis]
    spectrum = np.fft.rfft(g, n, axis, _ADJOINT[norm])
    # All but the first and, for even n, the last stand for their conjugates as well.
    twice = np.full(n // 2 + 1, 2, g.dtype)
    twice[[0] if n % 2 else [0, n // 2]] = 1
    spectrum = np.moveaxis(np.moveaxis(spectrum, axis, -1) * twice, -1, axis)
    spectrum = _fitted(spectrum, shape[axis], axis)
    return unbroadcast(spectrum.real, real_shape), unbroadcast(spectrum.imag, imag_shape)


@irfft.batch
def _(moved, real, imag, *, n=None, axis=-1, norm=None):
    real, imag = aligned(moved, real=real, imag=imag)
    rank = real.ndim - ("real" in moved)
    return irfft(real, imag, n=n, axis=axis if axis < 0 else axis - rank, norm=norm)


def _fitted(x, size, axis):
    """Cut x to `size` along axis, or fill it with zeros."""
    x = np.moveaxis(x, axis, -1)[..., :size]
    filled = np.zeros((*x.shape[:-1], size), x.dtype)
    filled[..., : x.shape[-1]] = x
    return np.moveaxis(filled, -1, axis)
