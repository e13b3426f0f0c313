"""What PyTorch says of a backward that breaks the contract, as findings; and of what it lacks, as an error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradcheck_cli.bridges.foreign import Description
from gradcheck_cli.bridges.gradients import Slots
from gradcheck_cli.core.returned import shape_hint
from gradcheck_cli.errors import ContractViolation

_COUNT = re.compile(r"returned an incorrect number of gradients \(expected (\d+), got (\d+)\)")
_SIZES = r"\[([\d, ]*)\]"
_SHAPE = re.compile(rf"invalid gradient at index (\d+) - got {_SIZES} but expected shape compatible with {_SIZES}")
_UNSUPPORTED = re.compile(r"aten::|not implemented for '|Could not run|derivative for ")


@contextmanager
def explaining(described: Description, operands: Sequence[Any] = ()) -> Iterator[None]:
    """Raise ContractViolation for a wrong number or shape of gradients that PyTorch finds.

    What PyTorch itself has not implemented becomes a RuntimeError: a NotImplementedError would mean that the
    person's code isn't written yet.
    """
    try:
        yield
    except NotImplementedError as error:
        if _UNSUPPORTED.search(str(error)):
            raise RuntimeError(str(error)) from error
        raise
    except RuntimeError as error:
        if "is not differentiable with respect to argument" in str(error):
            hint = "say so in the domain of that argument: {shape: ..., nondiff: true}"
            raise RuntimeError(f"{error} {hint}") from error
        violation = _violation(str(error), described, operands)
        if violation is None:
            raise
        raise violation from error


def _violation(text: str, described: Description, operands: Sequence[Any]) -> ContractViolation | None:
    name, where = described.name, described.places[1]
    if match := _COUNT.search(text):
        message = f"its backward returned {_counted(match[2], 'gradient')} for {_counted(match[1], 'argument')}"
        hint = "return one gradient per argument of forward, None for one that has none"
        return ContractViolation("gradient-count", message, name, where, hint)
    if match := _SHAPE.search(text):
        got, wanted = (tuple(int(size) for size in re.findall(r"\d+", match[group])) for group in (2, 3))
        slot = int(match[1])
        # Inside a larger function the position is that of an argument of something else.
        known = slot < len(operands) and np.shape(operands[slot]) == wanted
        what = Slots(name, described.inputs, tuple(operands), where).name(slot) if known else f"argument {slot}"
        message = f"the gradient of {what} has shape {got}, {what} has {wanted}"
        hint = shape_hint(what, got, wanted).replace("unbroadcast(gradient, ", "gradient.sum_to_size(")
        return ContractViolation("gradient-shape", message, name, where, hint)
    return None


def _counted(number: str, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != '1')}"
