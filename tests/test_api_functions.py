"""What a function that is checked from Python may return and do, and what is left behind."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random

import numpy as np
import pytest

import gradcheck_cli
import gradcheck_cli.ops as F
from gradcheck_cli import check, no_grad, op
from gradcheck_cli.errors import OperatorError
from tests.checked_functions import X, squares, wrong_tanh
from tests.results import findings, summary


@op
def refusing(x):
    """Nothing: it raises."""
    raise ValueError("x is out of fashion")


@refusing.backward
def _(g):
    return g


def test_a_function_may_return_arrays_of_any_shape_and_several_of_them():
    result = check(lambda x: (F.softmax(x), F.sum(x * x), x[0]), X)
    assert result.verdict == "pass"
    assert result.value is None


@pytest.mark.parametrize("spoiled", range(3))
def test_every_value_of_a_tuple_counts(spoiled):
    def several(x):
        values = [F.tanh(x), F.sum(F.tanh(x)) * 2, F.tanh(x[0])]
        values[spoiled] = [wrong_tanh(x), F.sum(wrong_tanh(x)) * 2, wrong_tanh(x[0])][spoiled]
        return tuple(values)

    assert check(several, X).verdict == "fail"


@pytest.mark.parametrize(
    ("returned", "words"),
    [(None, "returned NoneType"), ({"loss": 1.0}, "returned dict"), ("1", "returned str"), ((), "no value")],
    ids=repr,
)
def test_what_a_function_may_not_return_is_said(returned, words):
    with pytest.raises(TypeError, match=words):
        check(lambda x: returned, X)


def test_a_gradient_that_was_cut_off_is_zero_and_fails():
    assert check(lambda x: np.sum(x.data**2), X).verdict == "fail"
    assert check(lambda x: F.sum(x.detach() * x), X).verdict == "fail"


def test_python_control_flow_decides_by_the_values():
    def collatz_like(x):
        steps = 0
        while x > 1:
            x = x / 2 if steps % 2 else x * 1.5 - 1
            steps += 1
            if steps > 5:
                break
        return x * x if steps > 2 else -x

    for start in (0.5, 1.5, 7.0):
        result = check(collatz_like, start)
        assert result.verdict == "pass", start


@pytest.mark.parametrize("who", ["function", "gradient"])
def test_a_plain_function_that_writes_to_its_argument_is_named(who):
    def value(x):
        if who == "function":
            x -= 1
        return float(x @ x)

    def gradient(x):
        if who == "gradient":
            x *= 2
            return x
        return 2 * x

    x = X.copy()
    result = check(value, x, grad=gradient)
    assert findings(result) == ["input-modified"]
    assert f"{'value' if who == 'function' else 'gradient'}: it writes to x" in result.findings[0].message
    assert result.verdict == "fail"
    np.testing.assert_array_equal(x, X)


def test_a_function_of_value_and_gradient_that_writes_is_named():
    def both(x):
        value = float(x @ x)
        x *= 2
        return value, x

    assert findings(check(both, X, value_and_grad=True)) == ["input-modified"]


def test_a_function_over_variables_that_writes_to_their_data_is_named():
    def loss(x):
        x.data -= 1
        return F.sum(x * x)

    x = X.copy()
    assert findings(check(loss, x)) == ["input-modified"]
    np.testing.assert_array_equal(x, X)


def test_a_function_that_writes_to_an_input_is_named():
    def loss(x, *, t):
        t += 1
        return F.sum(x * t)

    t = np.ones(3)
    result = check(loss, X, inputs={"t": t})
    assert findings(result) == ["input-modified"]
    assert "writes to t" in result.findings[0].message
    np.testing.assert_array_equal(t, np.ones(3))


def test_plain_code_that_needs_a_writable_array_and_changes_nothing_is_right():
    def value(x):
        x[...] = x
        return float(x @ x)

    assert check(value, X, grad=lambda x: 2 * x).verdict == "pass"


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "traced"])
def test_a_function_that_varies_is_named_before_any_number(plain):
    rng = np.random.default_rng(0)

    def value(x):
        noise = rng.random()
        return float(x @ x) + noise if plain else F.sum(x * x) + noise

    result = check(value, X, grad=(lambda x: 2 * x) if plain else None)
    assert findings(result) == ["not-repeatable"]
    assert [(verdict, p.checked) for p, (_, _, verdict) in zip(result.parameters, summary(result), strict=True)] == [
        ("skip", 0)
    ]


def test_a_function_that_draws_from_the_global_generator_varies():
    assert findings(check(lambda x: float(x @ x) * np.random.random_sample(), X, grad=lambda x: 2 * x)) == [
        "not-repeatable"
    ]
    assert findings(check(lambda x: F.sum(F.tanh(x)) * random.random(), X)) == ["not-repeatable"]


def test_a_function_that_keeps_state_is_named_in_the_end():
    counter = itertools.count()
    result = check(lambda x: float(x @ x) + 1e-3 * (next(counter) > 4), X, grad=lambda x: 2 * x)
    assert findings(result) == ["not-repeatable"]


@pytest.mark.parametrize("late", [4, 6])
def test_a_function_that_starts_to_write_later_is_named_too(late):
    counter = itertools.count()

    def value(x):
        if next(counter) >= late:
            x -= 1
        return float(x @ x)

    result = check(value, X, grad=lambda x: 2 * x)
    assert findings(result) == ["input-modified"]
    assert summary(result) == [("x", (3,), "skip")]


def test_what_was_compared_before_a_contract_was_broken_is_kept():
    def value(x, y):
        if y[0] != 2.0:
            y += 1
        return float(x @ x) + y[0]

    result = check(value, (X, np.array([2.0])), grad=lambda x, y: (2 * x, np.ones(1)))
    assert findings(result) == ["input-modified"]
    assert summary(result) == [("x", (3,), "pass"), ("y", (1,), "skip")]


def test_an_exception_of_the_function_passes_through():
    class Mine(Exception):
        pass

    def broken(x):
        raise Mine("as it is")

    for options in ({}, {"grad": lambda x: x}, {"value_and_grad": True}):
        with pytest.raises(Mine, match="as it is"):
            check(broken, X, **options)
    with pytest.raises(Mine):
        check(squares, X, grad=broken)


def test_a_wrong_call_passes_through():
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        check(lambda x: x, {"y": 1.0})


def test_an_operator_that_raises_is_described():
    with pytest.raises(OperatorError, match="forward of refusing raised ValueError: x is out of fashion"):
        check(refusing, X)


def test_a_step_out_of_the_domain_is_no_exception():
    def cubed_root(x):
        return math.sqrt(x) ** 3

    def gradient(x):
        return 1.5 * math.sqrt(x)

    result = check(cubed_root, 0.0, grad=gradient)
    assert result.verdict == "inconclusive"
    (finding,) = result.parameters[0].findings
    assert finding.name == "left-domain"
    assert "ValueError" in finding.message
    assert check(cubed_root, 1e-6, grad=gradient).verdict == "pass"
    assert check(cubed_root, 1e-6, grad=lambda x: -gradient(x)).verdict == "fail"
    assert check(cubed_root, 0.0, grad=lambda x: 1.0).verdict != "pass"


def test_a_check_is_not_made_where_nothing_is_recorded():
    with no_grad():
        with pytest.raises(ValueError, match="outside of no_grad"):
            check(lambda x: x * x, X)
        assert check(squares, X, grad=lambda x: 2 * x).verdict == "pass"


def test_a_function_may_switch_recording_off_for_a_part():
    def loss(x):
        with no_grad():
            scale = F.max(x)
        return F.sum(x * scale.item())

    assert check(lambda x: F.sum(x * 2.0), X).verdict == "pass"
    assert check(loss, X).verdict == "fail"


def test_a_check_leaves_arrays_and_global_generators_as_they_were():
    arrays = {"x": X.copy(), "t": X.copy()}
    np.random.seed(4)
    random.seed(4)
    expected = np.random.random_sample(), random.random()
    np.random.seed(4)
    random.seed(4)
    check(lambda x, t: F.mean(F.dropout(x, p=0.5, seed=1) * t), {"x": arrays["x"]}, inputs={"t": arrays["t"]})
    assert (np.random.random_sample(), random.random()) == expected
    for array in arrays.values():
        np.testing.assert_array_equal(array, X)
        assert array.flags.writeable


def test_a_check_gives_the_same_record_every_time():
    def record():
        return dataclasses.replace(check(lambda x: F.softmax(x) * wrong_tanh(x), X), seconds=0.0)

    assert record() == record()


def test_a_check_inside_a_checked_function_is_a_check_of_its_own():
    def loss(x):
        assert check(lambda y: F.sum(y * y), X).verdict == "pass"
        return F.sum(x * x)

    assert check(loss, X).verdict == "pass"


def test_the_public_names_are_there():
    assert gradcheck_cli.check is check
    assert {"check", "assert_gradients", "Variable", "op", "no_grad"} <= set(gradcheck_cli.__all__)
