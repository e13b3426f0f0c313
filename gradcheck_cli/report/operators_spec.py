"""A spec that a person begins with: a case for each of some operators, with comments that teach."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Sequence

from gradcheck_cli.core.operator import Operator
from gradcheck_cli.report.example_spec import example_spec
from gradcheck_cli.report.scaffolds import heading, modeline, schema_note
from gradcheck_cli.report.spec_text import files_text, quoted

_COMMENTS = {
    "dims": ("Sizes by name, for the shapes below.",),
    "expr": (
        "What is checked. Arithmetic and other operators may stand around the call; the last",
        "line of a longer expression is the value.",
    ),
    "matrix": ("One case for each value, or each combination of values, of what is named here.",),
    "params": ("Arrays whose gradients are checked, every element.",),
    "inputs": ("Arrays that are given, and not differentiated.",),
}

_FORMS = {
    "shape": "A text is a shape, drawn from what the operator declares.",
    "vector": "`{shape: 3}` is the shape of a vector, since 3 alone is a number.",
    "below": "`below` draws whole numbers.",
    "value": "A number or a list is a value.",
}
"""How an array can be given."""

_WIDTH = 84


def operators_spec_file(
    operators: Sequence[Operator],
    files: Sequence[str],
    command: str,
    schema: str = "",
    notes: Sequence[str] = (),
    where: str = "",
) -> str:
    """Return the text of a spec with a case for each operator, which `command` checks.

    Every operator has an input with a gradient, and domains for all of its inputs. `files` are the operator files
    as the spec names them, `notes` are sentences to put above, `schema` is where the JSON Schema of specs lies,
    seen from the spec (empty: nowhere), `where` says in which folder the command works, if not in the spec's.
    """
    names = [operator.name for operator in operators]
    lines = [heading(f"A spec for {_listed(names)}.", where), f"#     {command}", *(f"# {note}" for note in notes)]
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
    lines = case.splitlines()
    for number, line in enumerate(lines):
        key = line.partition(":")[0]
        comments = _comments(key, lines[number + 1 :], told)
        if comments:
            text += "\n" * bool(text) + "".join(f"# {comment}\n" for comment in comments)
        text += f"{line}\n"
    return text


def _comments(key: str, below: Sequence[str], told: set[str]) -> list[str]:
    """Return what is to be said above a key, of which the lines `below` hold the entries."""
    sentences = [] if key in told else list(_COMMENTS.get(key, ()))
    if key in ("params", "inputs"):
        entries = itertools.takewhile(lambda line: line.startswith(" "), below)
        forms = dict.fromkeys(_form(entry.partition(": ")[2]) for entry in entries)
        new = [form for form in _FORMS if form in forms and form not in told]
        told.update(new)
        sentences = textwrap.wrap(" ".join([*sentences, *(_FORMS[form] for form in new)]), _WIDTH)
    told.add(key)
    return sentences


def _form(value: str) -> str:
    """Name the way in which an array is given."""
    if value.startswith("{"):
        return "below" if "below:" in value else "vector"
    return "value" if re.match(r"[\[\d.-]", value) and " " not in value.partition("[")[0] else "shape"


def _listed(names: list[str]) -> str:
    if len(names) > 4:
        names = [*names[:3], f"{len(names) - 3} more operators"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
