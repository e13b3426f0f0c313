"""The options of `gradcheck run`, each by what it changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def result(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> Callable[..., Any]:
    """Check a spec of one case, and return the case's JSON."""

    def check(text: str, *arguments: str, code: int = 0) -> Any:
        write("a.grad.yaml", text)
        ended = gradcheck("run", "a.grad.yaml", "--format", "json", *arguments)
        assert ended.code == code, ended.err + ended.out
        return ended.json["cases"][0]

    return check


TANH = "expr: sum(tanh(x))\nparams: {x: 3 4}\n"


def test_the_seed_changes_what_is_drawn_and_repeats_it(result: Callable[..., Any]) -> None:
    def drawn(*arguments: str, text: str = TANH) -> Any:
        case = result(text, *arguments)
        assert case.pop("seconds") >= 0
        return case

    assert drawn("--seed", "1") == drawn("--seed", "1")
    assert drawn("--seed", "1")["value"] != drawn("--seed", "2")["value"]
    assert drawn() == drawn("--seed", "0")
    assert drawn("--seed", "1") == drawn("--seed", "1", text=TANH + "seed: 9\n")
    assert drawn(text=TANH + "seed: 9\n")["value"] == drawn("--seed", "9")["value"]


def test_the_same_seed_repeats_byte_for_byte(write: Callable[..., Path], process: Callable[..., Any]) -> None:
    """In two processes, whose hashes and addresses differ; only the time may."""
    write("a.grad.yaml", "cases:\n- {expr: tanh(x @ y), params: {x: 3 4, y: 4 2}}\n- {expr: x / 0.1, params: {x: 5}}\n")
    runs = [process("run", ".", "--seed", "3", "--sweep", env={"PYTHONHASHSEED": str(n)}) for n in (1, 2)]
    texts = [re.sub(r"in \d+\.\d\d s", "in some time", run.out) for run in runs]
    assert texts[0] == texts[1]
    assert "in some time" in texts[0]


def test_a_huge_seed_is_a_seed(result: Callable[..., Any]) -> None:
    assert result(TANH, "--seed", str(10**40))["seed"] == 10**40


def test_a_draw_does_not_depend_on_its_neighbours(result: Callable[..., Any]) -> None:
    alone = result("cases: [{name: b, expr: sum(tanh(x)), params: {x: 3}}]\n")
    beside = result(
        "cases: [{name: a, expr: x, params: {x: 2}}, {name: b, expr: sum(tanh(x)), params: {x: 3}}]\n", "-k", "::b::"
    )
    assert alone["value"] == beside["value"]


def test_sweep_shows_the_error_at_other_steps(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", TANH)

    def rows(*arguments: str) -> list[list[str]]:
        lines = gradcheck("run", "a.grad.yaml", *arguments).out.splitlines()
        return [line.split()[:4] for line in lines if line.startswith((" eps ", " rel err "))]

    assert rows() == []
    steps, errors = rows("--sweep")
    assert steps == ["eps", "1e-2", "1e-3", "1e-4"]
    assert errors[:2] == ["rel", "err"]


def test_sweep_fills_the_json(result: Callable[..., Any]) -> None:
    assert result(TANH)["parameters"][0]["sweep"] == []
    steps = [point["eps"] for point in result(TANH, "--sweep")["parameters"][0]["sweep"]]
    assert steps == [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]


def test_sample_checks_so_many_elements(result: Callable[..., Any]) -> None:
    def checked(text: str, *arguments: str) -> tuple[int, int]:
        parameter = result(text, *arguments)["parameters"][0]
        return parameter["checked"], parameter["elements"]

    assert checked(TANH) == (12, 12)
    assert checked(TANH, "--sample", "5") == (5, 12)
    assert checked(TANH, "--sample", "50") == (12, 12)
    assert checked(TANH + "check: {sample: 4}\n") == (4, 12)
    assert checked(TANH + "check: {sample: 4}\n", "--sample", "6") == (6, 12)
    assert checked("expr: sum(tanh(x))\nparams: {x: {shape: 3 4, sample: 2}}\n") == (2, 12)
    assert checked("expr: sum(tanh(x))\nparams: {x: {shape: 3 4, sample: 2}}\n", "--sample", "3") == (3, 12)


def test_rtol_is_the_largest_error_of_a_right_gradient(write: Callable[..., Path], result: Callable[..., Any]) -> None:
    write("my_ops.py", GAIN)
    spec = "ops: [my_ops.py]\nexpr: gain(x)\nparams: {x: [1.0, 2.0]}\n"
    assert result(spec, code=1)["verdict"] == "fail"
    assert result(spec, "--rtol", "1e-3")["verdict"] == "pass"
    assert result(spec, "--rtol", "1e-3")["parameters"][0]["resolution"] >= 1e-3
    assert result(spec + "check: {rtol: 1e-3}\n")["verdict"] == "pass"
    assert result(spec + "check: {rtol: 1e-3}\n", "--rtol", "1e-6", code=1)["verdict"] == "fail"


GAIN = """
from gradcheck_cli import op

@op
def gain(x):
    return x * x

@gain.backward
def _(g, x):
    return 2.0001 * g * x
"""


def test_eps_is_the_step(result: Callable[..., Any]) -> None:
    spec = "expr: exp(x)\nparams: {x: [1.0]}\n"
    coarse = result(spec, "--eps", "1e-2", "--rtol", "1e-2")["parameters"][0]["max_rel_err"]
    fine = result(spec, "--eps", "1e-5")["parameters"][0]["max_rel_err"]
    assert fine < 1e-8 < coarse


@pytest.mark.parametrize("option", ["--rtol", "--eps"])
@pytest.mark.parametrize("value", ["0", "1", "-1e-5", "nan", "inf", "tight", ""])
def test_a_tolerance_out_of_range_is_refused(
    write: Callable[..., Path], gradcheck: Callable[..., Any], option: str, value: str
) -> None:
    write("a.grad.yaml", TANH)
    ended = gradcheck("run", "a.grad.yaml", f"{option}={value}")
    assert (ended.code, ended.out) == (2, "")
    assert f"Invalid value for '{option}'" in ended.err


@pytest.mark.parametrize(
    "option", ["--sample=0", "--sample=-1", "--sample=1.5", "--seed=-1", "--seed=x", "--color=red", "--format=xml"]
)
def test_an_option_out_of_range_is_refused(
    write: Callable[..., Path], gradcheck: Callable[..., Any], option: str
) -> None:
    write("a.grad.yaml", TANH)
    ended = gradcheck("run", "a.grad.yaml", option)
    assert (ended.code, ended.out) == (2, "")
    assert f"Invalid value for '{option.partition('=')[0]}'" in ended.err


SEVERAL = """
params: {x: [0.5, 1.5]}
cases:
  - {name: first, expr: tanh(x)}
  - {name: second, expr: exp(x), expect: fail}
  - {name: third, expr: x * x}
"""


def test_x_stops_at_the_first_that_is_not_as_expected(
    write: Callable[..., Path], gradcheck: Callable[..., Any]
) -> None:
    write("a.grad.yaml", SEVERAL)
    all_of_them = gradcheck("run", "a.grad.yaml", "--format", "json")
    assert all_of_them.verdicts == {"first": "pass", "second": "pass", "third": "pass"}
    stopped = gradcheck("run", "a.grad.yaml", "--format", "json", "-x", "--seed", "3")
    assert stopped.code == 1
    assert stopped.verdicts == {"first": "pass", "second": "pass", "third": "skip"}
    assert stopped.json["cases"][2]["error"] == "not run: second was not as expected (-x)"
    assert stopped.json["summary"] == {"pass": 2, "fail": 0, "inconclusive": 0, "error": 0, "skip": 1, "ok": False}
    assert [case["seed"] for case in stopped.json["cases"]] == [3, 3, 3]
    assert "third   SKIP" in gradcheck("run", "a.grad.yaml", "--exitfirst").out


def test_x_stops_at_an_error_too(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", SEVERAL.replace("exp(x), expect: fail", "x @ y, params: {y: [1, 2, 3]}"))
    stopped = gradcheck("run", "a.grad.yaml", "-x", "--format", "json")
    assert stopped.code == 2
    assert stopped.verdicts == {"first": "pass", "second": "error", "third": "skip"}


def test_quiet_shows_only_what_is_not_as_expected(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", SEVERAL)
    quiet = gradcheck("run", "a.grad.yaml", "-q").out
    assert "a.grad.yaml  second" in quiet
    assert "first" not in quiet
    assert "third" not in quiet
    assert quiet.splitlines()[-1].startswith("1 failed, 2 passed, 6 elements, ")


def test_verbose_shows_seed_and_cost(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", TANH)
    assert "seed 4, " not in gradcheck("run", "a.grad.yaml", "--seed", "4").out
    assert "seed 4, " in gradcheck("run", "a.grad.yaml", "--seed", "4", "-v").out


def test_strict_turns_kinks_and_vacuous_passes_into_failures(result: Callable[..., Any]) -> None:
    kink = "expr: relu(x)\nparams: {x: [0.0, 1.0]}\n"
    assert result(kink)["verdict"] == "pass"
    assert result(kink)["parameters"][0]["findings"][0]["name"] == "kink-at-point"
    assert result(kink, "--strict", code=1)["verdict"] == "fail"
    vacuous = "expr: relu(x)\nparams: {x: [-2.0, -1.0]}\n"
    assert result(vacuous)["verdict"] == "pass"
    assert result(vacuous)["parameters"][0]["findings"][0]["name"] == "vacuous"
    assert result(vacuous, "--strict", code=1)["verdict"] == "fail"
    smooth = "expr: relu(x)\nparams: {x: [-2.0, 1.0]}\n"
    assert result(smooth, "--strict")["verdict"] == "pass"


def test_strict_is_repeated_in_the_rerun_line(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", "expr: relu(x)\nparams: {x: [0.0, 1.0]}\n")
    out = gradcheck("run", "a.grad.yaml", "--strict").out
    assert "rerun    gradcheck run a.grad.yaml::a::x --seed 0 --strict" in out
    assert "GC301 kink-at-point" in out


def test_memory_bounds_the_chunks_and_changes_no_verdict(result: Callable[..., Any]) -> None:
    spec = "expr: sum(tanh(x @ y))\nparams: {x: 20 30, y: 30 5}\n"
    plenty, little = result(spec), result(spec, "--memory", "0.001")
    assert [each["verdict"] for each in little["parameters"]] == ["pass", "pass"]
    assert [each["verdict"] for each in plenty["parameters"]] == ["pass", "pass"]
    given = result(spec + "check: {memory: 0.001}\n")
    assert given["evaluations"] == little["evaluations"]
    assert [each["checked"] for each in given["parameters"]] == [600, 150]


SLOW = '''
import time
import numpy as np
from gradcheck_cli import op

@op
def slow(x):
    """sin(x)."""
    time.sleep(0.002)
    return np.sin(x)

@slow.backward
def _(g, x):
    return g * np.cos(x)
'''


def test_a_budget_samples_and_says_so_first(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("my_ops.py", SLOW)
    write("a.grad.yaml", "ops: [my_ops.py]\nexpr: sum(slow(x))\nparams: {x: {shape: 200}}\nseed: 3\n")
    ended = gradcheck("run", "a.grad.yaml", "--budget", "0.2", "--format", "json")
    (parameter,) = ended.json["cases"][0]["parameters"]
    assert parameter["planned"]
    assert 10 <= parameter["checked"] < 200
    assert parameter["directions"] == 2
    (note,) = ended.json["cases"][0]["notes"]
    assert note.startswith(f"{parameter['checked']} of 200 elements of x, seed 3, and 2 random directions")
    assert note in ended.err
    whole = gradcheck("run", "a.grad.yaml", "--budget", "none", "--format", "json")
    (parameter,) = whole.json["cases"][0]["parameters"]
    assert (parameter["checked"], parameter["planned"], whole.err) == (200, False, "")


def test_a_budget_that_is_none_is_said(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("a.grad.yaml", TANH)
    ended = gradcheck("run", "a.grad.yaml", "--budget", "all")
    assert ended.code == 2
    assert "budget should be a positive number of seconds, or none" in ended.err
