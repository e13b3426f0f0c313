"""docs/spec.md: every key of a spec with its type, default, description and example, from the JSON Schema."""

from __future__ import annotations

import json
from typing import Any

import yaml

from gradcheck_cli.core.numpy_names import NUMPY_NAMES
from gradcheck_cli.findings.page import pages
from gradcheck_cli.spec.bridge_schema import BRIDGES
from gradcheck_cli.spec.json_schema import definition_name, spec_schema
from tests.references.markdown import anchor, code, table, wrapped

INTRODUCTION = """\
# Spec files

This page is written by `python -m tests.references --write`, from the JSON Schema that `gradcheck schema` prints.
[editor.md](editor.md) tells how an editor completes and validates specs with it.

A spec is a YAML file, named `*.grad.yaml` where folders are to be walked for it. A file is one case, or many under
`cases:`; several documents, with `---` between them, are several specs. Specs are strict: unknown keys, duplicate keys,
wrong types, undefined names, unused parameters and clashing shapes are all reported at once, with their places.
Reading a spec never runs code from it; the operator files that it names are programs.

How values are written: `1e-6` is a number, `on` and `yes` are texts, `010` is ten, a quoted number is a text; anchors,
aliases, tags and merge keys are refused. A file has 1 MiB at most, 40 levels and 10,000 cases."""

SECTIONS = {
    "Keys of a case": "Keys beside `cases` are defaults for all of the file's cases; mappings merge key by key.",
    "Parameters and inputs": (
        "An entry of `params` or `inputs` is a number or a nested list (its value), a text (its shape) or a "
        "mapping. `b: 5` is the number 5, `b: {shape: 5}` a vector of five. What has no value is drawn: from the "
        "domain that the operator declares which takes it directly, else from the standard normal. Draws depend "
        "on the seed and the names of case and array alone."
    ),
    "Expressions": (
        "The grammar is Python's: names, numbers, arithmetic, `@`, comparisons, slices and index arrays, calls, "
        "assignments and tuple unpacking. The last line is the value; a tuple is several outputs. Positional "
        "arguments of a call fill the arrays, then the attributes in order. `np.`, `np.linalg.` and `np.fft.` are "
        "dropped, and `x.sum(axis=0)`, `x.T`, `np.pi` work: text copied from NumPy code runs, with NumPy's other names "
        f"({', '.join(map(code, NUMPY_NAMES))}), too. `checkpoint(tanh(x @ W))` keeps `x` and `W` alone for the "
        "backward, which computes the expression again. Attributes are "
        "numbers, texts, booleans, None, tuples, lists and `dict(...)`. A name that is called is an operator; one "
        "that stands alone is a value."
    ),
    "Expectations": (
        "`expect` is one of these, or a mapping of parameters to these; the rest then has to pass. An unexpected "
        "pass fails. Findings of health, but for `disconnected`, can't be expected: they change no verdict."
    ),
    "Knobs of check": "How a case is checked. Options of the command line go before them.",
    "Limits of health": "`check: {health: {vanishing: 1e-6}}` sets them.",
    "Operators": (
        "`ops` is one entry or a list of them. A text is a file of operators beside the spec (`my_ops.py`), a "
        "YAML list of operators (`bridges.yaml`), or `module:name` of what is installed or in the project. A "
        "mapping says how other code is called: `pairs: FILE` alone, or by the name of each operator one of the "
        "forms below. The first of their keys tells them apart."
    ),
    "Domains": (
        "Under `domain`, by the name of an argument: what `check-ops` may draw. A text is a shape, a list the "
        "values to try of what is no array, and a mapping has the keys below."
    ),
}


def spec_page() -> str:
    """Return the page."""
    schema = spec_schema()
    made = schema["definitions"]
    check = made["check"]["properties"]
    case = {"cases": schema["properties"]["cases"], **made["case"]["properties"]}
    tables = {
        "Keys of a case": keys_table(case, made),
        "Parameters and inputs": keys_table(made["array"]["properties"], made),
        "Expressions": "",
        "Expectations": _expectations(made["verdict"]["enum"]),
        "Knobs of check": keys_table(check, made),
        "Limits of health": keys_table(made["health"]["properties"], made),
        "Operators": "\n\n".join(_bridge(made[definition_name(model)], made) for model in BRIDGES.values()),
        "Domains": keys_table(made["domain"]["properties"], made),
    }
    parts = [INTRODUCTION, _example(schema)]
    for heading, words in SECTIONS.items():
        parts += [f"## {heading}", wrapped(words), tables[heading]]
    return "\n\n".join(part for part in parts if part) + "\n"


def keys_table(properties: dict[str, Any], definitions: dict[str, Any]) -> str:
    """Return the table of the keys of one level."""
    rows = [
        (
            code(name),
            takes(schema, definitions),
            code(in_yaml(schema["default"])) if "default" in schema else "",
            schema["description"],
            ", ".join(code(in_yaml(example)) for example in schema["examples"]),
        )
        for name, schema in properties.items()
    ]
    return table(["key", "takes", "default", "meaning", "for example"], rows)


def takes(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    """Say in words what a schema takes."""
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            forms = [takes(each, definitions) for each in schema[several] if each.get("type") != "null"]
            return " or ".join(dict.fromkeys(forms))
    if "$ref" in schema:
        return _referred(schema["$ref"].rpartition("/")[2], definitions)
    if "enum" in schema:
        return ", ".join(code(str(each)) for each in schema["enum"])
    kind = schema.get("type", "anything")
    if kind == "array":
        inner = takes(schema["items"], definitions) if schema.get("items") else ""
        return f"a list of: {inner}" if inner else "a list"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"a mapping of names to: {takes(inner, definitions)}" if isinstance(inner, dict) else "a mapping"
    words = {"string": "a text", "number": "a number", "integer": "a whole number", "boolean": "`true` or `false`"}
    return words.get(kind, kind) + _bounds(schema)


def in_yaml(value: Any) -> str:
    """Write a value on one line, as a person writes it in a spec."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {in_yaml(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(in_yaml, value))}]"
    if isinstance(value, float):
        return f"{value:.15g}".replace("e-0", "e-").replace("e+0", "e")
    if isinstance(value, str) and "\n" in value:
        return json.dumps(value, ensure_ascii=False)
    text: str = yaml.safe_dump(value, width=10_000, allow_unicode=True)
    return text.removesuffix("...\n").strip()


def _bounds(schema: dict[str, Any]) -> str:
    low, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    high, below = schema.get("maximum"), schema.get("exclusiveMaximum")
    words = [f"{low} or more"] * (low is not None) + [f"above {above}"] * (above is not None)
    words += [f"{high} at most"] * (high is not None) + [f"below {below}"] * (below is not None)
    return f" ({', '.join(words)})" if words else ""


def _referred(name: str, definitions: dict[str, Any]) -> str:
    sections = {
        "entry": ("an entry", "Parameters and inputs"),
        "array": ("a mapping", "Parameters and inputs"),
        "verdict": ("an expectation", "Expectations"),
        "check": ("a mapping", "Knobs of check"),
        "health": ("a mapping", "Limits of health"),
        "operators": ("an entry", "Operators"),
        "case": ("a case", "Keys of a case"),
        "domain": ("a mapping", "Domains"),
    }
    if name in ("elements", "numbers"):  # what they hold stands in the description
        return "a list"
    if name not in sections:
        return takes(definitions[name], definitions)
    words, heading = sections[name]
    return f"[{words}](#{anchor(heading)})"


def _expectations(names: list[str]) -> str:
    """Return the table of what can be expected, a finding by code and name on one line."""
    by_code = {page.code: page for page in pages().values()}
    words = {
        "pass": "every parameter passes",
        "fail": "a parameter fails, for whatever reason",
        "inconclusive": "a parameter is inconclusive",
    }
    rows = [(code(name), words[name]) for name in names if name in words]
    rows += [(f"{code(name)}, {code(by_code[name].name)}", by_code[name].summary) for name in names if name in by_code]
    return table(["expectation", "meaning"], rows)


def _bridge(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    """Return the section of one way to call other code."""
    needed = schema["required"]
    known = {**{key: schema["properties"][key] for key in needed}, **schema["properties"]}
    heading = f"### {' and '.join(code(key) for key in needed)}"
    return "\n\n".join([heading, schema["description"], keys_table(known, definitions)])


def _example(schema: dict[str, Any]) -> str:
    whole = schema["examples"][1]
    return f"```yaml\n{yaml.safe_dump(whole, sort_keys=False)}```"
