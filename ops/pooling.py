"""Pooling over windows of the last two axes, as in torch.nn.functional; any axes may stand before them."""

import math

import numpy as np

from gradcheck_cli import arr, keep, op

from .windows import Windows, each


@op(
    x=arr("... h w", distinct=True),
    kernel_size=[2, 3],
    stride=[None, 1, 2],
    padding=[0, 1],
    dilation=[1, 2],
    ceil_mode=[False, True],
    batch="leading",
)
def max_pool2d(x, *, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """Largest element of x in each window; of elements that tie, the first in row order gets the gradient.

    x is (..., height, width). stride is kernel_size where it is None, and padding never wins. With ceil_mode, windows
    may reach beyond the padding where they start before it.
    """
    x = np.asarray(x)
    windows = _pooling(x.shape, kernel_size, stride, padding, dilation, ceil_mode)
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    taken = windows.take(x, lowest)
    winner = np.argmax(taken, axis=-2)[..., None, :]
    out = np.take_along_axis(taken, winner, axis=-2)
    # Where all elements are the lowest number they tie with the padding, and the first of them wins.
    first = np.argmax(windows.take(np.ones(x.shape[-2:], bool)), axis=-2)
    winner = np.where(out == lowest, first, winner)
    return keep(out.reshape(*x.shape[:-2], *windows.counts), winner=winner)


@max_pool2d.backward
def _(g, winner, x_shape, kernel_size, stride, padding, dilation, ceil_mode):
    windows = _pooling(x_shape, kernel_size, stride, padding, dilation, ceil_mode)
    place = np.arange(math.prod(windows.size))[:, None]
    return windows.add(np.where(place == winner, g.reshape(winner.shape), 0))


@op(
    x=arr("... h w"),
    kernel_size=[2, 3],
    stride=[None, 1, 2],
    padding=[0, 1],
    ceil_mode=[False, True],
    count_include_pad=[True, False],
    divisor_override=[None, 3],
    batch="leading",
    linear=True,
)
def avg_pool2d(
    x, *, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """Sum of x in each window, divided by the number of its elements, or by divisor_override.

    x is (..., height, width). stride is kernel_size where it is None. The elements of the padding are zeros, and count
    with count_include_pad. With ceil_mode, windows may reach beyond the padding where they start before it; what
    lies there never counts.
    """
    x = np.asarray(x)
    windows = _pooling(x.shape, kernel_size, stride, padding, 1, ceil_mode)
    sums = windows.take(x).sum(axis=-2).reshape(*x.shape[:-2], *windows.counts)
    share = _share(windows, count_include_pad, divisor_override)
    return sums * share.astype(sums.dtype if sums.dtype.kind == "f" else float)


@avg_pool2d.backward
def _(g, x_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    windows = _pooling(x_shape, kernel_size, stride, padding, 1, ceil_mode)
    each = g * _share(windows, count_include_pad, divisor_override).astype(g.dtype)
    flat = each.reshape(*g.shape[:-2], 1, math.prod(windows.counts))
    return windows.add(np.repeat(flat, math.prod(windows.size), axis=-2))


def _pooling(x_shape, kernel_size, stride, padding, dilation, ceil_mode):
    if len(x_shape) < 2:
        raise ValueError(f"x should be (..., height, width), not {x_shape}")
    size, pad = each(kernel_size, "kernel_size", 2), each(padding, "padding", 2)
    if any(2 * a > b for a, b in zip(pad, size, strict=True)):
        raise ValueError(f"padding {padding} is more than half of kernel_size {kernel_size}")
    stride = size if stride is None else stride
    return Windows(x_shape[-2:], size, stride=stride, padding=pad, dilation=dilation, ceil_mode=ceil_mode)


def _share(windows, count_include_pad, divisor_override):
    """Return what each element of a window counts for, an array over the windows."""
    if divisor_override == 0:
        raise ValueError("divisor_override should not be 0: sums are divided by it")
    if divisor_override is not None:
        return np.asarray(1 / divisor_override)
    along = []
    for axis, count in enumerate(windows.counts):
        (before, after), length = windows.padding[axis], windows.shape[axis]
        starts = np.arange(count) * windows.stride[axis] - before
        ends = np.minimum(starts + windows.size[axis], length + after)
        along.append(ends - starts if count_include_pad else np.minimum(ends, length) - np.maximum(starts, 0))
    return 1 / np.multiply.outer(*along)


@op(x=arr("... h w"), output_size=[1, 2, 3, (2, 1), (None, 3)], batch="leading", linear=True)
def adaptive_avg_pool2d(x, *, output_size):
    """Mean of x over bins: bin i of n along an axis of size s runs from floor(i * s / n) to ceil((i + 1) * s / n).

    x is (..., height, width); output_size is a number, or one for each axis, None for the size of x.
    """
    x = np.asarray(x)
    for axis, count in zip((-2, -1), _output_sizes(x.shape, output_size), strict=True):
        starts, ends = _bins(x.shape[axis], count)
        sums = _sums(np.moveaxis(x, axis, -1), starts, ends)
        x = np.moveaxis(sums / (ends - starts).astype(sums.dtype if sums.dtype.kind == "f" else float), -1, axis)
    return x


@adaptive_avg_pool2d.backward
def _(g, x_shape, output_size):
    for axis, count in zip((-2, -1), _output_sizes(x_shape, output_size), strict=True):
        starts, ends = _bins(x_shape[axis], count)
        place = np.arange(x_shape[axis])
        inside = (starts[:, None] <= place) & (place < ends[:, None])
        share = (inside / (ends - starts)[:, None]).astype(g.dtype)
        g = np.moveaxis(np.moveaxis(g, axis, -1) @ share, -1, axis)
    return g


def _output_sizes(x_shape, output_size):
    if len(x_shape) < 2 or 0 in x_shape[-2:]:
        raise ValueError(f"x should be (..., height, width), with something to average, not {x_shape}")
    given = tuple(output_size) if np.ndim(output_size) else (output_size,) * 2
    if len(given) != 2:
        raise ValueError(f"output_size should be a number, or one for each of 2 axes, not {output_size!r}")
    sizes = [length if size is None else size for length, size in zip(x_shape[-2:], given, strict=True)]
    if min(each(sizes, "output_size", 2)) < 1:
        raise ValueError(f"output_size should be 1 or more, not {output_size}")
    return sizes


def _bins(length, count):
    numbers = np.arange(count + 1) * length
    return numbers[:-1] // count, -(-numbers[1:] // count)


def _sums(x, starts, ends):
    """Sum x over bins along its last axis, each bin alone: what isn't finite stays in its own bins."""
    ended = np.concatenate([x, np.zeros((*x.shape[:-1], 1), x.dtype)], axis=-1)
    return np.add.reduceat(ended, np.stack([starts, ends], axis=-1).ravel(), axis=-1)[..., ::2]


def _sample_pooling(dilated):
    def sample(rng):
        """Draw x without ties, and windows, steps and padding that go with it."""
        size = [2, 3, (2, 3), (3, 1)][rng.integers(4)]
        shape = (*[(), (3,), (2, 3)][rng.integers(3)], *map(int, rng.permutation([5, 6, 7])[:2]))
        attributes = {
            "kernel_size": size,
            "stride": [None, 1, 2, (1, 2)][rng.integers(4)],
            "padding": int(rng.integers(0, 1 + np.min(size) // 2)),
            "ceil_mode": bool(rng.integers(2)),
        }
        if dilated:
            attributes["dilation"] = [1, 2, (1, 2)][rng.integers(3)]
        count = math.prod(shape)
        distinct = rng.permutation(np.arange(count) - count / 2) + rng.uniform(-0.25, 0.25, count)
        return distinct.reshape(shape) * (4 / count), attributes

    return sample


max_pool2d.sample(_sample_pooling(dilated=True))
avg_pool2d.sample(_sample_pooling(dilated=False))
