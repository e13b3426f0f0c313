"""A spec that a person begins with: a case for each of some operators, with comments that teach."""

from __future__ import annotations

from collections.abc import Sequence

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.report.example_spec import example_spec
from gradcheck_cli.report.scaffolds import modeline, schema_note
from gradcheck_cli.report.spec_text import files_text, quoted

_COMMENTS = {
    "dims": ("Sizes by name, for the shapes below.",),
    "expr": (
        "What is checked. Arithmetic and other operators may stand around the call; the last",
        "line of a longer expression is the value.",
    ),
    "params": (
        "Arrays whose gradients are checked, every element. A text is a shape, drawn from",
        "what the operator declares; a list is a value.",
    ),
    "inputs": ("Arrays that are given, and not differentiated.",),
}


def operators_spec_file(
    operators: Sequence[Operator], files: Sequence[str], command: str, schema: str = "", notes: Sequence[str] = ()
) -> str:
    """Return the text of a spec with a case for each operator, which `command` checks.

    Every operator has an input with a gradient, and domains for all of its inputs. `files` are the operator files
    as the spec names them, `notes` are sentences to put above, `schema` is where the JSON Schema of specs lies,
    seen from the spec (empty: nowhere).
    """
    names = [operator.name for operator in operators]
    lines = [f"# A spec for {_listed(names)}. To check it:", f"#     {command}", *(f"# {note}" for note in notes)]
    text = modeline(schema) + "".join(f"{line}\n" for line in lines) + schema_note(schema)
    if files:
        text += f"\n# The operator files, seen from here.\n{files_text(files)}\n"
    if len(operators) == 1:
        return f"{text}\n{_explained(example_spec(operators[0]))}"
    text += "\n# A key that stands at the top holds for all cases.\ncases:\n"
    told: set[str] = set()
    return text + "\n".join(_entry(operator.name, example_spec(operator), told) for operator in operators)


def _entry(name: str, case: str, told: set[str]) -> str:
    """Write a case as an entry of a list; what was `told` before is not explained again."""
    lines = [f"name: {quoted(name)}", *_explained(case, told).splitlines()]
    return "".join(f"{'    ' if number else '  - '}{line}\n" for number, line in enumerate(filter(None, lines)))


def _explained(case: str, told: set[str] | None = None) -> str:
    """Put a comment above every key at the top of a case that was not `told` before."""
    told = set() if told is None else told
    text = ""
    for line in case.splitlines():
        key = line.partition(":")[0]
        if key in _COMMENTS and key not in told:
            told.add(key)
            text += "\n" * bool(text) + "".join(f"# {comment}\n" for comment in _COMMENTS[key])
        text += f"{line}\n"
    return text


def _listed(names: list[str]) -> str:
    if len(names) > 4:
        names = [*names[:3], f"{len(names) - 3} more operators"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
