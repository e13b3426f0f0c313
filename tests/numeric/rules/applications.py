"""Operators applied at a point, perturbations of what they are applied to, and rules held to the loop."""

from typing import Any

import numpy as np

import gradcheck_cli.ops as F
from gradcheck_cli.core.draw import sample_arguments
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.numeric.moved import Bases, Moved
from gradcheck_cli.numeric.rules.applied import Applied
from gradcheck_cli.numeric.rules.choice import choose
from gradcheck_cli.numeric.rules.loop import loop

ALL = {name: getattr(F, name).operator for name in F.__all__}
OPERATORS = {name: each for name, each in ALL.items() if any(item.domain.differentiable for item in each.inputs)}


def apply(operator: Operator, arrays: list[Any], attributes: dict[str, Any] | None = None) -> Applied:
    """The operator applied to arrays."""
    attributes = attributes or {}
    returned = operator.forward(*arrays, **attributes)
    returned = getattr(returned, "outputs", returned)
    outputs = [np.asarray(out) for out in (returned if isinstance(returned, tuple) else (returned,))]
    slots = range(len(arrays) + len(outputs))
    return Applied(
        operator, tuple(slots[: len(arrays)]), attributes, tuple(slots[len(arrays) :]), Bases([*arrays, *outputs])
    )


def perturbed(applied: Applied, position: int, axes: tuple[int, ...], count: int, rng: np.random.Generator) -> Moved:
    """Random slabs of an operand, fixed along `axes`."""
    x = applied.arrays[position]
    at = tuple(rng.integers(0, x.shape[axis], count) for axis in axes)
    base = applied.bases.gather(position, axes, at)
    shape = (*base.shape[:-1], count)
    return Moved(axes, at, (np.broadcast_to(base, shape) * (1 + 0.1 * rng.random(shape))).astype(x.dtype))


def agrees(applied: Applied, operands: list[Moved | None], tolerance: float = 1e-12) -> list[Moved]:
    """Hold the rule to the loop; return what the rule made."""
    with np.errstate(all="ignore"):
        made, wanted = choose(applied)(applied, operands), loop(applied, operands)
    for slot, out, one in zip(applied.outputs, made, wanted, strict=True):
        full = applied.bases.dense(slot, out)
        assert full.shape == one.values.shape
        assert full.dtype == one.values.dtype
        np.testing.assert_allclose(full, one.values, rtol=tolerance, atol=tolerance, equal_nan=True)
    return list(made)


def all_patterns(ndim: int) -> list[tuple[int, ...]]:
    return [tuple(axis for axis in range(ndim) if bits >> axis & 1) for bits in range(2**ndim)]


def applications(operator: Operator, seed: int, dtype: Any = np.float64) -> Applied | None:
    """The operator on drawn arguments; None where these can't be applied."""
    rng = np.random.default_rng(seed)
    drawn, attributes = sample_arguments(operator, rng)
    for attribute in operator.attributes:
        if attribute.values and attribute.name not in attributes:
            attributes[attribute.name] = attribute.values[rng.integers(len(attribute.values))]
    arrays = [None if array is None else np.asarray(array) for array in drawn]
    arrays = [array.astype(dtype) if array is not None and array.dtype.kind == "f" else array for array in arrays]
    try:
        return apply(operator, arrays, attributes)
    except (ValueError, IndexError, np.exceptions.AxisError):
        return None
