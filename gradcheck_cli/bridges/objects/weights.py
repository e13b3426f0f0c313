"""The weights of an instance: where they stand on it, and where their gradients do after a backward."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.bridges.objects.paths import NoSuchPath, names_at, value_at
from gradcheck_cli.core.arrays import Array, read_only
from gradcheck_cli.errors import Location, OperatorError, Problem

Where: TypeAlias = str | Mapping[str, str] | None
"""A path to what holds all (a mapping, a list, an object), or a path for each name; None: to be found."""

FORMS = ("d{}", "grad_{}", "{}_grad", "d_{}", "grad{}", "g{}", "g_{}")
"""The names that attributes with the gradient of an array have."""

_CONTAINERS = ("grads", "grad", "gradients")
_WEIGHTS = ("params", "parameters", "weights")
_SHOWN = 12
"""So many of the places that were looked for are named."""

_WRAPPED = ("data", "value")
"""Attributes in which an object that stands for a weight holds its array; its gradient is `grad`."""


def weight_paths(instance: Any, params: str | Mapping[str, str], name: str, where: Location) -> dict[str, str]:
    """Return the path to each weight by the name that the operator gives it.

    The names are those of `params`, or those in the container to which it is the path: of its
    floating-point arrays. A path to an object that holds its array as `data` or `value` is followed to the
    array. Raises OperatorError for a path that leads nowhere.
    """
    if isinstance(params, str):
        held = value_at_or_say(instance, params, name, where, "params")
        stem = params.rpartition(".")[2] if isinstance(held, list | tuple) else ""
        paths = {f"{stem}{key}": path for key, path in _arrays_below(instance, params, held)}
        if not paths:
            hint = "params: {W: W, b: b} names the attributes that are weights"
            raise OperatorError(Problem(f"{name}: '{params}' holds no weights", where, "wrong-params", hint))
        return paths
    for path in params.values():
        value_at_or_say(instance, path, name, where, "params")
    return {key: array_path(instance, path) or path for key, path in params.items()}


def _arrays_below(instance: Any, path: str, held: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and the path of every floating-point array in a container, and in containers inside it."""
    for part in names_at(held):
        inner, name = f"{path}.{part}", f"{key}.{part}" if key else part
        array = array_path(instance, inner)
        if array:
            yield name, array
        elif isinstance(value := value_at(instance, inner), Mapping | list | tuple):
            yield from _arrays_below(instance, inner, value, name)


def own_values(instance: Any, paths: Mapping[str, str]) -> dict[str, Array]:
    """Return the values that the weights have on an instance; those that it makes only when it runs are left out."""
    values = {}
    for name, path in paths.items():
        array = _floating(value_at(instance, path))
        if array is not None:
            values[name] = read_only(np.array(array))
    return values


def check_names(paths: Mapping[str, str], arguments: Collection[str], name: str, where: Location) -> None:
    """Raise OperatorError for weights that can't be arguments of an operator beside `arguments`."""
    for weight, path in paths.items():
        if not weight.isidentifier() or keyword.iskeyword(weight):
            message = f"{name}: the weight '{weight}' can't be an argument of that name"
            hint = f"name the weights: params: {{{_identifier(weight)}: {path}}}"
            raise OperatorError(Problem(message, where, "wrong-name", hint))
        if weight in arguments:
            message = f"{name}: '{weight}' is the name of a weight and of an argument"
            hint = f"name the weights: params: {{{weight}_weight: {path}}}"
            raise OperatorError(Problem(message, where, "wrong-name", hint))


@dataclass(frozen=True, eq=False)
class Gradients:
    """Where the gradients of weights stand: `paths` are those of the weights, `said` is what the user said."""

    operator: str
    paths: Mapping[str, str]
    said: Where
    where: Location
    _known: dict[str, str] = field(default_factory=dict)

    def of(self, instance: Any, weight: str) -> Any:
        """Return the gradient of a weight; None where its place is empty.

        Raises OperatorError where there is no such place, with those that were looked for.
        """
        if isinstance(self.said, Mapping) and weight in self.said:
            return value_at_or_say(instance, self.said[weight], self.operator, self.where, "grads")
        if weight in self._known and (gradient := _value_or_none(instance, self._known[weight])) is not None:
            return gradient
        if isinstance(self.said, str):
            return self._first(instance, weight, self._in_container(instance, self.said, weight))
        return self._first(instance, weight, self._usual_places(instance, weight))

    def found(self, instance: Any) -> dict[str, Any]:
        """Return the gradients that are there, without complaint about those that aren't."""
        gradients = {}
        for weight in self.paths:
            try:
                gradient = self.of(instance, weight)
            except OperatorError:
                continue
            if gradient is not None:
                gradients[weight] = gradient
        return gradients

    def _usual_places(self, instance: Any, weight: str) -> list[str]:
        """List where a gradient stands by custom: beside its weight, on the instance, in a container of gradients."""
        path = self.paths[weight]
        places = [*_beside(path, [weight, _stem(path)]), *(form.format(weight) for form in FORMS)]
        for container in _CONTAINERS:
            steps = [container if step in _WEIGHTS else step for step in path.split(".")]
            places += [*self._in_container(instance, container, weight), ".".join(steps)]
        return [place for place in dict.fromkeys(places) if place != path]

    def _in_container(self, instance: Any, container: str, weight: str) -> list[str]:
        """List where in a container the gradient may be: at the weight's position, by name, or as in its own one."""
        held = _value_or_none(instance, container)
        if isinstance(held, list | tuple) and len(held) == len(self.paths):
            return [f"{container}.{list(self.paths).index(weight)}"]
        keys = self._keys(weight)
        formed = [form.format(key) for form in FORMS for key in keys]
        inner = self.paths[weight].partition(".")[2]
        return [f"{container}.{key}" for key in dict.fromkeys([*keys, *formed, inner or weight])]

    def _keys(self, weight: str) -> list[str]:
        """Return the names of a weight: the operator's, and that on the instance if it is no other one's."""
        stems = [_stem(path) for path in self.paths.values()]
        stem = _stem(self.paths[weight])
        return list(dict.fromkeys([weight, *([stem] if stems.count(stem) == 1 else [])]))

    def _first(self, instance: Any, weight: str, places: Sequence[str]) -> Any:
        exists = False
        for place in places:
            try:
                gradient = value_at(instance, place)
            except NoSuchPath:
                continue
            exists = True
            if gradient is not None:
                self._known[weight] = place
                return gradient
        if exists:
            return None
        shown = ", ".join(places[:_SHOWN]) + (", and the like" if len(places) > _SHOWN else "")
        message = f"{self.operator}: its backward leaves no gradient of {weight}: looked for {shown}"
        hint = f"say where it stands: grads: {{{weight}: PATH}}"
        raise OperatorError(Problem(message, self.where, "no-gradient", hint))


def _beside(path: str, keys: Sequence[str]) -> list[str]:
    """List the attributes beside an array, or on the object that wraps it, that may hold its gradient."""
    holder, _, last = path.rpartition(".")
    if last in _WRAPPED and holder:
        return [f"{holder}.grad", *_beside(holder, keys)]
    prefix = f"{holder}." if holder else ""
    return [*(prefix + form.format(key) for key in dict.fromkeys(keys) for form in FORMS), f"{path}.grad"]


def _stem(path: str) -> str:
    """Return the name that a path gives to an array."""
    holder, _, last = path.rpartition(".")
    return _stem(holder) if last in _WRAPPED and holder else last


def array_path(instance: Any, path: str) -> str:
    """Follow a path to a floating-point array, or to that of an object that wraps one; empty where there is none."""
    value = _value_or_none(instance, path)
    if isinstance(value, np.ndarray):
        return path if value.dtype.kind == "f" else ""
    wrapped = (f"{path}.{name}" for name in _WRAPPED if isinstance(getattr(value, name, None), np.ndarray))
    return next(wrapped, "")


def _value_or_none(instance: Any, path: str) -> Any:
    try:
        return value_at(instance, path)
    except NoSuchPath:
        return None


def _floating(value: Any) -> Array | None:
    """Return a weight as a floating-point array; None for what is none."""
    if value is None or isinstance(value, str | bytes | bool | Mapping):
        return None
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):  # rows of different lengths
        return None
    if array.dtype.kind in "iu":
        return array.astype(np.float64)
    return array if array.dtype.kind == "f" else None


def _identifier(text: str) -> str:
    word = "".join(char if char.isalnum() else "_" for char in text)
    return word if word.isidentifier() and not keyword.iskeyword(word) else f"w_{word}"


def value_at_or_say(instance: Any, path: str, name: str, where: Location, key: str) -> Any:
    """Return what stands at a path that the user gave under `key`. Raises OperatorError if nothing does."""
    try:
        return value_at(instance, path)
    except NoSuchPath as error:
        message = f"{name}: {key} names '{path}': {error}"
        raise OperatorError(Problem(message, where, "unknown-name", error.hint)) from error
