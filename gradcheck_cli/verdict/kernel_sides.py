"""A kernel and its reference, evaluated at the same arguments: outputs, and gradients for the same cotangents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import Execution, using
from gradcheck_cli.core.jvp import Application
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.returned import WITHOUT_GRADIENT
from gradcheck_cli.core.sweep import sweep
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.numeric.seeding import SeededExecution

Change: TypeAlias = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Arguments:
    """Operands by position, attributes by name, and sets of cotangents, one for each output (None: it has none)."""

    operands: tuple[Any, ...]
    attributes: Mapping[str, Any]
    cotangents: tuple[tuple[Array | None, ...], ...] = ()

    def changed(self, change: Change, number: Callable[[float], float] | None = None) -> Arguments:
        """Return arguments with every floating-point array changed, and by `number` the floats among the attributes."""

        def each(value: Any) -> Any:
            return change(value) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value

        attributes = {
            name: number(value) if number is not None and isinstance(value, float) else value
            for name, value in self.attributes.items()
        }
        cotangents = tuple(tuple(map(each, one)) for one in self.cotangents)
        return Arguments(tuple(map(each, self.operands)), attributes, cotangents)


@dataclass(frozen=True)
class Quantity:
    """What both sides compute: output number `position`, or the gradient of that operand under a set of cotangents."""

    position: int
    cotangents: int | None = None


Results: TypeAlias = Mapping[Quantity, Array]


class Sides:
    """The two sides of one application, compared in the gradients that its node needs."""

    def __init__(self, application: Application) -> None:
        assert application.operator.kernel is not None
        self.reference = application.operator
        self.kernel = application.operator.kernel
        self._execution = _Noting()
        self._needed = [slot for slot, parent in enumerate(application.node.parents) if parent is not None]

    @property
    def without_gradient(self) -> frozenset[int]:
        """The positions of outputs that one of the sides, evaluated so far, declares to have no gradient."""
        return frozenset(self._execution.without_gradient)

    @property
    def draws(self) -> bool:
        """Whether one of the sides draws from the global random generators."""
        return bool(self._execution.users)

    def reference_at(self, arguments: Arguments) -> Results:
        """Evaluate the reference. Raises what its functions raise."""
        return self._evaluate(self.reference.apply, arguments, self._needed, self._execution)

    def kernel_at(self, arguments: Arguments, execution: Execution | None = None) -> Results:
        """Evaluate the kernel, by an `execution` of its own if that is given. Raises what its functions raise."""
        known = {item.name for item in self.kernel.inputs}
        by_position = any(item.variadic for item in self.reference.inputs) or not self._names_agree()
        differentiable = [s for s in self._needed if by_position or self.reference.slot_name(s) in known]

        def apply(operands: Sequence[Any], attributes: dict[str, Any]) -> Any:
            if by_position:
                return self.kernel.apply(*self.kernel.bind(operands, attributes))
            named = {self.reference.slot_name(slot): value for slot, value in enumerate(operands)}
            given = {
                name: value if name in known or not isinstance(value, np.ndarray) or value.ndim else value.item()
                for name, value in named.items()
                if value is not None
            }
            return self.kernel.apply(*self.kernel.bind((), given | attributes))

        return self._evaluate(apply, arguments, differentiable, execution or self._execution)

    def _names_agree(self) -> bool:
        """Tell whether the kernel knows all arguments of the reference by their names."""
        names = {item.name for item in self.kernel.inputs} | {each.name for each in self.kernel.attributes}
        return all(item.name in names for item in self.reference.inputs)

    @staticmethod
    def _evaluate(
        apply: Callable[[Sequence[Any], dict[str, Any]], Any],
        arguments: Arguments,
        slots: Sequence[int],
        execution: Execution,
    ) -> Results:
        leaves = {slot: Variable(arguments.operands[slot]) for slot in slots}
        operands = [leaves.get(slot, value) for slot, value in enumerate(arguments.operands)]
        results: dict[Quantity, Array] = {}
        with using(execution), np.errstate(all="ignore"):
            returned = apply(operands, dict(arguments.attributes))
            outputs: tuple[Variable, ...] = returned if isinstance(returned, tuple) else (returned,)
            results.update({Quantity(position): _wide(out.data) for position, out in enumerate(outputs)})
            for number, cotangents in enumerate(arguments.cotangents):
                roots = [
                    (out, np.asarray(g, dtype=out.dtype))
                    for out, g in zip(outputs, cotangents, strict=False)
                    if g is not None and out.requires_grad and out.shape == g.shape
                ]
                gradients = sweep(roots)
                for slot, leaf in leaves.items():
                    results[Quantity(slot, number)] = _wide(gradients.get(leaf, np.zeros_like(leaf.data)))
        return results


class _Noting(SeededExecution):
    """Notes which outputs are declared to have no gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.without_gradient: set[int] = set()

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward."""
        outputs, kept = super().forward(operator, arrays, attributes)
        self.without_gradient.update(kept.get(WITHOUT_GRADIENT, ()))
        return outputs, kept


def _wide(array: Array) -> Array:
    return np.array(array, dtype=np.float64) if array.dtype.kind == "f" else array
