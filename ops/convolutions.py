"""Convolutions, as in torch.nn.functional: products of the weights with windows of the input, and their adjoint.

A convolution is linear in the input and in the weights, so its gradients are made of the same three functions: from an
image to the positions of windows, back, and from both to the weights. A transposed convolution goes back.
"""

import math

import numpy as np

from gradcheck_cli import arr, op

from .windows import Windows, each

_AFFINE = {"batch": "leading", "linear": "x weight bias"}
_CONVOLUTION = {"stride": [1, 2], "padding": [0, 1, "same"], "dilation": [1, 2], "groups": [1, 2], **_AFFINE}


@op(
    x=arr("... c l"),
    weight=arr("m c k"),
    bias=arr("m"),
    **_CONVOLUTION,
)
def conv1d(x, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
    """bias[m] + sum of weight[m, c, k] * x[c, stride * p + dilation * k - padding] over c and k, at each p.

    x is (..., channels, length), weight (out, channels / groups, width): each group of outputs sees its own group of
    channels. padding is a number, "valid" or "same".
    """
    return _convolved(x, weight, bias, (stride, padding, dilation, groups), 1)


@op(
    x=arr("... c h w"),
    weight=arr("m c kh kw"),
    bias=arr("m"),
    **_CONVOLUTION,
)
def conv2d(x, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
    """bias[m] + sum of weight[m, c, k] * x[c, stride * p + dilation * k - padding] over c and k, p and k pairs.

    x is (..., channels, height, width), weight (out, channels / groups, height, width): each group of outputs sees its
    own group of channels. stride, padding and dilation are a number or one for each axis; padding may be "valid" or
    "same".
    """
    return _convolved(x, weight, bias, (stride, padding, dilation, groups), 2)


def _gradient_of_input(g, weight, x_shape, stride, padding, dilation, groups):
    return _to_image(_windows(x_shape, weight.shape, stride, padding, dilation), weight, g, groups)


def _gradient_of_weight(g, x, weight_shape, stride, padding, dilation, groups):
    return _to_weight(_windows(x.shape, weight_shape, stride, padding, dilation), weight_shape, x, g, groups)


def _gradient_of_bias(g, weight_shape):
    channel = g.ndim - len(weight_shape) + 1
    return g.sum(axis=tuple(axis for axis in range(g.ndim) if axis != channel))


for _operator in (conv1d, conv2d):
    _operator.backward("x")(_gradient_of_input)
    _operator.backward("weight")(_gradient_of_weight)
    _operator.backward("bias")(_gradient_of_bias)


@op(
    x=arr("... c h w"),
    weight=arr("c m kh kw"),
    bias=arr("m"),
    stride=[1, 2],
    padding=[0, 1],
    output_padding=[0, 1],
    groups=[1, 2],
    dilation=[1, 2],
    **_AFFINE,
)
def conv_transpose2d(x, weight, bias=None, *, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """bias[m] + sum of weight[c, m, k] * x[c, p] over c, k and p, at stride * p + dilation * k - padding.

    The adjoint of conv2d. x is (..., channels, height, width), weight (channels, out / groups, height, width).
    output_padding adds as much to the far end of the output, and is less than stride or dilation.
    """
    windows = _transposed_windows(np.shape(x), np.shape(weight), stride, padding, output_padding, dilation)
    _check_channels(np.shape(x)[-3], np.shape(weight)[0], np.shape(weight)[1] * groups, bias, groups)
    return _with_bias(_to_image(windows, np.asarray(weight), np.asarray(x), groups), bias, 2)


@conv_transpose2d.backward("x")
def _(g, weight, x_shape, stride, padding, output_padding, groups, dilation):
    windows = _transposed_windows(x_shape, weight.shape, stride, padding, output_padding, dilation)
    return _to_positions(windows, weight, g, groups)


@conv_transpose2d.backward("weight")
def _(g, x, weight_shape, stride, padding, output_padding, groups, dilation):
    windows = _transposed_windows(x.shape, weight_shape, stride, padding, output_padding, dilation)
    return _to_weight(windows, weight_shape, g, x, groups)


@conv_transpose2d.backward("bias")
def _(g):
    return g.sum(axis=(*range(g.ndim - 3), g.ndim - 2, g.ndim - 1))


def _windows(image, weight, stride, padding, dilation):
    """Lay windows of the shape `weight` over the trailing axes of the shape `image`."""
    axes = len(weight) - 2
    if len(image) < axes + 1:
        raise ValueError(f"x should have {axes + 1} axes or more (channels first), not the shape {image}")
    return Windows(image[len(image) - axes :], weight[2:], stride=stride, padding=padding, dilation=dilation)


def _transposed_windows(x, weight, stride, padding, output_padding, dilation):
    """Lay windows over the output of a transposed convolution, as many along each axis as x has places."""
    if len(weight) != 4 or len(x) < 3:
        raise ValueError(f"x should be (..., channels, height, width), weight (channels, out, height, width): {weight}")
    steps = [each(value, "stride, dilation and padding", 2) for value in (stride, dilation, padding, output_padding)]
    shape = []
    for length, width, step, gap, pad, more in zip(x[-2:], weight[2:], *steps, strict=True):
        if min(step, gap) < 1:
            raise ValueError(f"stride and dilation should be 1 or more, not {stride} and {dilation}")
        if not 0 <= more < max(step, gap):
            raise ValueError(f"output_padding should be less than stride or dilation, not {output_padding}")
        shape.append((length - 1) * step - 2 * pad + gap * (width - 1) + more + 1)
    if min(*shape, *x[-2:]) < 1:
        raise ValueError(
            f"an output of the sizes {tuple(shape)} is made of sizes {tuple(x[-2:])}: all should be 1 or more"
        )
    return Windows(shape, weight[2:], stride=stride, padding=padding, dilation=dilation, counts=tuple(x[-2:]))


def _convolved(x, weight, bias, attributes, axes):
    x, weight = np.asarray(x), np.asarray(weight)
    if weight.ndim != axes + 2:
        raise ValueError(f"weight should have {axes + 2} axes, (out, channels, ...), not the shape {weight.shape}")
    *steps, groups = attributes
    windows = _windows(x.shape, weight.shape, *steps)
    channels = x.shape[x.ndim - weight.ndim + 1]
    _check_channels(channels, weight.shape[1] * groups, weight.shape[0], bias, groups)
    return _with_bias(_to_positions(windows, weight, x, groups), bias, weight.ndim - 2)


def _check_channels(given, taken, made, bias, groups):
    if not isinstance(groups, int | np.integer) or groups < 1:
        raise ValueError(f"groups should be a whole number, 1 or more, not {groups!r}")
    if given != taken or made % groups or given % groups:
        raise ValueError(f"x has {given} channels, weight takes {taken} and makes {made}, in {groups} groups")
    if bias is not None and np.shape(bias) != (made,):
        raise ValueError(f"bias should be ({made},), not {np.shape(bias)}")


def _with_bias(image, bias, axes):
    return image if bias is None else image + np.reshape(bias, (-1, *(1,) * axes))


# Below, an image has (..., inner channels, *sizes), positions (..., outer channels, *counts), and the weights have
# (outer channels, inner channels / groups, *size of a window).


def _to_positions(windows, weight, image, groups):
    columns = _columns(windows, image, groups)
    values = _rows(weight, groups) @ columns
    return values.reshape(*columns.shape[:-3], weight.shape[0], *windows.counts)


def _to_image(windows, weight, positions, groups):
    values = np.swapaxes(_rows(weight, groups), -1, -2) @ _grouped(windows, positions, groups)
    inner = weight.shape[1] * groups
    return windows.add(values.reshape(*values.shape[:-3], inner, math.prod(windows.size), math.prod(windows.counts)))


def _to_weight(windows, weight_shape, image, positions, groups):
    columns, outer = _columns(windows, image, groups), _grouped(windows, positions, groups)
    values = outer @ np.swapaxes(columns, -1, -2)
    return values.sum(axis=tuple(range(values.ndim - 3))).reshape(weight_shape)


def _rows(weight, groups):
    return weight.reshape(groups, weight.shape[0] // groups, math.prod(weight.shape[1:]))


def _columns(windows, image, groups):
    taken = windows.take(image)
    *leading, channels, size, count = taken.shape
    return taken.reshape(*leading, groups, channels // groups * size, count)


def _grouped(windows, positions, groups):
    *leading, channels = positions.shape[: positions.ndim - len(windows.counts)]
    return positions.reshape(*leading, groups, channels // groups, math.prod(windows.counts))


def _sizes(rng, axes):
    """Draw shapes of x and weight, and attributes that go with them."""
    groups, leading = int(rng.integers(1, 3)), [(2,), (), (2, 1)][rng.integers(3)]
    lengths, widths = rng.permutation([5, 6, 7])[:axes], rng.integers(1, 4, axes)
    inner, outer = 4 // groups, int(rng.choice([2, 6]))
    return groups, (*leading, 4, *map(int, lengths)), (outer, inner, *map(int, widths))


def _steps(rng, axes, low, high):
    """Draw one number, or as often one for each axis."""
    numbers = tuple(map(int, rng.integers(low, high, axes)))
    return numbers[0] if rng.random() < 0.5 else numbers


def _sample_convolution(axes):
    def sample(rng):
        """Draw channels in one or two groups, and numbers or one for each axis as stride, padding and dilation."""
        groups, x, weight = _sizes(rng, axes)
        stride, dilation = _steps(rng, axes, 1, 3), _steps(rng, axes, 1, 3)
        padding = [0, 1, "same", _steps(rng, axes, 0, 3)][rng.integers(4)]
        stride = 1 if padding == "same" else stride
        bias = rng.standard_normal(weight[0]) if rng.random() < 0.8 else None
        return (
            rng.standard_normal(x),
            rng.standard_normal(weight),
            bias,
            {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups},
        )

    return sample


conv1d.sample(_sample_convolution(1))
conv2d.sample(_sample_convolution(2))


@conv_transpose2d.sample
def _(rng):
    """Draw channels in one or two groups, and numbers or one for each axis as stride, padding and dilation."""
    groups, x, (outer, _, *widths) = _sizes(rng, 2)
    stride, dilation, padding = _steps(rng, 2, 1, 3), _steps(rng, 2, 1, 3), _steps(rng, 2, 0, 2)
    more = int(rng.integers(0, np.min(np.maximum(stride, dilation))))  # below the larger of both, along each axis
    weight = rng.standard_normal((4, outer // groups, *widths))
    bias = rng.standard_normal(outer // groups * groups)
    return (
        rng.standard_normal(x),
        weight,
        bias if rng.random() < 0.8 else None,
        {"stride": stride, "padding": padding, "output_padding": more, "groups": groups, "dilation": dilation},
    )
