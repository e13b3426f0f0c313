"""An operator beside PyTorch's own: values and gradients, on what the operator's domain draws."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli.core.draw import sample_arguments

SAMPLES = 20
AGREES = 1e-10


def differences(name: str, theirs: Callable[..., Any], samples: int = SAMPLES) -> Iterator[tuple[float, str]]:
    """Yield how far value and gradients are from those of `theirs`, relative to the largest of each, and where.

    `theirs` takes tensors (None for an array that is left out) and the attributes by name, and returns one tensor or
    several.
    """
    import torch  # here, since the tests of it are skipped without it

    operator = getattr(F, name).operator
    names = [attribute.name for attribute in operator.attributes if attribute.values]
    choices = list(itertools.product(*(attribute.values for attribute in operator.attributes if attribute.values)))
    for seed in range(samples):
        rng = np.random.default_rng(seed)
        arrays, drawn = sample_arguments(operator, rng)
        chosen = dict(zip(names, choices[seed % len(choices)], strict=True))
        attributes = {**chosen, **drawn} if operator.sampler else {**drawn, **chosen}
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
