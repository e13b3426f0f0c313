"""Specs as a whole: documents, cases, defaults, names, and all problems of a file at once."""

import textwrap
from pathlib import Path

import numpy as np
import pytest

from gradcheck_cli.errors import SpecError
from gradcheck_cli.spec.loader import load_spec

MINIMAL = "a spec needs an expression and its parameters: {expr: tanh(x), params: {x: 2 3}}"
ONE = "a minimal spec: {expr: tanh(x), params: {x: 2 3}}"


def test_smallest_spec_is_one_case(load):
    (case,) = load("expr: tanh(x)\nparams:\n  x: 3\n")
    assert (case.id, case.file, case.name, str(case.location)) == (
        "spec.grad.yaml::spec",
        "spec.grad.yaml",
        "spec",
        "spec.grad.yaml:1:1",
    )
    assert (case.seed, case.expect.verdict, case.value, case.gradients, case.inputs) == (0, "pass", None, {}, ())
    assert [spec.name for spec in case.parameters] == ["x"]
    assert case.expression.text == "tanh(x)"


def test_example_of_a_hint_is_a_spec(load):
    example = MINIMAL.partition(": ")[2]
    (case,) = load(example)
    assert case.parameters[0].shape == (2, 3)


NETWORK = """
# a network
dims: {batch: 4, pixels: 6, hidden: 5, classes: 3}
seed: 7
cases:
  - name: mlp classifier
    params:
      W1: {shape: pixels hidden, init: he}
      b1: hidden
      W2: hidden classes
      b2: classes
    inputs:
      x: batch pixels
      labels: {shape: batch, below: classes}
    expr: |
      h = leaky_relu(x @ W1 + b1, slope=0.1)
      logits = h @ W2 + b2
      mean(cross_entropy(logits, labels)) + 1e-3 * (sum(W1**2) + sum(W2**2))
  - expr: mean(relu(x))
    seed: 8
    params: {x: batch 2}
    check: {rtol: 1e-5, sample: 3}
    expect: fail
"""


def test_network_is_read_whole(load):
    network, second = load(NETWORK)
    assert network.name == "mlp classifier"
    assert {spec.name: spec.shape for spec in network.parameters} == {
        "W1": (6, 5),
        "b1": (5,),
        "W2": (5, 3),
        "b2": (3,),
    }
    assert [(spec.name, spec.dtype, spec.below) for spec in network.inputs] == [
        ("x", "float64", None),
        ("labels", "int64", 3),
    ]
    assert (network.seed, network.parameters[0].init, str(network.location)) == (7, "he", "spec.grad.yaml:5:5")
    assert (second.name, second.seed, str(second.expect)) == ("mean(relu(x))", 8, "fail")
    assert (second.knobs.rtol, second.knobs.sample, second.knobs.dtype) == (1e-5, 3, "float64")


def test_defaults_of_the_top_merge_key_by_key(load):
    first, second = load(
        """
        expr: a * x + b
        dims: {n: 2}
        params: {a: n, x: {shape: n, low: 0, high: 1}}
        inputs: {b: [1, 2]}
        check: {rtol: 1e-5, sample: 4}
        cases:
          - name: first
          - name: second
            dims: {m: 3}
            params: {x: {shape: m 1, high: 0.5}, a: m 2}
            check: {sample: 5}
            expr: a * x
        """
    )
    assert {spec.name: spec.shape for spec in first.parameters} == {"a": (2,), "x": (2,)}
    assert {spec.name: spec.shape for spec in second.parameters} == {"a": (3, 2), "x": (3, 1)}
    assert (second.parameters[1].domain.low, second.parameters[1].domain.high) == (0, 0.5)
    assert (second.knobs.rtol, second.knobs.sample, first.knobs.sample) == (1e-5, 5, 4)
    assert (len(first.inputs), len(second.inputs)) == (1, 0)


def test_several_documents_are_several_specs(load):
    cases = load(
        "expr: tanh(x)\nparams: {x: 3}\n---\nexpr: exp(x)\nparams: {x: 3}\nseed: 3\n---\n"
        "cases: [{expr: tanh(x) * x, params: {x: 3}}]\n"
    )
    assert [case.name for case in cases] == ["spec", "spec 2", "tanh(x) * x"]
    assert [case.seed for case in cases] == [0, 3, 0]
    assert [case.location.line for case in cases] == [1, 4, 8]


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("a.grad.yaml", "a"),
        ("a.yaml", "a"),
        ("a.yml", "a"),
        ("a.b.grad.yml", "a.b"),
        ("spec", "spec"),
        ("a.txt", "a.txt"),
    ],
)
def test_lone_case_is_named_after_its_file(load, name, stem):
    assert load("expr: tanh(x)\nparams: {x: 3}\n", name=name)[0].name == stem


def test_unnamed_cases_are_named_after_their_expression_or_position(load):
    long = "tanh(x) + " * 6 + "x"
    cases = load(
        f"""
        params: {{x: '3'}}
        expr: exp(x)
        cases:
          - expr: tanh(x)
          - expr: |
              exp(x)
          - expr: |
              y = x
              exp(y)
          - expr: {long}
          - {{}}
          - {{name: '  padded  '}}
        """
    )
    assert [case.name for case in cases] == ["tanh(x)", "exp(x)", "case 3", "case 4", "case 5", "padded"]


def test_shown_name_is_that_of_ids_and_messages(write, loader):
    path = write("deep/spec.grad.yaml", "expr: tanh(x)\nparams: {x: 3}\n")
    (case,) = load_spec(path, shown="./other/name.yaml", loader=loader, given={})
    assert case.id == "./other/name.yaml::spec"
    path.write_text("expr: y\n")
    with pytest.raises(SpecError, match=r"^\./other/name\.yaml:1:"):
        load_spec(path, shown="./other/name.yaml", loader=loader, given={})


def test_standard_input_is_read_beside_the_current_folder(tmp_path, monkeypatch, loader):
    np.save(tmp_path / "x.npy", np.ones(3))
    monkeypatch.chdir(tmp_path)
    text = "expr: tanh(x)\nparams: {x: {file: x.npy}}\n"
    for data in (text, text.encode()):
        (case,) = load_spec(None, shown="-", text=data, loader=loader, given={})
        assert (case.id, case.parameters[0].shape) == ("-::stdin", (3,))
    with pytest.raises(SpecError, match=r"^-:1:1: error: the file holds no spec"):
        load_spec(None, shown="-", text="", loader=loader, given={})


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


def test_odd_names_are_allowed(load):
    for name in ("a::b", "größe 1/2", "[x]", "名前", "a, b: c"):
        assert load(f"name: '{name}'\nexpr: tanh(x)\nparams: {{x: 3}}\n")[0].name == name


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


def test_expression_is_compiled_once_for_cases_that_share_it(load):
    cases = load("expr: tanh(x)\nparams: {x: n}\nmatrix: {n: [1, 2, 3], dtype: [float64, float32]}\n")
    assert len(cases) == 6
    assert len({id(case.expression) for case in cases}) == 1


def test_given_values_are_shared_by_cases(load):
    cases = load("expr: s * tanh(x)\nparams: {x: [1, 2]}\nmatrix: {s: [1, 2, 3]}\n")
    assert len({id(case.parameters[0].value) for case in cases}) == 1


def test_array_file_elsewhere_in_the_project_is_read(load, write, tmp_path):
    np.save(tmp_path / "w.npy", np.arange(4.0).reshape(2, 2))
    write("pyproject.toml", "")
    (case,) = load("expr: tanh(w)\nparams: {w: {file: ../../w.npy}}\n", name="specs/deep/a.yaml")
    np.testing.assert_array_equal(case.parameters[0].value, [[0, 1], [2, 3]])
    assert Path(case.file) == Path("specs/deep/a.yaml")
