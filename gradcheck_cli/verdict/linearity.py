"""A backward is a linear map of its cotangent: this needs no differences, and finds what they can't."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.verdict.backward_rounding import (
    BackwardRounding,
    Cotangents,
    Gradients,
    Place,
    Vjp,
    combined,
    copied,
    largest,
)

GATE = 1e-12
"""Relative violation that counts: right backwards score 1e-16 at most, wrong ones 0.2 and more."""

_GATE_EPSILONS = 50
"""The gate in units of the epsilon that the backward computes with, where that is float32's."""

FLOOR_EPSILONS = 100
"""Below so many epsilons of |u * out| / s a gradient is zero, and its violation rounding divided by rounding."""


_FACTOR = 1024
"""A power of two, which multiplies without rounding: the gradient of a right backward is as many times as large."""

_RANGED = 1e-5
"""A coarser type has few numbers below 1, and rounds small cotangents after all."""


class Defect(NamedTuple):
    """A backward that is no linear map, or depends on more than its arguments: the finding, and what was seen.

    `constant` says that it ignores its cotangent: the gradient is the same for every one.
    """

    finding: str
    slot: int
    message: str
    hint: str
    constant: bool = False


class Sizes(NamedTuple):
    """Magnitudes of an operator's outputs and of each input, and the machine epsilon that it computes with."""

    outputs: float = 0.0
    inputs: tuple[float, ...] = ()
    epsilon: float = float(np.finfo(np.float64).eps)

    def joined(self, other: Sizes) -> Sizes:
        """Return sizes that hold for two applications: the largest outputs over the smallest inputs."""
        pairs = zip_longest(self.inputs, other.inputs, fillvalue=0.0)
        inputs = tuple(min(a, b) if a and b else max(a, b) for a, b in pairs)
        return Sizes(max(self.outputs, other.outputs), inputs, max(self.epsilon, other.epsilon))

    def zero(self, slot: int) -> float:
        """Return the size up to which a gradient may be rounding alone: 100 epsilons of outputs over the input.

        A large input says nothing of how fast the function changes, so it makes no rounding smaller.
        """
        scale = min(self.inputs[slot], 1.0) if slot < len(self.inputs) else 0.0
        return FLOOR_EPSILONS * self.epsilon * self.outputs / scale if scale else 0.0


class Words(NamedTuple):
    """What a linear map is called, its argument and what it returns."""

    function: str = "backward"
    argument: str = "g"
    result: str = "gradient"


def find_defect(
    vjp: Vjp, like: Cotangents, sizes: Sizes, accuracy: float, rng: np.random.Generator, words: Words | None = None
) -> Defect | None:
    """Call a backward about ten times and return what is wrong with it as a map of its cotangent.

    `like` gives shapes and dtypes of the cotangents (None: that output has none). `sizes` tell rounding
    from violations, `accuracy` is the relative error that the operator's gradients may have. A jvp is a
    linear map, too: `words` say what it is called, and then tangents stand for cotangents and gradients.
    What looks like a violation takes some forty calls more, to tell it from rounding where large terms cancel.
    """
    words = words or Words()
    g, gradient = words.argument, words.result
    u, w = signed_like(like, rng), signed_like(like, rng)
    first = vjp(u)
    at_u = copied(first)
    at_w = copied(vjp(w))
    if not all(np.isfinite(gradient).all() for gradient in (*at_u, *at_w) if gradient is not None):
        return None  # said where the gradient is used
    if (slot := _differs(first, at_u)) is not None:
        hint = "return a new array, or a copy of the buffer"
        message = f"a {gradient} returned before changed when the {words.function} ran again"
        return Defect("not-repeatable", slot, message, hint)
    if (slot := _differs(copied(vjp(u)), at_u)) is not None:
        hint = f"turn randomness off, or give it a seed; {gradient}s added up between calls do it too"
        return Defect("not-repeatable", slot, f"two {words.function} calls with the same arguments differ", hint)
    epsilon = sizes.epsilon
    rounding = BackwardRounding(vjp, Place(u, at_u), Place(w, at_w), epsilon, rng)
    terms = max((largest(a) for a in at_u if a is not None), default=0.0)
    gate = gate_of(epsilon, accuracy)
    ways: list[tuple[str, float, Cotangents, Callable[[Array, Array], Array]]] = [
        (f"for -{g} is not minus that for {g}", 1.0, _map(np.negative, u), lambda a, _: -a),
        (f"for {_FACTOR} {g} is not {_FACTOR} times that for {g}", _FACTOR, *_scaled(_FACTOR, u)),
        (f"for {g}1 + {g}2 is not the sum of those for {g}1 and {g}2", 1.0, combined(u, w), lambda a, b: a + b),
        (f"for {g} = 0 is not 0", 1.0, _map(np.zeros_like, u), lambda a, _: np.zeros_like(a)),
    ]
    if epsilon < _RANGED:
        ways.append((f"for {g} / {_FACTOR} is not 1/{_FACTOR} of that for {g}", 1 / _FACTOR, *_scaled(1 / _FACTOR, u)))
    for message, times, cotangents, combine in ways:
        for slot, (got, a, b) in enumerate(zip(vjp(cotangents), at_u, at_w, strict=True)):
            # A solver may divide zero by zero for g = 0, which no graph ever sends: not held against it.
            if got is None or a is None or b is None or not got.size or not np.isfinite(got).all():
                continue
            before = min(times, 1.0) * max(largest(a), largest(b))
            violation = _violation(got, combine(a, b), before, gate)
            zero = min(times, 1.0) * max(sizes.zero(slot), FLOOR_EPSILONS * epsilon * terms)
            if violation is None or violation.off <= zero * violation.growth:
                continue
            if not rounding.explains(violation.off / times, violation.share, slot):
                text = f"the {gradient} {message} (off by {violation.share:.1e})"
                # A sign of g would be the same for two draws, and for their multiples; not for -g.
                constant = cotangents is ways[0][2] and np.array_equal(got, a) and np.array_equal(a, b)
                if constant:
                    hint = f"it is the same for every {g}, and right for {g} = 1 only: multiply by {g}"
                else:
                    hint = _linear_hint(violation.share, words)
                return Defect("not-linear-in-g", slot, text, hint, constant)
    return _layout_defect(vjp, u, at_u, max(epsilon, accuracy / 1000), rounding, words)


def _layout_defect(
    vjp: Vjp, u: Cotangents, at_u: Gradients, epsilon: float, rounding: BackwardRounding, words: Words
) -> Defect | None:
    """Look whether the gradient is another for the same cotangents in another layout of memory."""
    g, gradient = words.argument, words.result
    hint = f"don't rely on the memory layout of {g}: reshape or np.ascontiguousarray first"
    for layout in (_strided, _fortran):
        try:
            turned = copied(vjp(_map(layout, u)))
        except OperatorError as error:
            slot = next(slot for slot, gradient_of in enumerate(at_u) if gradient_of is not None)
            message = f"a {g} that is not contiguous is refused: {error.problems[0].message}"
            return Defect("layout-dependent", slot, message, hint)
        for slot, (got, wanted) in enumerate(zip(turned, at_u, strict=True)):
            if got is None or wanted is None or not _differ(got, wanted, epsilon):
                continue
            # Sums are made in another order then.
            off = largest(got - wanted) if got.shape == wanted.shape else np.inf
            if not rounding.explains(off, off / max(largest(got), largest(wanted)), slot):
                message = f"the {gradient} is another for a {g} that is not contiguous"
                return Defect("layout-dependent", slot, message, hint)
    return None


def gate_of(epsilon: float, accuracy: float) -> float:
    """Return the relative violation that counts for an operator that computes with `epsilon`."""
    return max(GATE if epsilon < 1e-10 else _GATE_EPSILONS * epsilon, accuracy)


class _Violation(NamedTuple):
    """By how much a gradient is off: absolutely, as a share of the gradients, and how much these have grown."""

    off: float
    share: float
    growth: float


def _violation(got: Array, wanted: Array, before: float, gate: float) -> _Violation | None:
    """Compare a gradient with what linearity wants, from gradients of the size `before`; None if they agree."""
    scale = max(largest(wanted), largest(got), before)
    precision = np.finfo(got.dtype)
    if scale < precision.tiny / precision.eps:  # subnormal numbers have few digits, and zero has none
        return None
    if precision.eps > 1e-10:
        gate = max(gate, _GATE_EPSILONS * float(precision.eps))
    off = largest(np.asarray(got, dtype=np.float64) - wanted)
    return _Violation(off, off / scale, max(scale / before, 1.0) if before else 1.0) if off > gate * scale else None


def signed_like(like: Cotangents, rng: np.random.Generator) -> list[Array | None]:
    """Draw numbers of both signs and magnitudes near 1, in shapes and dtypes of `like`; None stays None."""
    drawn: list[Array | None] = []
    for out in like:
        if out is None:
            drawn.append(None)
        else:
            signed = rng.choice([-1.0, 1.0], out.shape) * rng.uniform(0.5, 1.5, out.shape)
            drawn.append(np.asarray(signed, dtype=out.dtype))
    return drawn


def _map(change: Callable[[Array], Array], arrays: Cotangents) -> list[Array | None]:
    return [None if array is None else np.asarray(change(array), dtype=array.dtype) for array in arrays]


def _scaled(factor: float, u: Cotangents) -> tuple[Cotangents, Callable[[Array, Array], Array]]:
    """Return multiples of cotangents, and what makes those of a gradient."""
    return _map(lambda g: factor * g, u), lambda a, _: factor * a


def _strided(array: Array) -> Array:
    """Return the same values in memory that is not contiguous, nor in C order."""
    wide = np.zeros((*array.shape[::-1], 2), dtype=array.dtype)
    view = wide[..., 0].T
    view[...] = array
    return view


def _fortran(array: Array) -> Array:
    """Return the same values in Fortran order."""
    return np.array(array, order="F")


def _differs(got: Gradients, wanted: Gradients) -> int | None:
    """Return the first slot in which the gradients differ by more than 1000 epsilons."""
    pairs = enumerate(zip(got, wanted, strict=True))
    return next((slot for slot, (a, b) in pairs if a is not None and b is not None and _differ(a, b)), None)


def _differ(a: Array, b: Array, epsilon: float = 0.0) -> bool:
    """Tell whether two gradients differ by more than 1000 epsilons."""
    if a.shape != b.shape:
        return True
    allowed = 1000 * max(epsilon, float(np.finfo(np.float64).eps)) * max(largest(b), 1e-300)
    return not np.all(np.abs(a - b) <= allowed)


def _linear_hint(violation: float, words: Words) -> str:
    if violation < 1e-5:
        return "so little points to float32, or to an iterative solver, whose `accuracy` a spec may state"
    function, g = words.function, words.argument
    return f"every term of a {function} is a factor times {g}: no abs, clip or threshold of {g}, and no term without it"
