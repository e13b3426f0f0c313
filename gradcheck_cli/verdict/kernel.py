"""A kernel beside its reference: value and gradients at the same arguments, as near as the kernel's rounding allows."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import Execution
from gradcheck_cli.core.jvp import Application
from gradcheck_cli.errors import ContractViolation, Location
from gradcheck_cli.numeric.precision import Precision, precision_of
from gradcheck_cli.verdict.cotangents import balanced, signed_cotangent
from gradcheck_cli.verdict.kernel_rounding import Rounding
from gradcheck_cli.verdict.kernel_sides import Arguments, Quantity, Results, Sides

FINDING = "differs-from-reference"


def find_difference(
    application: Application, checked: Execution, accuracy: float, rng: np.random.Generator
) -> ContractViolation | None:
    """Compare the kernel of an operator with the operator itself, at the arguments of one application.

    Both get the same arguments, rounded to the kernel's type, and the same random cotangents. The
    kernel is called through `checked`, which holds it to the contract. `accuracy` is the error that it may
    have, as a share of the largest value. Returns the worst difference, None where rounding explains
    all of them. Raises OperatorError where one of the two can't be called.
    """
    sides = Sides(application)
    precision = precision_of(sides.kernel.dtype)
    arguments = Arguments(tuple(application.arrays), application.attributes).changed(precision.round)
    # On copies: a kernel that writes to its arguments would otherwise leave nothing to be seen.
    outputs, _ = sides.reference_at(arguments), sides.kernel_at(arguments.changed(np.array))
    arguments = _with_cotangents(arguments, outputs, sides.without_gradient, precision, rng)
    reference, kernel = sides.reference_at(arguments), sides.kernel_at(arguments, checked)
    return _Comparison(sides, Rounding(sides, arguments, reference, rng), reference, kernel, accuracy).difference()


def _with_cotangents(
    arguments: Arguments, outputs: Results, without: Collection[int], precision: Precision, rng: np.random.Generator
) -> Arguments:
    """Add two sets of cotangents: plain ones, and others that let a small output count as much as a large one.

    Outputs at the positions `without` get none.
    """
    like = [outputs[Quantity(position)] for position in range(len(outputs))]
    sets = []
    for evenly in (False, True):
        drawn: list[Array | None] = []
        for position, out in enumerate(like):
            g = None
            if out.dtype.kind == "f" and position not in without:
                u = signed_cotangent(out.size, rng)
                g = precision.round((balanced(u, np.abs(np.ravel(out))) if evenly else u).reshape(out.shape))
            drawn.append(g)
        sets.append(tuple(drawn))
    return Arguments(arguments.operands, arguments.attributes, tuple(sets))


class _Comparison:
    """What both sides gave, quantity by quantity."""

    def __init__(self, sides: Sides, rounding: Rounding, reference: Results, kernel: Results, accuracy: float) -> None:
        self.sides = sides
        self.rounding = rounding
        self.reference = reference
        self.kernel = kernel
        self.accuracy = accuracy

    def difference(self) -> ContractViolation | None:
        """Return the first quantity that differs, outputs before gradients."""
        outputs = sum(quantity.cotangents is None for quantity in self.reference)
        got = sum(quantity.cotangents is None for quantity in self.kernel)
        if got != outputs:
            return self._violation(Quantity(0), f"it returns {got} outputs, the reference {outputs}")
        for quantity in self.reference:
            if quantity in self.kernel and (message := self._difference(quantity)):
                return self._violation(quantity, message)
        return None

    def _difference(self, quantity: Quantity) -> str:
        """Say what differs; empty if nothing does."""
        wanted, got, name = self.reference[quantity], self.kernel[quantity], self._name(quantity)
        if wanted.shape != got.shape:
            return f"{name} has shape {got.shape}, and {wanted.shape} in the reference"
        if wanted.dtype.kind != "f":
            wrong = wanted != got
            if wrong.any():
                wrong &= ~self.rounding.undecided(quantity)
            return self._words(quantity, wrong, np.zeros(wanted.shape)) if wrong.any() else ""
        known = np.isfinite(wanted) & ~(self._beyond(quantity) & (np.sign(got) == np.sign(wanted)))
        if quantity.cotangents is not None and self._overflows:
            known &= np.isfinite(got)  # infinity times zero, or less infinity
        with np.errstate(all="ignore"):
            off = np.where(known, np.abs(got - wanted), 0.0)
        off = np.where(np.isnan(off), np.inf, off)
        share = self.accuracy * float(np.max(np.abs(wanted[known]), initial=0.0))
        for allowance in (self.rounding.of_value, self.rounding.of_function, self.rounding.of_kernel):
            allowed = allowance(quantity) + share
            wrong = off > allowed
            if not wrong.any():
                return ""
        return self._words(quantity, wrong, allowed)

    def _beyond(self, quantity: Quantity) -> Array:
        """Tell which numbers lie beyond the kernel's largest: there it is right to overflow."""
        largest = precision_of(self.sides.kernel.dtype).largest
        return np.asarray(np.abs(self.reference[quantity]) > 0.99 * largest)

    @cached_property
    def _overflows(self) -> bool:
        """Whether an output lies beyond the kernel's largest number."""
        outputs = [
            each for each, value in self.reference.items() if each.cotangents is None and value.dtype.kind == "f"
        ]
        return any(self._beyond(quantity).any() for quantity in outputs)

    def _words(self, quantity: Quantity, wrong: Array, allowed: Array) -> str:
        wanted, got = self.reference[quantity], self.kernel[quantity]
        with np.errstate(all="ignore"):
            off = np.where(wrong, np.abs(got.astype(np.float64) - wanted), 0.0)
            excess = np.where(wrong, np.nan_to_num(off / np.maximum(allowed, 1e-300), nan=np.inf, posinf=np.inf), -1.0)
        at = np.unravel_index(int(np.argmax(excess)), wanted.shape)
        index = f"[{','.join(map(str, at))}]" if at else ""
        numbers = f"{self._name(quantity)}{index} is {_number(got[at])}, and {_number(wanted[at])} in the reference"
        others = int(wrong.sum()) - 1
        many = f"; {others} of the other {wrong.size - 1} elements differ, too" if others else ""
        if wanted.dtype.kind != "f":
            return f"{numbers}{many}"
        type_name = self.sides.kernel.dtype or "float64"
        return f"{numbers}: off by {off[at]:.1e}, where rounding in {type_name} explains {allowed[at]:.1e}{many}"

    def _name(self, quantity: Quantity) -> str:
        if quantity.cotangents is None:
            return self.sides.reference.outputs[quantity.position]
        return f"the gradient of {self.sides.reference.slot_name(quantity.position)}"

    def _violation(self, quantity: Quantity, message: str) -> ContractViolation:
        kernel = self.sides.kernel
        place: Location = kernel.location
        if quantity.cotangents is not None and kernel.rules:
            place = kernel.rules[0].location
        label = f" on {kernel.label}" if kernel.label else ""
        hint = f"the reference is {self.sides.reference.location}" if self.sides.reference.file else ""
        if self.sides.draws:
            hint += "; random numbers are others in another type: let both take what is drawn as an argument"
        return ContractViolation(FINDING, message, f"{kernel.name}{label}", place, hint)


def _number(value: object) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)
