"""Keys and types of a case: what is wrong is said in words, and the rest is kept."""

import pytest

from gradcheck_cli.spec.schema import EXPECTED, INITS, ArrayKeys, CaseKeys, CheckKeys, SpecKeys
from gradcheck_cli.spec.structure import check_structure
from gradcheck_cli.spec.text.nodes import plain

FORM = "a number, a list of numbers, shape words or a mapping"


@pytest.fixture
def check(document, found_in):
    """Check one mapping; return what is left of it and what was said."""

    def checked(text, more_keys=()):
        node, found = document(text)
        result = check_structure(node, found, more_keys)
        return result, found_in(found)

    return checked


WRONG = [
    ("parms: {x: 3}", ["1:1 unknown key 'parms' [unknown-key] (did you mean 'params'?)"]),
    ("Expr: x", ["1:1 unknown key 'Expr' [unknown-key] (did you mean 'expr'?)"]),
    ("params: {x: {shpe: 3}}", ["1:14 unknown key 'shpe' [unknown-key] (did you mean 'shape'?)"]),
    ("check: {rtoll: 1}", ["1:9 unknown knob 'rtoll' [unknown-knob] (did you mean 'rtol'?)"]),
    ("cases: []", ["1:1 unknown key 'cases' [unknown-key]"]),
    ("params: [x]", ["1:9 params should be a mapping of names to shapes or values, not a list [wrong-type]"]),
    ("params:", ["1:1 params should be a mapping of names to shapes or values, not empty [wrong-type]"]),
    ("inputs: x", ["1:9 inputs should be a mapping of names to shapes or values, not the text 'x' [wrong-type]"]),
    ("expr: [x]", ["1:7 expr should be a text, not a list [wrong-type]"]),
    ("expr: 3", ["1:7 expr should be a text, not the number 3 [wrong-type] (quote it: '3')"]),
    ("name: true", ["1:7 name should be a text, not true [wrong-type] (quote it: 'true')"]),
    ("params: {x: true}", [f"1:13 x should be {FORM}, not true [wrong-type]"]),
    ("params: {x: ~}", [f"1:10 x should be {FORM}, not empty [wrong-type]"]),
    (
        "inputs: {x: {shape: true}}",
        ["1:21 shape should be shape words, a size or a list of sizes, not true [wrong-type]"],
    ),
    (
        "params: {x: {shape: [2, -1]}}",
        ["1:25 shape should be shape words, a size or a list of sizes, not the number -1 [wrong-type]"],
    ),
    (
        "params: {x: {shape: [2, 3.0]}}",
        ["1:25 shape should be shape words, a size or a list of sizes, not the number 3.0 [wrong-type]"],
    ),
    (
        "params: {x: {value: abc}}",
        ["1:21 value should be a number or a list of numbers, not the text 'abc' [wrong-type]"],
    ),
    ("params: {x: {file: 3}}", ["1:20 file should be the path of an .npy or .npz file, not the number 3 [wrong-type]"]),
    (
        "params: {x: {init: hee}}",
        [
            "1:20 init should be one of normal, uniform, zeros, ones, he, xavier, spd, not the text 'hee' [wrong-type] "
            "(did you mean 'he'?)"
        ],
    ),
    (
        "params: {x: {low: '3'}}",
        [
            "1:19 low should be a number, not the text '3' [wrong-type] "
            "(a quoted number is a text: leave the quotes out)"
        ],
    ),
    ("params: {x: {high: true}}", ["1:20 high should be a number, not true [wrong-type]"]),
    (
        "params: {x: {avoid: [1, a]}}",
        ["1:25 avoid should be a number or a list of numbers, not the text 'a' [wrong-type]"],
    ),
    ("params: {x: {distinct: on}}", ["1:24 distinct should be true or false, not the text 'on' [wrong-type]"]),
    (
        "params: {x: {below: 0}}",
        ["1:21 below should be a whole number, 1 or more, or the name of a dim, not the number 0 [wrong-type]"],
    ),
    ("params: {x: {dtype: 64}}", ["1:21 dtype should be the name of a number type, not the number 64 [wrong-type]"]),
    (
        "params: {x: {sample: 0}}",
        ["1:22 sample should be a whole number of elements, 1 or more, not the number 0 [wrong-type]"],
    ),
    (
        "params: {x: {sample: 1.5}}",
        ["1:22 sample should be a whole number of elements, 1 or more, not the number 1.5 [wrong-type]"],
    ),
    ("dims: 3", ["1:7 dims should be a mapping of names to sizes, not the number 3 [wrong-type]"]),
    ("dims: {n: -1}", ["1:11 n should be a size: a whole number, 0 or more, not the number -1 [wrong-type]"]),
    ("dims: {n: 2.0}", ["1:11 n should be a size: a whole number, 0 or more, not the number 2.0 [wrong-type]"]),
    ("dims: {n: true}", ["1:11 n should be a size: a whole number, 0 or more, not true [wrong-type]"]),
    ("seed: -1", ["1:7 seed should be a whole number, 0 or more, not the number -1 [wrong-type]"]),
    ("seed: 1e3", ["1:7 seed should be a whole number, 0 or more, not the number 1e3 [wrong-type]"]),
    ("check: [rtol]", ["1:8 check should be a mapping of knobs to values, not a list [wrong-type]"]),
    ("check: {rtol: 2}", ["1:15 rtol should be a number between 0 and 1 [wrong-knob]"]),
    ("check: {rtol: }", ["1:15 rtol should be a number between 0 and 1 [wrong-knob]"]),
    ("check: {eps: small}", ["1:14 eps should be a number between 0 and 1 [wrong-knob]"]),
    ("check: {sweep: 1}", ["1:16 sweep should be true or false [wrong-knob]"]),
    ("check: {dtype: [float64]}", ["1:16 dtype should be float64 or float32 [wrong-knob]"]),
    ("check: {timeout: -1}", ["1:18 timeout should be a positive number [wrong-knob]"]),
    ("check: {sample: 0}", ["1:17 sample should be a whole number of elements, 1 or more [wrong-knob]"]),
    ("check: {directions: 0}", ["1:21 directions should be a whole number, 1 or more [wrong-knob]"]),
    ("check: {accuracy: 1}", ["1:19 accuracy should be a number between 0 and 1 [wrong-knob]"]),
    ("check: {repeat: 1}", ["1:17 repeat should be a number between 0 and 1 [wrong-knob]"]),
    ("check: {kinks: 1}", ["1:16 kinks should be pass or fail [wrong-knob]"]),
    ("check: {allow: 1}", ["1:16 allow should be a list of contract findings, as in [input-modified] [wrong-knob]"]),
    (
        "check: {allow: [input-modifed]}",
        ["1:16 'input-modifed' can't be allowed. did you mean 'input-modified'? [wrong-knob]"],
    ),
    ("matrix: [1]", ["1:9 matrix should be a mapping of names to lists of values, not a list [wrong-type]"]),
    ("matrix: {n: 3}", ["1:13 n should be a list of values, not the number 3 [wrong-type]"]),
    (
        "expect: [fail]",
        ["1:9 expect should be a verdict, or a mapping of parameters to verdicts, not a list [wrong-type]"],
    ),
    ("expect: {x: 3}", ["1:13 x should be a verdict, not the number 3 [wrong-type]"]),
    ("value: abc", ["1:8 value should be a number or a list of numbers, not the text 'abc' [wrong-type]"]),
    ("value: true", ["1:8 value should be a number or a list of numbers, not true [wrong-type]"]),
    ("grad: 3", ["1:7 grad should be a mapping of parameters to numbers or lists, not the number 3 [wrong-type]"]),
    ("grad: {x: abc}", ["1:11 x should be a number or a list of numbers, not the text 'abc' [wrong-type]"]),
    ("params: {lambda: 3}", ["1:10 'lambda' can't be a name: it is a word of Python's grammar [wrong-name]"]),
    (
        "inputs: {my-x: 3}",
        [
            "1:10 'my-x' can't be a name: letters, digits and _ make a name, and it doesn't begin with a "
            "digit [wrong-name]"
        ],
    ),
    (
        "dims: {'2n': 3}",
        ["1:8 '2n' can't be a name: letters, digits and _ make a name, and it doesn't begin with a digit [wrong-name]"],
    ),
    (
        "matrix: {'': [3]}",
        ["1:10 '' can't be a name: letters, digits and _ make a name, and it doesn't begin with a digit [wrong-name]"],
    ),
    ("params: {ﬁ: 3}", ["1:10 'ﬁ' can't be a name: write it 'fi' [wrong-name]"]),
]


@pytest.mark.parametrize(("text", "expected"), WRONG, ids=[text for text, _ in WRONG])
def test_wrong_key_or_type_is_said_in_words(check, text, expected):
    _, said = check(text)
    assert [line.split(" (there are")[0] for line in said] == expected


RIGHT = """
name: a
expr: x
params: {x: 3, y: [1, [2]], z: a b, w: {shape: 5, init: he, sample: 3}, v: {value: 1.5}, u: ''}
inputs: {i: {shape: [a, 3], below: 3}, j: {file: a.npy, dtype: int64}, k: {shape: a, low: -1, high: 2, avoid: 0.5}}
dims: {n: 3, m: 0}
ops: [a.py, {b: c}]
seed: 7
check: {rtol: 1e-6, eps: 1e-5, sweep: true, sample: 3, dtype: float32, timeout: 5,
  accuracy: 1e-5, kinks: fail, directions: 2, repeat: 1e-9, allow: [input-modified]}
matrix: {n: [1, 2], q: [a, true, ~, [1, 2]]}
expect: {x: fail}
value: [1, 2]
grad: {x: 3, y: [1]}
"""


def test_right_keys_and_types_are_kept(check, document):
    checked, said = check(RIGHT)
    assert said == []
    assert plain(checked.table) == plain(document(RIGHT)[0])
    assert checked.damaged == checked.lost_arrays == checked.lost_constants == frozenset()


def test_all_of_a_mapping_is_said_at_once_and_the_rest_kept(check):
    text = (
        "expr: 3\nparms: {x: 3}\nparams: {y: true, z: 3, w: {shape: 3, lo: 1}}\n"
        "dims: {n: -1, m: 2}\ncheck: {rtol: 9, eps: 0.1}\n"
    )
    checked, said = check(text)
    assert [line.split(" ")[0] for line in said] == ["1:7", "2:1", "3:13", "3:39", "4:11", "5:15"]
    assert plain(checked.table) == {"params": {"z": 3}, "dims": {"m": 2}, "check": {"eps": 0.1}}
    assert checked.lost_arrays == {"x", "y", "w"}
    assert checked.lost_constants == {"n"}
    assert {"expr", "params", "dims", "check"} <= checked.damaged


def test_further_keys_may_stand_at_the_top(check):
    checked, said = check("cases: [1]\nexpr: x\ncase: 3\n", ["cases"])
    assert said == ["3:1 unknown key 'case' [unknown-key] (did you mean 'cases'?)"]
    assert plain(checked.table) == {"expr": "x"}


def test_what_was_reported_already_is_no_wrong_type(check):
    _, said = check("expr: *x\nparams: {y: !t 3, z: [1, *q]}\ncheck: {rtol: &a 0.1}\n")
    assert [line.rpartition("[")[2].split("]")[0] for line in said] == ["alias", "tag", "alias", "anchor"]


def test_mapping_with_thousands_of_keys_is_refused(document, found_in):
    node, found = document("dims: {" + ", ".join(f"n{i}: 1" for i in range(1001)) + "}")
    with pytest.raises(Exception, match="a mapping with 1,001 keys: at most 1,000 are read"):
        check_structure(node, found)


def test_every_key_says_what_it_takes():
    keys = set(CaseKeys.model_fields) - {"ops"}
    assert keys <= {path[0] for path in EXPECTED}
    assert set(ArrayKeys.model_fields) == {path[1] for path in EXPECTED if path[0] == "*" and len(path) == 2}


def test_json_schema_can_be_made():
    schema = SpecKeys.model_json_schema()
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == {*CaseKeys.model_fields, "cases"}
    assert set(schema["$defs"]) == {"ArrayKeys", "CaseKeys", "CheckKeys"}
    assert list(schema["$defs"]["ArrayKeys"]["properties"]["init"]["enum"]) == list(INITS)
    assert "null" not in str(schema)
    assert set(schema["$defs"]["CheckKeys"]["properties"]) == set(CheckKeys.model_fields)
