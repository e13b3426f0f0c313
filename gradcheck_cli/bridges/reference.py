"""Kernels with a reference: the reference is the operator that is checked, the kernel is compared with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from gradcheck_cli.bridges.domains import Domains
from gradcheck_cli.bridges.functions.pairs import from_pair
from gradcheck_cli.core.definition import Definition
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError, Problem

_ENDINGS = ("_forward_naive", "_forward", "")


def with_reference(
    kernel: Operator,
    reference: Any,
    domains: Domains,
    home: Callable[[], AbstractContextManager[None]],
    build: Callable[[Any], Operator],
) -> Operator:
    """Return the operator of `reference` under the name of `kernel`, which it carries.

    `reference` is an operator, a function with a backward beside it (`swish` or `swish_forward`, and
    `swish_backward`), or other code, of which `build` makes an operator that computes in the type of its
    arrays. Raises OperatorError for arguments that don't fit together.
    """
    operator = _operator(kernel, reference, domains, home, build)
    _require_same_arguments(kernel, operator)
    inputs = tuple(
        replace(item, domain=declared) if isinstance(declared := domains.get(item.name), Domain) else item
        for item in operator.inputs
    )
    return replace(
        operator,
        name=kernel.name,
        inputs=inputs,
        own=operator.own or kernel.own,
        label=kernel.label,
        kernel=kernel,
    )


def _operator(
    kernel: Operator,
    reference: Any,
    domains: Domains,
    home: Callable[[], AbstractContextManager[None]],
    build: Callable[[Any], Operator],
) -> Operator:
    if isinstance(reference, Operator):
        return reference
    if isinstance(reference, Definition):
        return reference.operator
    backward = _backward_of(reference)
    if backward is not None:
        return from_pair(kernel.name, reference, backward, domain=domains, home=home)
    return build(reference)


def _backward_of(function: Any) -> Any:
    """Return the backward that stands beside a forward in its module; None if there is none."""
    names = getattr(function, "__globals__", {})
    name = getattr(function, "__name__", "")
    stem = next(name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending))
    return next((names[each] for each in (f"{stem}_backward", f"backward_{stem}") if callable(names.get(each))), None)


def _require_same_arguments(kernel: Operator, reference: Operator) -> None:
    """Hold kernel and reference to the same arguments, by name or in number."""
    known = {item.name for item in kernel.inputs} | {each.name for each in kernel.attributes}
    given = {item.name for item in reference.inputs} | {each.name for each in reference.attributes}
    needed = {item.name for item in kernel.inputs if not item.optional and item.name not in kernel.own}
    named = all(item.name in known for item in reference.inputs) and needed <= given
    same_number = len(reference.inputs) == len(kernel.inputs) - len(kernel.own)
    unknown = [each.name for each in reference.attributes if each.name not in known]
    if (named or same_number) and not unknown and len(reference.outputs) == len(kernel.outputs):
        return
    message = f"the reference is {reference.signature}, and the code {kernel.signature}"
    if (named or same_number) and not unknown:
        message = f"the reference returns {len(reference.outputs)} outputs, and the code {len(kernel.outputs)}"
    hint = "both take the same arguments and return the same outputs"
    raise OperatorError(Problem(f"{kernel.name}: {message}", reference.location, "wrong-reference", hint))
