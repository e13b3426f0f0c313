"""What a case is expected to give: a verdict, a known value, known gradients."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from gradcheck_cli.codes import FINDING_CODES, REPORTED
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import near
from gradcheck_cli.spec.arrays.given import GivenValues
from gradcheck_cli.spec.arrays.shapes import shape_text
from gradcheck_cli.spec.case import ArraySpec, Expectation
from gradcheck_cli.spec.text.nodes import Node, Scalar, Table
from gradcheck_cli.spec.text.problems import Problems

VERDICTS = ("pass", "fail", "inconclusive")

_WHAT_THERE_IS = (
    f"there are: {', '.join(VERDICTS)}, and findings by name or code, as sign-flipped (gradcheck explain lists them)"
)


def read_expectation(
    node: Node | None, parameters: Collection[str], left_out: Collection[str], problems: Problems
) -> Expectation:
    """Return what `expect` says. `left_out` are parameters that this case doesn't use.

    What is wrong is said: a verdict that there isn't, a parameter that there isn't.
    """
    if isinstance(node, Table):
        _report_strangers("expect", node, parameters, left_out, problems)
        known = {name: item for name, item in node.items.items() if name in parameters or name in left_out}
        verdicts = {name: _verdict(item, problems) for name, item in known.items()}
        return Expectation(parameters={name: verdict for name, verdict in verdicts.items() if name in parameters})
    return Expectation(_verdict(node, problems)) if node is not None else Expectation()


def _verdict(node: Node, problems: Problems) -> str:
    """Return a verdict, or the name of a finding."""
    text = node.value if isinstance(node, Scalar) and isinstance(node.value, str) else ""
    if text in VERDICTS:
        return text
    codes = {finding.code: name for name, finding in FINDING_CODES.items()}
    name = codes.get(text, text)
    if name in REPORTED:
        return name
    if name in FINDING_CODES:
        hint = "write pass, fail or inconclusive"
        problems.add(node.mark, f"'{text}' is about health, which changes no verdict", "unknown-verdict", hint)
    else:
        hint = near(text, [*VERDICTS, *FINDING_CODES, *codes]) or _WHAT_THERE_IS
        problems.add(node.mark, f"'{text}' is no verdict", "unknown-verdict", hint)
    return "pass"


def _report_strangers(
    key: str, table: Table, parameters: Collection[str], left_out: Collection[str], problems: Problems
) -> None:
    for name in table.items:
        if name not in parameters and name not in left_out:
            hint = near(name, parameters) or f"there are: {', '.join(parameters)}"
            problems.add(table.keys[name], f"'{key}' names '{name}', which is no parameter", "unknown-parameter", hint)


def read_known_value(node: Node | None, values: GivenValues) -> Array | None:
    """Return the known value of the expression as float64, None if there is none."""
    return None if node is None else _floats("value", node, values)


def read_known_gradients(
    table: Table | None,
    parameters: Mapping[str, ArraySpec | None],
    left_out: Collection[str],
    values: GivenValues,
) -> dict[str, Array]:
    """Return the known gradients by parameter as float64; a parameter that is None was reported already.

    What is wrong is said: a parameter that there isn't, a gradient of another shape.
    """
    if table is None:
        return {}
    problems = values.problems
    _report_strangers("grad", table, parameters, left_out, problems)
    gradients: dict[str, Array] = {}
    for name, node in table.items.items():
        if name not in parameters:
            continue
        gradient, spec = _floats(f"the gradient of {name}", node, values), parameters[name]
        if gradient is not None and spec is not None and gradient.shape != spec.shape:
            message = f"the gradient of {name} is {shape_text(gradient.shape)}, {name} is {shape_text(spec.shape)}"
            problems.add(node.mark, message, "shape-mismatch", "a gradient has its parameter's shape")
        elif gradient is not None:
            gradients[name] = gradient
    return gradients


def _floats(label: str, node: Node, values: GivenValues) -> Array | None:
    array = values.read(node, label)
    if array is None:
        return None
    if array.dtype == np.bool_:
        values.problems.add(node.mark, f"{label} should be numbers, not true and false", "wrong-type")
        return None
    return values.cast(array, "float64")
