"""Instances of a person's class: made once, and copied for every call with given arrays as weights."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gradcheck_cli.bridges.objects.buffers import buffers_of, zeros_like
from gradcheck_cli.bridges.objects.contents import contents_of, duplicate
from gradcheck_cli.bridges.objects.paths import NoSuchPath, put_at, value_at
from gradcheck_cli.core.arrays import Array, same_bytes
from gradcheck_cli.core.execution import current, raised
from gradcheck_cli.errors import ContractViolation, GradcheckError, Location


@dataclass(frozen=True, eq=False)
class Made:
    """An instance for one call. `standing` has, by name, the array that stands in it for each given one."""

    instance: Any
    standing: Mapping[str, Array]


class Source(Protocol):
    """Where the instances for calls come from."""

    def make(self, given: Mapping[str, Array], floating: np.dtype[Any] | None) -> Made:
        """Return a new instance whose weights are `given`, and that computes in the type `floating`."""


class Template:
    """Makes instances as copies of one; `paths` says where in it each weight stands.

    An array in the place of which another one is given isn't copied, and whoever holds that very array,
    a layer inside a network, gets the given one, too.
    """

    def __init__(self, instance: Any, paths: Mapping[str, str]) -> None:
        self.instance = instance
        self._paths = dict(paths)
        self._contents = contents_of(instance)
        self._buffers, alone = buffers_of(self._contents.arrays)
        self._zeros = [array for array in alone if type(array) is np.ndarray and _is_zero(array)]
        self._weights = {name: _found(instance, path) for name, path in paths.items()}
        self._types = {array.dtype for array in self._contents.arrays if array.dtype.kind == "f"}
        self._alone = alone
        self._in_type: dict[np.dtype[Any], Template] = {}

    def make(self, given: Mapping[str, Array], floating: np.dtype[Any] | None) -> Made:
        """Return a copy whose weights are `given`, and whose other floating-point arrays are `floating`.

        Raises ValueError for a weight that shares memory with other arrays and is given in another
        shape, NoSuchPath for one that can't be set.
        """
        return self._converted(floating)._copy(given)

    def _converted(self, floating: np.dtype[Any] | None) -> Template:
        if floating is None or self._types <= {floating}:
            return self
        if floating not in self._in_type:
            replaced: dict[int, Any] = {
                id(array): array.astype(floating) for array in self._alone if array.dtype.kind == "f"
            }
            for buffer in self._buffers:
                replaced |= buffer.copies(floating if buffer.floating else None)
            instance, _ = duplicate(self.instance, replaced, self._contents)
            self._in_type[floating] = Template(instance, self._paths)
        return self._in_type[floating]

    def _copy(self, given: Mapping[str, Array]) -> Made:
        replaced: dict[int, Any] = {id(array): zeros_like(array) for array in self._zeros}
        for buffer in self._buffers:
            replaced |= buffer.copies()
        shared = {key for buffer in self._buffers for key in buffer.ids}
        standing = dict(given)
        for name, array in given.items():
            weight = self._weights.get(name)
            if not isinstance(weight, np.ndarray):
                continue
            if id(weight) in shared:
                standing[name] = _written(replaced[id(weight)], array, name)
            elif type(weight) is not np.ndarray:  # a matrix multiplies in another way
                replaced[id(weight)] = standing[name] = array.view(type(weight))
            else:
                replaced[id(weight)] = array
        instance, _ = duplicate(self.instance, replaced, self._contents)
        for name, array in standing.items():
            if not _is_view(_found(instance, self._paths[name]), array):
                put_at(instance, self._paths[name], array)
        return Made(instance, standing)


class Memory:
    """What code left on its instance, hidden from the engine: each backward gets a copy of its own.

    So gradients that are added up and values that are overwritten stay inside of one call. `standing`
    names arrays that belong to the graph, and may be held by the instance.
    """

    __slots__ = ("_held", "_standing")

    def __init__(self, held: Any, standing: Iterable[tuple[str, Any]]) -> None:
        self._held = held
        self._standing = [(name, array) for name, array in standing if isinstance(array, np.ndarray)]

    def copy(self) -> tuple[Any, Watch]:
        """Return a copy, and a watch over what in it belongs to the graph."""
        contents = contents_of(self._held)
        buffers, _ = buffers_of(contents.arrays)
        views = {key: copy for buffer in buffers for key, copy in buffer.copies().items()}
        copied, copies = duplicate(self._held, views, contents)
        watched = []
        for array in contents.arrays:
            name = next((name for name, whole in self._standing if np.may_share_memory(array, whole)), None)
            if name is not None and id(array) in copies:
                watched.append((name, array, copies[id(array)]))
        return copied, Watch(watched)


class Watch:
    """Arrays of a copied instance that stand for some of the graph: code that writes to them would damage it."""

    def __init__(self, watched: Sequence[tuple[str, Array, Array]]) -> None:
        self._watched = watched

    def report(self, operator: str, what: str, where: Location) -> None:
        """Report what was written to; see `report_writes`."""
        report_writes(self._watched, operator, what, where)


def report_writes(arrays: Iterable[tuple[str, Array, Array]], operator: str, what: str, where: Location) -> None:
    """Tell the check of every array whose bytes changed: each has a name, and is given as it was and as it is.

    Raises ContractViolation unless the check allows that.
    """
    changed = [name for name, before, after in arrays if not same_bytes(before, after)]
    for name in dict.fromkeys(changed):
        message = f"its {what} writes to {name}: arrays given to an operator belong to the graph"
        hint = f"work on a copy of {name}, or keep one: {name}.copy()"
        current().violated(ContractViolation("input-modified", message, operator, where, hint))


def construct(
    name: str,
    make: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    home: Callable[[], AbstractContextManager[None]],
    where: Location,
) -> Any:
    """Make an instance, where its own modules can be imported if it needs them only now.

    Raises OperatorError when the constructor raises.
    """

    def call() -> Any:
        with redirect_stdout(sys.stderr):
            return make(*deepcopy(list(args)), **deepcopy(dict(kwargs)))

    try:
        try:
            return call()
        except ImportError:
            with home():
                return call()
    except GradcheckError:
        raise
    except (Exception, SystemExit) as error:
        raise raised(name, "the constructor", where, error) from error


def floating_type(values: Iterable[Any]) -> np.dtype[Any] | None:
    """Return the type in which code computes that is given `values`; None if none is a floating-point array."""
    types = [value.dtype for value in values if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
    return np.result_type(*types) if types else None


def _found(instance: Any, path: str) -> Any:
    try:
        return value_at(instance, path)
    except NoSuchPath:
        return None


def _is_zero(array: Array) -> bool:
    """Tell whether this is a buffer that holds nothing yet, as for gradients: it is made anew for less than copied."""
    return array.dtype.kind == "f" and array.size > 0 and not array.any()


def _is_view(found: Any, array: Array) -> bool:
    """Tell whether an array is the same memory seen in the same way: a property may make a new view each time."""
    if found is array:
        return True
    alike = isinstance(found, np.ndarray) and (found.shape, found.strides) == (array.shape, array.strides)
    return alike and np.may_share_memory(found, array)


def _written(view: Array, array: Array, name: str) -> Array:
    """Write a weight into the memory that it shares with others."""
    if view.shape != array.shape:
        raise ValueError(f"{name} shares memory with other arrays: its shape is {view.shape}, not {array.shape}")
    view[...] = array
    return view
