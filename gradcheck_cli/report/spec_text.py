"""How a spec is written: the YAML of arrays, the expression of a call, and texts that need quotes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.operator import REQUIRED, Operator
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.run.trial import written

_PLAIN_WORD = r"(?i:(?!(?:null|true|false|nan|inf)$)[a-z_][\w-]*)"
_NO_FILE = r"[^\w./-]"
_NO_TEXT = r": | #|:$|^[\s\-?!&*%@`'\"|>{}\[\],#]|\s$"


class Unwritten(ValueError):
    """A value that an expression has no words for: a slice, a function, a NaN."""


@dataclass(frozen=True)
class FreeName:
    """A name in an expression in place of an attribute's value, which a matrix gives."""

    name: str


def call_text(operator: Operator, arrays: Sequence[str], attributes: Mapping[str, Any]) -> str:
    """Write a call, its arrays as they are given and its attributes by name.

    A default is left out where it is None, or where an expression has no words for it.
    Raises Unwritten for an attribute that an expression can't hold.
    """
    defaults = {attribute.name: attribute.default for attribute in operator.attributes}
    parts = list(arrays)
    while parts and parts[-1] == "None":  # an optional array that is left out
        parts.pop()
    for name, value in attributes.items():
        if value is not defaults.get(name, REQUIRED) or (value is not None and can_be_written(value)):
            parts.append(f"{name}={literal(value)}")
    return f"{operator.name}({', '.join(parts)})"


def literal(value: Any) -> str:
    """Write an attribute's value as an expression has it. Raises Unwritten for what it has no words for."""
    if isinstance(value, FreeName):
        return value.name
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float) and not math.isnan(value):
        return repr(value) if math.isfinite(value) else "np.inf" if value > 0 else "-np.inf"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(literal, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, dict) and all(isinstance(key, str) and key.isidentifier() for key in value):
        return f"dict({', '.join(f'{key}={literal(part)}' for key, part in value.items())})"
    raise Unwritten(f"an expression has no words for {written(value)}")


def can_be_written(value: Any) -> bool:
    """Tell whether an expression has words for an attribute's value."""
    try:
        literal(value)
    except Unwritten:
        return False
    return True


def listed(value: Any) -> str:
    """Write an attribute's value as a matrix lists it: a text in quotes only where it would be something else."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(listed, value))}]"
    if isinstance(value, str):
        return value if re.fullmatch(_PLAIN_WORD, value) else _quoted(value)
    if isinstance(value, float):
        return _dotted(repr(value))
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)


def _dotted(number: str) -> str:
    """Write 1e-05 as 1.0e-05: without the dot stock YAML, as other programs read it, takes it for a text."""
    head, exponent, tail = number.partition("e")
    return f"{head}.0e{tail}" if exponent and "." not in head else number


def array_text(array: Array, number: Callable[[float], str] = repr) -> str:
    """Write an array as a YAML list of lists, a single truth value as 0 or 1.

    `number` writes a floating-point number.
    """
    if array.ndim:
        return f"[{', '.join(_parts(array, number))}]"
    if array.dtype.kind == "b":
        return str(int(array))
    return str(int(array)) if array.dtype.kind in "iu" else number(float(array))


def _parts(array: Array, number: Callable[[float], str]) -> list[str]:
    if array.ndim == 1 and array.dtype.kind == "b":
        return [str(bool(part)).lower() for part in array]
    return [array_text(part, number) for part in array]


def four_digits(value: float) -> str:
    """Write a number with four digits."""
    return f"{value:.4g}"


def quoted(text: str) -> str:
    """Return one line of text for YAML, quoted where it would otherwise mean something else."""
    return _quoted(text) if re.search(_NO_TEXT, text) else text


def files_text(files: Sequence[str]) -> str:
    """Write the line of a spec that names its operator files."""
    return f"ops: [{', '.join(_quoted(file) if re.search(_NO_FILE, file) else file for file in files)}]"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
