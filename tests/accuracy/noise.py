"""Repeatable noise: numbers that look random and are a function of an array's bits."""

from __future__ import annotations

from typing import Any

import numpy as np


def hashed(x: Any, count: int) -> Any:
    """Return `count` numbers between -1 and 1 that depend on every bit of x and look random."""
    mixed = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        for word in np.ascontiguousarray(x, dtype=np.float64).view(np.uint64):
            mixed = _scrambled(mixed ^ word)
        words = _scrambled(mixed + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0xD1B54A32D192ED03))
    return words.astype(np.float64) / 2.0**63 - 1.0


def _scrambled(word: Any) -> Any:
    """Mix the bits of 64-bit words: the finaliser of SplitMix64."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
