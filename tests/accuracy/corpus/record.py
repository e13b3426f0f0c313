"""A labelled operator: a forward with a backward, where to evaluate them, and what is true of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

Label = Literal["correct", "wrong", "kink", "nan", "nondeterministic", "shape", "mutates"]
Arrays = tuple[Any, ...]
Functions = tuple[Callable[..., Any], Callable[..., Any]]


@dataclass(frozen=True)
class LabelledOperator:
    """An operator and the truth about it.

    `make` returns a forward and a backward, fresh ones where they keep something between calls.
    `forward(*arguments)` returns an array, `backward(g, out, *arguments)` a tuple with a gradient
    per argument, None for an integer or boolean one. `inputs(rng)` returns the arguments.

    `label` says what is true there: `correct` (differentiable, and backward is the gradient),
    `wrong` (differentiable, and it isn't), `kink` (a corner, a tie or a jump; `finding` says which
    finding fits), `nan` (something isn't finite), `nondeterministic`, `shape` (wrong shape, number or
    dtype of gradients), `mutates` (writes to an argument). `also_ok` names what a careful tool may say
    instead: another label, or `inconclusive`; never that a wrong gradient is right.

    `cause` is the mistake, `hard` what makes it hard to judge, `source` where it was seen. `ideal` is the
    function whose derivative counts, where the forward itself is a coarse or noisy version of it.
    """

    name: str
    label: Label
    make: Callable[[], Functions]
    inputs: Callable[[np.random.Generator], Arrays]
    cause: str = ""
    hard: str = ""
    source: str = "classic"
    also_ok: tuple[str, ...] = ()
    finding: str = ""
    ideal: Callable[..., Any] | None = None


def correct(
    name: str,
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    inputs: Callable[[np.random.Generator], Arrays],
    hard: str = "control",
    source: str = "classic",
    also_ok: tuple[str, ...] = (),
    ideal: Callable[..., Any] | None = None,
) -> LabelledOperator:
    """Return an operator whose backward is right."""
    made = LabelledOperator(name, "correct", lambda: (forward, backward), inputs, "", hard, source, also_ok)
    return replace(made, ideal=ideal)


def wrong(
    name: str,
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    inputs: Callable[[np.random.Generator], Arrays],
    cause: str,
    hard: str,
    source: str = "classic",
    also_ok: tuple[str, ...] = (),
    ideal: Callable[..., Any] | None = None,
) -> LabelledOperator:
    """Return an operator whose backward is wrong."""
    made = LabelledOperator(name, "wrong", lambda: (forward, backward), inputs, cause, hard, source, also_ok)
    return replace(made, ideal=ideal)


def kink(
    name: str,
    finding: Literal["kink-at-point", "invalid-at-kink", "jump"],
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    inputs: Callable[[np.random.Generator], Arrays],
    cause: str,
    hard: str,
    source: str = "classic",
    also_ok: tuple[str, ...] = (),
) -> LabelledOperator:
    """Return an operator without a derivative at the point, and the finding that says so."""
    return LabelledOperator(name, "kink", lambda: (forward, backward), inputs, cause, hard, source, also_ok, finding)


def broken(
    name: str,
    label: Label,
    make: Callable[[], Functions],
    inputs: Callable[[np.random.Generator], Arrays],
    cause: str,
    hard: str,
    source: str = "classic",
    also_ok: tuple[str, ...] = (),
) -> LabelledOperator:
    """Return an operator that breaks the contract in the way of `label`."""
    return LabelledOperator(name, label, make, inputs, cause, hard, source, also_ok)
