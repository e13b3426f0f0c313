"""Operators that compute on several devices: a case that applies one is a case for each device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.scope import Scope


def scopes_by_device(scope: Scope, operators: Iterable[Operator]) -> dict[str, Scope]:
    """Return a scope for each device of the `operators`, by the suffix that tells it in a case's name.

    There is one, without a suffix, where no operator has more than one device.
    """
    labels = dict.fromkeys(each.label for one in operators if one.elsewhere for each in (one, *one.elsewhere))
    if not labels:
        return {"": scope}
    return {f"[{label}]": replace(scope, own=_on(label, scope.own), given=_on(label, scope.given)) for label in labels}


def _on(label: str, level: Mapping[str, Operator]) -> dict[str, Operator]:
    """Return the operators of one level with those in place that compute where `label` says."""
    chosen = {}
    for name, operator in level.items():
        choices = (operator, *operator.elsewhere)
        chosen[name] = next((each for each in choices if each.label == label), operator)
    return chosen
