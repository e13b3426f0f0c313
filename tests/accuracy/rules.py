"""Other rules to compare with: the plain one of textbooks, PyTorch's, and torch itself where it is installed.

Each takes a forward, a backward and arguments, and tells whether the rule passes the backward.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

PLAIN_STEP, PLAIN_FLOOR, PLAIN_LIMIT = 1e-5, 1e-12, 1e-7
TORCH_STEP, TORCH_ATOL, TORCH_RTOL = 1e-6, 1e-5, 1e-3

Rule = Callable[[Callable[..., Any], Callable[..., Any], Sequence[Any]], bool]


def plain_rule(forward: Callable[..., Any], backward: Callable[..., Any], arguments: Sequence[Any]) -> bool:
    """Compare the gradient of the sum of the outputs with differences of step 1e-5.

    Passes if abs(a - n) / (abs(a) + abs(n) + 1e-12) is below 1e-7 for every element.
    """
    out = _call(forward, arguments)
    gradients = _gradients(backward, np.ones_like(out), out, arguments)
    for slot in _floats(arguments):
        numeric = [
            (up.sum() - down.sum()) / (2 * PLAIN_STEP) for up, down in _moved(forward, arguments, slot, PLAIN_STEP)
        ]
        a, n = np.asarray(gradients[slot], dtype=np.float64).reshape(-1), np.array(numeric)
        if np.shape(gradients[slot]) != arguments[slot].shape:
            return False
        if not (np.abs(a - n) / (np.abs(a) + np.abs(n) + PLAIN_FLOOR) < PLAIN_LIMIT).all():
            return False
    return True


def torch_rule(forward: Callable[..., Any], backward: Callable[..., Any], arguments: Sequence[Any]) -> bool:
    """Compare the full Jacobian with differences of step 1e-6, as torch.autograd.gradcheck does by default.

    Passes if abs(a - n) <= 1e-5 + 1e-3 abs(n) everywhere, two backwards agree bit for bit, and zeros go
    back as zeros.
    """
    out = _call(forward, arguments)
    rows, again = (_jacobians(backward, out, arguments) for _ in range(2))
    zeros = _gradients(backward, np.zeros_like(out), out, arguments)
    for slot in _floats(arguments):
        sides = [
            ((up - down) / (2 * TORCH_STEP)).reshape(-1) for up, down in _moved(forward, arguments, slot, TORCH_STEP)
        ]
        numeric = np.array(sides, dtype=np.float64).reshape(arguments[slot].size, out.size).T
        if not (np.abs(rows[slot] - numeric) <= TORCH_ATOL + TORCH_RTOL * np.abs(numeric)).all():
            return False
        if not np.array_equal(rows[slot], again[slot]) or np.any(zeros[slot]):
            return False
    return True


def torch_itself(forward: Callable[..., Any], backward: Callable[..., Any], arguments: Sequence[Any]) -> bool:
    """Ask torch.autograd.gradcheck about an autograd.Function that calls the pair. Raises ImportError without torch."""
    torch: Any = importlib.import_module("torch")

    class Pair(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            arrays = [tensor.detach().numpy().copy() for tensor in tensors]
            out = _call(forward, arrays)
            ctx.kept = out, arrays
            return torch.from_numpy(np.array(out))

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            out, arrays = ctx.kept
            gradients = _gradients(backward, g.numpy(), out, arrays)
            return tuple(None if a is None else torch.from_numpy(np.array(a)) for a in gradients)

    tensors = [torch.from_numpy(np.array(argument)) for argument in arguments]
    for slot in _floats(arguments):
        tensors[slot].requires_grad_()
    return bool(torch.autograd.gradcheck(Pair.apply, tensors, raise_exception=False))


def installed_rules() -> Mapping[str, Rule]:
    """Return the rules by name; torch itself only where it is installed."""
    rules: dict[str, Rule] = {"plain rule": plain_rule, "PyTorch's rule": torch_rule}
    if importlib.util.find_spec("torch") is not None:
        rules["torch itself"] = torch_itself
    return MappingProxyType(rules)


def verdicts(
    forward: Callable[..., Any], backward: Callable[..., Any], arguments: Sequence[Any], seed: int
) -> dict[str, bool]:
    """Tell for every rule whether it passes the backward; a pair that it can't handle doesn't pass.

    NumPy's global generator is set to `seed` before each rule, so that the answer repeats.
    """
    said = {}
    for name, rule in installed_rules().items():
        np.random.seed(seed)
        try:
            with np.errstate(all="ignore"):
                said[name] = bool(rule(forward, backward, arguments))
        except (ArithmeticError, IndexError, RuntimeError, TypeError, ValueError):
            said[name] = False
    return said


def _floats(arguments: Sequence[Any]) -> list[int]:
    return [slot for slot, argument in enumerate(arguments) if argument.dtype.kind == "f"]


def _call(forward: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    return np.asarray(forward(*(argument.copy() for argument in arguments)))


def _gradients(backward: Callable[..., Any], g: Any, out: Any, arguments: Sequence[Any]) -> Sequence[Any]:
    gradients = backward(g.copy(), out.copy(), *(argument.copy() for argument in arguments))
    if len(gradients) != len(arguments):
        raise ValueError("another number of gradients than arguments")
    return gradients  # type: ignore[no-any-return]


def _moved(forward: Callable[..., Any], arguments: Sequence[Any], slot: int, step: float) -> list[tuple[Any, Any]]:
    """Evaluate with every element of one argument moved up and down by `step`."""
    pairs = []
    for element in np.ndindex(arguments[slot].shape):
        sides = []
        for by in (step, -step):
            changed = arguments[slot].copy()
            changed[element] += by
            sides.append(_call(forward, [changed if n == slot else a for n, a in enumerate(arguments)]))
        pairs.append((sides[0], sides[1]))
    return pairs


def _jacobians(backward: Callable[..., Any], out: Any, arguments: Sequence[Any]) -> dict[int, Any]:
    """Rebuild the Jacobians by argument, one backward for every output."""
    rows: dict[int, list[Any]] = {slot: [] for slot in _floats(arguments)}
    for index in np.ndindex(out.shape):
        g = np.zeros_like(out)
        g[index] = 1
        gradients = _gradients(backward, g, out, arguments)
        for slot, row in rows.items():
            if np.shape(gradients[slot]) != arguments[slot].shape:
                raise ValueError("a gradient of another shape than its argument")
            row.append(np.asarray(gradients[slot], dtype=np.float64).reshape(-1))
    return {slot: np.array(row).reshape(out.size, arguments[slot].size) for slot, row in rows.items()}
