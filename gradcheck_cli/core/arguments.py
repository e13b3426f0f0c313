"""The arguments of an operator: how they are declared, and how those of a call are sorted into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any

from gradcheck_cli.core.domain import Domain
from gradcheck_cli.errors import OperatorError, Problem, near
from gradcheck_cli.light_dataclass import dataclass

REQUIRED = object()
"""The default of an attribute that has none."""

_LEFT_OUT = object()

_TORCH_NAMES = {
    "input": ("x", "a"),
    "A": ("a",),
    "other": ("y", "b"),
    "dim": ("axis",),
    "dims": ("axis", "axes"),
    "dim0": ("axis1",),
    "dim1": ("axis1",),
    "dim2": ("axis2",),
    "keepdim": ("keepdims",),
    "negative_slope": ("slope",),
    "correction": ("ddof",),
    "diagonal": ("k",),
    "shifts": ("shift",),
    "value": ("constant_values",),
    "rtol": ("rcond",),
    "p": ("ord",),
    "unitriangular": ("unit_diagonal",),
}
"""PyTorch's names of arguments which have others here."""


def near_argument(name: str, names: Sequence[str]) -> str:
    """Return the hint for an unknown argument of an operator that takes `names`, empty if none is meant."""
    meant = next((ours for ours in _TORCH_NAMES.get(name, ()) if ours in names), "")
    return f"PyTorch's '{name}' is '{meant}' here" if meant else near(name, names)


@dataclass(frozen=True, eq=False)
class Input:
    """An array argument. A variadic one (`*xs`) stands for any number of arrays.

    A loose one belongs to code that declares nothing: it takes arrays as any other, and a plain value
    (a number, a text, a mapping) as it is, without a gradient.
    """

    name: str
    domain: Domain = field(default_factory=Domain)
    optional: bool = False
    variadic: bool = False
    loose: bool = False


@dataclass(frozen=True, eq=False)
class Attribute:
    """A keyword-only argument that is no array; `values` are those to try when it is sampled."""

    name: str
    default: Any = REQUIRED
    values: tuple[Any, ...] = ()


def signature(name: str, inputs: Sequence[Input], attributes: Sequence[Attribute]) -> str:
    """Write the call as a person does: `leaky_relu(x, *, slope=0.01)`."""
    parts = [("*" if i.variadic else "") + i.name + ("=None" if i.optional else "") for i in inputs]
    if attributes and not any(i.variadic for i in inputs):
        parts.append("*")
    parts += [a.name if a.default is REQUIRED else f"{a.name}={a.default!r}" for a in attributes]
    return f"{name}({', '.join(parts)})"


def may_be_empty(inputs: Sequence[Input]) -> bool:
    """Tell whether `*args` may stand for nothing: in code that declares nothing, behind other arrays."""
    return len(inputs) > 1 and inputs[-1].variadic and inputs[-1].loose


class Binder:
    """Sorts the arguments of a call of one operator into arrays and attributes."""

    def __init__(
        self,
        name: str,
        inputs: Sequence[Input],
        attributes: Sequence[Attribute],
        own: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.inputs = inputs
        self.attributes = attributes
        self.own = own
        self.variadic = bool(inputs) and inputs[-1].variadic

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arrays by position and the attributes by name.

        Positional arguments fill the arrays, then the attributes in order; a list or tuple
        spreads over a variadic input, and an input that is left out has the operator's own value, if
        there is one. Raises OperatorError for a missing, repeated or unknown argument.
        """
        attributes = dict(kwargs)
        arrays, rest = self._split(list(args))
        self._fill_attributes(attributes, rest, len(args))
        for item in self.inputs[len(arrays) :]:
            if not item.variadic:
                arrays.append(attributes.pop(item.name, self.own.get(item.name, _LEFT_OUT)))
        if self.variadic and len(arrays) < len(self.inputs) and not may_be_empty(self.inputs):
            raise self._misuse(f"needs at least one array for '*{self.inputs[-1].name}'")
        for slot, array in enumerate(arrays):
            loose = self.inputs[min(slot, len(self.inputs) - 1)].loose
            if array is _LEFT_OUT or (array is None and not loose):
                arrays[slot] = None
                self.check_given(slot, None)
        self._check_attributes(attributes)
        return tuple(arrays), attributes

    def check_given(self, slot: int, array: Any) -> None:
        """Raise OperatorError for None in place of an array that isn't optional."""
        item = self.inputs[min(slot, len(self.inputs) - 1)]
        if array is None and not item.optional:
            raise self._misuse(f"needs '{item.name}'")

    def _split(self, args: list[Any]) -> tuple[list[Any], list[Any]]:
        """Split positional arguments into arrays and what is left for the attributes."""
        fixed = len(self.inputs) - self.variadic
        if not self.variadic:
            return args[:fixed], args[fixed:]
        if args and isinstance(args[0], str):  # einsum("ij,jk", a, b)
            return args[1:], args[:1]
        if len(args) > fixed and isinstance(args[fixed], list | tuple):
            return [*args[:fixed], *args[fixed]], args[fixed + 1 :]
        return args, []

    def _fill_attributes(self, attributes: dict[str, Any], rest: list[Any], given: int) -> None:
        if len(rest) > len(self.attributes):
            count = len(self.inputs) + len(self.attributes)
            raise self._misuse(f"takes {count} argument{'s' * (count != 1)}, got {given}")
        for attribute, value in zip(self.attributes, rest, strict=False):
            if attribute.name in attributes:
                raise self._misuse(f"got '{attribute.name}' twice")
            attributes[attribute.name] = value

    def _check_attributes(self, attributes: dict[str, Any]) -> None:
        known = [attribute.name for attribute in self.attributes]
        arrays = {item.name: item for item in self.inputs}
        for name in attributes:
            if name in known:
                continue
            if name in arrays and arrays[name].variadic:
                raise self._misuse(f"takes '*{name}' by position")
            if name in arrays:
                raise self._misuse(f"got '{name}' twice")
            raise self._misuse(f"has no argument '{name}'", near_argument(name, [*known, *arrays]))
        for attribute in self.attributes:
            if attribute.default is REQUIRED and attribute.name not in attributes:
                raise self._misuse(f"needs '{attribute.name}'")

    def _misuse(self, message: str, hint: str = "") -> OperatorError:
        it_is = f"it is {signature(self.name, self.inputs, self.attributes)}"
        return OperatorError(Problem(f"{self.name} {message}", None, "wrong-argument", hint or it_is))
