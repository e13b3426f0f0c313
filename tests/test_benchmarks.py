"""The benchmark: its specs pass, the ways that it compares agree, and its parts run. Nothing here depends on time."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from gradcheck_cli.records import Verdict
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options

ROOT = Path(__file__).parents[1]
SPECS = sorted((ROOT / "benchmarks").glob("w*.grad.yaml"))
LARGE = collect(Options(paths=(str(ROOT / "benchmarks" / "large_parameters.grad.yaml"),)))


@pytest.fixture(autouse=True)
def reachable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name.split(".")[0])
def test_the_specs_of_the_benchmark_pass(path):
    (item,) = collect(Options(paths=(str(path),)))
    result = check_case(item.case, item.parameters, Options(knobs={"sample": 20}))
    assert result.verdict is Verdict.PASS, result
    assert all(parameter.checked for parameter in result.parameters)


def test_there_are_seven_with_the_sizes_that_peers_were_measured_on():
    from benchmarks.ours import workloads

    assert {name: work.elements for name, work in workloads().items()} == {
        "W1": 97,
        "W2": 4810,
        "W3": 5440,
        "W4": 496,
        "W5": 1000,
        "W6": 384,
        "W7": 1600,
    }


@pytest.mark.parametrize("item", LARGE, ids=lambda item: item.case.name)
def test_the_cases_of_large_parameters_pass(item):
    result = check_case(item.case, item.parameters, Options(knobs={"sample": 20}))
    assert result.verdict is Verdict.PASS, result
    assert [spec.shape for spec in item.case.parameters] == [(100, 100)]


def test_the_specs_use_the_operators_that_ship():
    assert not [path.name for path in SPECS if re.search(r"^ops:", path.read_text(), re.MULTILINE)]


def test_the_workloads_by_hand_are_those_of_the_specs():
    from types import SimpleNamespace

    from benchmarks.hand import FORWARDS, GRADIENTS, operators
    from benchmarks.ours import workloads

    for name, work in workloads().items():
        c, params = SimpleNamespace(**work.inputs), list(work.params.values())
        recording = work.function.record(work.params)
        np.testing.assert_allclose(FORWARDS[name](operators(), c, *params), recording.outputs[0], rtol=1e-12)
        gradients = recording.vjp((np.array(1.0),)).values()
        for ours, theirs in zip(gradients, GRADIENTS[name](c, *params), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["W1", "W6"])
def test_the_floor_and_the_loop_compare_every_element_and_catch_a_wrong_one(name, monkeypatch):
    from benchmarks import floor, hand
    from benchmarks.ours import workloads

    work = workloads()[name]
    given = name, work.inputs, list(work.params.values())
    calls = [floor.floor(*given), hand.hand_loop(*given)]
    for call in calls:
        call()
    right = hand.GRADIENTS[name]

    def wrong(c, *params):
        gradients = [np.array(g) for g in right(c, *params)]
        gradients[-1].reshape(-1)[-1] += 0.1
        return gradients

    monkeypatch.setitem(hand.GRADIENTS, name, wrong)
    for call in calls:
        with pytest.raises(AssertionError, match="differ"):
            call()


def test_our_own_parts_run():
    from benchmarks.ours import bare_loop, evaluations, numbers_phase, whole_check, workloads

    work = workloads()["W1"]
    for make in (whole_check, numbers_phase, evaluations, bare_loop):
        call = make(work)
        call()
        call()
    assert work.passes


def test_cases_that_are_there_to_fail_are_known():
    from benchmarks.ours import load

    passes = {work.name: work.passes for work in load([ROOT / "specs" / "custom_operator.grad.yaml"])}
    assert set(passes.values()) == {True, False}
    assert not any(passes[name] for name in passes if "wrong" in name)


def test_one_core_is_kept_to_and_given_back():
    from benchmarks.timing import pinned

    before = os.sched_getaffinity(0)
    with pinned():
        assert os.sched_getaffinity(0) == {max(before)}
    assert os.sched_getaffinity(0) == before


def test_what_a_parameter_reaches_bounds_a_chunk_of_jax():
    jax = pytest.importorskip("jax")
    from benchmarks.frameworks import _largest_reached

    steps = jax.make_jaxpr(lambda x, y: (x @ y).sum() + 2 * y.sum())(np.ones((5, 3)), np.ones((3, 4))).jaxpr
    assert [_largest_reached(steps, k) for k in (0, 1)] == [20, 20]
    steps = jax.make_jaxpr(lambda x, y: x.sum() + (y * y).sum())(np.ones(3), np.ones(50)).jaxpr
    assert [_largest_reached(steps, k) for k in (0, 1)] == [3, 50]


GOOD_NODES = {("tanh", "NumPy"): 1e-6, ("tanh", "recorded"): 3e-6, ("add", "NumPy"): 1e-6, ("add", "recorded"): 3.5e-6}
BAD_NODES = {**GOOD_NODES, ("add", "recorded"): 4.5e-6}


def test_targets_are_met_or_not_by_the_figures():
    from benchmarks.targets import missed, rows

    said = "a node more than the bare NumPy call"
    assert rows({"nodes": GOOD_NODES}) == [(said, "< 3 µs", "2.5 µs (add)", "yes")]
    assert rows({"nodes": BAD_NODES}) == [(said, "< 3 µs", "3.5 µs (add)", "no, 1 of 2 miss it")]
    assert (missed({"nodes": GOOD_NODES}), missed({"nodes": BAD_NODES})) == (0, 1)


def test_every_target_is_computed_and_can_be_missed():
    from benchmarks.targets import TARGETS, rows

    def ratios(ours):
        each = {"torch gradcheck (slow)": 50.0, "gradcheck, evaluations": ours}
        return {f"W{number}": each for number in range(1, 8)}

    def measured(seconds, mebibytes):
        growth = [(10_000, 1.0, 50.0), (100_152, 10 * seconds, mebibytes)]
        processes = {
            "gradcheck run, scalar": seconds,
            "import numpy, typer, rich, yaml, pydantic": 0.9,
            "gradcheck --version": seconds,
            "import typer": 0.9,
            "torch gradcheck, scalar": 6.0,
        }
        return {
            "ratios": ratios(0.1 * seconds**2),
            "backward": {"W2": {"forward": 0.5, "backward": seconds}},
            "nodes": {("add", "NumPy"): 0.0, ("add", "recorded"): 2e-6 * seconds},
            "shipped": {"a case": {"hand loop": 2.0, "numbers": seconds}},
            "growth": {"elementwise": growth, "network": growth},
            "startup": processes,
        }

    assert len(rows(measured(1.0, 100.0))) == len(TARGETS) == 13
    assert {row[-1] for row in rows(measured(1.0, 100.0))} == {"yes"}
    assert {row[-1].split(",")[0] for row in rows(measured(50.0, 700.0))} == {"no"}


def test_a_target_without_a_figure_is_not_met():
    from benchmarks.targets import rows

    each = {"torch gradcheck (slow)": None, "gradcheck, evaluations": 1.0}
    growth = [(100, 0.1, 50.0)]
    found = rows({"ratios": {"W1": each}, "growth": {"elementwise": growth, "network": growth}})
    assert {row[2:] for row in found} == {("not measured", "no")}
    assert len(found) == 7


@pytest.mark.parametrize(("nodes", "code"), [(GOOD_NODES, 0), (BAD_NODES, 1)])
def test_check_exits_1_where_a_target_is_missed(nodes, code, monkeypatch, capsys):
    from benchmarks import parts
    from benchmarks.__main__ import main

    monkeypatch.setattr(parts, "nodes", lambda repetitions: nodes)
    assert main(["nodes", "--check"]) == code
    assert main(["nodes"]) == 0
    assert "| a node more than the bare NumPy call | < 3 µs |" in capsys.readouterr().out


def test_the_loop_over_a_large_parameter_is_multiplied():
    from benchmarks.report import large_text

    text = large_text({"trace": {"hand loop": 4.0, "numbers": 0.5, "MiB": 60.4}}, 20)
    assert "| `trace` | 4 | 0.5 | 8 | 60 |" in text
    assert "one element in 20" in text
    assert "timed once" in text


def test_parts_run_and_print_tables(capsys):
    from benchmarks.__main__ import main

    main(["ratios", "nodes", "growth", "--workloads", "W1", "--repetitions", "1", "--most", "100"])
    out = capsys.readouterr().out
    assert "| gradcheck, evaluations |" in out
    assert "| multiply |" in out
    assert out.count("\n| 100 |") == 1
    assert "A network of two layers" in out
    assert "each row is one process of its own" in out
    assert "## Targets" in out


def test_one_process_and_two_say_the_same(capsys):
    from benchmarks.__main__ import main

    main(["jobs", "--rounds", "1", "--cases", "3"])
    out = capsys.readouterr().out
    assert "A suite of 3 networks of 4,012 elements each" in out
    assert re.search(r"\| `gradcheck run -j 2` \| [\d.]+ \|\n\n-j 1 / -j 2: [\d.]+\. The text is the same but for", out)


def test_only_times_are_left_out_of_what_is_compared():
    from benchmarks.jobs import suite, without_times

    said = "x  4012/4012  2e-07 PASS\n40 passed, 160480 elements, 99 evaluations in {}\n"
    assert without_times(said.format("1.50 s")) == without_times(said.format("123.25 s"))
    assert without_times(said.format("1.50 s")) != without_times(said.format("1.50 s").replace("2e-07", "3e-07"))
    assert suite(40).count("cross_entropy") == 40


def test_output_that_differs_is_said():
    from benchmarks.report import jobs_text

    text = jobs_text({1: 3.0, 2: 2.0}, False, 40, 4012)
    assert "-j 1 / -j 2: 1.5. The text is NOT the same" in text


def test_an_unknown_part_is_said(capsys):
    from benchmarks.__main__ import main

    with pytest.raises(SystemExit):
        main(["speed"])
    assert "unknown part 'speed'" in capsys.readouterr().err
