"""From a person's class to the instances that calls are made on, and the weights that these have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.bridges.objects.contents import duplicate
from gradcheck_cli.bridges.objects.instances import Made, Source, Template, construct
from gradcheck_cli.bridges.objects.method_text import attributes_named, attributes_set, names_put_into
from gradcheck_cli.bridges.objects.paths import put_at
from gradcheck_cli.bridges.objects.weights import FORMS, Gradients, Where, array_path, own_values, weight_paths
from gradcheck_cli.bridges.signatures import parameters_of, place_of
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.generators import Generators, seeded
from gradcheck_cli.errors import Location, OperatorError, Problem, near

Home: TypeAlias = Callable[[], AbstractContextManager[None]]

_CONTAINERS = ("params", "weights")
_GRADIENTS = ("grads", "grad", "gradients")


@dataclass(frozen=True, eq=False)
class Given:
    """What a user names: a class, an instance, or a function that returns one, and the constructor's arguments."""

    name: str
    cls: Any
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    home: Home = nullcontext

    @property
    def kind(self) -> Any:
        """The class or function; the class of an instance."""
        return self.cls if inspect.isroutine(self.cls) or inspect.isclass(self.cls) else type(self.cls)

    @functools.cached_property
    def place(self) -> Location:
        """Where the class or function is written."""
        return place_of(self.kind)


@dataclass(frozen=True, eq=False)
class Owner:
    """The object that methods belong to: where its instances come from, the paths of its weights, their own values.

    `example` is an instance, or the class where none can be made without weights.
    """

    example: Any
    source: Source
    paths: Mapping[str, str]
    own: Mapping[str, Array]

    @property
    def cls(self) -> type:
        """The class that the methods belong to."""
        return self.example if inspect.isclass(self.example) else type(self.example)

    def method(self, name: str) -> tuple[Callable[..., Any], list[inspect.Parameter]]:
        """Return a method and its parameters, without self."""
        function = getattr(self.example, name)
        unbound = inspect.isclass(self.example) and inspect.isfunction(inspect.getattr_static(self.example, name))
        return function, parameters_of(function, skip=int(unbound))


class Built:
    """Makes instances by calling the constructor with the weights: `taken` are its parameters by weight."""

    def __init__(self, given: Given, taken: Mapping[str, str], paths: Mapping[str, str]) -> None:
        self._given = given
        self._taken = taken
        self._paths = paths
        self._draws: bool | None = None

    def make(self, given: Mapping[str, Array], floating: np.dtype[Any] | None) -> Made:  # noqa: ARG002 (a template's)
        """Return a new instance with these weights."""
        weights = {parameter: given[name] for name, parameter in self._taken.items()}
        # Seeding costs more than many a layer, so it is done for those that draw numbers.
        with seeded() if self._draws is not False else nullcontext():
            before = Generators() if self._draws is None else None
            instance = _constructed(self._given, weights)
            self._draws = before.moved() if before else self._draws
        for name, path in self._paths.items():
            if name not in self._taken:
                put_at(instance, path, given[name])
        return Made(instance, dict(given))


def owner_of(given: Given, methods: Sequence[str], params: Where, grads: Where = None) -> Owner:
    """Find the weights of a class, and make a source of its instances.

    `methods` are those that it has to have, the last one that leaves the gradients where `grads` says.
    Raises OperatorError for what is no such class, for a constructor that needs more or raises, and for
    weights that aren't there.
    """
    if inspect.isclass(given.cls):
        _check_methods(given, given.cls, methods)
        taken = _taken_by_constructor(given, methods[-1], params)
        if taken:
            paths = dict(params) if isinstance(params, Mapping) else {name: name for name in taken}
            return Owner(given.cls, Built(given, taken, paths), paths, {})
    instance = _instance(given, methods)
    _check_methods(given, instance, methods)
    paths = (
        usual_weights(instance, methods) if params is None else weight_paths(instance, params, given.name, given.place)
    )
    _clear(Gradients(given.name, paths, grads, given.place).found(instance).values())
    return Owner(instance, Template(instance, paths), paths, own_values(instance, paths))


def usual_weights(instance: Any, methods: Sequence[str]) -> dict[str, str]:
    """Return the weights that need no naming: floating-point arrays with a gradient by custom, W and dW.

    What the forward sets itself is none. Without any, those of a container `params` that has `grads` beside it.
    """
    forward, backward = getattr(instance, methods[0]), getattr(instance, methods[-1])
    there = set(vars(instance)) if hasattr(instance, "__dict__") else set()
    mentioned = there | attributes_named(backward, type(instance))
    arguments = {parameter.name for parameter in parameters_of(forward)}
    found: dict[str, str] = {}
    for key in sorted(there - attributes_set(forward, type(instance)) - arguments, key=list(vars(instance)).index):
        path = array_path(instance, key)
        wrapped = path != key and hasattr(getattr(instance, key), "grad")
        if path and not key.startswith("_") and (wrapped or any(form.format(key) in mentioned for form in FORMS[:4])):
            found[key] = path
    if not found and any(name in mentioned for name in _GRADIENTS):
        container = next((name for name in _CONTAINERS if name in there), None)
        found = weight_paths(instance, container, type(instance).__name__, Location("")) if container else {}
    return found


def _clear(gradients: Iterable[Any]) -> None:
    """Forget gradients of earlier calls: code that adds its own to them would go on from there."""
    for gradient in gradients:
        if isinstance(gradient, np.ndarray) and gradient.flags.writeable:
            gradient[...] = 0


def _instance(given: Given, methods: Sequence[str]) -> Any:
    """Make the instance that others are copies of."""
    if not inspect.isclass(given.cls) and any(hasattr(given.cls, method) for method in methods):
        if given.args or given.kwargs:
            message = f"{given.name}: an object takes no args and kwargs"
            raise OperatorError(
                Problem(message, given.place, "wrong-argument", "name its class in place of the object")
            )
        return duplicate(given.cls)[0]
    if not callable(given.cls):
        message = f"{given.name}: {type(given.cls).__name__} is no class with the methods {' and '.join(methods)}"
        raise OperatorError(Problem(message, given.place, "wrong-ops"))
    with seeded():
        made = _constructed(given, {})
    # A function may return an object that others hold, too.
    return made if inspect.isclass(given.cls) else duplicate(made)[0]


def _constructed(given: Given, weights: Mapping[str, Any]) -> Any:
    make = functools.partial(given.cls, **weights)
    return construct(given.name, make, given.args, given.kwargs, given.home, given.place)


def _check_methods(given: Given, owner: Any, methods: Sequence[str]) -> None:
    kind = owner if inspect.isclass(owner) else type(owner)
    for method in methods:
        if not callable(getattr(owner, method, None)):
            there = [key for key in dir(kind) if not key.startswith("_") and callable(getattr(kind, key, None))]
            hint = near(method, there) or (f"its methods are: {', '.join(there)}" if there else "")
            message = f"{given.name}: {kind.__name__} has no method '{method}'"
            raise OperatorError(Problem(message, place_of(kind), "unknown-name", hint))


def _taken_by_constructor(given: Given, backward: str, params: Where) -> dict[str, str]:
    """Return the parameters of the constructor that are weights, by weight: those that it needs and weren't given."""
    missing = _missing(given)
    names = dict(params) if isinstance(params, Mapping) else {}
    mentioned = attributes_named(getattr(given.cls, backward), given.cls)
    held = names_put_into(given.cls.__init__, _CONTAINERS) if mentioned & set(_GRADIENTS) else set()
    taken: dict[str, str] = {}
    for parameter in missing:
        weight = next((name for name, path in names.items() if parameter in (name, path)), None)
        usual = parameter in held or any(form.format(parameter) in mentioned for form in FORMS[:4])
        if weight is None and params is None and usual:
            weight = parameter
        if weight is None:
            message = f"{given.name}: {given.cls.__name__} can't be made without '{parameter}'"
            hint = f"give it: kwargs: {{{parameter}: VALUE}}; if it is a weight, params: {{{parameter}: {parameter}}}"
            raise OperatorError(Problem(message, given.place, "wrong-argument", hint))
        taken[weight] = parameter
    return taken


def _missing(given: Given) -> list[str]:
    """List the parameters that the constructor needs beside the arguments that the user gave."""
    try:
        signature = inspect.signature(given.cls)
    except (TypeError, ValueError):  # written in C
        return []
    try:
        bound = signature.bind_partial(*given.args, **given.kwargs)
    except TypeError as error:
        message = f"{given.name}: {given.cls.__name__}{signature} doesn't take these args and kwargs: {error}"
        raise OperatorError(Problem(message, given.place, "wrong-argument")) from error
    return [
        name
        for name, parameter in signature.parameters.items()
        if name not in bound.arguments
        and parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
