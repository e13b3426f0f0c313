"""The global generators of Python, NumPy and PyTorch: code draws from them, and they are given back as they were."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import string_at
from typing import Any

import numpy as np


class Generators:
    """The state of all global generators when this is made: PyTorch's where it is loaded, on GPUs of those in use."""

    __slots__ = ("_numpy", "_python", "_torch")  # a node may keep one, and arrays in it are none of the node's

    def __init__(self) -> None:
        self._python = random.getstate()
        self._numpy: Any = np.random.get_state()
        self._torch = _torch_states()

    @classmethod
    def from_seed(cls, seed: int) -> Generators:
        """Return the state after seeding all generators, leaving them as they are."""
        with seeded(seed):
            return cls()

    @property
    def complete(self) -> bool:
        """Whether this holds the state of every generator that there is by now."""
        return len(self._torch) == len(_torch_generators())

    @property
    def waiting(self) -> bool:
        """Whether a normal number waits in NumPy's state: they are drawn in pairs."""
        return bool(self._numpy[3])

    def restore(self) -> None:
        """Put all generators into this state."""
        random.setstate(self._python)
        np.random.set_state(self._numpy)
        for generator, state in zip(_torch_generators(), self._torch, strict=False):
            generator.set_state(state)

    def drop_waiting(self) -> None:
        """Put NumPy's generator into this state, without the normal number that waits there."""
        if self.waiting:
            np.random.set_state(self._numpy[:3])

    @contextmanager
    def again(self) -> Iterator[None]:
        """Draw from this state on inside the `with` block, and go on afterwards as if it had not been."""
        now = Generators()
        self.restore()
        try:
            yield
        finally:
            now.restore()

    def moved(self) -> bool:
        """Tell whether a generator has been used since this state."""
        now: Any = np.random.get_state()
        then = self._numpy
        if random.getstate() != self._python or now[2:] != then[2:] or not np.array_equal(now[1], then[1]):
            return True
        return not _alike(_torch_states(), self._torch)


@contextmanager
def restored() -> Iterator[None]:
    """Give the generators back as they were before the `with` block, inside of which no number waits in them."""
    state = Generators()
    state.drop_waiting()
    try:
        yield
    finally:
        state.restore()


@contextmanager
def seeded(seed: int = 0) -> Iterator[None]:
    """Draw from a seed on inside the `with` block, and go on afterwards as if it had not been."""
    with restored():
        random.seed(seed)
        np.random.seed(seed)
        for generator in _torch_generators():
            # Not torch.manual_seed, which would seed GPUs, too, once they are used.
            generator.manual_seed(seed)
        yield


class Mark:
    """Where the global generators stand: what changes with every number drawn, many times cheaper than their states.

    A normal number that `Generators.waiting` tells of can be taken unnoticed.
    """

    __slots__ = ("_numpy", "_python", "_torch")

    def __init__(self) -> None:
        self._numpy = _numpy_place()
        self._python = _python_place()
        self._torch = _torch_states()

    def moved(self) -> bool:
        """Tell whether a generator has been used since then."""
        return (
            _numpy_place() != self._numpy or _python_place() != self._python or not _alike(_torch_states(), self._torch)
        )


# A Mersenne Twister takes numbers from a block of 624 words, and makes a new block after the last one: the position
# in the block changes with every number, the words when the position could be the same again.
_BLOCK, _WORDS, _WORD = 624, 4, 4


def _numpy_place() -> Any:
    generator = np.random.get_bit_generator()  # type: ignore[attr-defined] # is missing in NumPy's stubs
    if type(generator) is not np.random.MT19937:  # put there by np.random.set_bit_generator
        return str(generator.state)
    address = generator.ctypes.state_address
    return string_at(address, _WORDS * _WORD), string_at(address + _BLOCK * _WORD, _WORD)


def _python_place() -> Any:
    _, words, normal = random.getstate()
    return words[-1], words[:_WORDS], normal


def _torch_generators() -> list[Any]:
    """Return PyTorch's global generators: the CPU's, and those of the GPUs that are in use. Never imports PyTorch."""
    torch = sys.modules.get("torch")
    main = getattr(torch, "default_generator", None)
    if torch is None or main is None:  # not imported, or not to its end
        return []
    cuda = getattr(torch, "cuda", None)
    return [main, *(cuda.default_generators if cuda is not None and cuda.is_initialized() else ())]


def _torch_states() -> list[Any]:
    return [generator.get_state() for generator in _torch_generators()]


def _alike(states: list[Any], others: list[Any]) -> bool:
    """Tell whether generators are in the same states, as far as both lists know them."""
    return all(bool((a == b).all()) for a, b in zip(states, others, strict=False))
