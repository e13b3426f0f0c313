"""The JSON Schema: right specs validate, every key is told, and it is never stricter than the loader."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from gradcheck_cli.bridges.domains import read_domains
from gradcheck_cli.codes import FINDING_CODES, REPORTED
from gradcheck_cli.errors import SpecError
from gradcheck_cli.knobs import Knobs, read_knob
from gradcheck_cli.spec.bridge_schema import BRIDGES, DomainKeys
from gradcheck_cli.spec.json_schema import definition_name, operators_schema, spec_schema
from gradcheck_cli.spec.loader import load_spec
from gradcheck_cli.spec.names import name_complaint
from gradcheck_cli.spec.plainly_right import is_plainly_right
from gradcheck_cli.spec.schema import ArrayKeys, CaseKeys, CheckKeys, HealthKeys
from tests.spec.outcomes import FEW, LOADER
from tests.spec.spec_texts import ROOT, SHIPPED, completed, documents_of, shown_files, texts_of_tests

SCHEMA = spec_schema()
SPECS = Draft7Validator(SCHEMA)
OPERATORS = Draft7Validator(operators_schema())
TEXTS = [text for each in texts_of_tests() if (text := completed(each)) is not None]

VALUES = [None, True, 0, 1, -1, 2.0, 1.5, 2**70, 0.5, float("nan"), float("inf"), "", "3 4", "1", "none", "pass", "k"]
VALUES += [[], [1, 2], [1, "n"], [None], [True], ["x"], {}, {"x": 1}, {"x": "3"}, {"x": [1]}, {"x": None}]
VALUES += ["float32", "input-modified", ["input-modified"], {"vanishing": 0.5}, {"exploding": 2}, {"dead": 2}]


def refused(document, schema=SPECS):
    """Say what the schema has against a document; an empty text for nothing."""
    return "; ".join(error.message for error in schema.iter_errors(document))


def definition(name):
    """Return a validator of one definition."""
    return Draft7Validator({"$ref": f"#/definitions/{name}", "definitions": SCHEMA["definitions"]})


def loader_refuses(text):
    try:
        load_spec(None, shown="-", text=text, loader=LOADER, given={})
    except SpecError:
        return True
    return False


def properties(schema, path=""):
    """List every key of every level, with its schema."""
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}.{name}", inner
        yield from properties(inner, f"{path}.{name}")
    for name, inner in schema.get("definitions", {}).items():
        yield f"{path}#{name}", inner
        yield from properties(inner, f"{path}#{name}")


def resolved(schema):
    """Return a validator of a part of the schema, which may refer to definitions."""
    return Draft7Validator({**schema, "definitions": SCHEMA["definitions"]})


def test_both_are_schemas_of_draft_07():
    for schema in (SCHEMA, operators_schema()):
        assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
        Draft7Validator.check_schema(schema)
        assert "$defs" not in json.dumps(schema)


@pytest.mark.parametrize("path", SHIPPED, ids=[str(path.relative_to(ROOT)) for path in SHIPPED])
def test_specs_that_ship_validate(path):
    found = documents_of(path.read_text("utf-8"))
    assert found
    assert [refused(document) for document in found] == [""] * len(found)


def test_files_that_pages_show_validate():
    specs = shown_files(".grad.yaml")
    assert len(specs) >= 2
    for name, text in specs.items():
        assert [refused(document) for document in documents_of(text)] == [""], name
    for name, text in shown_files("bridges.yaml").items():
        assert [refused(document, OPERATORS) for document in documents_of(text)] == [""], name


@pytest.mark.parametrize(("name", "schema"), list(properties(SCHEMA)), ids=[name for name, _ in properties(SCHEMA)])
def test_every_key_has_a_description_and_examples_that_validate(name, schema):
    assert len(schema["description"]) > 10
    if "." in name or "#" not in name:
        assert schema["examples"]
    for example in [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else [])]:
        assert refused(example, resolved(schema)) == "", example


def test_the_keys_are_those_of_the_models():
    found = {name for name, _ in properties(SCHEMA)}
    assert found >= {f".{key}" for key in [*CaseKeys.model_fields, "cases"]}
    for model in (CaseKeys, ArrayKeys, CheckKeys, HealthKeys, DomainKeys, *BRIDGES.values()):
        assert found >= {f"#{definition_name(model)}.{key}" for key in model.model_fields}
    assert list(CheckKeys.model_fields.keys() ^ set(Knobs.names())) == []


def test_defaults_are_those_of_the_knobs():
    keys = SCHEMA["definitions"]["check"]["properties"]
    assert keys["rtol"]["default"] == Knobs().rtol
    assert "default" not in keys["eps"]
    assert SCHEMA["definitions"]["health"]["properties"]["dead"]["default"] == Knobs().health.dead


def test_verdicts_are_those_that_can_be_expected():
    enum = SCHEMA["definitions"]["verdict"]["enum"]
    assert set(enum) == {"pass", "fail", "inconclusive"} | REPORTED | {FINDING_CODES[name].code for name in REPORTED}


def test_examples_of_whole_specs_load():
    for example in SCHEMA["examples"]:
        assert not loader_refuses(json.dumps(example)), example


WRONG = [
    {"expr": "x", "parms": {"x": 3}},
    {"params": {"x": 3}},
    {"expr": "x", "params": {"x": {"shpe": 3}}},
    {"expr": "x", "params": {"x": True}},
    {"expr": "x", "params": {"lambda": 3}},
    {"expr": "x", "params": {"my-x": 3}},
    {"expr": "x", "params": {"x": 3}, "check": {"rtol": 2}},
    {"expr": "x", "params": {"x": 3}, "check": {"health": {"dead": 0}}},
    {"expr": "x", "params": {"x": 3}, "expect": "fial"},
    {"expr": "x", "params": {"x": 3}, "expect": {"x": "GC401"}},
    {"expr": "x", "params": {"x": {"shape": 3, "dtype": "flaot32"}}},
    {"expr": "x", "params": {"x": 3}, "ops": [3]},
    {"expr": "x", "params": {"x": 3}, "ops": [{"f": {"forward": "a.py:f"}}]},
    {"expr": "x", "params": {"x": 3}, "ops": [{"f": {"forward": "a.py:f", "backward": "a.py:b", "take": "g x"}}]},
    {"expr": "x", "params": {"x": 3}, "ops": [{"pairs": "a.py", "domain": {"f": {"x": {"lo": 1}}}}]},
    {"expr": "", "params": {"x": 3}},
    {"expr": " \n", "params": {"x": 3}},
    {"expr": "x", "params": {"x": 3}, "name": ""},
    {"expr": "x", "params": {"x": 3}, "name": "\u00a0"},
    {"cases": [{"expr": "x", "params": {"x": 3}, "name": " "}]},
    {"expr": "x", "params": {"x": [1, "2"]}},
    {"expr": "x", "params": {"x": [[1, 2], [3, "four"]]}},
    {"expr": "x", "params": {"x": [None]}},
    {"expr": "x", "params": {"x": [{"shape": 3}]}},
    {"expr": "x", "params": {"x": {"value": [[1], ["2"]]}}},
    {"expr": "x + y", "params": {"x": 3}, "inputs": {"y": ["2"]}},
    {"expr": "x", "params": {"x": 3}, "value": ["2"]},
    {"expr": "x", "params": {"x": 3}, "value": [[True]]},
    {"expr": "x", "params": {"x": 3}, "grad": {"x": ["2"]}},
    {"expr": "x", "params": {"x": 3}, "grad": {"x": [[True]]}},
    {"cases": []},
    {"cases": [{"expr": "x", "params": {"x": 3}, "cases": []}]},
]


@pytest.mark.parametrize("document", WRONG, ids=[str(document)[:70] for document in WRONG])
def test_what_is_wrong_is_refused_by_the_schema_and_by_the_loader(document):
    assert refused(document)
    assert loader_refuses(json.dumps(document))


RIGHT = [
    {"expr": " x", "name": " a b ", "params": {"x": []}},
    {"expr": "sum(x)", "params": {"x": [[[1, 2.5], [-3, 1e300]]]}, "grad": {"x": [[[1, 1], [1, 1]]]}},
    {"expr": "x", "params": {"x": [[]]}, "value": [[]]},
    {"expr": "where(y, x, x)", "params": {"x": [1, 2]}, "inputs": {"y": [[True, False], [False, True]]}},
    {"expr": "where(y, x, x)", "params": {"x": [1, 2]}, "inputs": {"y": {"value": [True, False], "dtype": "bool"}}},
]


@pytest.mark.parametrize("document", RIGHT, ids=[str(document)[:70] for document in RIGHT])
def test_what_is_right_is_taken_by_the_loader_and_by_the_schema(document):
    assert not loader_refuses(json.dumps(document))
    assert refused(document) == ""


def test_what_is_wrong_in_a_list_is_underlined_at_its_item():
    (error,) = SPECS.iter_errors({"expr": "x", "params": {"x": [[1, 2], [3, "four"]]}})
    assert [*error.absolute_path] == ["params", "x", 1, 1]


def test_a_whole_number_with_a_point_is_one_to_json_schema_alone():
    document = {"expr": "x", "params": {"x": {"shape": 2.0}}, "seed": 1.0}
    assert refused(document) == ""
    assert loader_refuses(json.dumps(document))


@pytest.mark.parametrize("text", TEXTS, ids=[text[:60] for text in TEXTS])
def test_what_the_schema_refuses_the_loader_refuses_too(text, folder):
    documents = documents_or_none(text)
    if documents is not None and any(map(refused, documents)):
        assert loader_refuses(text), [refused(document) for document in documents]


def test_keys_and_types_are_caught_while_they_are_written(folder):
    bad = [text for text in TEXTS if loader_refuses(text)]
    caught = [text for text in bad if documents_or_none(text) is None or any(map(refused, documents_or_none(text)))]
    assert len(bad) > 150
    # The rest are undefined names, unused parameters, clashing shapes, files that aren't there.
    assert len(caught) > 0.45 * len(bad), f"{len(caught)} of {len(bad)}"


def documents_or_none(text):
    """Return the documents of a text; None for what isn't even the YAML that a spec is written in."""
    try:
        return documents_of(text)
    except SpecError:
        return None


@pytest.mark.parametrize("knob", Knobs.names())
def test_a_knob_takes_what_the_schema_takes(knob):
    for value in [*VALUES, 1e-6, 1e300, 100]:
        right = refused({knob: value}, definition("check")) == ""
        try:
            read_knob(knob, value)
        except ValueError:
            # To JSON 2.0 is a whole number; and it has neither infinities nor what is not a number.
            assert not right or (isinstance(value, float) and not value % 1 > 0), (knob, value)
        else:
            assert right, (knob, value)


@pytest.mark.parametrize("key", DomainKeys.model_fields)
def test_a_domain_takes_what_the_schema_refuses_at_no_time(key):
    for value in VALUES:
        for domain in ({"x": {key: value}}, {"x": value}):
            document = {"forward": "a.py:f", "backward": "a.py:b", "domain": domain}
            try:
                read_domains(domain)
            except ValueError:
                continue
            assert refused(document, definition("pair")) == "", domain


@pytest.mark.parametrize("kind", BRIDGES)
def test_a_bridge_takes_what_the_schema_refuses_at_no_time(kind):
    model = BRIDGES[kind]
    needed = {key: "a.py:f" for key, field in model.model_fields.items() if field.is_required()}
    accepted = 0
    for key in model.model_fields:
        for value in VALUES:
            keys = {**needed, key: value}
            try:
                model.model_validate(keys)
                read_domains(keys.get("domain", {}) if kind != "pairs" else keys.get("domain", {}).get("x", {}))
            except ValueError:
                continue
            accepted += 1
            assert refused({"f": keys}, definition("operators")) == "", keys
    assert accepted > len(model.model_fields)


NAMES = st.sampled_from(["x", "W1", "größe", "_b", "θ"])
NUMBERS = st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False)
LISTS = st.lists(NUMBERS, max_size=3)
SIZES = st.integers(0, 9)
ARRAYS = st.fixed_dictionaries(
    {},
    optional={
        "shape": SIZES | st.sampled_from(["n", "4 5", ""]) | st.lists(SIZES | st.just("n"), max_size=3),
        "value": NUMBERS | LISTS,
        "file": st.just("a.npy"),
        "init": st.sampled_from(["he", "spd"]),
        "low": NUMBERS,
        "high": NUMBERS,
        "avoid": NUMBERS,
        "distinct": st.booleans(),
        "below": st.integers(0, 9) | st.just("n"),
        "dtype": st.sampled_from(["float64", "int8", "bool"]),
        "sample": st.integers(0, 9),
    },
)
ENTRIES = st.dictionaries(NAMES, NUMBERS | LISTS | st.just("n") | ARRAYS, max_size=3)
CASES = st.fixed_dictionaries(
    {"expr": st.just("x")},
    optional={
        "name": st.text(max_size=5).filter(str.strip),
        "params": ENTRIES,
        "inputs": ENTRIES,
        "dims": st.dictionaries(NAMES, st.integers(-1, 9), max_size=3),
        "ops": st.sampled_from(["a.py", [], ["a.py"], {"pairs": "a.py"}]),
        "seed": st.integers(-1, 9),
        "check": st.fixed_dictionaries(
            {},
            optional={
                "rtol": st.floats(-1, 2),
                "sample": st.integers(0, 3),
                "sweep": st.booleans(),
                "dtype": st.sampled_from(["float64", "float16"]),
            },
        ),
        "matrix": st.dictionaries(NAMES, st.lists(NUMBERS | st.text(max_size=2), max_size=3), max_size=2),
        "expect": st.sampled_from(["pass", "GC203", {"x": "missing-term"}]),
        "value": NUMBERS | LISTS,
        "grad": st.dictionaries(NAMES, NUMBERS | LISTS, max_size=2),
    },
)


@given(CASES)
def test_what_is_plainly_right_validates(case):
    # At a glance names, verdicts, types of arrays and operators are any text, which the loader looks at later.
    if is_plainly_right(case):
        assert refused(case) == ""
        assert refused({"cases": [case]}) == ""


@pytest.mark.parametrize(
    "name", ["x", "W1", "_", "größe", "θ2", "ﬁ", "1x", "my-x", "a b", "", "lambda", "x.y", "日本", "é"]
)
def test_names_are_no_stricter_than_the_loader(name):
    if not name_complaint(name):
        assert refused(name, definition("name")) == ""
    if name in ("1x", "my-x", "a b", "", "lambda", "x.y"):
        assert refused(name, definition("name"))


ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.sampled_from(["x", "n", "pass", "GC203", "int8", "fial", "3"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(NAMES | st.sampled_from(sorted(ArrayKeys.model_fields)), inner)
    ),
    max_leaves=4,
)


@FEW
@given(
    st.sampled_from([*CaseKeys.model_fields, "cases", "parms"]),
    st.sampled_from([*ArrayKeys.model_fields, *Knobs.names(), "x", "n"]),
    ANYTHING,
    st.sampled_from(["whole", "entry", "deep"]),
)
def test_a_spec_in_which_something_is_replaced_is_never_refused_by_the_schema_alone(key, inner, value, depth):
    document = {"expr": "tanh(x)", "params": {"x": {"shape": 3}}, "dims": {"n": 2}, "check": {"rtol": 1e-6}}
    if depth == "whole":
        document[key] = value
    elif depth == "entry":
        document[key] = {inner: value}
    else:
        document["params"] = {"x": {"shape": 3, inner: value}}
    case = {"expr": document.pop("expr", "tanh(x)")}
    for written in ({**case, **document}, {"cases": [{**case, **document}]}, {**document, "cases": [case]}):
        if refused(written):
            assert loader_refuses(json.dumps(written)), written
