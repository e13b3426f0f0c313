"""The global generators of Python and NumPy: code draws from them, and they are given back as they were."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


class Generators:
    """The state of both global generators at the time when this is made."""

    __slots__ = ("_numpy", "_python")  # a node may keep one, and arrays in it are none of the node's

    def __init__(self) -> None:
        self._python = random.getstate()
        self._numpy = np.random.get_state()

    @contextmanager
    def again(self) -> Iterator[None]:
        """Draw from this state on inside the `with` block, and go on afterwards as if it had not been."""
        now = Generators()
        self._restore()
        try:
            yield
        finally:
            now._restore()

    def moved(self) -> bool:
        """Tell whether numbers were drawn since then."""
        then, now = self._numpy, np.random.get_state()
        position = slice(2, None)
        same = then[position] == now[position] and np.array_equal(then[1], now[1])  # type: ignore[index]
        return not same or random.getstate() != self._python

    def _restore(self) -> None:
        random.setstate(self._python)
        np.random.set_state(self._numpy)


@contextmanager
def seeded(seed: int = 0) -> Iterator[None]:
    """Draw from a seed on inside the `with` block, so that weights are the same in every run."""
    with Generators().again():
        random.seed(seed)
        np.random.seed(seed)
        yield
