"""The benchmark: its specs pass, the ways that it compares agree, and its parts run. Nothing here depends on time."""

import re
from pathlib import Path

import numpy as np
import pytest

from gradcheck_cli.records import Verdict
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options

ROOT = Path(__file__).parents[1]
SPECS = sorted((ROOT / "benchmarks").glob("*.grad.yaml"))


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


def test_parts_run_and_print_tables(capsys):
    from benchmarks.__main__ import main

    main(["ratios", "nodes", "growth", "--workloads", "W1", "--repetitions", "1", "--most", "100"])
    out = capsys.readouterr().out
    assert "| gradcheck, evaluations |" in out
    assert "| multiply |" in out
    assert out.count("\n| 100 |") == 1
    assert "A network of two layers" in out


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
