from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
import yaml

from gradcheck_cli import arr, ints, keep, mask, op, unbroadcast
from gradcheck_cli.core.draw import draw
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.records import Verdict
from gradcheck_cli.report.example_spec import example_spec
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.runner import run_cases

BUILT_IN = {
    operator.name: operator
    for operator in Loader().module("gradcheck_cli.ops")
    if any(item.domain.differentiable for item in operator.inputs)
}


def make(forward: Any, **options: Any) -> Operator:
    """Return the operator that `forward` and the decorator's options declare."""
    definition = op(**options)(forward)
    definition.backward(lambda g: g)
    operator: Operator = definition.operator
    return operator


def block(text: str) -> str:
    return dedent(text).lstrip("\n")


def test_an_elementwise_operator_needs_few_lines() -> None:
    def leaky(x, *, slope=0.01):
        return x

    assert example_spec(make(leaky, slope=[0.01, 0.3])) == block("""
        expr: leaky(x, slope=slope)
        matrix:
          slope: [0.01, 0.3]
        params:
          x: 3 4
    """)


def test_shape_words_become_dims_and_what_has_no_gradient_an_input() -> None:
    def loss(logits, labels, weight, kept, *, mode="mean", axis=None):
        return keep(logits)

    domains = {
        "logits": arr("n k"),
        "labels": ints("n", below="k"),
        "weight": arr("k", low=0, nondiff=True),
        "kept": mask("... n"),
    }
    assert example_spec(make(loss, **domains, mode=["mean", "sum"])) == block("""
        dims: {n: 3, k: 4}
        expr: loss(logits, labels, weight, kept, mode=mode)
        matrix:
          mode: [mean, sum]
        params:
          logits: n k
        inputs:
          labels: {shape: n, below: k}
          weight: k
          kept: 2 n
    """)


def test_one_size_is_a_shape_and_a_scalar_a_value() -> None:
    def scaled(x, scale, start, flag):
        return x

    text = example_spec(make(scaled, x=arr("5"), scale=arr("", low=1, high=2), start=ints("", below=3), flag=mask("")))
    document = yaml.safe_load(text)
    assert document["params"]["x"] == {"shape": 5}
    assert 1 <= document["params"]["scale"] <= 2
    assert document["inputs"]["start"] in (0, 1, 2)
    assert document["inputs"]["flag"] in (0, 1)  # a spec takes no true or false for a single value


def test_a_shape_word_named_like_an_argument_is_its_size() -> None:
    def repeated(x, n):
        return x

    assert example_spec(make(repeated, x=arr("n"), n=ints("n", below=7))) == block("""
        expr: repeated(x, n)
        params:
          x: {shape: 6}
        inputs:
          n: {shape: 6, below: 7}
    """)


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([(2, -1)], "f(x, a=(2, -1))"),
        ([(2,)], "f(x, a=(2,))"),
        ([[0, 1.5]], "f(x, a=[0, 1.5])"),
        ([True], "f(x, a=True)"),
        ([np.int64(3)], "f(x, a=3)"),
        ([None], "f(x)"),
        # What an expression has no words for: the next value that it has, or none.
        ([slice(2), 1], "f(x, a=1)"),
        ([(0, slice(2))], "f(x)"),
        ([float("inf")], "f(x, a=np.inf)"),
        ([float("nan")], "f(x)"),
        ([{"mode": "a"}], "f(x, a=dict(mode='a'))"),
        (["a: b #c's"], """f(x, a="a: b #c's")"""),
    ],
)
def test_attributes_are_written_as_an_expression_has_them(values: list[Any], written: str) -> None:
    def f(x, *, a=None):
        return x

    assert yaml.safe_load(example_spec(make(f, a=values)))["expr"] == written


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        ([None, 0], "[null, 0]"),
        ([True, False, 1.5], "[true, false, 1.5]"),
        (["mean", "none", "null", "a, b", "1"], "[mean, none, 'null', 'a, b', '1']"),
        ([(0, 1), [-1]], "[[0, 1], [-1]]"),
        # What a matrix has no words for is left out.
        ([1.0, {"mode": "a"}, float("inf"), 1e-9], "[1.0, 1.0e-09]"),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7]"),
    ],
)
def test_values_of_an_attribute_make_a_matrix(values: list[Any], listed: str) -> None:
    def f(x, *, a):
        return x

    assert f"expr: f(x, a=a)\nmatrix:\n  a: {listed}\n" in example_spec(make(f, a=values))


def test_values_that_the_forward_refuses_together_are_left_out() -> None:
    def f(x, *, a=1.0, b=1.0):
        if a != 1 and b != 1:
            raise ValueError("one of them")
        return a * b * x

    assert "matrix:\n  a: [1.0, 2.0]\nparams" in example_spec(make(f, a=[1.0, 2.0], b=[1.0, 3.0]))


def test_an_attribute_for_which_a_matrix_has_no_room_gets_a_value_that_does_something() -> None:
    def f(x, *, a=1.0, b=1.0, c=1.0, d=1.0):
        return a * b * c * d * x

    values = {name: [1.0, 2.0] for name in "abcd"}
    assert "expr: f(x, a=a, b=b, c=c, d=2.0)\n" in example_spec(make(f, **values))


def test_a_name_that_means_something_else_is_not_the_one_of_a_matrix() -> None:
    def f(x, *, dtype="a", n=1):
        return x

    text = example_spec(make(f, x=arr("n m"), dtype=["a", "b"], n=[1, 2]))
    assert "expr: f(x, dtype=dtype_, n=n_)\nmatrix:\n  dtype_: [a, b]\n  n_: [1, 2]\n" in text


@pytest.mark.parametrize(
    ("shapes", "written"),
    [
        ({}, ["2 3 1", "3 4"]),
        ({"x": arr("..."), "y": arr("...")}, ["2 3 1", "3 4"]),
        ({"x": arr("... n"), "y": arr("... n")}, ["2 1 n", "3 n"]),
        ({"x": arr("n d"), "y": arr("d")}, ["n d", "d"]),
        ({"x": arr("..."), "y": arr("")}, ["2 3", None]),
    ],
)
def test_shapes_broadcast_where_the_operator_takes_them(shapes: dict[str, Any], written: list[str | None]) -> None:
    def f(x, y):
        return x + y

    definition = op(**shapes)(f)
    definition.backward(lambda g, x, y: (unbroadcast(g, x.shape), unbroadcast(g, y.shape)))
    given = yaml.safe_load(example_spec(definition.operator))["params"].values()
    texts = [each.get("shape") if isinstance(each, dict) else each if isinstance(each, str) else None for each in given]
    assert texts == written


def test_shapes_that_the_forward_refuses_are_not_written() -> None:
    def same(x, y):
        if x.shape != y.shape:
            raise ValueError("shapes differ")
        return x + y

    def last(x, y):
        if x.ndim > 2:
            raise ValueError("two axes")
        return x + y

    assert "  x: 3 4\n  y: 3 4\n" in example_spec(make(same))
    assert "  x: 2 3\n  y: {shape: 3}\n" in example_spec(make(last))


def test_shapes_at_which_nothing_can_be_judged_are_not_written() -> None:
    def spread(x, y):
        return x.std(axis=-1) + y.std(axis=-1)

    definition = op()(spread)

    @definition.backward
    def _(g, x, y):
        with np.errstate(all="ignore"):
            slopes = ((z - z.mean(-1, keepdims=True)) / z.std(-1, keepdims=True) / z.shape[-1] for z in (x, y))
            return tuple(unbroadcast(g[..., None] * slope, slope.shape) for slope in slopes)

    assert "2 3 1" not in example_spec(definition.operator)


def test_operator_files_are_named() -> None:
    text = example_spec(BUILT_IN["tanh"], ["my_ops.py", "odd, name.py"])
    assert text.startswith("ops: [my_ops.py, 'odd, name.py']\n")
    assert yaml.safe_load(text)["ops"] == ["my_ops.py", "odd, name.py"]


def test_without_a_gradient_there_is_no_example() -> None:
    operator = BUILT_IN["tanh"]
    integers = replace(operator, inputs=(replace(operator.inputs[0], domain=ints(below=3)),))
    assert example_spec(integers) == ""


def sampled(sampler: Any) -> Operator:
    def pair(x, index=None, *, axis=0):
        return x

    return replace(make(pair, index=ints(below=2)), sampler=sampler)


def test_a_sample_function_knows_better_than_the_domains() -> None:
    operator = sampled(lambda rng: {"x": [[1.23456, -2.0]], "index": np.array([1, 0]), "axis": 1})
    assert example_spec(operator) == block("""
        expr: pair(x, index, axis=1)
        params:
          x: [[1.235, -2]]
        inputs:
          index: [1, 0]
    """)


def test_a_sample_may_leave_an_optional_input_out() -> None:
    assert example_spec(sampled(lambda rng: np.array(0.5))) == "expr: pair(x)\nparams:\n  x: 0.5\n"


def test_a_sample_may_leave_an_input_in_the_middle_out() -> None:
    def between(x, y=None, z=None):
        return x

    operator = replace(make(between), sampler=lambda rng: (np.ones(2), None, np.zeros(1)))
    assert example_spec(operator) == "expr: between(x, None, z)\nparams:\n  x: [1, 1]\n  z: [0]\n"


def test_the_smallest_sample_is_taken_and_a_large_one_by_shape() -> None:
    small = sampled(lambda rng: rng.standard_normal(int(rng.integers(1, 9))))
    large = sampled(lambda rng: (rng.standard_normal((20, 30)), rng.integers(0, 2, 40)))
    assert len(yaml.safe_load(example_spec(small))["params"]["x"]) == 6
    assert example_spec(large).endswith("params:\n  x: 20 30\ninputs:\n  index: {shape: 40}\n")


def test_a_sample_function_that_raises_is_done_without() -> None:
    def broken(rng: Any) -> Any:
        raise RuntimeError("no sample today")

    assert example_spec(sampled(broken)).startswith("expr: pair(x, index, axis=0)\nparams:")


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_example_of_a_built_in_operator_can_be_called(name: str) -> None:
    """Read the example with plain means: its arrays, put into the operator, give finite values."""
    operator = BUILT_IN[name]
    document = yaml.safe_load(example_spec(operator))
    dims = document.get("dims", {})
    given = document["params"] | document.get("inputs", {})
    domains = {each.name: each.domain for each in operator.inputs}
    rng = np.random.default_rng(0)

    def array(argument: str, value: Any) -> Any:
        mapping = value if isinstance(value, dict) else {"shape": value}
        if not isinstance(mapping["shape"], str | int) or isinstance(value, int | float):
            return np.asarray(value)
        shape = tuple(dims[word] if word in dims else int(word) for word in str(mapping["shape"]).split())
        below = dims.get(mapping.get("below"), mapping.get("below"))
        return draw(domains.get(argument, operator.inputs[-1].domain), shape, rng, below)

    arrays = {argument: array(argument, value) for argument, value in given.items()}
    for row in itertools.product(*document.get("matrix", {}).values()):
        attributes = dict(zip(document.get("matrix", {}), row, strict=True))
        lists = {key: tuple(value) if isinstance(value, list) else value for key, value in attributes.items()}
        returned = eval(document["expr"], {operator.name: operator}, arrays | lists)
        assert all(np.isfinite(each).all() for each in (returned if isinstance(returned, tuple) else [returned]))
    assert operator.name in document["expr"]


def test_the_examples_of_all_built_in_operators_run_and_pass(tmp_path: Path) -> None:
    for name, operator in BUILT_IN.items():
        (tmp_path / f"{name}.grad.yaml").write_text(example_spec(operator), encoding="utf-8")
    options = Options(paths=(str(tmp_path),))
    result = run_cases(collect(options), options)
    assert {case.name.partition("[")[0] for case in result.cases} == set(BUILT_IN)
    assert [case.name for case in result.cases if case.verdict is not Verdict.PASS] == []


def test_the_example_of_a_users_operator_names_its_file_and_convicts_it(tmp_path: Path) -> None:
    source = """
        import numpy as np
        from gradcheck_cli import op

        @op
        def cube(x, *, scale=1.0):
            "scale * x ** 3."
            return scale * x**3

        @cube.backward
        def _(g, x, scale):
            return {factor} * g * scale * x**2
    """
    for factor, verdict in ((3, Verdict.PASS), (2, Verdict.FAIL)):
        folder = tmp_path / str(factor)
        folder.mkdir()
        (folder / "my_ops.py").write_text(dedent(source).format(factor=factor), encoding="utf-8")
        (operator,) = Loader().file(folder / "my_ops.py")
        spec = folder / "cube.grad.yaml"
        spec.write_text(example_spec(operator, ["my_ops.py"]), encoding="utf-8")
        options = Options(paths=(str(spec),))
        (case,) = run_cases(collect(options), options).cases
        assert (case.verdict, case.error) == (verdict, None)


def test_the_example_is_the_same_each_time() -> None:
    assert [example_spec(each) for each in BUILT_IN.values()] == [example_spec(each) for each in BUILT_IN.values()]
