"""Repeatable randomness: operators that use the global generators draw the same numbers again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import Execution
from gradcheck_cli.core.generators import Generators, Mark
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.errors import ContractViolation

_FORWARD, _BACKWARD = 0x0F0F, 0xF0F0

_Result = TypeVar("_Result")


class SeededExecution(Execution):
    """Put the global generators into one state before every forward, into another before every backward.

    So a forward that draws from them is a function of its inputs, and a backward that draws its
    mask again instead of keeping it is caught. `users` names the operators that draw: given, only
    these pay for it, else everyone is watched, and those seen to draw are added. What is watched is called where
    the generators stand, and called again from the state if they moved: most operators draw nothing, and
    looking costs far less than setting a state. Broken contracts that
    are `allowed` don't raise, they are kept in `accepted`, each once.
    """

    def __init__(self, users: set[str] | None = None, allowed: Collection[str] = ()) -> None:
        self.users: set[str] = set(users or ())
        self._watching = users is None
        self.allowed = allowed
        self.accepted: dict[str, ContractViolation] = {}
        self._states: dict[int, Generators] = {}
        self._between: tuple[Generators, Mark] | None = None

    def violated(self, violation: ContractViolation) -> None:
        """Raise a violation, or note it if it is allowed."""
        if violation.finding not in self.allowed:
            raise violation
        self.accepted.setdefault(str(violation), violation)

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward from the one state."""
        if not self._watching and operator.name not in self.users:
            return super().forward(operator, arrays, attributes)
        run = super().forward
        return self._from(_FORWARD, operator, lambda: run(operator, arrays, attributes))

    def called(self, node: Node, rule: Rule, values: Sequence[Any]) -> Any:
        """Run a backward rule, or a jvp, from the other state."""
        if not self._watching and node.operator.name not in self.users:
            return super().called(node, rule, values)
        run = super().called
        return self._from(_BACKWARD, node.operator, lambda: run(node, rule, values))

    def _from(self, seed: int, operator: Operator, call: Callable[[], _Result]) -> _Result:
        """Return what a call returns that draws from one state, if it draws at all."""
        if operator.name not in self.users:
            before, mark = self._now()
            if not before.waiting:  # else a number could be taken unnoticed
                try:
                    returned = call()
                finally:
                    drawn = mark.moved()
                    if drawn:
                        before.restore()
                if not drawn:
                    return returned
                self.users.add(operator.name)
        state = self._states.get(seed)
        if state is None or not state.complete:  # PyTorch was imported, or began to use a GPU, meanwhile
            state = self._states[seed] = Generators.from_seed(seed)
        # Put back afterwards: code between operators that draws numbers mustn't become repeatable by that.
        with state.again():
            returned = call()
            if self._watching and state.moved():
                self.users.add(operator.name)
        return returned

    def _now(self) -> tuple[Generators, Mark]:
        """Return the state of the generators and its mark: those known, unless code between operators drew numbers."""
        if self._between is None or not self._between[0].complete or self._between[1].moved():
            self._between = Generators(), Mark()
        return self._between
