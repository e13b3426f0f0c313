"""Contract the changes of many perturbations with cotangents, and their noise with them: columns instead of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.numeric.noise import LARGEST, SMALLEST, Noise


class Weights:
    """Cotangents `u`, shape (C, outputs), and the noise of the outputs that they weight."""

    def __init__(self, cotangents: Sequence[Array], noise: Noise) -> None:
        self.u = np.array(cotangents, dtype=np.float64)
        self.noise = noise
        self.rounding = noise.epsilon * np.abs(self.u)
        self.level = np.abs(self.u) * np.where(noise.level > 0, noise.level, 0.0) if (noise.level > 0).any() else None

    def of(self, changes: Array, positions: Array | None, own: Array | None = None) -> WeightedChunk:
        """Gather what belongs to the outputs of a chunk (see `Chunk`).

        `own`, shape (rows, K), is the noise level of the outputs along each element, instead of one for all.
        """

        def gather(vector: Array) -> Array:
            return vector[:, None] if positions is None else vector.take(positions)

        u = [gather(row) for row in self.u]
        level = None if self.level is None else [gather(row) for row in self.level]
        if own is not None:
            level = [np.abs(row) * own for row in u] if own.any() else None
        return WeightedChunk(
            changes,
            self.u if positions is None else None,
            u,
            gather(self.noise.base),
            [gather(row) for row in self.rounding],
            level,
        )


class WeightedChunk(NamedTuple):
    """The changes of a chunk, shape (rows, S, K), cotangents and noise of its outputs, (rows, K) or (rows, 1).

    `matrix`, shape (C, rows), holds the cotangents where they are the same for all elements.
    """

    changes: Array
    matrix: Array | None
    u: Sequence[Array]
    base: Array
    rounding: Sequence[Array]
    level: Sequence[Array] | None

    def contracted(self) -> Array:
        """Return the change of sum(cotangent * output), shape (C, S, K)."""
        rows, steps, count = self.changes.shape
        if self.matrix is not None:
            joined = self.matrix @ self.changes.reshape(rows, steps * count)
            return np.asarray(joined).reshape(len(self.matrix), steps, count)
        return np.array([np.einsum("rk,rsk->sk", u, self.changes) for u in self.u])

    def noise(self, size: Array, felt: Array | None = None) -> Array:
        """Return the noise of sum(cotangent * output), shape (C, S, K), for outputs of magnitude `size` (rows, S, K).

        Only the outputs that are `felt`, shape (rows, K), add to it: one that keeps its bits adds no noise to a
        difference.
        """
        mask = None if felt is None or felt.all() else felt[:, None]
        growth = None
        if self.level is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                growth = np.fmax(1.0, size / np.abs(self.base)[:, None])
            growth = np.where(self.base[:, None] != 0, growth, 1.0)
        columns = []
        for number, rounding in enumerate(self.rounding):
            noise = _norms(rounding[:, None] * size, mask)
            if self.level is not None and growth is not None:
                noise = np.maximum(noise, _norms(self.level[number][:, None] * growth, mask))
            columns.append(noise)
        return np.array(columns)

    def norms(self, weights: Sequence[Array], felt: Array) -> Array:
        """Return the norm of each of `weights`, (rows, K) or (rows, 1), over the outputs felt, shape (C, K)."""
        return np.array([_norms(np.broadcast_to(weight, felt.shape), felt) for weight in weights])


def _norms(columns: Array, mask: Array | None) -> Array:
    """Return the Euclidean norm along the first axis, over what `mask` keeps, also of very large and small numbers."""
    kept = columns if mask is None else np.where(mask, columns, 0.0)
    if len(kept) == 1:
        return np.asarray(np.abs(kept[0]))
    norms = np.sqrt(np.einsum("r...,r...->...", kept, kept))
    if norms.size and norms.min() > SMALLEST and norms.max() < LARGEST:
        return np.asarray(norms)
    odd = ~((norms > SMALLEST) & (norms < LARGEST))
    if odd.any():
        entries = kept[:, odd]
        if not entries.any():  # as of what nothing reaches
            return np.asarray(norms)
        largest = np.max(np.abs(entries), axis=0, initial=0.0)
        scaled = entries / np.where(largest > 0, largest, 1.0)
        exact = largest * np.sqrt(np.sum(scaled * scaled, axis=0))
        norms[odd] = np.where(np.isfinite(largest), exact, largest)
    return np.asarray(norms)
