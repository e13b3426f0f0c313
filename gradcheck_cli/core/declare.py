"""Read a declaration: from a marked function to an Operator, or to everything that is wrong with it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from gradcheck_cli.core.arguments import REQUIRED, Attribute, Input
from gradcheck_cli.core.batching import Batch, Linear, read_batch, read_function, read_linear
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.extras import is_installed, standing_in
from gradcheck_cli.core.jvp import JvpReader
from gradcheck_cli.core.node_plan import SHAPE
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.core.rule_call import adapted
from gradcheck_cli.core.source import Source
from gradcheck_cli.errors import Location, Problem, near

Marked: TypeAlias = tuple[tuple[Any, ...], Callable[..., Any]]
"""The targets named in `@name.backward(...)`, and the function."""

_RESERVED = ("g", "out", "outputs", "batch", "linear", "requires")
_BUILT_IN = "gradcheck_cli.ops"


def declare(
    forward: Callable[..., Any],
    options: dict[str, Any],
    rules: Sequence[Marked],
    sampler: Callable[..., Any] | None,
    jvps: Sequence[Callable[..., Any]] = (),
    batches: Sequence[Callable[..., Any]] = (),
) -> tuple[Operator, list[Problem]]:
    """Build the Operator that `forward`, its decorator's options, its rules, its jvp and batch function declare.

    Returns it with a list of problems, in the order of their lines; if there are any, the operator
    is not to be used with Variables.
    """
    reader = _Reader(forward, dict(options))
    reader.check_name()
    outputs = reader.read_outputs()
    inputs, attributes = reader.read_parameters()
    arguments = [item.name for item in inputs] + [attribute.name for attribute in attributes]
    batch, linear = reader.read_batching(inputs, attributes, batches)
    requires = reader.read_requires()
    reader.check_options(arguments)
    kept = reader.source.kept_names()
    reader.check_names(arguments, outputs, kept or ())
    reader.check_sizes(inputs)
    reader.check_sampler(sampler)
    shapes = [f"{item.name}{SHAPE}" for item in inputs]
    known = None if kept is None else [*arguments, *outputs, *kept, *shapes]
    made = _RuleReader(reader, inputs, outputs, known).read(rules)
    others = [*(attribute.name for attribute in attributes), *outputs, *(kept or ()), *shapes]
    jvp = JvpReader(reader.name, inputs, others, kept is not None, reader.say).read(jvps)
    source = reader.source
    doc = inspect.cleandoc(forward.__doc__ or "")
    if requires and not is_installed(requires):
        forward = standing_in(forward, requires)
    about = (reader.name, forward, inputs, attributes, outputs, made, doc, source.file, source.line)
    record = Operator(*about, sampler, jvp=jvp, batch=batch, linear=linear, requires=requires)
    return record, sorted(reader.problems, key=lambda problem: problem.location.line if problem.location else 0)


class _Reader:
    """Reads the forward and its decorator; collects problems."""

    def __init__(self, forward: Callable[..., Any], options: dict[str, Any]) -> None:
        self.forward = forward
        self.name = forward.__name__
        self.options = options
        self.source = Source(forward)
        self.problems: list[Problem] = []

    def say(
        self,
        message: str,
        at: Location | None = None,
        hint: str = "",
        code: str = "operator-declaration",
        source: Source | None = None,
    ) -> None:
        """Note a problem at a place, by default at the forward's `def`."""
        self.problems.append((source or self.source).problem(f"{self.name}: {message}", at, hint, code))

    def check_name(self) -> None:
        if not self.name.isidentifier():
            self.say("an operator needs a name", hint="write it with def instead of lambda")
        if not self.forward.__doc__ and f"{self.forward.__module__}.".startswith(f"{_BUILT_IN}."):
            self.say("has no docstring", hint="the formula is its first line")

    def read_outputs(self) -> tuple[str, ...]:
        given = self.options.pop("outputs", "out")
        names = tuple(given.split()) if isinstance(given, str) else given
        if (
            not isinstance(names, tuple | list)
            or not names
            or not all(isinstance(name, str) and name.isidentifier() for name in names)
            or len(set(names)) < len(names)
        ):
            message = f"outputs={given!r} should be different names with spaces between them"
            self.say(message, self.source.of_option("outputs"), 'outputs="loss probs"')
            return ("out",)
        for at, count in self.source.returned_counts():
            if count != len(names):
                message = f"the number of outputs here is {count}, declared are {len(names)}: {', '.join(names)}"
                self.say(message, at, 'name several outputs in the decorator: outputs="loss probs"', "output-count")
        return tuple(names)

    def read_parameters(self) -> tuple[tuple[Input, ...], tuple[Attribute, ...]]:
        inputs: list[Input] = []
        attributes: list[Attribute] = []
        for name, parameter in inspect.signature(self.forward).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                hint = f"def {self.name}(x, *, axis=None)"
                self.say(f"takes **{name}: attributes are named one by one", self.source.of_parameter(name), hint)
            elif parameter.kind is parameter.KEYWORD_ONLY:
                attributes.append(self._attribute(name, parameter))
            else:
                inputs.append(self._input(name, parameter))
        if not inputs:
            self.say("has no array argument", hint="positional parameters are arrays")
        return tuple(inputs), tuple(attributes)

    def _attribute(self, name: str, parameter: inspect.Parameter) -> Attribute:
        option = self.options.get(name)
        default = REQUIRED if parameter.default is parameter.empty else parameter.default
        if isinstance(option, Domain):
            at = self.source.of_option(name)
            self.say(f"'{name}' has a domain but is an attribute", at, f"put '{name}' before the *")
            option = None
        elif option is not None and not isinstance(option, list | tuple):
            at = self.source.of_option(name)
            self.say(f"'{name}' should list the values to try", at, f"{name}=[{option!r}]")
            option = None
        return Attribute(name, default, tuple(option or ()) or (() if default is REQUIRED else (default,)))

    def _input(self, name: str, parameter: inspect.Parameter) -> Input:
        option = self.options.get(name)
        if option is not None and not isinstance(option, Domain):
            hint = f"{name}=arr(...), or put '{name}' behind a * if it is an attribute"
            at = self.source.of_option(name)
            self.say(f"'{name}' is an array: its domain is arr(...), ints(...) or mask(...)", at, hint)
            option = None
        optional = parameter.default is None
        if not optional and parameter.default is not parameter.empty:
            hint = f"def {self.name}(..., *, {name}={parameter.default!r})"
            at = self.source.of_parameter(name)
            self.say(f"'{name}={parameter.default!r}' is an attribute, so it stands behind a *", at, hint)
        return Input(name, option or Domain(), optional, parameter.kind is parameter.VAR_POSITIONAL)

    def read_batching(
        self,
        inputs: tuple[Input, ...],
        attributes: tuple[Attribute, ...],
        functions: Sequence[Callable[..., Any]],
    ) -> tuple[Batch | None, Linear | None]:
        """Read `batch=`, `linear=` and the function that `@name.batch` registered."""

        def say(option: str, message: str, hint: str) -> None:
            self.say(message, self.source.of_option(option), hint)

        batch, linear = self.options.pop("batch", None), self.options.pop("linear", None)
        declared = None if batch is None else read_batch(batch, inputs, attributes, say)
        for function in functions:
            source = Source(function)
            if len(functions) > 1 or batch is not None:
                self.say("says twice how it takes many perturbations", hint="keep one of them", source=source)
            elif hint := read_function(function, inputs, attributes):
                self.say("its batch function takes other arguments", hint=hint, source=source)
            declared = Batch("function", function=function)
        return declared, None if linear is None or linear is False else read_linear(linear, inputs, say)

    def read_requires(self) -> str:
        """Read `requires=`, the name of a package that NumPy doesn't bring."""
        requires = self.options.pop("requires", "")
        if isinstance(requires, str) and all(part.isidentifier() for part in requires.split(".") if requires):
            return requires
        at = self.source.of_option("requires")
        self.say(f"requires={requires!r} should be the name of a package", at, 'requires="scipy"')
        return ""

    def check_options(self, arguments: list[str]) -> None:
        """Say what the decorator names and the forward doesn't have."""
        for name in self.options:
            if name in arguments:
                continue
            at = self.source.of_option(name)
            hint = near(name, [*arguments, "outputs", "batch", "linear", "requires"])
            self.say(f"the decorator names '{name}', which is no parameter", at, hint)

    def check_names(self, arguments: list[str], outputs: tuple[str, ...], kept: Sequence[str]) -> None:
        """Say which names are reserved, or stand for two things that a backward could ask for."""
        named = [*arguments, *(outputs if outputs != ("out",) else ()), *kept]
        for name in dict.fromkeys(named):
            at = self.source.of_parameter(name)
            if name in _RESERVED or name.startswith("g_"):
                self.say(f"'{name}' is a reserved name", at, f"rename it: {', '.join(_RESERVED)} and g_* are taken")
            elif named.count(name) > 1:
                self.say(f"'{name}' names two things that the backward could ask for", at, "rename one of them")

    def check_sizes(self, inputs: tuple[Input, ...]) -> None:
        """Say which `below=` is a word that no shape has."""
        words = [word for item in inputs for word in item.domain.words or () if word != "..."]
        for item in inputs:
            below = item.domain.below
            if isinstance(below, str) and not below.isdigit() and below not in words:
                message = f"the values of '{item.name}' are below '{below}', which is no word of a shape"
                self.say(message, self.source.of_option(item.name), near(below, words))

    def check_sampler(self, sampler: Callable[..., Any] | None) -> None:
        if sampler is None:
            return
        try:
            inspect.signature(sampler).bind(None)
        except TypeError:
            source = Source(sampler)
            message = "its sample function takes one argument, a NumPy Generator"
            self.say(message, hint="def _(rng)", source=source)


class _RuleReader:
    """Reads the backward rules of an operator. `known` are the names to ask for, None if they can't be known."""

    def __init__(
        self, reader: _Reader, inputs: tuple[Input, ...], outputs: tuple[str, ...], known: list[str] | None
    ) -> None:
        self.reader = reader
        self.name = reader.name
        self.inputs = inputs
        self.differentiable = [item.name for item in inputs if item.domain.differentiable]
        self.cotangents = [*(["g"] if len(outputs) == 1 else []), *(f"g_{name}" for name in outputs)]
        self.known = None if known is None else [*self.cotangents, *known]
        self.served: set[str] = set()

    def read(self, rules: Sequence[Marked]) -> tuple[Rule, ...]:
        made = tuple(self._rule(targets, function) for targets, function in rules)
        missing = [name for name in self.differentiable if name not in self.served]
        if missing and made:
            hint = f'@{self.name}.backward("{missing[0]}")'
            self.reader.say(f"has no backward for '{missing[0]}'", hint=hint)
        elif missing:
            self.reader.say("has no backward", hint=f"write one: @{self.name}.backward")
        return made

    def _rule(self, targets: tuple[Any, ...], function: Callable[..., Any]) -> Rule:
        source = Source(function)
        if not self.differentiable:
            self.reader.say("has a backward, but no input with a gradient", source=source)
        for target in targets:
            if self.differentiable and target not in self.differentiable:
                hint = near(str(target), self.differentiable) or f"these are: {', '.join(self.differentiable)}"
                self.reader.say(f"backward({target!r}) names no differentiable input", hint=hint, source=source)
        serves = tuple(map(str, targets)) or tuple(self.differentiable)
        if self.served & set(serves) or len(set(serves)) < len(serves):
            hint = "keep one @backward, or one per input"
            self.reader.say("has two backward rules for one input", hint=hint, source=source)
        self.served.update(serves)
        parameters = inspect.signature(function).parameters
        for name, parameter in parameters.items():
            self._check_parameter(name, parameter, source)
        if not any(name in self.cotangents for name in parameters):
            wanted = " or ".join(self.cotangents[:1] if "g" in self.cotangents else self.cotangents)
            hint = f"def _({self.cotangents[0]}, ...)"
            self.reader.say(f"its backward doesn't take the cotangent {wanted}", hint=hint, source=source)
        return Rule(adapted(function), serves, tuple(parameters), source.file, source.line)

    def _check_parameter(self, name: str, parameter: inspect.Parameter, source: Source) -> None:
        """Say what a backward asks for and no node has."""
        at = source.of_parameter(name)
        spreads = parameter.kind is parameter.VAR_POSITIONAL and any(i.variadic and i.name == name for i in self.inputs)
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) and not spreads:
            message = f"its backward takes {parameter}: it asks for values by name"
            self.reader.say(message, at, "name each value that it needs", source=source)
        elif self.known is not None and name not in self.known:
            there = f"there are: {', '.join(self.known)}; other values come from keep(..., {name}={name})"
            hint = near(name, self.known) or there
            self.reader.say(
                f"its backward asks for '{name}', which isn't there", at, hint, "unknown-name", source=source
            )
