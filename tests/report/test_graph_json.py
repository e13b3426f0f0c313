"""Graphs for programs: strict JSON, nodes behind those that they take."""

import json

from gradcheck_cli.report.graph_json import to_graph_json
from tests.report.graphs import HOSTILE, chain, diamond, drawn, ill, leaf, node, two_outputs


def read(*results):
    text = to_graph_json(results)
    assert text.isascii()
    return json.loads(text)["cases"]


def test_nodes_operands_and_outputs():
    (case,) = read(diamond())
    graph = case["graph"]
    assert [(each["node"], each["kind"], each["name"]) for each in graph["nodes"]] == [
        (0, "parameter", "x"),
        (1, "operator", "tanh"),
        (2, "operator", "exp"),
        (3, "operator", "multiply"),
    ]
    assert graph["nodes"][3]["operands"] == [
        {"argument": "x0", "node": 2, "output": 0},
        {"argument": "x1", "node": 1, "output": 0},
    ]
    assert graph["outputs"] == [{"node": 3, "output": 0}]
    assert graph["kept_bytes"] is None
    assert graph["nodes"][0]["outputs"][0]["value"] is None


def test_figures_and_symptoms():
    (case,) = read(ill())
    log = case["graph"]["nodes"][1]
    assert (log["kept_bytes"], log["saturated"], log["line"], log["column"]) == (96, 0.5, 3, 9)
    assert log["outputs"][0]["value"]["infinite"] == 3
    assert log["outputs"][0]["gradient"]["norm"] == 1.5
    (symptom,) = case["graph"]["symptoms"]
    assert (symptom["code"], symptom["name"], symptom["node"], symptom["others"]) == ("GC406", "origin-of-nan", 1, [])
    assert case["graph"]["kept_bytes"] == 96


def test_operands_come_before_the_nodes_that_take_them():
    for case in read(diamond(), two_outputs(), chain(50)):
        for each in case["graph"]["nodes"]:
            assert all(operand["node"] < each["node"] for operand in each["operands"])


def test_hostile_names_come_back_as_they_are():
    for name in HOSTILE:
        (case,) = read(drawn(leaf(name), node(name, 0), name=name))
        assert case["name"] == name
        assert [each["name"] for each in case["graph"]["nodes"]] == [name, name]
