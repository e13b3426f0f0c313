"""What to declare where an operator can't take, or can't be defined at, what was drawn for it."""

from __future__ import annotations

from dataclasses import replace

from gradcheck_cli.bridges.argument_names import CHOOSING
from gradcheck_cli.bridges.guess_words import domain_text
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.operator import REQUIRED, Input, Operator

_INDICES = CHOOSING | {"classes", "ids", "rows", "tokens"}
_MASKS = {"mask", "keep", "kept", "valid", "condition"}
_VECTORS = {"b", "bias", "beta", "gamma", "scale", "shift"}
_MATRICES = {"W", "w", "weight", "weights", "kernel"}


def is_undeclared(operator: Operator) -> bool:
    """Tell whether nothing says what the operator takes: it has no sample function and no domains."""
    plain = Domain()
    return operator.sampler is None and all(item.domain == plain for item in operator.inputs)


def declares_values(operator: Operator) -> bool:
    """Tell whether something says which values the operator takes: bounds of an input, or a sample function."""
    plain = Domain()
    return operator.sampler is not None or any(
        item.domain.differentiable and replace(item.domain, shape=None) != plain for item in operator.inputs
    )


def refused_hint(operator: Operator) -> str:
    """Say what to write for an operator that raised on what was drawn for it."""
    if operator.bridged and not is_undeclared(operator):
        return f"its domain should say what {operator.name} takes"
    if operator.sampler is not None:
        return f"@{operator.name}.sample has to return arguments that {operator.name} takes"
    if is_undeclared(operator):
        return f"nothing says what {operator.name} takes. Declare it, for instance {line_to_write(operator)}"
    return (
        f"its domains should say what {operator.name} takes. What they can't say is said by @{operator.name}.sample, "
        "a function that takes a NumPy Generator and returns arguments"
    )


def undefined_hint(operator: Operator) -> str:
    """Say what to write for an operator whose value isn't finite on standard normal numbers."""
    name = next((item.name for item in operator.inputs if item.domain.differentiable), operator.inputs[0].name)
    if operator.bridged:
        return f"say where {operator.name} is defined, for instance {domain_text(operator, f'{name}: {{low: 0.1}}')}"
    return f"say where {operator.name} is defined, for instance @op({name}=arr(low=0.1))"


def shapes_hint(operator: Operator) -> str:
    """Say how to keep shapes from an operator that it isn't meant for; empty where its shapes are declared."""
    loose = [item.name for item in operator.inputs if item.domain.words is None]
    if not loose or operator.sampler is not None:
        return ""
    verb = "have" if len(loose) > 1 else "has"
    return (
        f"{_listed(loose)} {verb} no declared shape, so all shapes are tried that the forward takes. If some make no "
        f"sense, let the forward raise there, or declare shapes, for instance {line_to_write(operator)}"
    )


def line_to_write(operator: Operator) -> str:
    """Write what would declare an operator, with shapes guessed from the names of its arguments."""
    if operator.bridged:
        words = ", ".join(f"{item.name}: {_guessed_words(item)}" for item in operator.inputs)
        return domain_text(operator, words)
    parts = [f"{item.name}={_guessed(item)}" for item in operator.inputs]
    parts += [
        f"{attribute.name}=[...]"
        for attribute in operator.attributes
        if not attribute.values and attribute.default is REQUIRED
    ]
    return f"@op({', '.join(parts)})"


def _guessed(item: Input) -> str:
    if item.domain.kind == "int" or item.name in _INDICES:
        return 'ints("n", below="k")'
    if item.domain.kind == "bool" or item.name in _MASKS:
        return 'mask("n k")'
    if item.name in _VECTORS:
        return 'arr("k")'
    return 'arr("k m")' if item.name in _MATRICES else 'arr("n k")'


def _guessed_words(item: Input) -> str:
    return "k" if item.name in _VECTORS else "n k"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
