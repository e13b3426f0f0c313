"""Which rule pushes perturbations through an operator: the one that it declares, where that fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gradcheck_cli.numeric.moved import Moved
from gradcheck_cli.numeric.rules.applied import Applied, Operands, count_of, moving
from gradcheck_cli.numeric.rules.axis import along_axis, fits_axis
from gradcheck_cli.numeric.rules.elementwise import elementwise, fits_elementwise
from gradcheck_cli.numeric.rules.gather import fits_gather, gather
from gradcheck_cli.numeric.rules.leading import leading, places_of
from gradcheck_cli.numeric.rules.loop import affine, by_function, fits_affine, loop
from gradcheck_cli.numeric.rules.product import fits_product, product
from gradcheck_cli.numeric.rules.scaled import fits_scaled, scaled

Rule: TypeAlias = Callable[[Applied, Operands], tuple[Moved, ...]]
"""Returns what moves of each output."""

_WORTH = 8
"""So many times the perturbations that were asked for may be called for the responses of all elements."""

_PLAIN = (bool, int, float, str, type(None), np.generic)


def choose(applied: Applied, looped: bool = False) -> Rule:
    """Return the rule for an application; `looped` says that its declaration isn't to be used.

    Arrays without elements are left to the loop: nothing is won there, and shapes can't be told apart.
    """
    batch = applied.batch
    if looped or any(isinstance(array, np.ndarray) and not array.size for array in applied.arrays):
        return loop
    if batch is None:
        return _affine_or_loop
    if batch.kind == "function":
        return by_function
    if batch.kind == "gather":
        return gather if fits_gather(applied) else loop
    if batch.kind == "scaled":
        return scaled if fits_scaled(applied) else loop
    if not _plain_attributes(applied, batch.kind):
        return loop
    if batch.kind == "elementwise":
        return elementwise if fits_elementwise(applied) else loop
    if batch.kind == "axis":
        return along_axis if fits_axis(applied) else loop
    if batch.kind == "product":
        return product if fits_product(applied) else _affine_or_loop
    return _leading_or_affine if places_of(applied) else _affine_or_loop


def _plain_attributes(applied: Applied, kind: str) -> bool:
    """Tell whether no attribute can have axes of its own, which know nothing of those of a batch.

    What is independent along its leading axes is so with one number for each of the others, as a stride has.
    """
    most = _axes_of_its_own(applied) if kind == "leading" else 0
    for name, value in applied.attributes.items():
        several = isinstance(value, tuple | list) and (name == "axis" or len(value) <= most)
        for part in value if several else (value,):
            if not isinstance(part, _PLAIN) and not (isinstance(part, np.ndarray) and not part.ndim):
                return False
    return all(isinstance(array, (*_PLAIN, np.ndarray)) for array in applied.arrays)


def _axes_of_its_own(applied: Applied) -> int:
    """Return how many axes an operator takes together of an operand that is independent along the others."""
    places = places_of(applied)
    if places is None:
        return 0
    pairs = zip(applied.arrays, places.operands, strict=True)
    return max((array.ndim - sum(map(len, words.values())) for array, words in pairs if words), default=0)


def _leading_or_affine(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    made = leading(applied, moved)
    return _affine_or_loop(applied, moved) if made is None else made


def _affine_or_loop(applied: Applied, moved: Operands) -> tuple[Moved, ...]:
    slots = moving(moved)
    if len(slots) > 1:
        return loop(applied, moved)
    key = "affine", slots[0]
    if key not in applied.cache:
        applied.cache[key] = fits_affine(applied, slots[0])
    if not applied.cache[key]:
        return loop(applied, moved)
    # Finding the responses takes a call for each element at most, and fewer where these are far from one another.
    seen = applied.cache["looped", slots[0]] = applied.cache.get(("looped", slots[0]), 0) + count_of(moved)
    return affine(applied, moved) if _WORTH * seen > applied.arrays[slots[0]].size else loop(applied, moved)
