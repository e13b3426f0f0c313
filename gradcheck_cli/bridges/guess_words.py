"""What was guessed of undeclared code, and what a person has to declare, in words."""

from __future__ import annotations

import re

from gradcheck_cli.core.arguments import REQUIRED
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.operator import Operator

_SETTING = re.compile(r"param|config|cfg|mode|option|setting|train|activation|method|kind")


def guessed_words(operator: Operator, guessed: Operator) -> str:
    """Say what was guessed of an operator; empty if nothing was."""
    both = list(zip(operator.inputs, guessed.inputs, strict=True))
    given = without_gradient(operator, guessed)
    ungraded = f"its backward returns no gradient for {', '.join(given)}, which was not checked" if given else ""
    if given and not names_gradients(operator):
        ungraded += f"; if none is meant, say {given[0]}: {{nondiff: true}} in its domain"
    pairs = [(new.name, new.domain) for old, new in both if old.loose]
    if not pairs:
        return ungraded
    if all(domain == Domain() for _, domain in pairs):
        words = f"{', '.join(name for name, _ in pairs)} of one common shape"
    else:
        words = ", ".join(f"{name} ({domain.shape or 'a number'})" for name, domain in pairs)
    return "; ".join(filter(None, [f"no domain is declared, guessed: {words}", ungraded]))


def without_gradient(operator: Operator, guessed: Operator) -> list[str]:
    """Name the inputs that were found to have no gradient."""
    both = zip(operator.inputs, guessed.inputs, strict=True)
    return [new.name for old, new in both if new.domain.nondiff and not old.domain.nondiff]


def names_gradients(operator: Operator) -> bool:
    """Tell whether the backward names its gradients: then it has none for the inputs that it leaves out."""
    return any(rule.partial for rule in operator.rules)


def domain_line(operator: Operator) -> str:
    """Write the domain that a person has to give for an operator: `domain: {x: {shape: ...}, conv_param: [...]}`."""
    settings = [item.name for item in operator.inputs if item.loose and _SETTING.search(item.name)]
    parts = [
        f"{item.name}: {'[...]' if item.name in settings else '{shape: ...}'}" for item in operator.inputs if item.loose
    ]
    parts += [f"{each.name}: [...]" for each in operator.attributes if each.default is REQUIRED and not each.values]
    return domain_text(operator, ", ".join(parts))


def domain_text(operator: Operator, domains: str) -> str:
    """Write domains as the mapping of an operator has them: beside `pairs:` they stand under its name."""
    return f"domain: {{{operator.name}: {{{domains}}}}}" if operator.bridged == "pairs" else f"domain: {{{domains}}}"
