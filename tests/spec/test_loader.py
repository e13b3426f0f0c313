"""Specs as a whole: documents, cases, defaults, names, and what cases share."""

from pathlib import Path

import numpy as np
import pytest

from gradcheck_cli.errors import SpecError
from gradcheck_cli.spec.loader import load_spec


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


def test_odd_names_are_allowed(load):
    for name in ("a::b", "größe 1/2", "[x]", "名前", "a, b: c"):
        assert load(f"name: '{name}'\nexpr: tanh(x)\nparams: {{x: 3}}\n")[0].name == name


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
