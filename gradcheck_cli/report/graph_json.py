"""Graphs for programs: JSON whose keys are a contract, to which a version only adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcheck_cli import __version__
from gradcheck_cli.graph_records import Figures, Graph, GraphNode, GraphOperand, GraphOutput, GraphResult, Symptom
from gradcheck_cli.report.json_format import SCHEMA_VERSION, dump, finding_record, number


def to_graph_json(results: Sequence[GraphResult]) -> str:
    """Return the graphs as strict JSON in ASCII, with a newline at the end.

    Nodes are counted from 0, and stand behind those that they take.
    """
    cases = [_case(result) for result in results]
    return dump({"schema_version": SCHEMA_VERSION, "gradcheck": __version__, "cases": cases})


def _case(result: GraphResult) -> dict[str, Any]:
    return {
        "id": result.id,
        "file": result.file,
        "line": result.line,
        "name": result.name,
        "seed": result.seed,
        "error": result.error,
        "problem": result.problem,
        "graph": _graph(result.graph, result.memory) if result.graph else None,
    }


def _graph(graph: Graph, memory: bool) -> dict[str, Any]:
    return {
        "nodes": [{"node": position, **_node(node)} for position, node in enumerate(graph.nodes)],
        "outputs": [_operand(root) for root in graph.roots],
        "kept_bytes": graph.kept_bytes if memory else None,
        "symptoms": [_symptom(symptom) for symptom in graph.symptoms],
    }


def _node(node: GraphNode) -> dict[str, Any]:
    where = node.location
    return {
        "kind": str(node.kind),
        "name": node.name,
        "outputs": [_output(output) for output in node.outputs],
        "operands": [{"argument": operand.argument, **_operand(operand)} for operand in node.operands],
        "file": where.file if where else None,
        "line": (where.line or None) if where else None,
        "column": (where.column or None) if where else None,
        "kept_bytes": node.kept_bytes,
        "saturated": number(node.saturated),
    }


def _operand(operand: GraphOperand) -> dict[str, Any]:
    return {"node": operand.node, "output": operand.output}


def _output(output: GraphOutput) -> dict[str, Any]:
    return {
        "name": output.name,
        "shape": [int(size) for size in output.shape],
        "dtype": output.dtype,
        "value": _figures(output.value),
        "gradient": _figures(output.gradient),
    }


def _figures(seen: Figures | None) -> dict[str, Any] | None:
    if seen is None:
        return None
    return {
        "norm": number(seen.norm),
        "zeros": number(seen.zeros),
        "low": number(seen.low),
        "high": number(seen.high),
        "nan": seen.nan,
        "infinite": seen.infinite,
    }


def _symptom(symptom: Symptom) -> dict[str, Any]:
    return {**finding_record(symptom.finding), "node": symptom.node, "others": list(symptom.others)}
