"""An array of any rank as a picture of limited size: axes folded into rows and columns, elements into blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gradcheck_cli.core.arrays import Array

MOST_ROWS, MOST_COLUMNS = 24, 40


@dataclass(frozen=True)
class Side:
    """What runs along one side of the picture: which axes of the array, and how many elements of them."""

    axes: tuple[int, ...]
    sizes: tuple[int, ...]
    block: int = 1

    @property
    def length(self) -> int:
        """How many elements lie along the side."""
        return math.prod(self.sizes)

    @property
    def name(self) -> str:
        """Name the axes: `axis 1`, `axes 1, 2, 3 folded`; empty for none."""
        if len(self.axes) > 1:
            return f"axes {', '.join(map(str, self.axes))} folded"
        return f"axis {self.axes[0]}" if self.axes else ""


@dataclass(frozen=True)
class Folded:
    """The cells of a picture, nan where nothing is known, and what runs along their sides.

    `wrapped` is the number of cells in a row where one axis is read in several rows as a text is, else 0; then the
    last row's cells from `cells` on stand for nothing.
    """

    values: Array
    rows: Side
    columns: Side
    wrapped: int = 0
    cells: int = 0

    def cell(self, index: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, int]:
        """Return the row and the column of the cell that holds the element `index` of the array."""
        flat = int(np.ravel_multi_index(index, shape))
        if self.wrapped:
            row, column = divmod(flat // self.columns.block, self.wrapped)
            return row, column
        row, column = divmod(flat, max(1, self.columns.length))
        return row // self.rows.block, column // self.columns.block


def fold(array: Array) -> Folded:
    """Fold an array with at least one element into at most MOST_ROWS x MOST_COLUMNS cells.

    A cell is the largest of its block of elements that are known.
    """
    axes = tuple(axis for axis, size in enumerate(array.shape) if size > 1)
    if len(axes) < 2:
        return _one_axis(array.reshape(-1), axes)
    sizes = tuple(int(array.shape[axis]) for axis in axes)
    split = min(range(1, len(axes)), key=lambda at: abs(math.log(math.prod(sizes[:at]) / math.prod(sizes[at:]))))
    rows, columns = Side(axes[:split], sizes[:split]), Side(axes[split:], sizes[split:])
    across, down = _block(columns.length, MOST_COLUMNS), _block(rows.length, MOST_ROWS)
    values = _reduced(array.reshape(rows.length, columns.length), down, across)
    return Folded(values, Side(rows.axes, rows.sizes, down), Side(columns.axes, columns.sizes, across))


def _one_axis(array: Array, axes: tuple[int, ...]) -> Folded:
    """Fold a vector into rows of equal length if it is longer than one."""
    length = int(array.size)
    block = _block(length, MOST_ROWS * MOST_COLUMNS)
    values = _reduced(array.reshape(1, length), 1, block)
    cells = int(values.size)
    side = Side(axes, (length,), block)
    if cells <= MOST_COLUMNS:
        return Folded(values, Side((), ()), side)
    wide = math.ceil(cells / math.ceil(cells / MOST_COLUMNS))
    padded = np.full(math.ceil(cells / wide) * wide, np.nan)
    padded[:cells] = values[0]
    return Folded(padded.reshape(-1, wide), Side((), ()), side, wide, cells)


def _block(length: int, most: int) -> int:
    return max(1, math.ceil(length / most))


def _reduced(array: Array, down: int, across: int) -> Array:
    """Return the largest of each block of `down` x `across` elements; nan where all of them are."""
    rows, columns = array.shape
    if (down, across) == (1, 1):
        return np.asarray(array, dtype=float)
    padded = np.full((math.ceil(rows / down) * down, math.ceil(columns / across) * across), np.nan)
    padded[:rows, :columns] = array
    blocks = padded.reshape(padded.shape[0] // down, down, padded.shape[1] // across, across)
    return np.asarray(np.fmax.reduce(np.fmax.reduce(blocks, axis=3), axis=1))
