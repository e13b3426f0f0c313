"""Operators that move or repeat whole axes and leave values alone."""

import math

import numpy as np

from gradcheck_cli import arr, op, unbroadcast

from .indexing import added_at, places_of


@op(batch="elementwise", linear=True)
def copy(x):
    """x, the branch of a graph: the gradients of all uses of a value sum."""
    return np.array(x)


@copy.backward
def _(g):
    return g


@op(shape=[-1, (1, -1), (-1, 1, 1)], batch="gather", linear=True)
def reshape(x, *, shape):
    """x with its elements, in row order, in another shape; one size may be -1."""
    return np.reshape(x, shape)


@reshape.backward
def _(g, x_shape):
    return np.reshape(g, x_shape)


@op(x=arr("... m n"), axes=[None, (2, 0, 1), (0, -1, 1)], batch="gather", linear=True)
def transpose(x, *, axes=None):
    """x with its axes in the order of axes (None: reversed)."""
    return np.transpose(x, axes)


@transpose.backward
def _(g, axes):
    return np.transpose(g, None if axes is None else np.argsort([axis % g.ndim for axis in axes]))


@op(axis1=[0, 1, -1], axis2=[-1, 1, 0], batch="gather", linear=True)
def swapaxes(x, *, axis1, axis2):
    """x with axis1 and axis2 exchanged."""
    return np.swapaxes(x, axis1, axis2)


@swapaxes.backward
def _(g, axis1, axis2):
    return np.swapaxes(g, axis1, axis2)


@op(x=arr("k m n"), source=[0, 1, -1], destination=[-1, 0, 1], batch="gather", linear=True)
def moveaxis(x, *, source, destination):
    """x with its axes at source moved to destination, numbers or tuples; the others stay in order."""
    return np.moveaxis(x, source, destination)


@moveaxis.backward
def _(g, source, destination):
    return np.moveaxis(g, destination, source)


@op(axis=[0, 1, -1, (0, 2)], batch="gather", linear=True)
def expand_dims(x, *, axis):
    """x with an axis of size 1 at axis, or at each of them."""
    return np.expand_dims(x, axis)


@expand_dims.backward
def _(g, x_shape):
    return np.reshape(g, x_shape)


@op(x=arr("1 m 1"), axis=[None, 0, -1, (0, 2)], batch="gather", linear=True)
def squeeze(x, *, axis=None):
    """x without its axes of size 1 (None: all of them)."""
    return np.squeeze(x, axis)


@squeeze.backward
def _(g, x_shape):
    return np.reshape(g, x_shape)


@op(x=arr("1 3"), shape=[(2, 3), (4, 1, 3), (2, 4, 3)], batch="gather", linear=True)
def broadcast_to(x, *, shape):
    """x repeated along new axes, and along axes of size 1, up to a shape."""
    return np.array(np.broadcast_to(x, shape))


@broadcast_to.backward
def _(g, x_shape):
    return unbroadcast(g, x_shape)


@op(axis=[0, 1, -1, None], batch="gather", linear=True)
def concatenate(*xs, axis=0):
    """The arrays xs joined along axis (None: flattened first)."""
    return np.concatenate(xs, axis=axis)


@concatenate.backward
def _(g, xs_shape, axis):
    sizes = [math.prod(shape) if axis is None else shape[axis] for shape in xs_shape]
    parts = np.split(g, np.cumsum(sizes)[:-1], axis=axis or 0)
    return [part.reshape(shape) for part, shape in zip(parts, xs_shape, strict=True)]


@op(axis=[0, 1, -1], batch="gather", linear=True)
def stack(*xs, axis=0):
    """The arrays xs, of one shape, side by side along a new axis."""
    return np.stack(xs, axis=axis)


@stack.backward
def _(g, axis):
    return list(np.moveaxis(g, axis, 0))


@op(
    x=arr("4 6"),
    indices_or_sections=[2, [1], (-1,)],
    axis=[0, 1, -1],
    outputs="first second",
    batch="gather",
    linear=True,
)
def split(x, *, indices_or_sections=2, axis=0):
    """x[:i] and x[i:] along axis, as numpy.split(x, [i]) gives them; its two halves for 2.

    An operator has a fixed number of outputs, here two, so numpy.split(x, 3) is refused: take its parts as slices of x.
    """
    parts = np.split(np.asarray(x), indices_or_sections, axis)
    if len(parts) != 2:
        raise ValueError(f"split gives two parts here, not {len(parts)}: take slices of x, such as x[:2]")
    return tuple(map(np.array, parts))


@split.backward
def _(g_first, g_second, axis):
    return np.concatenate([g_first, g_second], axis)


@op(axis=[None, 0, -1, (0, 1)], batch="gather", linear=True)
def flip(x, *, axis=None):
    """x in reverse order along axis (None: along all axes)."""
    return np.flip(x, axis)


@flip.backward
def _(g, axis):
    return np.flip(g, axis)


@op(shift=[1, -2, 7], axis=[None, 0, (0, 1)], batch="gather", linear=True)
def roll(x, *, shift, axis=None):
    """x[i - shift] at every i along axis; what leaves at one end enters at the other (None: x in row order)."""
    return np.roll(x, shift, axis)


@roll.backward
def _(g, shift, axis):
    return np.roll(g, np.negative(shift), axis)


@op(reps=[2, (2, 1), (1, 3), (2, 1, 2)], batch="gather", linear=True)
def tile(x, *, reps):
    """x laid side by side, reps times along each axis; missing axes are added in front."""
    return np.tile(x, reps)


@tile.backward
def _(g, x_shape, reps):
    reps = np.atleast_1d(reps)
    width = max(len(reps), len(x_shape))
    reps, shape = (*(1,) * (width - len(reps)), *reps), (*(1,) * (width - len(x_shape)), *x_shape)
    blocks = g.reshape([size for pair in zip(reps, shape, strict=True) for size in pair])
    return blocks.sum(axis=tuple(range(0, 2 * width, 2))).reshape(x_shape)


@op(repeats=[1, 2, 3], axis=[None, 0, -1], batch="gather", linear=True)
def repeat(x, *, repeats, axis=None):
    """Each element of x, or slice of it along axis, repeats times in a row (None: x in row order)."""
    return np.repeat(x, repeats, axis)


@repeat.backward
def _(g, x_shape, repeats, axis):
    return added_at(g, np.repeat(places_of(x_shape), repeats, axis), x_shape)


_MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


@op(
    x=arr("m n"),
    pad_width=[1, (0, 2), ((1, 2), (0, 3))],
    mode=["constant", "edge", "reflect"],
    constant_values=[0, 1.5],
    batch="gather",
    linear=True,
)
def pad(x, *, pad_width, mode="constant", constant_values=0):
    """x between pad_width more elements on each side: constants, or those of x chosen by mode, as in numpy.pad."""
    if mode not in _MODES:
        raise ValueError(f"mode should be one of {', '.join(_MODES)}, not {mode!r}")
    return np.pad(x, pad_width, mode, **({"constant_values": constant_values} if mode == "constant" else {}))


@pad.backward
def _(g, x_shape, pad_width, mode):
    sources = _sources(x_shape, pad_width, mode)
    inside = sources >= 0
    return added_at(g[inside], sources[inside], x_shape)


def _sources(shape, pad_width, mode):
    """Return which element of x each element is, counted in row order; -1 for a constant."""
    return np.pad(places_of(shape), pad_width, mode, **({"constant_values": -1} if mode == "constant" else {}))
