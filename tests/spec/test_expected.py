"""What a case is expected to give."""

import numpy as np
import pytest

SPEC = "expr: sum(x * y)\nparams: {x: [1, 2], y: [3, 4]}\n"


WHAT_THERE_IS = (
    "there are: pass, fail, inconclusive, and findings by name or code, as sign-flipped (gradcheck explain lists them)"
)


@pytest.mark.parametrize(
    ("expect", "verdict", "parameters"),
    [
        ("", "pass", {}),
        ("expect: pass", "pass", {}),
        ("expect: fail", "fail", {}),
        ("expect: inconclusive", "inconclusive", {}),
        ("expect: {x: fail}", "pass", {"x": "fail"}),
        ("expect: {x: fail, y: pass}", "pass", {"x": "fail", "y": "pass"}),
    ],
)
def test_expected_verdict_is_read(load, expect, verdict, parameters):
    (case,) = load(SPEC + expect)
    assert (case.expect.verdict, case.expect.parameters) == (verdict, parameters)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("GC104", "input-modified"),
        ("input-modified", "input-modified"),
        ("GC203", "missing-term"),
        ("GC405", "disconnected"),
    ],
)
def test_an_expected_finding_is_read_by_code_and_by_name(load, text, name):
    (case,) = load(SPEC + f"expect: {text}")
    assert case.expect.verdict == name


@pytest.mark.parametrize(
    ("expect", "message", "hint"),
    [
        ("fial", "'fial' is no verdict", "did you mean 'fail'?"),
        ("zzz", "'zzz' is no verdict", WHAT_THERE_IS),
        ("'on'", "'on' is no verdict", WHAT_THERE_IS),
        ("mising-term", "'mising-term' is no verdict", "did you mean 'missing-term'?"),
        ("GC2003", "'GC2003' is no verdict", "did you mean 'GC203'?"),
        ("GC401", "'GC401' is about health, which changes no verdict", "write pass, fail or inconclusive"),
        (
            "{x: vanishing}",
            "'vanishing' is about health, which changes no verdict",
            "write pass, fail or inconclusive",
        ),
        ("{x: fial}", "'fial' is no verdict", "did you mean 'fail'?"),
        ("{xx: fail}", "'expect' names 'xx', which is no parameter", "did you mean 'x'?"),
        ("{q: fail}", "'expect' names 'q', which is no parameter", "there are: x, y"),
    ],
)
def test_other_expectations_are_refused(problems, expect, message, hint):
    found = problems(SPEC + f"expect: {expect}")
    assert [(problem.message, problem.hint) for problem in found] == [(message, hint)]
    assert found[0].location.line == 3


def test_known_value_and_gradients_are_float64_arrays(load):
    (case,) = load(SPEC + "value: 11\ngrad: {x: [3, 4]}\n")
    assert case.value.dtype == case.gradients["x"].dtype == np.float64
    assert (case.value.shape, case.value.item()) == ((), 11)
    np.testing.assert_array_equal(case.gradients["x"], [3, 4])
    (case,) = load(SPEC)
    assert case.value is None
    assert case.gradients == {}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("value: [1, [2]]", "3:12 ragged list: here is a list, where the first item is a number [ragged-list]"),
        ("value: [true]", "3:8 value should be numbers, not true and false [wrong-type]"),
        ("value: [1, b]", "3:12 value should be numbers, not the text 'b' [wrong-type]"),
        ("grad: {x: 3}", "3:11 the gradient of x is a single number, x is 2 [shape-mismatch]"),
        ("grad: {x: [1, 2, 3]}", "3:11 the gradient of x is 3, x is 2 [shape-mismatch]"),
        ("grad: {q: 3}", "3:8 'grad' names 'q', which is no parameter [unknown-parameter]"),
        ("grad: {x: [1, b]}", "3:15 the gradient of x should be numbers, not the text 'b' [wrong-type]"),
    ],
)
def test_wrong_known_result_is_said(said, line, expected):
    assert [found.split(" (")[0] for found in said(SPEC + line)] == [expected]


def test_defaults_for_parameters_that_a_case_does_not_have_are_left_out(load):
    one, two = load(
        """
        params: {x: [1, 2], y: [3, 4]}
        grad: {x: [1, 1], y: [1, 1]}
        expect: {x: pass, y: fail}
        cases: [{expr: sum(x)}, {expr: sum(y)}]
        """
    )
    assert (list(one.gradients), dict(one.expect.parameters)) == (["x"], {"x": "pass"})
    assert (list(two.gradients), dict(two.expect.parameters)) == (["y"], {"y": "fail"})


def test_expectation_is_shown_in_a_word(load):
    assert str(load(SPEC + "expect: fail")[0].expect) == "fail"
    assert str(load(SPEC + "expect: {x: fail}")[0].expect) == "x: fail"


def test_an_expectation_of_a_parameter_that_a_case_leaves_out_is_read_all_the_same(problems):
    text = "params: {x: [1, 2], y: [3, 4]}\ncases:\n  - expr: sum(x * y)\n  - {expr: sum(x), expect: {y: fial}}\n"
    assert [problem.message for problem in problems(text)] == ["'fial' is no verdict"]
    assert not problems(text.replace("fial", "nonsense-too"))[0].message.startswith("'expect' names")
