"""Compare an analytic gradient with differences: survey, screen every element, examine the suspicious ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.evaluator import Chunk
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.steps import default_eps, step_sizes
from gradcheck_cli.numeric.survey import survey
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.verdict.cotangents import balanced, signed_cotangent
from gradcheck_cli.verdict.finished import Finished
from gradcheck_cli.verdict.outcome import Cotangent, GradientOf
from gradcheck_cli.verdict.passes import Passes
from gradcheck_cli.verdict.screen import Screened, screen_elements

_PROBE = 0.125
"""Elements without any effect are probed once more, together, by this share of their scale."""

_GROUP = 64
"""So many of them are probed one by one, where the group has an effect."""

_FEW = 16
"""So few are probed one by one at once, in a batch."""


class Basis(NamedTuple):
    """What a parameter's elements are compared with: cotangents, the noise of the outputs, and first steps."""

    cotangents: list[Cotangent]
    noise: Noise
    steps: Array


def prepare(point: Point, u: Array, gradient_of: GradientOf, knobs: Knobs, rng: np.random.Generator) -> Basis:
    """Survey the parameter and choose the cotangents.

    `u` is the first cotangent, `gradient_of` runs the backward with a cotangent and
    returns the parameter's gradient as a vector. The second is balanced by each output's sensitivity;
    one number, and the terms of one, have the first alone.
    """
    eps = knobs.eps or default_eps(point.values[point.name].dtype)
    steps = step_sizes(point.scales, eps)
    noise, sensitivity = survey(point, steps, rng)
    cotangents = [Cotangent(u, gradient_of(u))]
    if u.size > 1 and not point.outputs.are_terms:
        even = balanced(signed_cotangent(u.size, rng), sensitivity)
        second = gradient_of(even)
        if np.isfinite(second).all():
            cotangents.append(Cotangent(even, second))
    return Basis(cotangents, noise, steps)


def compare(
    point: Point,
    basis: Basis,
    gradient_of: GradientOf,
    rtol: float,
    elements: Array,
    rng: np.random.Generator,
    finished: Finished | None = None,
) -> Finished:
    """Compare `elements` of the analytic gradient with differences under all cotangents.

    Returns `finished` (a new one if None), which has what is through even if an exception stops this.
    """
    finished = finished or Finished()
    cotangents, noise, steps = basis.cotangents, basis.noise, basis.steps[elements]
    weights = Weights([cotangent.u for cotangent in cotangents], noise)
    analytic = np.array([cotangent.gradient[elements] for cotangent in cotangents])

    def keep(seen: Screened) -> None:
        if len(seen.passed) == len(elements) and seen.passed.all():
            finished.add(Passes.of(elements, analytic, seen.numeric, seen.bar))
            return
        rows = np.flatnonzero(seen.passed)
        finished.add(Passes.of(elements[rows], analytic[:, rows], seen.numeric[:, rows], seen.bar[:, rows]))

    seen = screen_elements(point, elements, weights, steps, analytic, rtol, keep)
    keep(seen)
    if seen.passed.all():
        return finished
    silent = np.flatnonzero(seen.silent)
    is_loud = np.zeros(len(elements), dtype=bool)
    if silent.size:
        is_loud[silent[_loud(point, elements[silent], rng)]] = True
        still = np.flatnonzero(seen.silent & ~is_loud)
        if still.size:
            finished.add(_silent(point, elements[still], basis))
    doubtful = np.flatnonzero(seen.suspicious | is_loud)
    if doubtful.size:
        # Here, since two evaluations acquit every element of most parameters.
        from gradcheck_cli.verdict.tier2 import examine_elements

        pairs = seen.only(doubtful)
        examine_elements(
            point, elements[doubtful], cotangents, noise, steps[doubtful], rtol, gradient_of, finished, pairs
        )
    return finished


def _loud(point: Point, elements: Array, rng: np.random.Generator) -> Array:
    """Return the places of the elements that have an effect after all: a joint probe, divided where something moves."""
    displacements = rng.choice([-1.0, 1.0], point.x.size)[elements] * _PROBE * point.scales[elements]
    stack, loud = [np.arange(elements.size)], [np.empty(0, int)]
    while stack:
        group = stack.pop()
        # In a batch a few cost as much as one, and each alone tells more.
        few = point.batches and group.size <= _FEW
        if not few and not point.moved(elements[group], displacements[group])[1].any():
            continue
        if group.size > _GROUP:
            stack += [group[: group.size // 2], group[group.size // 2 :]]
            continue
        moved = point.each(elements[group], displacements[None, group], _moved)[1]
        loud.append(group[np.concatenate(list(moved))])
    return np.concatenate(loud)


def _moved(chunk: Chunk) -> Array:
    """Tell which elements of a chunk moved any output."""
    return np.asarray((chunk.changes != 0).any(axis=(0, 1)))


def _silent(point: Point, elements: Array, basis: Basis) -> Passes:
    """Return the passes of elements with no effect: both sides are zero, up to the rounding of the outputs."""
    size = np.abs(point.base)
    noise = np.array([[basis.noise.of(c.u, size, slice(None))] for c in basis.cotangents])
    bars = noise / (_PROBE * point.scales[elements])
    zero = np.zeros_like(bars)
    return Passes.of(elements, zero, zero, bars)
