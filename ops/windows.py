"""Windows that slide over the trailing axes of an array, and their adjoint."""

import math

import numpy as np


def each(value, name, count):
    """Return one whole number for each of `count` axes. Raises ValueError for another number of them."""
    numbers = (value,) * count if np.ndim(value) == 0 else tuple(value)
    if len(numbers) != count or not all(isinstance(number, int | np.integer) for number in numbers):
        raise ValueError(f"{name} should be a whole number, or one for each of {count} axes, not {value!r}")
    return numbers


class Windows:
    """Windows of `size` over arrays whose trailing axes have `shape`, padded by `padding` in front and behind.

    `counts` says how many windows lie along each axis; `ceil_mode` takes in those that reach beyond the padding,
    as long as they start before it. `padding` may also be "valid" (none) or "same", which keeps the sizes at stride 1.
    Raises ValueError where no window fits.
    """

    def __init__(self, shape, size, *, stride=1, padding=0, dilation=1, ceil_mode=False, counts=None):
        axes = len(shape)
        self.shape, self.size = tuple(shape), tuple(size)
        self.stride, self.dilation = each(stride, "stride", axes), each(dilation, "dilation", axes)
        if min((*self.size, *self.stride, *self.dilation), default=1) < 1:
            given = f"windows of size {self.size}, stride {self.stride} and dilation {self.dilation}"
            raise ValueError(f"{given}: all should be 1 or more")
        self.spans = tuple(step * (width - 1) + 1 for step, width in zip(self.dilation, self.size, strict=True))
        self.padding = self._padding(padding)
        free = [
            length + before + after - span
            for length, (before, after), span in zip(self.shape, self.padding, self.spans, strict=True)
        ]
        self.counts = counts or tuple(self._count(room, axis, ceil_mode) for axis, room in enumerate(free))
        if min(self.counts, default=1) < 1:
            raise ValueError(f"windows that reach over {self.spans} don't fit into {self.shape}, padded: {padding!r}")

    def _padding(self, padding):
        if padding == "same":
            if self.stride != (1,) * len(self.shape):
                raise ValueError("padding='same' needs a stride of 1")
            return tuple(((span - 1) // 2, span - 1 - (span - 1) // 2) for span in self.spans)
        sizes = each(0 if padding == "valid" else padding, "padding", len(self.shape))
        if min(sizes, default=0) < 0:
            raise ValueError(f"padding should be 0 or more, not {padding!r}")
        return tuple((size, size) for size in sizes)

    def _count(self, free, axis, ceil_mode):
        stride = self.stride[axis]
        if not ceil_mode:
            return free // stride + 1
        count = -(-free // stride) + 1
        return count - ((count - 1) * stride >= self.shape[axis] + self.padding[axis][0])

    @property
    def _extent(self):
        """Sizes that hold the padded array and all windows."""
        ends = zip(self.shape, self.padding, self.counts, self.stride, self.spans, strict=True)
        return tuple(
            max(length + before + after, (count - 1) * stride + span)
            for length, (before, after), count, stride, span in ends
        )

    @property
    def _inner(self):
        return (
            ...,
            *(slice(before, before + length) for length, (before, _) in zip(self.shape, self.padding, strict=True)),
        )

    def _view(self, padded):
        """Return (..., windows along each axis, elements of a window along each axis), without copying."""
        axes = len(self.shape)
        view = np.lib.stride_tricks.sliding_window_view(padded, self.spans, tuple(range(-axes, 0)))
        starts = [
            slice(0, (count - 1) * stride + 1, stride) for count, stride in zip(self.counts, self.stride, strict=True)
        ]
        return view[(..., *starts, *(slice(None, None, step) for step in self.dilation))]

    def take(self, x, fill=0):
        """Return the windows of x, shape (..., elements of a window, windows); `fill` stands outside of x."""
        leading, axes = x.shape[: x.ndim - len(self.shape)], len(self.shape)
        padded = np.full((*leading, *self._extent), fill, x.dtype)
        padded[self._inner] = x
        view = np.moveaxis(self._view(padded), tuple(range(-axes, 0)), tuple(range(-2 * axes, -axes)))
        return view.reshape(*leading, math.prod(self.size), math.prod(self.counts))

    def add(self, values):
        """Sum what windows hold, shape (..., elements of a window, windows), where they lie: the adjoint of `take`."""
        leading, size = values.shape[:-2], math.prod(self._extent)
        axes = len(self.shape)
        view = self._view(np.arange(size).reshape(self._extent))
        places = np.moveaxis(view, tuple(range(-axes, 0)), tuple(range(axes))).reshape(values.shape[-2:])
        planes = math.prod(leading)
        flat = (size * np.arange(planes)[:, None, None] + places).ravel()
        summed = np.bincount(flat, values.ravel(), planes * size).reshape(*leading, *self._extent)
        return summed[self._inner].astype(values.dtype)
