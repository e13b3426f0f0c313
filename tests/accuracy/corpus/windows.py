"""Windows over arrays: convolution, pooling, padding, interpolation."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import normal
from tests.accuracy.corpus.record import correct, wrong

STRIDE, PAD, DILATION, GROUPS = 2, 1, 2, 2


def taps(w):
    """List group, row and column of every weight tap of a grouped convolution."""
    return [(q, i, j) for q in range(GROUPS) for i in range(w.shape[2]) for j in range(w.shape[3])]


def seen_by_tap(i, j, rows, columns, stride=STRIDE):
    """Return the slices of the padded input that tap (i, j) meets."""
    top, left = i * DILATION, j * DILATION
    return slice(top, top + stride * (rows - 1) + 1, stride), slice(left, left + stride * (columns - 1) + 1, stride)


def conv2d(x, w):
    per_group, wide = w.shape[1], w.shape[0] // GROUPS
    padded = np.pad(x, ((0, 0), (0, 0), (PAD, PAD), (PAD, PAD)))
    rows, columns = (
        (size + 2 * PAD - DILATION * (kernel - 1) - 1) // STRIDE + 1
        for size, kernel in zip(x.shape[2:], w.shape[2:], strict=True)
    )
    out = np.zeros((x.shape[0], w.shape[0], rows, columns), dtype=np.result_type(x, w))
    for q, i, j in taps(w):
        y, v = seen_by_tap(i, j, rows, columns)
        patch = padded[:, q * per_group : (q + 1) * per_group, y, v]
        filters = slice(q * wide, (q + 1) * wide)
        out[:, filters] += np.einsum("ncyx,oc->noyx", patch, w[filters, :, i, j])
    return out


def conv2d_backward(g, out, x, w, group_shift=0, stride=STRIDE):
    """Differentiate `conv2d`: `group_shift` and `stride` plant mistakes."""
    per_group, wide = w.shape[1], w.shape[0] // GROUPS
    padded = np.pad(x, ((0, 0), (0, 0), (PAD, PAD), (PAD, PAD)))
    gx, gw = np.zeros_like(padded), np.zeros_like(w)
    for q, i, j in taps(w):
        filters = slice(q * wide, (q + 1) * wide)
        seen = (q + group_shift) % GROUPS
        y, v = seen_by_tap(i, j, *g.shape[2:])
        patch = padded[:, seen * per_group : (seen + 1) * per_group, y, v]
        gw[filters, :, i, j] = np.einsum("ncyx,noyx->oc", patch, g[:, filters])
        y, v = seen_by_tap(i, j, *g.shape[2:], stride=stride)
        back = np.einsum("noyx,oc->ncyx", g[:, filters], w[filters, :, i, j])
        gx[:, q * per_group : (q + 1) * per_group, y, v] += back
    return gx[:, :, PAD:-PAD, PAD:-PAD], gw


image_and_filters = normal((1, 2, 6, 5), (4, 1, 2, 2))


def average_pool_ceil(x):
    return np.stack([x[0:2].mean(), x[2:4].mean(), x[4:5].mean()])


def average_pool_ceil_backward(g, out, x):
    return (np.array([g[0] / 2, g[0] / 2, g[1] / 2, g[1] / 2, g[2]]),)


REFLECTED = np.array([2, 1, 0, 1, 2, 1, 0])


def exclusive_reflection_backward(g, out, x):
    gx = g[2:5].copy()
    for i in range(3):
        left, right = 2 - i, 6 - i
        if i > 0 and left < 2:
            gx[i] += g[left]
        elif i < 2 and right > 4:
            gx[i] += g[right]
    return (gx,)


POSITIONS = np.arange(10) * (1.0 / 9.0)
UPSAMPLE = np.stack([1 - POSITIONS, POSITIONS], axis=1)


def narrow_upsample_backward(g, out, x):
    window = UPSAMPLE.copy()
    window[6:, 0] = 0.0
    window[:4, 1] = 0.0
    return (window.T @ g,)


def cell_of(image, t):
    """Return the index of the cell that holds coordinate t, and the place in it from 0 to 1."""
    inside = np.clip(t, 0.0, image.size - 1.0)
    i = np.minimum(np.floor(inside).astype(int), image.size - 2)
    return i, inside - i


def sample_line(image, t):
    i, f = cell_of(image, t)
    return image[i] * (1 - f) + image[i + 1] * f


def sample_line_backward(g, out, image, t):
    i, f = cell_of(image, t)
    g_image = np.zeros_like(image)
    np.add.at(g_image, i, g * (1 - f))
    np.add.at(g_image, i + 1, g * f)
    return g_image, g * (image[i + 1] - image[i]) * ((t > 0) & (t < image.size - 1))


OPERATORS = (
    wrong(
        "conv2d_weight_gradient_wrong_group",
        conv2d,
        lambda g, out, x, w: conv2d_backward(g, out, x, w, group_shift=1),
        image_and_filters,
        "weight gradient pairs each filter with another group's input",
        "right for one group; input gradient is right",
        source="pytorch/pytorch#51430",
    ),
    wrong(
        "conv2d_stride_ignored_in_dx",
        conv2d,
        lambda g, out, x, w: conv2d_backward(g, out, x, w, stride=1),
        image_and_filters,
        "window positions not multiplied by the stride",
        "right for stride 1",
        source="enggen/Deep-Learning-Coursera#7",
    ),
    correct(
        "avg_pool_ceil_mode",
        average_pool_ceil,
        average_pool_ceil_backward,
        normal((5,)),
        "control: last window has one element",
        source="tracel-ai/burn#5604",
    ),
    wrong(
        "reflection_pad_else_if",
        lambda x: x[REFLECTED],
        exclusive_reflection_backward,
        normal((3,)),
        "left and right reflections treated as exclusive",
        "one element of three; right for longer arrays",
        source="intel/torch-xpu-ops#2901",
    ),
    wrong(
        "linear_upsample_window_too_narrow",
        lambda x: UPSAMPLE @ x,
        narrow_upsample_backward,
        normal((2,)),
        "gather window sized for the other alignment drops distant contributions",
        "right for small ratios",
        source="flagos-ai/FlagGems#5218",
    ),
    correct(
        "grid_sample_border_mode",
        sample_line,
        sample_line_backward,
        lambda rng: (rng.standard_normal(5), np.array([0.3, 3.7, -1.2, 6.5, 2.4, 2.6])),
        "two coordinates outside: their gradient is exactly zero",
        source="pytorch/pytorch#23925",
    ),
)
