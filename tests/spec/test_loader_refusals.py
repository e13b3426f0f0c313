"""What is wrong with a spec as a whole: its form, its names, what is not used, and all problems of a file at once."""

import textwrap

import pytest

from gradcheck_cli.errors import SpecError
from gradcheck_cli.spec.loader import load_spec

MINIMAL = "a spec needs an expression and its parameters: {expr: tanh(x), params: {x: 2 3}}"
ONE = "a minimal spec: {expr: tanh(x), params: {x: 2 3}}"


def test_example_of_a_hint_is_a_spec(load):
    example = MINIMAL.partition(": ")[2]
    (case,) = load(example)
    assert case.parameters[0].shape == (2, 3)


def test_file_that_cannot_be_read_is_said(tmp_path, write, loader):
    write("mine.grad.yaml", "expr: tanh(x)\n")

    def said(path):
        with pytest.raises(SpecError) as caught:
            load_spec(path, shown=path.name, loader=loader, given={})
        return str(caught.value)

    assert said(tmp_path / "mine.gard.yaml") == (
        "mine.gard.yaml: error: no such file [missing-file]\n  hint: did you mean 'mine.grad.yaml'?"
    )
    assert said(tmp_path) == f"{tmp_path.name}: error: this is a folder, not a spec [missing-file]"
    assert "can't be read" in said(tmp_path / ("x" * 5000))
    with pytest.raises(SpecError, match="no file and no text"):
        load_spec(None, shown="-", loader=loader, given={})


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n", "---\n---\n", "~\n", "null"])
def test_empty_file_says_what_a_spec_needs(said, text):
    assert said(text) == [f"1:1 the file holds no spec [empty-spec] ({MINIMAL})"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("expr: tanh(x)\nparams: {x: 3}\n---\n", [f"4:1 this document is empty [empty-spec] ({MINIMAL})"]),
        ("[1, 2]", [f"1:1 a spec should be a mapping of keys to values, not a list [wrong-type] ({MINIMAL})"]),
        (
            "tanh(x)",
            [f"1:1 a spec should be a mapping of keys to values, not the text 'tanh(x)' [wrong-type] ({MINIMAL})"],
        ),
        (
            "{}",
            [
                f"1:1 the case has no expr [no-expr] ({ONE})",
                f"1:1 nothing to check: the case has no params [no-params] ({ONE})",
            ],
        ),
        (
            "expr: tanh(x)",
            [
                f"1:1 nothing to check: the case has no params [no-params] ({ONE})",
                "1:12 undefined name 'x' [undefined-name] "
                "(name it under params:, inputs: or dims:, or assign it on a line above)",
            ],
        ),
        ("params: {x: 3}", [f"1:1 the case has no expr [no-expr] ({ONE})"]),
        ("cases: []", ["1:1 cases should be a list of cases, not a list without cases [wrong-type]"]),
        ("cases: {a: 1}", ["1:1 cases should be a list of cases, not a mapping [wrong-type]"]),
        ("cases: 3", ["1:1 cases should be a list of cases, not the number 3 [wrong-type]"]),
        ("cases: [3]", ["1:9 a case should be a mapping of keys to values, not the number 3 [wrong-type]"]),
        ("cases:\n  - expr: tanh(x)\n    params: {x: 3}\n    cases: []\n", ["4:5 unknown key 'cases' [unknown-key]"]),
    ],
)
def test_file_of_another_form_is_said(said, text, expected):
    found = [line.split(" (there are")[0] for line in said(text)]
    assert found == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("''", "1:7 the name is empty [wrong-name] (leave it out, or write one)"),
        ("'  '", "1:7 the name is empty [wrong-name] (leave it out, or write one)"),
        ('"a\\nb"', "1:7 a name holds a character that can't be shown [wrong-name] (write it on one line)"),
        ('"a\\tb"', "1:7 a name holds a character that can't be shown [wrong-name] (write it on one line)"),
        ('"a\\u202eb"', "1:7 a name holds a character that can't be shown [wrong-name] (write it on one line)"),
        ('"a\\u001b[31m"', "1:7 a text holds the control character U+001B [control-character] (leave it out)"),
        ("n" * 201, "1:7 the name is longer than 200 characters [wrong-name]"),
    ],
)
def test_name_that_cannot_be_shown_is_refused(said, name, expected):
    assert said(f"name: {name}\nexpr: tanh(x)\nparams: {{x: 3}}\n") == [expected]


def test_same_names_are_refused(said):
    text = """
        params: {x: '3'}
        cases:
          - name: a
            expr: tanh(x)
          - {name: b, expr: tanh(x)}
          - expr: exp(x)
            name: a
          - name: b
            expr: oops(
        ---
        name: b
        expr: tanh(x)
        params: {x: 3}
        """
    assert [line for line in said(text) if "same-name" in line] == [
        "7:11 two cases are named 'a': here and on line 3 [same-name] (give one of them another name)",
        "8:11 two cases are named 'b': here and on line 5 [same-name] (give one of them another name)",
        "11:7 two cases are named 'b': here and on line 5 [same-name] (give one of them another name)",
    ]


def test_same_names_after_a_matrix_are_refused(said, load):
    text = """
        params: {x: '3'}
        expr: tanh(s * x)
        cases: [{name: a, matrix: {s: [1, 2]}}, {name: a, matrix: {s: [2, 3]}}]
        """
    assert said(text) == [
        "3:48 two cases are named 'a[s=2]': here and on line 3 [same-name] (give one of them another name)"
    ]
    assert len(load(text.replace("[2, 3]", "[3, 4]"))) == 4


def test_name_beside_cases_is_refused_unless_there_is_one(said, load):
    text = "name: a\nparams: {x: 3}\ncases:\n  - expr: tanh(x)\n"
    assert load(text)[0].name == "a"
    assert said(text + "  - expr: exp(x)\n") == [
        "1:1 a name beside 'cases' would be the name of every case [same-name] (name the cases one by one)"
    ]


def test_what_is_not_used_is_refused(said):
    text = "expr: tanh(x)\nparams: {x: 3, y: 2}\ninputs: {z: [1]}\n"
    assert said(text) == [
        "2:16 the parameter 'y' is not used in the expression [unused-parameter] (leave it out)",
        "3:10 the input 'z' is not used in the expression [unused-input] (leave it out)",
    ]


def test_defaults_are_used_by_some_case_or_refused(load, said):
    text = """
        params: {x: 3, y: 4}
        inputs: {z: 1, q: 2}
        cases: [{expr: tanh(x)}, {expr: y * z}, {expr: x * q}]
        """
    assert [[spec.name for spec in case.parameters] for case in load(text)] == [["x"], ["y"], ["x"]]
    assert said(text.replace("y * z", "exp(x)")) == [
        "1:16 no case uses the parameter 'y' [unused-parameter] (leave it out)",
        "2:10 no case uses the input 'z' [unused-input] (leave it out)",
    ]


def test_case_that_uses_no_parameter_is_refused(said):
    text = "params: {x: 3}\ninputs: {z: 1}\ncases:\n  - expr: tanh(x)\n  - expr: tanh(z)\n"
    assert said(text) == ["5:5 nothing to check: the expression uses none of the params [no-params]"]


def test_name_with_two_meanings_is_refused(said):
    text = "expr: x * n * s\nparams: {x: 3, n: 2}\ninputs: {x: 3, s: 1}\ndims: {n: 2}\nmatrix: {s: [1]}\n"
    assert said(text) == [
        "3:10 'x' is both a parameter and an input [two-meanings] (rename one of them)",
        "4:8 'n' is both a parameter and a dim [two-meanings] (rename one of them)",
        "5:10 's' is both an input and a key of matrix [two-meanings] (rename one of them)",
    ]


def test_problems_of_the_expression_are_shown_in_the_file(problems):
    (problem,) = problems("params: {x: 3}\nexpr: |\n  h = tanh(x)\n  h + xx\n")
    assert str(problem).splitlines()[:3] == [
        "spec.grad.yaml:4:7: error: undefined name 'xx' [undefined-name]",
        "    h + xx",
        "        ^",
    ]


def test_all_problems_of_a_file_come_at_once_in_its_order(said):
    text = """
        seed: -1
        params: {x: '3'}
        cases:
          - expr: tanh(z)
            parms: {z: 3}
          - expr: tanh(y)
            expect: fial
            params: {x: n}
          - expr: foo(x)
            seed: 3
            seed: 4
            check: {rtol: 5}
        ---
        expr: tanh(x)
        params: {x: {shape: 3, low: a}}
        dims: {n: 2.5}
        ---
        [1]
        """
    found = [(line.split(" ")[0], line.rpartition("[")[2].partition("]")[0]) for line in said(text)]
    assert found == [
        ("1:7", "wrong-type"),
        ("5:5", "unknown-key"),
        ("6:16", "undefined-name"),
        ("7:13", "unknown-verdict"),
        ("8:17", "unknown-dim"),
        ("9:11", "unknown-operator"),
        ("11:5", "duplicate-key"),
        ("12:19", "wrong-knob"),
        ("15:29", "wrong-type"),
        ("16:11", "wrong-type"),
        ("18:1", "wrong-type"),
    ]


def test_problem_among_the_defaults_is_said_once(said):
    text = """
        expr: tanh(x) + zz
        params: {x: {shape: q}}
        check: {rtol: 3}
        cases: [{name: a}, {name: b}, {name: c, seed: -3}]
        """
    assert [line.split(" ")[0] for line in said(text)] == ["1:17", "2:21", "3:15", "4:47"]


def test_one_mistake_is_one_problem(said):
    single = {
        "expr: tanh(x)\nparms: {x: 3}\n": "2:1 unknown key 'parms'",
        "exp: tanh(x)\nparams: {x: 3}\n": "1:1 unknown key 'exp'",
        "expr: tanh(x)\nparams: {x: [1, a]}\n": "2:17 x should be numbers",
        "expr: tanh(x)\nparams: {x: true}\ngrad: {x: 3}\nexpect: {x: pass}\n": "2:13 x should be a number",
        "expr: n * tanh(x)\nparams: {x: n}\ndims: {n: 2.5}\n": "3:11 n should be a size",
        "expr: s * tanh(x)\nparams: {x: 3}\nmatrix: {s: 3}\n": "3:13 s should be a list",
        "expr: s * tanh(x)\nparams: {x: n}\nmatrix: {s: [{a: 1}], n: [2]}\n": "3:14 's' can't be a mapping",
        "expr: *x\nparams: {x: 3}\n": "1:7 '*x' is an alias",
        "expr: tanh(x)\nparams: *p\n": "2:9 '*p' is an alias",
        "expr: tanh(x)\nparams: {x: *p}\n": "2:13 '*p' is an alias",
        "expr: f(x)\nparams: {x: 3}\nops: !t a.py\n": "3:6 '!t' is a tag",
        "expr: tanh(x * k)\nparams: {x: 3}\ndims: [k]\n": "3:7 dims should be a mapping",
        "expr: tanh(x)\nparam: x\n": "2:1 unknown key 'param'",
        "cases: *c\n": "1:8 '*c' is an alias",
        "cases: [*c]\n": "1:9 '*c' is an alias",
    }
    for text, start in single.items():
        found = said(text)
        assert len(found) == 1, (text, found)
        assert found[0].startswith(start), (text, found)


def test_number_of_cases_is_bounded(said):
    text = "expr: tanh(x)\nparams: {x: 3}\ncases: [" + "{}, " * 10_001 + "]\n"
    assert said(text)[-1] == "3:8 the file has more than 10,000 cases [too-large] (split it)"


def test_number_of_all_cases_is_bounded(said):
    values = ", ".join(map(str, range(6000)))
    text = f"params: {{x: '3'}}\nmatrix: {{n: [{values}]}}\nexpr: tanh(x)\ncases: [{{name: a}}, {{name: b}}]\n"
    text = textwrap.dedent(text).replace("x: '3'", "x: n")
    assert said(text)[-1].endswith("the file has more than 10,000 cases [too-large] (split it)")
