"""Repeatable randomness: operators that use the global generators draw the same numbers again."""

from __future__ import annotations

import random
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import Execution
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.errors import ContractViolation

_FORWARD, _BACKWARD = 0x0F0F, 0xF0F0


class GlobalState:
    """The state of Python's and NumPy's global generators, and of PyTorch's where the user's code has imported it."""

    def __init__(self) -> None:
        self._python = random.getstate()
        self._numpy = np.random.get_state()
        self._torch = _torch_states()

    @classmethod
    def seeded(cls, seed: int) -> GlobalState:
        """Return the state after seeding all generators, leaving them as they are."""
        with restored():
            random.seed(seed)
            np.random.seed(seed)
            for generator in _torch_generators():
                generator.manual_seed(seed)
            return cls()

    @property
    def complete(self) -> bool:
        """Whether this holds the state of every generator that there is by now."""
        return len(self._torch) == len(_torch_generators())

    def restore(self) -> None:
        """Put all generators into this state."""
        random.setstate(self._python)
        np.random.set_state(self._numpy)
        for generator, state in zip(_torch_generators(), self._torch, strict=False):
            generator.set_state(state)

    def moved(self) -> bool:
        """Tell whether a generator has been used since this state."""
        now: Any = np.random.get_state()
        then: Any = self._numpy
        if random.getstate() != self._python or now[2:] != then[2:] or not np.array_equal(now[1], then[1]):
            return True
        return any(not _same(*pair) for pair in zip(_torch_states(), self._torch, strict=False))


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


def _same(a: Any, b: Any) -> bool:
    return bool((a == b).all())


@contextmanager
def restored() -> Iterator[None]:
    """Give the user's global generators back as they were."""
    state = GlobalState()
    try:
        yield
    finally:
        state.restore()


class SeededExecution(Execution):
    """Put the global generators into one state before every forward, into another before every backward.

    So a forward that draws from them is a function of its inputs, and a backward that draws its
    mask again instead of keeping it is caught. `users` names the operators that draw: given, only
    these pay for it, else everyone is watched, and those seen to draw are added. Broken contracts that
    are `allowed` don't raise, they are kept in `accepted`, each once.
    """

    def __init__(self, users: set[str] | None = None, allowed: Collection[str] = ()) -> None:
        self.users: set[str] = set(users or ())
        self._watching = users is None
        self.allowed = allowed
        self.accepted: dict[str, ContractViolation] = {}
        self._states = {seed: GlobalState.seeded(seed) for seed in (_FORWARD, _BACKWARD)}

    def violated(self, violation: ContractViolation) -> None:
        """Raise a violation, or note it if it is allowed."""
        if violation.finding not in self.allowed:
            raise violation
        self.accepted.setdefault(str(violation), violation)

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward from the one state."""
        with self._from(_FORWARD, operator):
            return super().forward(operator, arrays, attributes)

    def called(self, node: Node, rule: Rule, values: Sequence[Any]) -> Any:
        """Run a backward rule, or a jvp, from the other state."""
        with self._from(_BACKWARD, node.operator):
            return super().called(node, rule, values)

    @contextmanager
    def _from(self, seed: int, operator: Operator) -> Iterator[None]:
        if not self._watching and operator.name not in self.users:
            yield
            return
        if not self._states[seed].complete:  # PyTorch was imported, or began to use a GPU, meanwhile
            self._states[seed] = GlobalState.seeded(seed)
        state = self._states[seed]
        # Put back afterwards: code between operators that draws numbers mustn't become repeatable by that.
        with restored():
            state.restore()
            yield
            if self._watching and state.moved():
                self.users.add(operator.name)
