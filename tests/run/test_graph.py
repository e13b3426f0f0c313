"""The graph of a case: what is drawn, which bytes count, and what is known about each node."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli.findings.health.symptoms import find_symptoms
from gradcheck_cli.graph_records import Graph, GraphNode, GraphResult, Kind
from gradcheck_cli.knobs import HealthLimits
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.tracer import trace, trace_back
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.graph import draw_case
from gradcheck_cli.run.graph_nodes import graph_of
from gradcheck_cli.run.options import Options

Cases = Callable[..., list[Selected]]

OPERATORS = '''
import numpy as np
from gradcheck_cli import keep, op

@op(outputs="loss probs")
def xent(x):
    """Two outputs, and a value kept."""
    e = np.exp(x)
    return keep(e.sum(), e / e.sum(), square=e * e)

@xent.backward
def _(g_loss, g_probs, probs, square, x):
    e = np.exp(x)
    return g_loss * e + probs * (g_probs - (g_probs * probs).sum()) + 0 * square

@op
def half(x):
    """A view of half of x."""
    return x[:2]

@half.backward
def _(g, x, out):
    full = np.zeros_like(x)
    full[:2] = g + 0 * out
    return full

@op
def careless(x):
    """x, with a backward that raises."""
    return 1 * x

@careless.backward
def _(g):
    raise ValueError("no such luck")

@op
def raises(x):
    """Raises."""
    raise ValueError("never")

@raises.backward
def _(g):
    return g
'''


@pytest.fixture
def draw(cases: Cases, write: Callable[[str, str], Path]) -> Callable[..., GraphResult]:
    """Return what draws the graph of a spec's only case, with everything asked for."""

    def drawn(text: str, memory: bool = True, health: bool = True, **options: object) -> GraphResult:
        write("my_ops.py", OPERATORS)
        (item,) = cases(text)
        return draw_case(item.case, Options(**options), memory, health)  # type: ignore[arg-type]

    return drawn


def graph(result: GraphResult) -> Graph:
    assert (result.error, result.problem) == (None, None)
    assert result.graph is not None
    return result.graph


def named(found: Graph, name: str) -> GraphNode:
    (node,) = [node for node in found.nodes if node.name == name]
    return node


def operands(found: Graph, name: str) -> list[tuple[str, str]]:
    return [(each.argument, found.nodes[each.node].name) for each in named(found, name).operands]


NETWORK = """
expr: |
  h = relu(x @ W + b)
  picked = h[rows]
  mean(where(picked > 0.1, picked, 2.5 * picked))
params: {W: 3 5, b: 5}
inputs: {x: 4 3, rows: {shape: 6, below: 4}}
"""


def test_operators_leaves_comparisons_and_index_arrays_are_drawn(draw: Callable[..., GraphResult]) -> None:
    found = graph(draw(NETWORK))
    kinds = {node.name: node.kind for node in found.nodes}
    assert kinds["W"] is kinds["b"] is Kind.PARAMETER
    assert kinds["x"] is kinds["rows"] is Kind.INPUT
    assert kinds["2.5"] is kinds["0.1"] is Kind.CONSTANT
    assert operands(found, "getitem") == [("x", "relu"), ("key", "rows")]
    assert operands(found, "greater") == [("x0", "getitem"), ("x1", "0.1")]
    assert operands(found, "where") == [("condition", "greater"), ("x", "getitem"), ("y", "multiply")]
    assert [found.nodes[root.node].name for root in found.roots] == ["mean"]


def test_calls_stand_where_the_expression_has_them(draw: Callable[..., GraphResult]) -> None:
    found = graph(draw(NETWORK))
    places = {node.name: (node.location.line, node.location.column) for node in found.nodes if node.location}
    assert places["relu"] == (2, 7)
    assert places["matmul"] == (2, 14)
    assert places["getitem"] == (3, 12)
    assert places["mean"] == (4, 3)


def test_figures_are_those_of_the_arrays(draw: Callable[..., GraphResult]) -> None:
    found = graph(draw("expr: sum(x * relu(x))\nparams: {x: {value: [3.0, -4.0, 0.0, 2.0]}}\n"))
    x, relu = named(found, "x").outputs[0], named(found, "relu").outputs[0]
    assert x.value is not None
    assert (x.value.norm, x.value.zeros, x.value.low, x.value.high) == (pytest.approx(np.sqrt(29)), 0.25, -4, 3)
    assert relu.value is not None
    assert (relu.value.norm, relu.value.zeros) == (pytest.approx(np.sqrt(13)), 0.5)
    assert relu.gradient is not None
    assert relu.gradient.norm == pytest.approx(np.sqrt(29))
    assert x.gradient is not None
    assert x.gradient.norm == pytest.approx(np.sqrt(36 + 16))


def test_nothing_is_measured_that_was_not_asked_for(draw: Callable[..., GraphResult]) -> None:
    found = graph(draw(NETWORK, memory=False, health=False))
    assert {node.kept_bytes for node in found.nodes} == {None}
    assert {output.value for node in found.nodes for output in node.outputs} == {None}
    assert found.symptoms == ()


def test_saturation_is_a_share_of_bounded_functions_only(draw: Callable[..., GraphResult]) -> None:
    found = graph(draw("expr: sum(sigmoid(exp(x)))\nparams: {x: {value: [3.0, 0.0, 2.5, -1.0]}}\n"))
    assert named(found, "sigmoid").saturated == 0.5
    assert named(found, "exp").saturated is None


BYTES = {
    # What a backward keeps of operators' outputs, each once; parameters, inputs and constants don't count.
    "an output": ("tanh(x)", {"tanh": 32}),
    "a parameter": ("square(x)", {"square": 0}),
    "an input beside it": ("x * given", {"multiply": 0}),
    "one array for two": ("h = exp(x)\n2 * sigmoid(h) * h", {"exp": 32, "sigmoid": 32}),
    "kept by two": ("h = tanh(x)\nk = exp(h)\nsquare(h) + k", {"tanh": 32, "exp": 32, "square": 0, "add": 0}),
    "a view of a parameter": ("half(x)", {"half": 0}),
    "a view keeps it all": ("half(tanh(x))", {"tanh": 32, "half": 0}),
    "kept values": ("xent(x)", {"xent": 64}),
    "a constant's branch": ("x * exp(given)", {"multiply": 32, "exp": 0}),
    "a mask": ("where(x > 0, x, -x)", {"where": 4, "negative": 0, "greater": 0}),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_count_once_and_not_for_leaves(name: str, draw: Callable[..., GraphResult]) -> None:
    text, kept = BYTES[name]
    arrays = {
        "params": {"x": [0.1, 0.2, 0.3, -0.4]},
        "inputs": {"given": [1.0, 2.0, 3.0, 4.0]} if "given" in text else {},
    }
    found = graph(draw(json.dumps({"ops": ["my_ops.py"], "expr": text, **arrays})))
    counted = {node.name: node.kept_bytes for node in found.nodes}
    assert {each: counted[each] for each in kept} == kept
    assert found.kept_bytes == sum(node.kept_bytes or 0 for node in found.nodes)


def test_the_seed_decides_what_is_drawn(draw: Callable[..., GraphResult]) -> None:
    text = "expr: tanh(x)\nparams: {x: {shape: 5}}\n"
    first, again, other = (graph(draw(text, seed=seed)).nodes[0].outputs[0].value for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_several_outputs_get_signed_cotangents(draw: Callable[..., GraphResult]) -> None:
    # From ones softmax would let no gradient through.
    found = graph(draw("expr: softmax(x)\nparams: {x: {shape: 6}}\n"))
    gradient = named(found, "x").outputs[0].gradient
    assert gradient is not None
    assert gradient.norm > 1e-3


def test_several_outputs_of_an_operator_are_told_apart(draw: Callable[..., GraphResult]) -> None:
    text = "ops: [my_ops.py]\nexpr: |\n  loss, probs = xent(x)\n  loss * probs, loss\nparams: {x: 4}\n"
    found = graph(draw(text))
    assert [output.name for output in named(found, "xent").outputs] == ["loss", "probs"]
    assert [(each.output, found.nodes[each.node].name) for each in named(found, "multiply").operands] == [
        (0, "xent"),
        (1, "xent"),
    ]
    assert [(found.nodes[root.node].name, root.output) for root in found.roots] == [("multiply", 0), ("xent", 0)]


def test_a_parameter_alone_is_a_graph(draw: Callable[..., GraphResult]) -> None:
    found = graph(draw("expr: x\nparams: {x: 3}\n"))
    assert [node.name for node in found.nodes] == ["x"]


def test_an_operator_that_raises_is_an_error_at_its_position(draw: Callable[..., GraphResult]) -> None:
    result = draw("ops: [my_ops.py]\nexpr: tanh(raises(x))\nparams: {x: 3}\n")
    assert result.graph is None
    assert result.error is not None
    assert ":2:12: error: forward of raises raised ValueError: never" in result.error


def test_a_backward_that_raises_leaves_the_graph(draw: Callable[..., GraphResult]) -> None:
    result = draw("ops: [my_ops.py]\nexpr: tanh(careless(x))\nparams: {x: 3}\n")
    assert result.graph is not None
    assert result.problem is not None
    assert "backward of careless raised ValueError: no such luck" in result.problem
    assert named(result.graph, "tanh").outputs[0].gradient is not None
    assert named(result.graph, "x").outputs[0].gradient is None


def test_time_runs_out(draw: Callable[..., GraphResult], write: Callable[[str, str], Path]) -> None:
    write("slow.py", OPERATORS.replace('raise ValueError("never")', "import time; time.sleep(30)"))
    result = draw("ops: [slow.py]\nexpr: raises(x)\nparams: {x: 3}\ncheck: {timeout: 0.2}\n")
    assert result.error is not None
    assert "ran out of its 0.2 s" in result.error


DEAD = """
expr: mean({activation})
params: {{W: {{shape: 5 8, init: he}}, b: {{value: [{bias}, {bias}, {bias}, {bias}, {bias}, {bias}, {bias}, {bias}]}}}}
inputs: {{x: 6 5}}
{check}
"""


@pytest.mark.parametrize(
    "activation",
    ["relu(x @ W + b)", "maximum(x @ W + b, 0)", "clip(x @ W + b, min=0)", "where(x @ W + b > 0, x @ W + b, 0)"],
)
def test_a_dead_layer_is_found_whatever_it_is_made_of(activation: str, draw: Callable[..., GraphResult]) -> None:
    found = graph(draw(DEAD.format(activation=activation, bias=-30.0, check="")))
    assert found.nodes[found.symptoms[0].node or 0].name == activation.partition("(")[0]
    assert [symptom.finding.name for symptom in found.symptoms] == ["dead-relu"]
    assert graph(draw(DEAD.format(activation=activation, bias=0.5, check=""))).symptoms == ()


def test_a_dead_layer_of_a_product_with_a_comparison_is_found(draw: Callable[..., GraphResult]) -> None:
    text = "expr: |\n  h = x @ W + b\n  mean(h * (h > 0))\n"
    spec = text + DEAD.format(activation="", bias=-30.0, check="").split("\n", 2)[2]
    found = graph(draw(spec))
    assert [(symptom.finding.name, symptom.finding.subject) for symptom in found.symptoms] == [
        ("dead-relu", "multiply")
    ]
    assert graph(draw(spec.replace("-30.0", "0.5"))).symptoms == ()


def test_limits_come_from_the_spec(draw: Callable[..., GraphResult]) -> None:
    text = "expr: sum(tanh(x))\nparams: {x: {value: [9.0, 0.1, 0.2]}}\n"
    assert graph(draw(text)).symptoms == ()
    (symptom,) = graph(draw(text + "check: {health: {saturated: 0.3}}\n")).symptoms
    assert symptom.finding.name == "saturated"


def test_a_run_tells_symptoms_where_it_is_asked_to_and_judges_as_before(cases: Cases) -> None:
    (item,) = cases("expr: sum(tanh(x))\nparams: {x: {value: [9.0, 8.0, 0.2]}}\n")
    plain = check_case(item.case, item.parameters, Options())
    told = check_case(item.case, item.parameters, Options(health=True))
    assert plain.health == ()
    assert [finding.code for finding in told.health] == ["GC404"]
    assert (told.verdict, told.ok, told.findings) == (plain.verdict, plain.ok, plain.findings)


def test_a_run_names_the_origin_where_the_value_is_not_finite(cases: Cases) -> None:
    (item,) = cases("expr: |\n  p = relu(x)\n  sum(log(p))\nparams: {x: {value: [-1.0, 2.0]}}\n")
    told = check_case(item.case, item.parameters, Options(health=True))
    assert [finding.name for finding in told.findings] == ["non-finite"]
    assert "first at log" in told.findings[0].message
    (origin,) = told.health
    assert (origin.name, origin.location and origin.location.line) == ("origin-of-nan", 3)


def test_a_broken_contract_leaves_the_symptoms_of_values(cases: Cases, write: Callable[[str, str], Path]) -> None:
    write("my_ops.py", OPERATORS.replace('raise ValueError("no such luck")', "return g[:1]"))
    (item,) = cases("ops: [my_ops.py]\nexpr: sum(tanh(careless(x)))\nparams: {x: {value: [9.0, 8.0]}}\n")
    told = check_case(item.case, item.parameters, Options(health=True))
    assert [finding.name for finding in told.findings] == ["gradient-shape"]
    assert [finding.name for finding in told.health] == ["saturated"]


def test_a_chain_deeper_than_python_recurses_is_drawn() -> None:
    def call(variables: Mapping[str, Any]) -> Any:
        h = variables["x"]
        for _ in range(3000):
            h = F.sigmoid(h)
        return h

    made = trace(TracedFunction(call), {"x": np.linspace(-1, 1, 3)}, {})
    trace_back(made, [np.ones(3)])
    symptoms = find_symptoms(made, HealthLimits(), {})
    assert [symptom.finding.name for symptom in symptoms] == ["vanishing"]
    assert len(graph_of(made, {}, memory=True, health=True, symptoms=symptoms).nodes) == 3001
