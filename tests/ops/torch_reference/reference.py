"""An operator beside PyTorch's own: values and gradients, on what the operator's domain draws."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli.core.draw import sample_arguments
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.run.base_draws import remaining

SAMPLES = 20
MOST = 300
AGREES = 1e-10


def differences(name: str, theirs: Callable[..., Any], samples: int = SAMPLES) -> Iterator[tuple[float, str]]:
    """Yield how far value and gradients are from those of `theirs`, relative to the largest of each, and where.

    Every combination of attribute values comes up, but for those that the operator refuses; every value comes up, else
    an AssertionError says which didn't. `theirs` takes tensors (None for an array that is left out) and the
    attributes by name, and returns one tensor or several.
    """
    import torch  # here, since the tests of it are skipped without it

    operator = getattr(F, name).operator
    unseen = {(each.name, repr(value)) for each in operator.attributes for value in each.values}
    for seed, arrays, attributes, wanted_draws in _draws(operator, samples):
        if seed >= wanted_draws and not unseen:
            break
        if _refuses(operator, arrays, attributes):
            continue
        unseen -= {(each, repr(value)) for each, value in attributes.items()}
        rng = np.random.default_rng([seed, 1])
        wanted = [operator.input_at(slot).domain.differentiable for slot in range(len(arrays))]
        ours = [Variable(x, requires_grad=w) if x is not None else None for x, w in zip(arrays, wanted, strict=True)]
        tensors = [None if x is None else torch.tensor(x, requires_grad=w) for x, w in zip(arrays, wanted, strict=True)]
        outs, their_outs = _several(operator(*ours, **attributes)), _several(theirs(*tensors, **attributes))
        floating = [(a, b) for a, b in zip(outs, their_outs, strict=True) if a.data.dtype.kind == "f"]
        cotangents = [rng.standard_normal(a.shape) for a, _ in floating]
        total = sum(F.sum(a * g) for (a, _), g in zip(floating, cotangents, strict=True))
        total.backward()
        sum((b * torch.tensor(g)).sum() for (_, b), g in zip(floating, cotangents, strict=True)).backward()
        where = f"seed {seed}, {attributes}"
        for number, (a, b) in enumerate(zip(outs, their_outs, strict=True)):
            yield _far(a.data, b.detach().numpy()), f"output {number}, {where}"
        for slot, (variable, tensor) in enumerate(zip(ours, tensors, strict=True)):
            if variable is not None and wanted[slot]:
                grad = tensor.grad.numpy() if tensor.grad is not None else np.zeros(variable.shape)
                mine = variable.grad if variable.grad is not None else np.zeros(variable.shape)
                yield _far(mine, grad), f"gradient of {operator.slot_name(slot)}, {where}"
    assert not unseen, f"{name} was never compared with {sorted(unseen)}"


def _draws(operator: Operator, samples: int) -> Iterator[tuple[int, list[Any], dict[str, Any], int]]:
    """Draw arguments over all combinations of attribute values that a sample function doesn't give itself.

    Yields the seed, arrays, attributes, and how many draws it takes to have all of these combinations.
    """
    names = [attribute.name for attribute in operator.attributes if attribute.values]
    every = itertools.product(*(attribute.values for attribute in operator.attributes if attribute.values))
    choices = [dict(zip(names, values, strict=True)) for values in every]
    for seed in range(MOST):
        rng = np.random.default_rng(seed)
        arrays, drawn = sample_arguments(operator, rng)
        if operator.sampler:
            free = remaining(choices, drawn)
            yield seed, arrays, {**free[seed % len(free)], **drawn}, max(samples, len(free))
        else:
            optional = [operator.input_at(slot).optional and rng.random() < 0.3 for slot in range(len(arrays))]
            kept = [None if without else array for array, without in zip(arrays, optional, strict=True)]
            yield seed, kept, {**drawn, **choices[seed % len(choices)]}, max(samples, len(choices))


def _refuses(operator: Operator, arrays: list[Any], attributes: dict[str, Any]) -> bool:
    """Say whether values of attributes don't go together; one attribute alone is never refused."""
    try:
        operator(*arrays, **attributes)
    except ValueError:
        if len(attributes) < 2:
            raise
        return True
    return False


def assert_agrees(name: str, theirs: Callable[..., Any], *, samples: int = SAMPLES, within: float = AGREES) -> None:
    """Raise AssertionError, which says where, unless values and gradients agree."""
    seen = list(differences(name, theirs, samples))
    assert seen
    worst, where = max(seen)
    assert worst <= within, f"{name}: {where}: off by {worst:.1e}"


def renamed(function: Callable[..., Any], names: Mapping[str, str]) -> Callable[..., Any]:
    """Return a function whose attributes have other names."""
    return lambda *arrays, **attributes: function(*arrays, **{names.get(k, k): v for k, v in attributes.items()})


def _several(outputs: Any) -> tuple[Any, ...]:
    return tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)


def _far(ours: Any, theirs: Any) -> float:
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    if not ours.size:
        return 0.0
    scale = max(float(np.max(np.abs(theirs))), 1e-300)
    return float(np.max(np.abs(ours - theirs))) / scale
