"""What of the selected cases is run: tags, shards, what failed last, a limit of failures; and lists of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SPEC = """
params: {x: [0.5, 1.5], y: [2.0]}
cases:
  - {name: one, expr: tanh(x) * y, tags: slow}
  - {name: two, expr: exp(x) * y, tags: [slow, gpu]}
  - {name: three, expr: x * x * y}
  - {name: four, expr: x + y, expect: fail}
  - {name: five, expr: x - y, expect: fail}
"""

Gradcheck = Callable[..., Any]


@pytest.fixture(autouse=True)
def _spec(write: Callable[[str, str], Path]) -> None:
    write("a.grad.yaml", SPEC)


def listed(ended: Any) -> list[str]:
    assert ended.code == 0, ended.err
    return [line.rpartition("::")[2] for line in ended.out.splitlines()]


@pytest.mark.parametrize(
    ("tags", "names"),
    [
        ("slow", ["one", "two"]),
        ("slow and not gpu", ["one"]),
        ("gpu or not slow", ["two", "three", "four", "five"]),
        ("not (slow)", ["three", "four", "five"]),
    ],
)
def test_tags_select_as_a_whole(gradcheck: Gradcheck, tags: str, names: list[str]) -> None:
    assert listed(gradcheck("run", "--list", "--tag", tags)) == names


def test_a_part_of_a_tag_selects_nothing(gradcheck: Gradcheck) -> None:
    ended = gradcheck("run", "--list", "--tag", "slo")
    assert (ended.code, ended.out) == (5, "")


def test_a_malformed_expression_says_which(gradcheck: Gradcheck) -> None:
    ended = gradcheck("run", "--tag", "slow and")
    assert ended.code == 2
    assert "--tag 'slow and': a word is missing at the end" in ended.err
    assert "--tag 'slow and not gpu'" in ended.err


def test_the_list_has_ids_that_select(gradcheck: Gradcheck) -> None:
    ids = gradcheck("run", "--list").out.splitlines()
    assert ids == [f"a.grad.yaml::{name}" for name in ("one", "two", "three", "four", "five")]
    assert gradcheck("run", "--list", ids[1]).out.splitlines() == ids[1:2]
    with_parameters = gradcheck("run", "--list", "-v", "-k", "one").out.splitlines()
    assert with_parameters == ["a.grad.yaml::one::x", "a.grad.yaml::one::y"]


def test_the_list_is_data_as_well(gradcheck: Gradcheck) -> None:
    document = gradcheck("run", "--list", "--format", "json", "-k", "two").json
    assert document == {
        "schema_version": 1,
        "cases": [
            {
                "id": "a.grad.yaml::two",
                "file": "a.grad.yaml",
                "line": 4,
                "name": "two",
                "tags": ["slow", "gpu"],
                "expected": "pass",
                "parameters": ["x", "y"],
            }
        ],
    }


def test_listing_checks_nothing_and_keeps_nothing(gradcheck: Gradcheck, folder: Path) -> None:
    assert gradcheck("run", "--list").code == 0
    assert [path.name for path in folder.iterdir()] == ["a.grad.yaml"]


def test_shards_cover_every_case_once(gradcheck: Gradcheck) -> None:
    parts = [gradcheck("run", "--list", "--shard", f"{number}/3").out.splitlines() for number in (1, 2, 3)]
    assert [len(part) for part in parts] == [1, 2, 2]
    assert [each for part in parts for each in part] == gradcheck("run", "--list").out.splitlines()


def test_an_empty_shard_is_no_fault(gradcheck: Gradcheck) -> None:
    ended = gradcheck("run", "--shard", "1/9")
    assert (ended.code, ended.err) == (0, "note: nothing to check in part 1 of 9\n")
    assert ended.out.startswith("0 failed, 0 passed")
    assert gradcheck("run", "--shard", "1/9", "-k", "nothing").code == 5


@pytest.mark.parametrize("option", [("--shard", "4/3"), ("--shard", "x"), ("-j", "0"), ("-j", "many")])
def test_what_is_no_shard_and_no_number_of_jobs_is_refused(gradcheck: Gradcheck, option: tuple[str, str]) -> None:
    ended = gradcheck("run", *option)
    assert (ended.code, ended.out) == (2, "")
    assert option[1] in ended.err


def test_what_failed_last_is_run_again_until_it_passes(gradcheck: Gradcheck, write: Callable[[str, str], Path]) -> None:
    assert "none of the cases failed last" in gradcheck("run", "--last-failed", "-k", "one").err
    assert gradcheck("run").code == 1
    assert listed(gradcheck("run", "--last-failed", "--list")) == ["four", "five"]
    write("a.grad.yaml", SPEC.replace("x + y, expect: fail", "x + y"))
    ended = gradcheck("run", "--lf")
    assert "2 of 5 cases failed last" in ended.err
    assert listed(gradcheck("run", "--lf", "--list")) == ["five"]
    # What wasn't selected stays known.
    assert gradcheck("run", "-k", "one").code == 0
    assert listed(gradcheck("run", "--lf", "--list")) == ["five"]


def test_a_run_stops_after_so_many_failures(gradcheck: Gradcheck) -> None:
    ended = gradcheck("run", "--max-failures", "1", "--format", "json")
    assert ended.verdicts["five"] == "skip"
    assert gradcheck("run", "--maxfail", "2", "--format", "json").verdicts["five"] == "pass"


def test_exit_zero_masks_failures_alone(gradcheck: Gradcheck, write: Callable[[str, str], Path]) -> None:
    assert gradcheck("run").code == 1
    assert gradcheck("run", "--exit-zero").code == 0
    assert gradcheck("run", "--exit-zero", "-k", "nothing").code == 5
    write("b.grad.yaml", "expr: tanh(\nparams: {x: 1}\n")
    assert gradcheck("run", "--exit-zero").code == 2


def test_a_case_runs_out_of_the_time_of_an_option(gradcheck: Gradcheck) -> None:
    ended = gradcheck("run", "-k", "one", "--timeout", "1e-6", "--format", "json")
    assert ended.code == 2
    assert "ran out of its 1e-06 s" in ended.json["cases"][0]["error"]


def test_two_processes_write_what_one_writes(gradcheck: Gradcheck, process: Gradcheck) -> None:
    def without_times(text: str) -> list[Any]:
        cases = json.loads(text)["cases"]
        for case in cases:
            case["seconds"] = None
        return list(cases)

    one = gradcheck("run", "--format", "json")
    two = process("run", "--format", "json", "-j", "2")
    assert two.code == one.code == 1
    assert without_times(two.out) == without_times(one.out)
