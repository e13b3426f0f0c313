"""Read a declaration: from a marked function to an Operator, or to everything that is wrong with it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.operator import REQUIRED, Attribute, Input, Operator, Rule
from gradcheck_cli.errors import Location, Problem, near

_RESERVED = {"g", "out", "outputs", "batch", "linear"}
_LATER = {"batch", "linear"}


@dataclass
class _Reader:
    """Collects problems of one declaration, each with its file and line."""

    name: str
    file: str
    problems: list[Problem] = field(default_factory=list)

    def say(self, line: int, message: str, hint: str = "", code: str = "operator-declaration") -> None:
        self.problems.append(Problem(f"{self.name}: {message}", Location(self.file, line), code, hint))


def declare(
    forward: Callable[..., Any],
    options: dict[str, Any],
    rules: Sequence[tuple[tuple[str, ...], Callable[..., Any]]],
    sampler: Callable[..., Any] | None,
) -> tuple[Operator, list[Problem]]:
    """Build the Operator that `forward`, its decorator's options and its rules declare.

    Returns it with a list of problems; if there are any, the operator is not to be used.
    """
    file, line = _place(forward)
    reader = _Reader(forward.__name__, file)
    options = dict(options)
    outputs = _outputs(reader, line, options.pop("outputs", "out"))
    for name in _LATER & options.keys():
        options.pop(name)
        reader.say(line, f"'{name}=' can't be declared yet", "it comes with a later version; leave it out")
    inputs, attributes = _parameters(reader, line, forward, options)
    names = [item.name for item in inputs] + [attribute.name for attribute in attributes]
    for name in options.keys() - set(names):
        reader.say(line, f"the decorator names '{name}', which is no parameter", near(name, names))
    kept = kept_names(forward)
    for name in [*names, *kept, *(outputs if outputs != ("out",) else ())]:
        if name in _RESERVED or name.startswith("g_"):
            reader.say(
                line, f"'{name}' is a reserved name", f"rename it: {', '.join(sorted(_RESERVED))} and g_* are taken"
            )
    made = _rules(reader, line, inputs, outputs, [*names, *outputs, *kept], rules)
    doc = inspect.cleandoc(forward.__doc__ or "")
    record = Operator(reader.name, forward, inputs, attributes, outputs, made, doc, file, line, sampler)
    return record, reader.problems


def kept_names(forward: Callable[..., Any]) -> tuple[str, ...]:
    """List the names that `forward` keeps for its backward, read from its syntax tree."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(forward)))
    except (OSError, SyntaxError, TypeError):
        return ()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) == "keep"]
    return tuple(dict.fromkeys(keyword.arg for call in calls for keyword in call.keywords if keyword.arg))


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _place(function: Callable[..., Any]) -> tuple[str, int]:
    """Return the file and the line of the `def`: the code object's first line is the decorator's."""
    code = inspect.unwrap(function).__code__
    try:
        lines, start = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return code.co_filename, code.co_firstlineno
    offset = next((n for n, text in enumerate(lines) if text.lstrip().startswith(("def ", "async "))), 0)
    return code.co_filename, start + offset


def _outputs(reader: _Reader, line: int, text: Any) -> tuple[str, ...]:
    names = tuple(text.split()) if isinstance(text, str) else tuple(text)
    if (
        not names
        or not all(isinstance(name, str) and name.isidentifier() for name in names)
        or len(set(names)) < len(names)
    ):
        reader.say(line, f"outputs={text!r} should be different names with spaces between them", 'outputs="loss probs"')
        return ("out",)
    return names


def _parameters(
    reader: _Reader, line: int, forward: Callable[..., Any], options: dict[str, Any]
) -> tuple[tuple[Input, ...], tuple[Attribute, ...]]:
    inputs: list[Input] = []
    attributes: list[Attribute] = []
    for name, parameter in inspect.signature(forward).parameters.items():
        option = options.get(name)
        if parameter.kind is parameter.VAR_KEYWORD:
            reader.say(line, f"takes **{name}: attributes are named one by one", f"def {reader.name}(x, *, axis=None)")
        elif parameter.kind is parameter.KEYWORD_ONLY:
            default = REQUIRED if parameter.default is parameter.empty else parameter.default
            if isinstance(option, Domain):
                reader.say(line, f"'{name}' has a domain but is an attribute", f"put '{name}' before the *")
            elif option is not None and not isinstance(option, list | tuple):
                reader.say(line, f"'{name}' should list the values to try", f"{name}=[{option!r}]")
                option = None
            values = tuple(option or ()) if not isinstance(option, Domain) else ()
            attributes.append(Attribute(name, default, values or (() if default is REQUIRED else (default,))))
        else:
            if option is not None and not isinstance(option, Domain):
                hint = f"{name}=arr(...), or put '{name}' behind a * if it is an attribute"
                reader.say(line, f"'{name}' is an array: its domain is arr(...), ints(...) or mask(...)", hint)
                option = None
            variadic = parameter.kind is parameter.VAR_POSITIONAL
            optional = parameter.default is None
            if not optional and parameter.default is not parameter.empty:
                hint = f"def {reader.name}(..., *, {name}={parameter.default!r})"
                reader.say(line, f"'{name}={parameter.default!r}' is an attribute, so it stands behind a *", hint)
            inputs.append(Input(name, option or Domain(), optional, variadic))
    if not inputs:
        reader.say(line, "has no array argument", "positional parameters are arrays")
    return tuple(inputs), tuple(attributes)


def _rules(
    reader: _Reader,
    line: int,
    inputs: tuple[Input, ...],
    outputs: tuple[str, ...],
    known: list[str],
    rules: Sequence[tuple[tuple[str, ...], Callable[..., Any]]],
) -> tuple[Rule, ...]:
    differentiable = [item.name for item in inputs if item.domain.differentiable]
    cotangents = ["g"] if len(outputs) == 1 else [f"g_{name}" for name in outputs]
    made: list[Rule] = []
    served: set[str] = set()
    for targets, function in rules:
        file, at = _place(function)
        for target in targets:
            if target not in differentiable:
                message = f"backward({target!r}) names no differentiable input"
                reader.say(at, message, near(str(target), differentiable) or f"these are: {', '.join(differentiable)}")
        if made and (not targets or not made[-1].inputs or set(targets) & served):
            reader.say(at, "has two backward rules for one input", "keep one @backward, or one per input")
        asks = _asks(reader, at, function, [*cotangents, *known])
        if not set(asks) & set(cotangents):
            reader.say(
                at, f"its backward doesn't take the cotangent {' or '.join(cotangents)}", f"def _({cotangents[0]}, ...)"
            )
        serves = tuple(map(str, targets)) or tuple(differentiable)
        served.update(serves)
        made.append(Rule(function, serves, asks, file, at))
    missing = [name for name in differentiable if name not in served]
    if missing and made:
        reader.say(line, f"has no backward for '{missing[0]}'", f'@{reader.name}.backward("{missing[0]}")')
    elif missing:
        reader.say(line, "has no backward", f"write one: @{reader.name}.backward")
    return tuple(made)


def _asks(reader: _Reader, line: int, function: Callable[..., Any], known: list[str]) -> tuple[str, ...]:
    """List the parameters of a backward, each of which names something that a node can give."""
    asks = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) and name not in known:
            reader.say(
                line, f"its backward takes {parameter}: it asks for values by name", "name each value that it needs"
            )
        elif name not in known:
            hint = (
                near(name, known) or f"there are: {', '.join(known)}; other values come from keep(..., {name}={name})"
            )
            reader.say(line, f"its backward asks for '{name}', which isn't there", hint, "unknown-name")
        asks.append(name)
    return tuple(asks)
