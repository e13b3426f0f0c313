"""docs/cli.md: every command, argument, option, default and environment variable, from the command line itself."""

from __future__ import annotations

import enum
import inspect
import re
import types
import typing
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import typer

from gradcheck_cli.cli.exit_codes import ExitCode
from gradcheck_cli.cli.main import app
from gradcheck_cli.knobs import Knobs
from tests.references.markdown import anchor, code, plain, table, wrapped

INTRODUCTION = """\
# Command line

This page is written by `python -m tests.references --write`, from the command line itself. `gradcheck --help` and
`gradcheck COMMAND --help` say the same in short.

Standard output holds the chosen format and nothing else; notes, progress and what operators print go to standard error.
An option may stand before or behind arguments, `--name=VALUE` is `--name VALUE`, and every command has `--help`. The
default of what a spec may say, too, is that of a spec that says nothing."""

EXIT_CODES = {
    ExitCode.OK: "everything is as expected",
    ExitCode.FAILED: "a check failed or was inconclusive",
    ExitCode.COULD_NOT_CHECK: "could not check: usage, a spec, an operator file, an operator that raised",
    ExitCode.INTERNAL_ERROR: "internal error: a bug in gradcheck",
    ExitCode.NOTHING_SELECTED: "nothing was selected",
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C: what was finished is reported",
    ExitCode.TERMINATED: "ended by SIGTERM, in the same way",
}

VARIABLES = {
    "NO_COLOR": "set to anything but an empty text: no colour, unless `--color` says otherwise",
    "FORCE_COLOR": "colour even where standard output is no terminal; `0` is none. `NO_COLOR` goes before it",
    "TERM": "`dumb` and `unknown` are terminals without colour",
    "COLUMNS": "the width to which output for a terminal is fitted",
    "GITHUB_ACTIONS": "`true`: annotate files, unless there is `--no-annotations`",
    "GITHUB_WORKSPACE": "the folder from which annotations name files",
    "GITHUB_STEP_SUMMARY": "the file to which a summary in Markdown is appended on GitHub Actions",
}
"""What the program and the libraries below it read; those of single options are read off the options."""

SEPARATED = {
    "GRADCHECK_OPS": "separated as the folders of `PATH` are: by colons, by semicolons on Windows",
    "GRADCHECK_REPORT": "separated by spaces, in quotes where a path has spaces: `junit=a.xml 'html=my report.html'`",
    "GRADCHECK_REQUIRE_DEVICE": "separated by spaces",
}
"""How a variable that holds several values separates them."""

_WORDS = {int: "INTEGER", float: "NUMBER", str: "TEXT"}


def program() -> Any:
    """Return the command line as a tree of commands."""
    return typer.main.get_command(app)


def commands(tree: Any) -> dict[str, Any]:
    """Return every command that isn't hidden, by the words that call it, in the order of the program."""
    found: dict[str, Any] = {}
    for name, command in tree.commands.items():
        if command.hidden:
            continue
        inner = commands(command) if hasattr(command, "commands") else {}
        found |= {f"{name} {more}": each for more, each in inner.items()} or {name: command}
    return found


def parameters(command: Any) -> Iterator[Any]:
    """List the arguments and options of a command that are shown."""
    for each in command.params:
        if not getattr(each, "hidden", False):
            yield each


def commands_page() -> str:
    """Return the page."""
    tree = program()
    found = commands(tree)
    overview = table(
        ["command", "what it does"],
        [(f"[{name}](#{anchor(f'gradcheck {name}')})", summary(command)) for name, command in found.items()],
    )
    parts = [INTRODUCTION, overview, "## gradcheck", *_parameters(tree, "gradcheck COMMAND")]
    for name, command in found.items():
        parts += [f"## gradcheck {name}", *_parameters(command, f"gradcheck {name}")]
    parts += ["## Exit codes", "Where several apply: 3, 130, 2, 1, 5."]
    parts += [table(["code", "meaning"], [(str(int(each)), EXIT_CODES[each]) for each in ExitCode])]
    parts += ["## Environment", table(["variable", "meaning"], _variables(tree, found))]
    return "\n\n".join(part for part in parts if part) + "\n"


def summary(command: Any) -> str:
    """Return the first sentence of what a command says of itself."""
    return re.split(r"(?<=[.:])\s", description(command)[0], maxsplit=1)[0].rstrip(":.")


def description(command: Any) -> list[str]:
    """Return the paragraphs of what a command says of itself."""
    text = inspect.cleandoc(command.help or "").split("\f")[0]
    return [re.sub(r"\s+", " ", part).strip() for part in text.split("\n\n")]


def _parameters(command: Any, call: str) -> list[str]:
    own = list(parameters(command))
    arguments = [each for each in own if each.param_type_name == "argument"]
    options = [each for each in own if each.param_type_name == "option"]
    line = " ".join([call, *["[OPTIONS]"] * bool(options), *map(_usage, arguments)])
    heads = ["meaning", "default", "variable"]
    return [
        f"```\n{line}\n```",
        *map(wrapped, map(plain, description(command))),
        table(["argument", *heads], [(code(_name(each)), *_about(each)) for each in arguments]),
        table(["option", *heads], [(written(each), *_about(each)) for each in options]),
    ]


def written(option: Any) -> str:
    """Return the ways to write an option, with the value that it takes."""
    value = "" if getattr(option, "is_flag", False) else f" {_name(option)}"
    names = [*option.opts, *option.secondary_opts]
    return ", ".join(code(name + value * (name == names[-1])) for name in names)


def _usage(argument: Any) -> str:
    name = _name(argument) + "..." * (argument.nargs == -1)
    return name if argument.required else f"[{name}]"


def _name(parameter: Any) -> str:
    """Return the word that stands for a value: its own, its choices, or the kind of value that it is."""
    if parameter.metavar:
        return str(parameter.metavar)
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper()
    kind = _kind(parameter)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return "|".join(str(each.value) for each in kind)
    if isinstance(kind, type) and issubclass(kind, PurePath):
        return "PATH"
    return _WORDS.get(kind, "VALUE")


def _kind(parameter: Any) -> Any:
    """Return the type of a value, or of each of several."""
    described = getattr(parameter, "type_descriptor", None)
    if described is None:  # older versions of typer
        choices = getattr(parameter.type, "choices", None)
        if choices:
            return enum.StrEnum("Choices", {str(getattr(each, "value", each)): each for each in choices})
        return {"integer": int, "integer range": int, "float": float, "path": PurePath}.get(parameter.type.name, str)
    kind = described.annotation
    while typing.get_origin(kind) is not None:
        inner = [each for each in typing.get_args(kind) if each is not types.NoneType]
        kind = inner[0] if inner else str
    return kind


def _about(parameter: Any) -> tuple[str, str, str]:
    """Return what a parameter means, its default, and the environment variable that sets it."""
    meaning = plain(re.sub(r"\s*\[default: [^\]]*\]", "", parameter.help or ""))
    limited = getattr(parameter, "type", parameter)  # in older versions of typer the type has the limits
    low, high = getattr(limited, "min", None), getattr(limited, "max", None)
    if low is not None or high is not None:
        bounds = [f"{low} or more"] * (low is not None) + [f"{high} at most"] * (high is not None)
        meaning += f" A number, {', '.join(bounds)}."
    if parameter.required:
        meaning += " Required."
    names = parameter.envvar or ()
    return (
        meaning,
        _default(parameter),
        ", ".join(code(each) for each in ([names] if isinstance(names, str) else names)),
    )


def _default(parameter: Any) -> str:
    """Return the default in words; nothing for a switch that is off and for what is left out."""
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    said = re.search(r"\[default: ([^\]]*)\]", parameter.help or "")
    if said:
        return code(said[1])
    value = parameter.default() if callable(parameter.default) else parameter.default
    value = getattr(value, "value", value)
    if value is None and parameter.name in Knobs.names():  # the spec's own, else that of the knob
        value = getattr(Knobs(), parameter.name)
        value = None if value is None else f"{value:g}".replace("e-0", "e-") if isinstance(value, float) else value
    if value is None or value is False or value == "" or not parameter.show_default:
        return ""
    return code("yes" if value is True else ", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _variables(tree: Any, found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return every variable with what it means, or with the options that it stands for and their commands."""
    rows = [(code(name), meaning) for name, meaning in VARIABLES.items()]
    users: dict[str, dict[str, list[str]]] = {}
    for name, command in {"": tree, **found}.items():
        for each in parameters(command):
            for variable in _set_by(each):
                users.setdefault(variable, {}).setdefault(written(each), []).append(code(f"gradcheck {name}".strip()))
    for variable, options in users.items():
        words = [f"{option} of {', '.join(names)}" for option, names in options.items()]
        several = [SEPARATED[variable]] if variable in SEPARATED else []
        rows.append((code(variable), ", ".join([f"stands for {'; '.join(words)}", *several])))
    return rows


def _set_by(parameter: Any) -> list[str]:
    """Name the environment variables that set a parameter."""
    names = parameter.envvar or []
    return [names] if isinstance(names, str) else list(names)
