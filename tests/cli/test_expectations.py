"""What a spec expects, and what becomes of it: verdicts, verdicts per parameter, known values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SCALES = """
from gradcheck_cli import op

@op
def product(x, y):
    return x * y

@product.backward
def _(g, x, y):
    return g * y, -g * x
"""


@pytest.fixture
def check(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> Callable[..., Any]:
    """Check `expr` (by default one whose gradient is right for x and wrong for y) beside other keys."""
    write("my_ops.py", SCALES)

    def run(keys: str, expr: str = "product(x, y)", arguments: tuple[str, ...] = ("--format", "json")) -> Any:
        write(
            "a.grad.yaml",
            f"ops: [my_ops.py]\nname: case\nexpr: {expr}\nparams: {{x: [1.0, 2.0], y: [3.0, 4.0]}}\n{keys}\n",
        )
        return gradcheck("run", "a.grad.yaml", *arguments)

    return run


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ("", 1),
        ("expect: pass", 1),
        ("expect: fail", 0),
        ("expect: inconclusive", 1),
        ("expect: {y: fail}", 0),
        ("expect: {x: pass, y: fail}", 0),
        ("expect: {x: fail}", 1),
        ("expect: {x: fail, y: fail}", 1),
        ("expect: {y: inconclusive}", 1),
    ],
)
def test_a_failure_is_held_against_the_expectation(check: Callable[..., Any], keys: str, code: int) -> None:
    ended = check(keys)
    (case,) = ended.json["cases"]
    assert ended.code == code
    assert case["verdict"] == "fail"
    assert case["ok"] == (code == 0)
    assert ended.json["summary"]["ok"] == (code == 0)
    assert {each["name"]: each["verdict"] for each in case["parameters"]} == {"x": "pass", "y": "fail"}


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ("", 0),
        ("expect: pass", 0),
        ("expect: fail", 1),
        ("expect: inconclusive", 1),
        ("expect: {y: fail}", 1),
        ("expect: {y: pass}", 0),
    ],
)
def test_an_unexpected_pass_fails(check: Callable[..., Any], keys: str, code: int) -> None:
    ended = check(keys, expr="x * y")
    assert ended.code == code
    assert ended.verdicts == {"case": "pass"}
    assert ended.json["cases"][0]["ok"] == (code == 0)


def test_an_unexpected_pass_is_said(check: Callable[..., Any]) -> None:
    out = check("expect: fail", expr="x * y", arguments=()).out
    assert "PASS (unexpected)" in out
    assert "expected fail, got pass" in out
    assert "1 failed, 0 passed" in out


def test_an_expected_failure_is_counted_apart(check: Callable[..., Any]) -> None:
    out = check("expect: {y: fail}", arguments=()).out
    assert "FAIL (expected)" in out
    assert "0 failed, 0 passed, 1 expected failure" in out


@pytest.mark.parametrize(("expect", "code"), [("inconclusive", 0), ("pass", 1), ("fail", 1)])
def test_what_can_not_be_told_is_inconclusive(check: Callable[..., Any], expect: str, code: int) -> None:
    """At a jump there is no derivative to compare with."""
    ended = check(f"expect: {expect}", expr="'where(x > 1, x + 1, x) * y'")
    assert ended.verdicts == {"case": "inconclusive"}
    assert ended.code == code


def test_an_error_is_never_expected(check: Callable[..., Any]) -> None:
    ended = check("expect: fail", expr="x @ y[:1]")
    assert ended.code == 2
    assert ended.verdicts == {"case": "error"}


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ("value: 11", 0),
        ("value: 11.000001", 0),
        ("value: 11.0001", 1),
        ("value: -11", 1),
        ("grad: {x: [3, 4]}", 0),
        ("grad: {x: [3, 4], y: [1, 2]}", 0),
        ("grad: {x: [3, 4.0001]}", 1),
        ("grad: {y: [2, 1]}", 1),
        ("value: 11\ngrad: {x: [3, 5]}", 1),
    ],
)
def test_known_results_have_to_be_met(check: Callable[..., Any], keys: str, code: int) -> None:
    ended = check(keys, expr="sum(x * y)")
    assert ended.code == code
    (case,) = ended.json["cases"]
    names = [finding["name"] for finding in case["findings"]]
    assert names == ["unexpected-value"] * code
    assert case["value"] == 11
    assert {each["verdict"] for each in case["parameters"]} == {"pass"}


def test_a_known_value_that_differs_is_shown_beside_the_computed_one(check: Callable[..., Any]) -> None:
    out = check("value: 12\ngrad: {x: [3, 5]}", expr="sum(x * y)", arguments=()).out
    assert "GC110 unexpected-value   a.grad.yaml:1:1" in out
    assert "the value is 11., the spec expects 12." in out
    assert "the gradient of x is [3., 4.], the spec expects [3., 5.]" in out


def test_a_zero_gradient_may_be_rounding(check: Callable[..., Any]) -> None:
    """sin(pi) is 1e-16 in floating point; beside a gradient of 1 that is zero."""
    expr = "sum(x * (0.1 + 0.2 - 0.3)) + sum(y)"
    assert check("grad: {x: [0, 0], y: [1, 1]}", expr=expr).code == 1
    assert check("grad: {x: [5.551115123e-17, 5.551115123e-17]}", expr=expr).code == 0
    mixed = "sum(x[0] * (0.1 + 0.2 - 0.3)) + x[1] + sum(y)"
    assert check("grad: {x: [0, 1]}", expr=mixed).code == 0


@pytest.mark.parametrize(
    ("keys", "expr", "said"),
    [
        ("grad: {x: [3, 4]}", "x * y", "'grad' is known for a value that is one number, and this value has shape (2,)"),
        ("value: 3", "sum(x), sum(y)", "'value' is known for one output, and the expression has 2"),
    ],
    ids=["grad", "value"],
)
def test_known_results_that_nothing_compares_with_are_a_mistake(
    check: Callable[..., Any], keys: str, expr: str, said: str
) -> None:
    ended = check(keys, expr=expr)
    assert ended.code == 2
    assert said in ended.json["cases"][0]["error"]
    assert ended.json["cases"][0]["error"].startswith("a.grad.yaml:1:1: error: ")


def test_known_gradients_of_other_parameters_are_left_alone(
    check: Callable[..., Any], gradcheck: Callable[..., Any]
) -> None:
    assert check("grad: {x: [3, 4], y: [7, 7]}", expr="sum(x * y)").code == 1
    assert gradcheck("run", "a.grad.yaml::case::x").code == 0
    assert gradcheck("run", "a.grad.yaml::case::y").code == 1


def test_the_worked_example(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write(
        "a.grad.yaml",
        """
        expr: (sigmoid(x*w + b) - t)**2
        params: {x: 0.5, w: 1.2, b: -0.3}
        inputs: {t: 0.8}
        """,
    )
    (case,) = gradcheck("run", "a.grad.yaml", "--format", "json").json["cases"]
    assert case["value"] == pytest.approx(0.050876, abs=1e-6)
    gradients = {each["name"]: each["worst"]["analytic"] for each in case["parameters"]}
    assert gradients == pytest.approx({"w": -0.055139, "x": -0.132335, "b": -0.110279}, abs=1e-6)
    assert max(each["max_rel_err"] for each in case["parameters"]) < 1e-9


def test_float32_is_judged_fairly(write: Callable[..., Path], gradcheck: Callable[..., Any]) -> None:
    write("my_ops.py", SCALES)
    write(
        "a.grad.yaml",
        """
        ops: [my_ops.py]
        params: {x: 3 4, y: 3 4}
        check: {dtype: float32}
        cases:
          - {name: right, expr: tanh(x) * y}
          - {name: wrong, expr: "product(x, y)", expect: {y: fail}}
          - {name: known, expr: sum(x), params: {x: [0.1, 0.2]}, value: 0.3, grad: {x: [1, 1]}}
        """,
    )
    ended = gradcheck("run", "a.grad.yaml", "--format", "json")
    assert ended.code == 0
    assert ended.verdicts == {"right": "pass", "wrong": "fail", "known": "pass"}
    assert ended.json["cases"][0]["parameters"][0]["resolution"] > 1e-5
