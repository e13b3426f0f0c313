"""The specs that ship: each case ends as it says, and the figures of the sources are met."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradcheck_cli.knobs import read_knobs
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.case_function import case_function
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement
from gradcheck_cli.verdict.planned import Planned

SPECS = Path(__file__).parents[1] / "specs"
SELECTED = collect(Options(paths=(str(SPECS),)))
IDS = [f"{Path(item.case.file).name}::{item.case.name}" for item in SELECTED]


def checked(file, name, seed=None):
    """Check one shipped case and return its result, and its parameters by name."""
    (item,) = (item for item, id in zip(SELECTED, IDS, strict=True) if id == f"{file}.grad.yaml::{name}")
    result = check_case(item.case, item.parameters, Options(seed=seed))
    return result, {parameter.name: parameter for parameter in result.parameters}


@pytest.mark.parametrize("item", SELECTED, ids=IDS)
def test_every_shipped_case_is_as_expected_and_has_compared_something(item):
    result = check_case(item.case, item.parameters, Options())
    assert result.ok, result
    assert result.error is None
    assert result.verdict is not Verdict.SKIP
    if result.verdict is Verdict.PASS:
        for parameter in result.parameters:
            assert parameter.checked == parameter.elements > 0
            assert parameter.resolution is not None, f"{parameter.name} is vacuous"
            assert parameter.max_rel_err is not None
            assert parameter.max_rel_err < 1e-6


@pytest.mark.parametrize("seed", [1])
def test_the_shipped_cases_do_not_depend_on_the_seed(seed):
    wrong = {}
    for item, id in zip(SELECTED, IDS, strict=True):
        result = check_case(item.case, item.parameters, Options(seed=seed))
        if not result.ok:
            wrong[id] = (str(result.verdict), result.error)
    assert wrong == {}, f"seed {seed}"


def test_what_ships_covers_what_the_sources_ask_for():
    files = {Path(item.case.file).name.removesuffix(".grad.yaml") for item in SELECTED}
    assert files >= {"worked_example", "gates", "branches", "networks", "depth", "custom_operator"}


def test_every_gate_has_a_case():
    names = {item.case.name for item in SELECTED if Path(item.case.file).name == "gates.grad.yaml"}
    gates = "add subtract multiply divide power exp log relu sigmoid tanh max copy matmul"
    assert names >= set(gates.split())


def test_the_figures_of_the_worked_example():
    result, parameters = checked("worked_example", "one neuron")
    assert result.value == pytest.approx(0.050876, abs=1e-6)
    known = {"w": -0.055139, "x": -0.132335, "b": -0.110279}
    assert set(parameters) == set(known)
    for name, gradient in known.items():
        parameter = parameters[name]
        assert parameter.worst is not None
        assert parameter.worst.analytic == pytest.approx(gradient, abs=1e-6)
        assert parameter.worst.numeric == pytest.approx(gradient, abs=1e-6)
        assert parameter.max_rel_err is not None
        assert parameter.max_rel_err < 1e-9
        assert parameter.verdict is Verdict.PASS


def test_a_value_used_twice_gets_both_contributions():
    result, parameters = checked("branches", "square plus itself")
    assert result.value == 12
    assert parameters["x"].worst is not None
    assert parameters["x"].worst.analytic == 7
    assert parameters["x"].worst.numeric == pytest.approx(7, rel=1e-9)


@pytest.mark.parametrize("seed", [0, 5])
def test_six_sigmoid_layers_let_the_gradient_vanish_and_it_is_checked_all_the_same(seed):
    def sizes(name):
        _, parameters = checked("depth", name, seed)
        assert list(parameters) == ["W1", "W2", "W3", "W4", "W5", "W6"]
        assert all(parameter.verdict is Verdict.PASS for parameter in parameters.values())
        return [abs(parameters[f"W{layer}"].worst.analytic) for layer in range(1, 7)]

    sigmoid, relu = sizes("six sigmoid layers"), sizes("six relu layers")
    assert sigmoid[0] < 1e-2 * sigmoid[5]
    assert relu[0] > sigmoid[0]


def test_the_broken_twins_fail_where_they_are_broken():
    for name, culprit in (
        ("wrong sign is caught", "x"),
        ("an error of a thousandth is caught", "gamma"),
        ("a missing term is caught", "x"),
    ):
        result, parameters = checked("custom_operator", name)
        assert result.verdict is Verdict.FAIL
        assert [p for p in parameters if parameters[p].verdict is Verdict.FAIL] == [culprit]
    for name, finding in (
        ("a missing sum is caught", "gradient-shape"),
        ("a backward that writes to its cotangent is caught", "input-modified"),
    ):
        result, _ = checked("custom_operator", name)
        assert [found.name for found in result.findings] == [finding]
        assert result.findings[0].location is not None
        assert result.findings[0].location.file.endswith("custom_ops.py")


def test_the_size_of_the_thousandth_is_seen():
    _, parameters = checked("custom_operator", "an error of a thousandth is caught")
    worst = parameters["gamma"].worst
    assert worst is not None
    assert worst.analytic / worst.numeric == pytest.approx(1.001, rel=1e-6)


def test_a_case_of_a_sample_checks_as_many_elements():
    item = next(item for item, id in zip(SELECTED, IDS, strict=True) if id == "gates.grad.yaml::add")
    result = check_case(item.case, item.parameters, Options(knobs={"sample": 2}))
    assert [(p.checked, p.elements) for p in result.parameters] == [(2, 12), (2, 12)]
    assert result.ok


def test_an_array_from_a_file_is_the_one_that_ships():
    assert np.load(SPECS / "data" / "weights.npy").dtype.kind == "f"


def _seen(item):
    """Return what is said of a shipped case: verdicts, and findings by name."""
    result = check_case(item.case, item.parameters, Options())
    parameters = [(p.name, p.verdict, p.checked, [f.name for f in p.findings]) for p in result.parameters]
    return result.verdict, [finding.name for finding in result.findings], parameters


WORKLOADS = collect(Options(paths=tuple(map(str, sorted(SPECS.parent.glob("benchmarks/w*.grad.yaml"))))))


@pytest.mark.parametrize("item", [*WORKLOADS, *SELECTED[5::20]], ids=lambda item: item.case.name)
def test_the_figures_of_the_plan_are_those_of_a_plain_loop(item, monkeypatch):
    """Of the workloads of the benchmark and every twentieth case: each numeric gradient, to the error bars of both."""
    if item.case.expect.verdict != "pass":
        pytest.skip("a wrong gradient is looked at until it is decided, and no further")
    knobs = read_knobs({}, item.case.knobs)
    function, values, _ = case_function(item.case, Options(), knobs)
    samples = dict.fromkeys(values, 40)

    def measured():
        judgement = Judgement()
        judge(function, values, knobs, [3], samples, judgement, list(values))
        return judgement

    planned = measured()
    monkeypatch.setattr(Planned, "find", lambda self, *arguments: None)
    looped = measured()
    assert planned.verdict == looped.verdict
    for name in values:
        one, other = planned.evidence[name], looped.evidence[name]
        both, here, there = np.intersect1d(one.elements, other.elements, return_indices=True)
        assert both.size > 0
        assert (one.analytic[here] == other.analytic[there]).all()
        off = np.abs(one.numeric[here] - other.numeric[there])
        assert (off <= one.bar[here] + other.bar[there]).all(), f"{name}: {off.max()}"


@pytest.mark.parametrize("item", SELECTED[::10], ids=IDS[::10])
def test_a_plain_loop_says_the_same_as_the_plan(item, monkeypatch):
    """Of every tenth case; nothing is replayed, goes through at once, or is compared by its terms."""
    planned = _seen(item)
    monkeypatch.setattr(Planned, "find", lambda self, *arguments: None)
    assert _seen(item) == planned
