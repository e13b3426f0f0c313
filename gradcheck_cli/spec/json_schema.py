"""The JSON Schema of specs, for editors: made of the models that specs are held to.

It is never stricter than the loader: what it underlines, the loader refuses (but for what stands in a default that
every case replaces, since nothing reads that). What takes more than the keys and the types of values (undefined names,
clashing shapes, files that aren't there) only the loader sees.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import fields
from typing import Any, TypeAlias

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema

from gradcheck_cli.codes import FINDING_CODES, REPORTED
from gradcheck_cli.knobs import HealthLimits, Knobs
from gradcheck_cli.spec.arrays.types import FLOATS, INTEGERS
from gradcheck_cli.spec.bridge_schema import BRIDGES, DomainForms
from gradcheck_cli.spec.expected import VERDICTS
from gradcheck_cli.spec.schema import ArrayKeys, CaseKeys, CheckKeys, HealthKeys, SpecKeys

Schema: TypeAlias = dict[str, Any]

DIALECT = "http://json-schema.org/draft-07/schema#"

_REFERENCE = "#/definitions/"
_IDENTIFIER = "^[^\\u0000-@\\[-^`{-\\u007f][^\\u0000-/:-@\\[-^`{-\\u007f]*$"
"""No ASCII but letters, digits and _; which other characters stand in a name is for the loader to say."""

_NAMING = "letters, digits and _ make a name, and it doesn't begin with a digit"

_BLANK = {"minLength": 1, "pattern": "\\S", "patternErrorMessage": "there is nothing in it"}

_LISTS = {
    "elements": ("Numbers, or true and false, in lists of one length.", ["number", "boolean"], [[1, 2], [True, False]]),
    "numbers": ("Numbers, in lists of one length.", ["number"], [[1, 2], [[1, 2], [3, 4]]]),
}
"""Nested lists by the name of their definition: a description, the types of what stands in them, examples."""

_WITH_SCHEMAS = frozenset({"properties", "definitions"})
_SCHEMAS = frozenset({"items", "additionalProperties", "propertyNames"})
_LISTS_OF_SCHEMAS = frozenset({"anyOf", "oneOf", "allOf"})


class _InOrder(GenerateJsonSchema):
    """Keys in the order in which the models have them."""

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        del parent_key
        return value


def spec_schema() -> Schema:
    """Return the schema of one document of a spec file, in the vocabulary of draft-07."""
    definitions = _definitions()
    spec = definitions.pop("spec")
    spec["properties"]["cases"]["minItems"] = 1
    return {
        "$schema": DIALECT,
        "title": "gradcheck spec",
        "description": "What to check: an expression with its parameters, or several cases. Keys beside `cases` are "
        "defaults for all of them.",
        "examples": [
            {"expr": "sum(tanh(x))", "params": {"x": "2 3"}},
            {"dims": {"n": 4}, "cases": [{"expr": "x @ x", "params": {"x": "n"}}]},
        ],
        **{key: value for key, value in spec.items() if key != "description"},
        "anyOf": [{"required": ["expr"]}, {"required": ["cases"]}],
        "definitions": definitions,
    }


def operators_schema() -> Schema:
    """Return the schema of a list of operators, as `--ops` takes it: a list, or a mapping with `ops`."""
    definitions = _definitions()
    listed = definitions["case"]["properties"]["ops"]
    for name in ("spec", "case", "check", "health", "array", "entry", "name", "verdict", *_LISTS):
        del definitions[name]
    return {
        "$schema": DIALECT,
        "title": "gradcheck operators",
        "description": "Operators, and how code is called that was not written for gradcheck.",
        "examples": listed["examples"],
        "anyOf": [
            {"type": "array", "items": {"$ref": f"{_REFERENCE}operators"}},
            {"type": "object", "properties": {"ops": listed}, "required": ["ops"]},
        ],
        "definitions": definitions,
    }


def _definitions() -> dict[str, Schema]:
    models: list[type[BaseModel]] = [
        SpecKeys,
        CaseKeys,
        ArrayKeys,
        CheckKeys,
        HealthKeys,
        *BRIDGES.values(),
        DomainForms,
    ]
    _, made = models_json_schema(
        [(model, "validation") for model in models], ref_template=f"{_REFERENCE}{{model}}", schema_generator=_InOrder
    )
    found = {_short(name): _tidied(schema) for name, schema in made["$defs"].items()}
    found["domain"]["description"] = "What an array may hold, in its long form."
    _set_operators(found)
    for name in ("spec", "case"):
        _complete_case(found[name]["properties"], found)
    for name, (description, types, examples) in _LISTS.items():
        # By its type, so that an editor says what is wrong with the one item.
        deeper = {"if": {"type": "array"}, "then": {"$ref": _REFERENCE + name}}
        items = {"type": [*types, "array"], **deeper}
        found[name] = {"description": description, "examples": examples, "type": "array", "items": items}
    _set_list(found["array"]["properties"]["value"], "elements")
    found["array"]["properties"]["dtype"]["enum"] = [*FLOATS, *INTEGERS, "bool"]
    found["health"]["description"] = "From where on a graph is called ill."
    _set_knobs(found["check"]["properties"], found["health"]["properties"])
    names = [word for name, finding in FINDING_CODES.items() if name in REPORTED for word in (finding.code, name)]
    found["name"] = {
        "description": "A name that an expression can hold.",
        "pattern": _IDENTIFIER,
        "patternErrorMessage": _NAMING,  # for VS Code's servers; to others the key means nothing
        "not": {"enum": list(keyword.kwlist)},
        "examples": ["x", "W1"],
    }
    found["verdict"] = {
        "description": "A verdict, or a finding by code or name.",
        "type": "string",
        "enum": [*VERDICTS, *names],
        "examples": ["fail", "GC203", "missing-term"],
    }
    return dict(sorted(found.items()))


def _complete_case(keys: dict[str, Schema], definitions: dict[str, Schema]) -> None:
    """Put in what the models leave to the code behind them: names, verdicts, operators, defaults."""
    # The forms by their types: an editor then says what is wrong with a mapping, and not that it is no number.
    forms = [form.get("type", "object") for form in keys["params"].pop("additionalProperties")["oneOf"]]
    definitions["entry"] = {
        "description": "A number or a nested list is the value; a text is the shape, as in `batch 3`; or a mapping. "
        "Without a value it is drawn: from the domain of the operator that takes it, else from the standard normal.",
        "examples": [0.5, [1, 2, 3], "batch hidden", {"shape": 5, "init": "he"}],
        "type": forms,
        "if": {"type": "object"},
        "then": {"$ref": f"{_REFERENCE}array"},
        "else": {"if": {"type": "array"}, "then": {"$ref": f"{_REFERENCE}elements"}},
    }
    _set_list(keys["value"], "numbers")
    _set_list(keys["grad"]["additionalProperties"], "numbers")
    keys["expr"].update(_BLANK)
    keys["name"].update(_BLANK)
    for key in ("params", "inputs"):
        keys[key]["additionalProperties"] = {"$ref": f"{_REFERENCE}entry"}
    for key in ("params", "inputs", "dims", "matrix"):
        keys[key]["propertyNames"] = {"$ref": f"{_REFERENCE}name"}
    verdict = {"$ref": f"{_REFERENCE}verdict"}
    keys["expect"]["anyOf"] = [verdict, {"type": "object", "additionalProperties": verdict}]
    keys["expect"]["default"] = "pass"
    keys["seed"]["default"] = 0
    one = {"$ref": f"{_REFERENCE}operators"}
    keys["ops"]["anyOf"] = [one, {"type": "array", "items": one}]


def _set_list(schema: Schema, name: str) -> None:
    """Say what a list holds, where a number or a list may stand."""
    schema["anyOf"] = [{"$ref": _REFERENCE + name} if each == {"type": "array"} else each for each in schema["anyOf"]]


def _set_operators(definitions: dict[str, Schema]) -> None:
    """Define one entry of a list of operators: a file, or how code is called."""
    forms = definitions.pop("domain_forms")["properties"]["domain"]
    forms = {key: value for key, value in forms.items() if key in ("type", "additionalProperties")}
    for kind in map(definition_name, BRIDGES.values()):
        domain = definitions[kind]["properties"]["domain"]
        if kind == "pairs":
            domain["additionalProperties"] = forms
        else:
            domain["additionalProperties"] = forms["additionalProperties"]
    definitions["bridge"] = {
        "description": "How code is called that was not written for gradcheck; the first key tells what it is.",
        "examples": [{"forward": "layers.py:affine_forward", "backward": "layers.py:affine_backward"}],
        **_by_first_key(),
    }
    definitions["operators"] = {
        "description": "A Python file, a YAML list of operators, module:name, or how other code is called.",
        "examples": ["my_ops.py", {"pairs": "layers.py"}, {"relu": {"function": "framework.py:ReLU"}}],
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "if": {"required": ["pairs"], "properties": {"pairs": {"not": {"type": "object"}}}},
                "then": {"$ref": f"{_REFERENCE}pairs"},
                "else": {
                    "minProperties": 1,
                    "propertyNames": {"pattern": _IDENTIFIER, "patternErrorMessage": _NAMING},
                    "additionalProperties": {"$ref": f"{_REFERENCE}bridge"},
                },
            },
        ],
    }


def _by_first_key() -> Schema:
    """Return the schema of a bridge as the loader tells which it is: an editor then speaks of that one alone."""
    kinds = {kind: {"$ref": _REFERENCE + definition_name(model)} for kind, model in BRIDGES.items()}
    found: Schema = {"anyOf": list(kinds.values())}
    for kind, reference in reversed(kinds.items()):
        found = {"if": {"required": [kind]}, "then": reference, "else": found}
    return found


def _set_knobs(keys: dict[str, Schema], limits: dict[str, Schema]) -> None:
    """Put in the defaults of the knobs; None has no word in a spec."""
    for knob in fields(Knobs):
        default = getattr(Knobs(), knob.name)
        if isinstance(default, HealthLimits):
            keys[knob.name]["allOf"] = [{"$ref": f"{_REFERENCE}health"}]
            for limit in fields(HealthLimits):
                limits[limit.name]["default"] = getattr(default, limit.name)
        elif default is not None:
            keys[knob.name]["default"] = list(default) if isinstance(default, tuple) else default


def definition_name(model: type[BaseModel]) -> str:
    """Return the name of the definition of a model."""
    return _short(model.__name__)


def _short(name: str) -> str:
    """Name a definition after its model: `ValueAndGradKeys` is `value_and_grad`."""
    return re.sub("(?<!^)(?=[A-Z])", "_", name.removesuffix("Keys")).lower()


def _tidied(schema: Schema) -> Schema:
    """Return what pydantic wrote without titles, its own names for definitions, and siblings of `$ref`."""
    tidy: Schema = {}
    for key, value in schema.items():
        if key == "title" or (key == "additionalProperties" and value is True):
            continue
        if key in _WITH_SCHEMAS:
            tidy[key] = {name: _tidied(inner) for name, inner in value.items()}
        elif key in _SCHEMAS and isinstance(value, dict):
            tidy[key] = _tidied(value)
        elif key in _LISTS_OF_SCHEMAS:
            tidy[key] = [_tidied(inner) for inner in value]
        elif key == "$ref":
            tidy[key] = _REFERENCE + _short(value.removeprefix(_REFERENCE))
        else:
            tidy[key] = value
    if "$ref" in tidy and len(tidy) > 1:
        tidy["allOf"] = [{"$ref": tidy.pop("$ref")}]  # draft-07 ignores what stands beside a reference
    return tidy
