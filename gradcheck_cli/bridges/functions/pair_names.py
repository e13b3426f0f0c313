"""Find the pairs of a module by their names: `affine_forward` with `affine_backward`, and the other ways to say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from gradcheck_cli.core.definition import Definition
from gradcheck_cli.core.operator import Operator

Function: TypeAlias = Callable[..., Any]

_SIDES = {"forward": "forward", "fwd": "forward", "backward": "backward", "bwd": "backward"}
_SIDE = "(?P<side>forward|backward|fwd|bwd)"
_STYLES = (
    re.compile(rf"(?P<name>\w+?)_{_SIDE}(?:_(?P<variant>\w+))?"),
    re.compile(rf"{_SIDE}_(?P<name>\w+)"),
    re.compile(r"(?P<name>\w*[a-z0-9])(?P<side>Forward|Backward)"),
    re.compile(rf"(?P<name>\w+){_SIDE}"),
    re.compile(_SIDE),
)
_NAIVE = "naive"
"""The variant of a name that is nothing beside the name, as a course has it that asks for a fast one, too."""


@dataclass(frozen=True)
class _Part:
    """One side of a pair: the name of the operator, its variant, and whether the name can mean nothing else."""

    function: str
    side: str
    name: str
    variant: str
    plain: bool


def pairs_in(namespace: ModuleType | Mapping[str, Any]) -> dict[str, tuple[Function, Function]]:
    """Return the pairs of a module or a namespace, by the name of their operator, in the order of the forwards.

    They are called X_forward and X_backward (also X_forward_naive), forward_X and backward_X, XForward and
    XBackward, or X and X_backward; `fwd` and `bwd` stand for the sides, too. Another variant, as in
    X_backward_alt, is the operator X_alt. `forward` and `backward` alone are named after their file. Of a
    module only what it defines itself counts.
    """
    functions = functions_of(namespace)
    found, _ = _matched(functions, namespace)
    return {name: (functions[forward], functions[backward]) for name, (forward, backward) in found.items()}


def unpaired_in(namespace: ModuleType | Mapping[str, Any]) -> tuple[str, ...]:
    """Say which functions are called like one half of a pair whose other half is missing."""
    _, lonely = _matched(functions_of(namespace), namespace)
    return tuple(
        f"{part.function} has no {_other_side(part.function)} beside it"
        for part in lonely
        if part.plain and not part.function.startswith("_")
    )


def functions_of(namespace: ModuleType | Mapping[str, Any]) -> dict[str, Function]:
    """Return what can be called in a namespace, classes and operators aside; of a module what it defines itself."""
    own = dict(vars(namespace)) if isinstance(namespace, ModuleType) else dict(namespace)
    called = {name: value for name, value in own.items() if callable(value) and not isinstance(value, type)}
    called = {name: value for name, value in called.items() if not isinstance(value, Definition | Operator)}
    if isinstance(namespace, ModuleType):
        return {name: value for name, value in called.items() if is_defined_in(value, namespace)}
    return called


def is_defined_in(value: Any, module: ModuleType) -> bool:
    """Tell whether a function, class, `partial` or object that is called was made by a module, or by its parts."""
    home = getattr(value, "__module__", None) if hasattr(value, "__qualname__") else None
    if home is None:  # a partial or an object: it belongs to where its function or class was written
        inner = getattr(value, "func", type(value))
        home = getattr(inner, "__module__", None)
    return f"{home}.".startswith(f"{module.__name__}.")


def _matched(
    functions: Mapping[str, Function], namespace: ModuleType | Mapping[str, Any]
) -> tuple[dict[str, tuple[str, str]], list[_Part]]:
    """Return the names of forward and backward by operator, and the parts that have no other half."""
    parts = [part for function in functions if (part := _part(function, namespace))]
    sides = {side: {(p.name, p.variant): p for p in parts if p.side == side} for side in ("forward", "backward")}
    found: dict[str, tuple[str, str]] = {}
    paired: set[str] = set()

    def pair(name: str, variant: str, forward: str, backward: str) -> None:
        short = name if variant in ("", _NAIVE) and name not in found else f"{name}_{variant}"
        while short in found:
            short += "_"
        found[short] = (forward, backward)
        paired.update((forward, backward))

    keys = sorted(dict.fromkeys((p.name, p.variant) for p in parts), key=lambda key: key[1] != "")
    for name, variant in keys:
        forward, backward = sides["forward"].get((name, variant)), sides["backward"].get((name, variant))
        # A variant of one side goes with the plain other one.
        forward = forward or (sides["forward"].get((name, "")) if backward else None)
        backward = backward or (sides["backward"].get((name, "")) if forward else None)
        if forward and backward:
            pair(name, variant, forward.function, backward.function)
        elif backward and name in functions and name != backward.function:
            pair(name, variant, name, backward.function)
    order = list(functions)
    ordered = dict(sorted(found.items(), key=lambda item: order.index(item[1][0])))
    return ordered, [part for part in parts if part.function not in paired]


def _part(function: str, namespace: ModuleType | Mapping[str, Any]) -> _Part | None:
    for style in _STYLES:
        match = style.fullmatch(function)
        if match is None:
            continue
        groups = match.groupdict()
        name = groups.get("name") or _stem(namespace)
        side = _SIDES[groups["side"].lower()]
        if name and name.isidentifier():
            return _Part(function, side, name, groups.get("variant") or "", style in _STYLES[:2])
    return None


def _stem(namespace: ModuleType | Mapping[str, Any]) -> str:
    """Return the name of the file of a module, which names the operator that is its only one."""
    file = vars(namespace).get("__file__") if isinstance(namespace, ModuleType) else namespace.get("__file__")
    return Path(file).stem if isinstance(file, str) else ""


def _other_side(function: str) -> str:
    pairs = (("forward", "backward"), ("fwd", "bwd"))
    swapped = {a: b for pair in pairs for a, b in (pair, pair[::-1])}
    return re.sub("forward|backward|fwd|bwd", lambda match: swapped[match[0]], function)
