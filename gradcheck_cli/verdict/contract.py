"""The contract, before any number: operators are called with a second look at what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array, changed_part, map_arrays, same_bytes
from gradcheck_cli.core.jvp import Application
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.core.returned import WITHOUT_GRADIENT
from gradcheck_cli.errors import ContractViolation, Location, OperatorError, Problem
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.noise import holds_single_precision
from gradcheck_cli.numeric.precision import precision_of
from gradcheck_cli.numeric.seeding import SeededExecution
from gradcheck_cli.numeric.steps import typical_magnitude
from gradcheck_cli.verdict.linearity import Defect, Sizes, find_defect
from gradcheck_cli.verdict.results import agree, bad_values, by_how_much

_CLEARLY_WRONG = 0.1
"""Relative violation of linearity that rounding explains in no type of single precision."""

LARGEST = 10**7
"""Elements that an array may have: more would take hours, and more memory than there is."""

CONTRACT = 101
"""Tells the random numbers that the contract draws from a check's others."""

_looked_at: set[tuple[Any, ...]] = set()
"""Applications of built-in operators whose backward was seen to be linear in g: once in a process is enough."""


class CheckedExecution(SeededExecution):
    """Calls every forward twice, looks whether bytes of the arguments changed, and examines every backward.

    `first_non_finite` describes the first operator whose outputs went bad on finite inputs. `beside` has
    contracts that a jvp or a kernel broke: they fail the case, and the gradients can be compared all the same.
    `still` are floating outputs that an operator declares to have no gradient.
    """

    def __init__(self, rng: np.random.Generator, knobs: Knobs | None = None) -> None:
        knobs = knobs or Knobs()
        super().__init__(allowed=knobs.allow)
        self.first_non_finite = ""
        self.beside: dict[str, ContractViolation] = {}
        self.still: list[Array] = []
        self._rng = rng
        self._knobs = knobs
        self._accuracy = knobs.accuracy or 0.0
        self._repeat = knobs.repeat
        self._sizes: dict[Operator, Sizes] = {}
        self._applications: dict[Node, Application] = {}

    @property
    def coarsest(self) -> float:
        """The largest epsilon of the operators so far, 0 if all of them compute in single precision or better.

        Values in less than that don't show it: they move in stairs, of which a table of values sees only one.
        """
        coarsest = max((sizes.epsilon for sizes in self._sizes.values()), default=0.0)
        return coarsest if coarsest > float(np.finfo(np.float32).eps) else 0.0

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward twice from the same state. Raises ContractViolation."""
        with _hinting(operator):
            return self._forward(operator, arrays, attributes)

    def _forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        where = Location(operator.file, operator.line)
        before = _snapshot(arrays)
        outputs, kept = super().forward(operator, arrays, attributes)
        if max(out.size for out in outputs) > LARGEST:
            message = f"{operator.name} made an array of more than {LARGEST:.0e} elements: too large to check"
            raise OperatorError(Problem(message, where, "too-large", "check it on smaller arrays"))
        self.still += [outputs[position] for position in kept.get(WITHOUT_GRADIENT, ())]
        first = _snapshot(outputs)
        again, _ = super().forward(operator, arrays, attributes)
        for slot, (old, new) in enumerate(zip(before, arrays, strict=True)):
            if not same_bytes(old, new):
                message = f"its forward writes to {operator.slot_name(slot)}"
                hint = "work on a copy: arrays given to an operator belong to the graph"
                self.violated(ContractViolation("input-modified", message, operator.name, where, hint))
        for old, new in zip(first, outputs, strict=True):
            if not same_bytes(old, new):
                message = "outputs returned before changed when the forward ran again"
                hint = "return a new array, or a copy of the buffer"
                self.violated(ContractViolation("not-repeatable", message, operator.name, where, hint))
        for old, new in zip(first, again, strict=True):
            if old is not None and not agree(old, new, self._repeat):
                message = f"two calls with the same arguments differ{by_how_much(old, new)}"
                hint = "turn randomness off, or give it a seed; state kept between calls does it too"
                self.violated(ContractViolation("not-repeatable", message, operator.name, where, hint))
        numbers = [array if isinstance(array, np.ndarray) else None for array in arrays]
        self._note_non_finite(operator, numbers, outputs, where)
        self._note_size(operator, numbers, outputs)
        return outputs, kept

    def backward(self, node: Node, cotangents: Sequence[Array | None]) -> tuple[Array | None, ...]:
        """Examine the backward of a node, then run it. Raises ContractViolation."""
        with _hinting(node.operator):
            self._examine(node, cotangents)
            if node in self._applications:
                self._examine_beside(self._applications.pop(node))
            gradients = super().backward(node, cotangents)
            self._require_finite(node, cotangents, gradients)
        return gradients

    def _examine(self, node: Node, cotangents: Sequence[Array | None]) -> None:
        is_ours = node.operator.trusted and all(rule.trusted for rule in node.rules)
        layout = _layout_of(node) if is_ours else ()
        if layout in _looked_at:
            return
        like = [np.empty(shape, dtype) if dtype.kind == "f" else None for shape, dtype in node.outputs]
        used = [None if g is None else each for each, g in zip(like, cotangents, strict=True)]
        try:
            defect = self._defect(node, like)
        except OperatorError:
            if [each is None for each in used] == [each is None for each in like]:
                raise
            # What nobody uses may have no gradient here, as eigenvectors of an eigenvalue that repeats.
            defect, is_ours = self._defect(node, used), False
        if defect is None:
            if is_ours:
                _looked_at.add(layout)
            return
        operator, name = node.operator, node.operator.input_at(defect.slot).name
        rule = next((rule for rule in node.rules if name in rule.inputs), node.rules[0])
        message = f"in its backward for {operator.slot_name(defect.slot)}, {defect.message}"
        violation = ContractViolation(defect.finding, message, operator.name, rule.location, defect.hint)
        # What an operator has to say of this finding is about a backward that ignores its cotangent.
        self.violated(_hinted(violation, operator) if defect.constant else violation)

    def _defect(self, node: Node, like: Sequence[Array | None]) -> Defect | None:
        run, sizes = super().backward, self._sizes.get(node.operator, Sizes())
        return find_defect(lambda cotangents: run(node, cotangents), like, sizes, self._accuracy, self._rng)

    def _note_size(self, operator: Operator, arrays: Sequence[Array | None], outputs: Sequence[Array]) -> None:
        """Remember the magnitudes of outputs and inputs, and the epsilon that the operator computes with."""
        values = [out for out in outputs if out.dtype.kind == "f" and out.size]
        if not values:
            return
        single = all(holds_single_precision(out) for out in values)
        known = max(precision_of(operator.dtype).epsilon, operator.epsilon() if operator.epsilon else 0.0)
        inputs = tuple(
            0.0 if array is None or array.dtype.kind != "f" else typical_magnitude(array) for array in arrays
        )
        seen = Sizes(
            max(float(np.abs(out).max()) for out in values),
            inputs,
            max(known, float(np.finfo(np.float32 if single else np.float64).eps)),
        )
        self._sizes[operator] = seen.joined(self._sizes.get(operator, seen))

    def recorded(
        self,
        node: Node,
        arrays: Sequence[Array | None],
        attributes: dict[str, Any],
        outputs: tuple[Array, ...],
        kept: dict[str, Any],
    ) -> None:
        """Keep what the jvp or the kernel of a node may be called with until its backward has run."""
        self._applications[node] = Application(node, arrays, attributes, outputs, kept)

    def _examine_beside(self, application: Application) -> None:
        """Look at what an operator has beside its backward: a jvp, and a kernel that should do the same."""
        operator = application.operator
        sizes = self._sizes.get(operator, Sizes())
        # Both are loaded here, since few operators have either.
        if operator.jvp is not None:
            from gradcheck_cli.verdict.forward_mode import find_mismatch

            self._keep(lambda: find_mismatch(application, self, sizes, self._accuracy, self._rng))
        if operator.kernel is not None:
            from gradcheck_cli.verdict.kernel import find_difference

            checked = _KernelExecution(self._rng, self._knobs, operator.kernel)
            self._keep(lambda: find_difference(application, checked, self._accuracy, self._rng))
            self.accepted.update(checked.accepted)
            self.users |= checked.users

    def _keep(self, find: Callable[[], ContractViolation | None]) -> None:
        """Keep the violation that is found or raised; it need not end the check."""
        try:
            found = find()
        except ContractViolation as violation:
            found = violation
        if found is not None and found.finding in self.allowed:
            self.accepted.setdefault(str(found), found)
        elif found is not None:
            self.beside.setdefault(str(found), found)

    def called(self, node: Node, rule: Rule, values: Sequence[Any]) -> Any:
        """Run a backward rule or a jvp and compare the bytes of what it was given. Raises ContractViolation."""
        before = [map_arrays(value, np.array) for value in values]
        returned = super().called(node, rule, values)
        where = Location(rule.file, rule.line)
        for name, old, new in zip(rule.asks, before, values, strict=True):
            if (part := changed_part(old, new)) is not None:
                message = f"its {rule.kind} writes to {name}{part}"
                hint = f"work on a copy: {name}{part} is read by others, too"
                self.violated(ContractViolation("input-modified", message, node.operator.name, where, hint))
        return returned

    def _require_finite(
        self, node: Node, cotangents: Sequence[Array | None], gradients: Sequence[Array | None]
    ) -> None:
        """Hold gradients to being finite where the cotangents are. Raises ContractViolation."""
        if not all(np.isfinite(g).all() for g in cotangents if g is not None):
            return
        for slot, gradient in enumerate(gradients):
            if gradient is not None and not np.isfinite(gradient).all():
                operator, name = node.operator, node.operator.input_at(slot).name
                rule = next(rule for rule in node.rules if name in rule.inputs)
                message = f"the gradient of {operator.slot_name(slot)} is {bad_values(gradient)}"
                saved = [node.saved[ask] for ask in rule.asks if ask in node.saved]
                raise ContractViolation("non-finite", message, operator.name, rule.location, _range_hint(saved))

    def _note_non_finite(
        self, operator: Operator, arrays: Sequence[Array | None], outputs: Sequence[Array], where: Location
    ) -> None:
        if self.first_non_finite or all(np.isfinite(out).all() for out in outputs):
            return
        inputs = [array for array in arrays if array is not None and array.size]
        if all(np.isfinite(array).all() for array in inputs):
            ranges = ", ".join(f"{array.min():.3g} to {array.max():.3g}" for array in inputs)
            self.first_non_finite = f"first at {operator.name} ({where}), whose inputs range from {ranges}"


class _KernelExecution(CheckedExecution):
    """Holds a kernel to the contract where its reference can't tell: what it writes to, whether it repeats itself.

    A backward that is no linear map of g is no gradient of the reference either, and that is told with more
    room for rounding; and where the reference is out of the kernel's range, overflow is right.
    """

    def __init__(self, rng: np.random.Generator, knobs: Knobs, kernel: Operator) -> None:
        rounding = 10 * float(np.sqrt(precision_of(kernel.dtype).epsilon))
        super().__init__(rng, replace(knobs, accuracy=max(_CLEARLY_WRONG, rounding)))

    def _require_finite(
        self, node: Node, cotangents: Sequence[Array | None], gradients: Sequence[Array | None]
    ) -> None:
        pass


def _hinted(violation: ContractViolation, operator: Operator) -> ContractViolation:
    """Return the violation with what its operator says about such a finding, once."""
    more = operator.hints.get(violation.finding, "")
    if not more or more in violation.hint:
        return violation
    hint = f"{violation.hint}; {more}" if violation.hint else more
    return ContractViolation(violation.finding, violation.message, violation.operator, violation.location, hint)


@contextmanager
def _hinting(operator: Operator) -> Iterator[None]:
    """Add to a violation raised inside the `with` block what `operator` says about it."""
    try:
        yield
    except ContractViolation as violation:
        if violation.finding == "not-linear-in-g":
            raise
        raise _hinted(violation, operator) from violation.__cause__


def _snapshot(values: Sequence[Any]) -> list[Any]:
    return [map_arrays(value, np.array) for value in values]


def _range_hint(values: Sequence[Any]) -> str:
    arrays = [value for value in values if isinstance(value, np.ndarray) and value.size and value.dtype.kind == "f"]
    if not arrays:
        return ""
    low, high = min(float(a.min()) for a in arrays), max(float(a.max()) for a in arrays)
    return f"the values that it was given range from {low:.3g} to {high:.3g}"


def _layout_of(node: Node) -> tuple[Any, ...]:
    """Return what the backward of a node depends on beside the values in its arrays."""
    kept = [(value.shape, value.dtype.str) if isinstance(value, np.ndarray) else repr(value) for value in node.values]
    return node.operator, tuple(node.rules), tuple(node.outputs), tuple(kept)
