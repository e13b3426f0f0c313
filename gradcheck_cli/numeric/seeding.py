"""Repeatable randomness: operators that use the global generators draw the same numbers again."""

from __future__ import annotations

import random
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
    """The state of Python's and NumPy's global generators."""

    def __init__(self) -> None:
        self._python = random.getstate()
        self._numpy = np.random.get_state()

    @classmethod
    def seeded(cls, seed: int) -> GlobalState:
        """Return the state after seeding both generators, leaving them as they are."""
        with restored():
            random.seed(seed)
            np.random.seed(seed)
            return cls()

    def restore(self) -> None:
        """Put both generators into this state."""
        random.setstate(self._python)
        np.random.set_state(self._numpy)

    def moved(self) -> bool:
        """Tell whether either generator has been used since this state."""
        now: Any = np.random.get_state()
        then: Any = self._numpy
        return random.getstate() != self._python or now[2:] != then[2:] or not np.array_equal(now[1], then[1])


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
        self._forward_state = GlobalState.seeded(_FORWARD)
        self._backward_state = GlobalState.seeded(_BACKWARD)

    def violated(self, violation: ContractViolation) -> None:
        """Raise a violation, or note it if it is allowed."""
        if violation.finding not in self.allowed:
            raise violation
        self.accepted.setdefault(str(violation), violation)

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward from the one state."""
        with self._from(self._forward_state, operator):
            return super().forward(operator, arrays, attributes)

    def rule(self, node: Node, rule: Rule, values: Sequence[Any]) -> dict[int, Array]:
        """Run a backward rule from the other state."""
        with self._from(self._backward_state, node.operator):
            return super().rule(node, rule, values)

    @contextmanager
    def _from(self, state: GlobalState, operator: Operator) -> Iterator[None]:
        if not self._watching and operator.name not in self.users:
            yield
            return
        # Put back afterwards: code between operators that draws numbers mustn't become repeatable by that.
        with restored():
            state.restore()
            yield
            if self._watching and state.moved():
                self.users.add(operator.name)
