"""How far a right kernel may be from its reference: its rounding, the function's condition, and its own noise.

Each is measured only where the one before does not explain a difference. A kernel that is wrong is off by
something smooth; what rounding makes of it jumps about from one argument to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.numeric.noise import TABLE_POINTS, difference_table_noise
from gradcheck_cli.numeric.precision import precision_of
from gradcheck_cli.numeric.steps import typical_magnitude
from gradcheck_cli.verdict.kernel_sides import Arguments, Quantity, Results, Sides

_MARGIN = 8.0
"""Roundings of each kind that a right kernel may be off by."""

_DEVIATIONS = 16.0
"""Standard deviations of its noise that it may be off by: stairs have long tails."""

_PER_ROOT = 0.25
"""Roundings in a sum of n terms, one after another, per root of n."""

_PATTERNS = 8
"""Nudges of the arguments by their last digit: so many that no two of them cancel in all."""

_SPACINGS = (3e-2, 1e-3)
"""Relative spacings of the tables that measure noise: wide enough to cross a stair where a value saturates."""

_NEAREST = 2
"""Values of a table, next to the arguments, that are the same on a stair which is wide for it."""

_STUCK = 4.0
"""Roundings of the function's own size that a stair may be high."""

_TURNS = 8
"""Random changes of the operands' signs and sizes, which show how large a value is when its terms don't cancel."""

_SMALLER = (0.3, 0.1)
"""Factors by which operands are made smaller."""

_LOUDEST = 64.0
"""Noise counts up to so many epsilons of the function's own size: more isn't rounding in that type."""


class Rounding:
    """What the type of a kernel allows around `arguments`, where reference and kernel gave `reference` and `kernel`."""

    def __init__(self, sides: Sides, arguments: Arguments, reference: Results, rng: np.random.Generator) -> None:
        self.sides = sides
        self.arguments = arguments
        self.reference = reference
        self.rng = rng
        self.precision = precision_of(sides.kernel.dtype)
        arrays = [value for value in arguments.operands if isinstance(value, np.ndarray)]
        longest = max((array.size for array in arrays), default=1)
        # Sums are made in float32 at least, also where what is stored is half as long.
        single = min(float(np.finfo(np.float32).eps), self.precision.epsilon)
        self._growth = 1.0 + _PER_ROOT * np.sqrt(longest) * single / self.precision.epsilon

    def of_value(self, quantity: Quantity) -> Array:
        """Return the difference that rounding the value itself explains."""
        value = np.abs(self.reference[quantity])
        return np.asarray(_MARGIN * (self._growth * self.precision.epsilon * value + self.precision.tiny))

    def of_function(self, quantity: Quantity) -> Array:
        """Return the difference that rounding the arguments explains, too."""
        return np.asarray(self.of_value(quantity) + _MARGIN * self._growth * self._condition[quantity])

    def of_kernel(self, quantity: Quantity) -> Array:
        """Return the difference that the kernel's own noise explains, too."""
        noise, stuck = self._noise
        one = self.precision.epsilon * (self._largest[quantity] + self._outputs_over(quantity))
        stair = self.precision.epsilon * (self._steepest[quantity] + self._outputs_over(quantity))
        allowed = np.minimum(_DEVIATIONS * noise[quantity], _LOUDEST * one)
        allowed = np.where(stuck[quantity], np.maximum(allowed, _STUCK * stair), allowed)
        return np.asarray(self.of_function(quantity) + allowed)

    def undecided(self, quantity: Quantity) -> Array:
        """Tell which integers or booleans change when the arguments change by their last digit."""
        return self._condition[quantity] > 0

    @cached_property
    def _condition(self) -> Mapping[Quantity, Array]:
        """How far each value moves when all arguments move by about one rounding."""
        found = {quantity: np.zeros(value.shape) for quantity, value in self.reference.items()}
        for pattern in range(_PATTERNS):
            # Half of the kernels round the numbers among their attributes, and half don't.
            number = self._rounded if pattern % 2 else None
            nudged = self._evaluated(self.sides.reference_at, self.arguments.changed(self._nudged, number))
            for quantity, value in nudged.items():
                found[quantity] = np.maximum(found[quantity], _apart(value, self.reference[quantity]))
        return found

    @cached_property
    def _noise(self) -> tuple[Mapping[Quantity, Array], Mapping[Quantity, Array]]:
        """The noise of each value of the kernel, and whether it is stuck: on a stair that is wide for the tables.

        Noise is what is rough in the difference from the reference nearby.
        """
        noise = {quantity: np.zeros(value.shape) for quantity, value in self.reference.items()}
        stuck = {quantity: np.ones(value.shape, dtype=bool) for quantity, value in self.reference.items()}
        for spacing in _SPACINGS:
            seed = int(self.rng.integers(2**32))
            for side in (-1.0, 1.0):
                table = [self._nearby(seed, side * k * spacing) for k in range(1, TABLE_POINTS + 1)]
                for quantity, shape in ((quantity, value.shape) for quantity, value in self.reference.items()):
                    pairs = [pairs[quantity] for pairs in table if quantity in pairs]
                    stuck[quantity] &= len(pairs) == TABLE_POINTS
                    if len(pairs) < TABLE_POINTS or not np.isfinite(pairs).all():
                        continue
                    kernel, reference = (np.array([np.ravel(pair[i]) for pair in pairs]) for i in (0, 1))
                    rough = difference_table_noise(kernel - reference).reshape(shape)
                    noise[quantity] = np.maximum(noise[quantity], np.where(np.isfinite(rough), rough, 0.0))
                    stuck[quantity] &= (np.ptp(kernel[:_NEAREST], axis=0) == 0).reshape(shape)
        return noise, stuck

    def _nearby(self, seed: int, t: float) -> dict[Quantity, tuple[Array, Array]]:
        """Return kernel and reference for every quantity, the operands moved by t along directions of their own."""
        rng = np.random.default_rng(seed)

        def moved(array: Array) -> Array:
            direction = rng.choice([-1.0, 1.0], array.shape) * rng.uniform(0.5, 1.0, array.shape)
            return self.precision.round(array * (1.0 + t * direction))

        # The same cotangents, whose change would hide that a value is stuck.
        there = replace(self.arguments.changed(moved), cotangents=self.arguments.cotangents)
        reference = self._evaluated(self.sides.reference_at, there)
        kernel = self._evaluated(self.sides.kernel_at, there)
        return {
            quantity: (kernel[quantity].astype(np.float64), reference[quantity].astype(np.float64))
            for quantity, value in self.reference.items()
            if quantity in reference
            and quantity in kernel
            and reference[quantity].shape == kernel[quantity].shape == value.shape
        }

    @cached_property
    def _largest(self) -> Mapping[Quantity, float]:
        """The largest magnitude of each quantity, also where terms of it don't cancel, and with the largest g."""
        return self._sizes(((-1.0,), *((-1.0, -0.5, 0.5, 1.0),) * _TURNS))

    @cached_property
    def _steepest(self) -> Mapping[Quantity, float]:
        """The largest magnitude of each quantity, also where the operands are smaller, so that nothing saturates."""
        return self._sizes(tuple((factor,) for factor in _SMALLER))

    def _sizes(self, factors: Sequence[Sequence[float]]) -> Mapping[Quantity, float]:
        found = {quantity: _largest(value) for quantity, value in self.reference.items()}
        cotangents = tuple(tuple(map(_even, one)) for one in self.arguments.cotangents)
        for choice in factors:
            turned = replace(self.arguments.changed(partial(self._multiplied, choice)), cotangents=cotangents)
            for quantity, value in self._evaluated(self.sides.reference_at, turned).items():
                found[quantity] = max(found[quantity], _largest(value))
        return found

    def _outputs_over(self, quantity: Quantity) -> float:
        """Return the largest cotangent times output over the operand, its share of a sum; 0 for an output.

        A backward that is made of the output (1 - y * y) is as inexact as that.
        """
        if quantity.cotangents is None:
            return 0.0
        operand = np.asarray(self.arguments.operands[quantity.position])
        pairs = [
            np.abs(g * self.reference[Quantity(position)])
            for position, g in enumerate(self.arguments.cotangents[quantity.cotangents])
            if g is not None and g.size
        ]
        share = sum(pair.size / max(operand.size, pair.size) * float(np.max(pair)) for pair in pairs)
        return float(share / max(typical_magnitude(operand), 1.0))

    def _multiplied(self, factors: Sequence[float], array: Array) -> Array:
        return np.asarray(array * self.rng.choice(factors, array.shape))

    def _nudged(self, array: Array) -> Array:
        sign = self.rng.choice([-1.0, 1.0], array.shape)
        relative = self.precision.epsilon * self.rng.uniform(0.5, 1.5, array.shape)
        return np.asarray(array * (1.0 + sign * relative) + sign * self.precision.tiny)

    def _rounded(self, number: float) -> float:
        return float(self.precision.round(np.asarray(number)))

    def _evaluated(self, evaluate: Callable[[Arguments], Results], arguments: Arguments) -> Results:
        """Evaluate a side; nothing where it refuses such arguments."""
        with suppress(GradcheckError, ValueError, ArithmeticError):
            return evaluate(arguments)
        return {}


def _apart(value: Array, other: Array) -> Array:
    """Return how far two values are apart; 0 where that is no number."""
    if value.shape != other.shape:
        return np.zeros(other.shape)
    if value.dtype.kind != "f":
        return np.asarray(value != other, dtype=np.float64)
    with np.errstate(all="ignore"):
        difference = np.abs(value - other)
    return np.where(np.isfinite(difference), difference, 0.0)


def _even(g: Array | None) -> Array | None:
    """Return cotangents as large as the largest everywhere: any of them may meet any slope."""
    return g if g is None else np.copysign(float(np.max(np.abs(g), initial=0.0)), g)


def _largest(value: Array) -> float:
    magnitudes = np.abs(value[np.isfinite(value)]) if value.dtype.kind == "f" else np.zeros(0)
    return float(np.max(magnitudes, initial=0.0))
