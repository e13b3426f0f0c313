"""The contract of an operator: what it writes to, whether it repeats, whether it stays finite."""

import itertools

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, check, keep, op
from gradcheck_cli.core.execution import using
from gradcheck_cli.errors import ContractViolation, OperatorError
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.verdict import contract
from gradcheck_cli.verdict.contract import CheckedExecution
from gradcheck_cli.verdict.linearity import find_defect
from gradcheck_cli.verdict.results import agree

X = np.array([0.5, -1.0, 2.0])


def violation(function, *arrays):
    """Run forward and backward under the contract, and return what it was broken by."""

    def run():
        out = function(*map(Variable, arrays))
        out.backward(np.ones(out.shape))

    with using(checked()), pytest.raises(ContractViolation) as caught:
        run()
    return caught.value


def checked(**knobs):
    """An execution that holds operators to their contract."""
    return CheckedExecution(np.random.default_rng(0), Knobs(**knobs))


def double(x):
    """2 * x."""
    return 2 * x


def square_forward(x):
    """x * x."""
    return x * x


def test_a_right_operator_keeps_the_contract():
    x = Variable(X)
    with using(checked()):
        F.sum(F.tanh(x) * x).backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad, np.tanh(X) + X * (1 - np.tanh(X) ** 2))


def test_every_forward_runs_twice_under_the_contract_and_once_otherwise(operator):
    calls = []

    def counted(x):
        """2 * x."""
        calls.append(x)
        return 2 * x

    marked = operator(counted, lambda g: 2 * g)
    with using(checked()):
        marked(Variable(X))
    assert len(calls) == 2
    marked(Variable(X))
    assert len(calls) == 3


def test_steps_cost_one_forward_each(operator):
    calls = []

    def counted(x):
        """2 * x."""
        calls.append(x)
        return 2 * x

    result = check(operator(counted, lambda g: 2 * g), np.arange(1.0, 41.0))
    assert result.evaluations > 80
    assert len(calls) <= result.evaluations + 5


@pytest.mark.parametrize("where", ["forward", "backward"])
def test_a_write_to_an_input_is_named(operator, where):
    def forward(x):
        """2 * x."""
        if where == "forward":
            x *= 2
            return x
        return 2 * x

    def backward(g, x):
        if where == "backward":
            x += 1
        return 2 * g

    found = violation(operator(forward, backward), X)
    assert found.finding == "input-modified"
    assert found.message.startswith(f"its {where} writes to x")
    assert found.location is not None
    assert found.location.line == (forward if where == "forward" else backward).__code__.co_firstlineno


def test_a_write_that_gets_round_the_read_only_flag_is_named(operator):
    """Compiled code doesn't ask; here the owner of the memory is written to."""
    memory = X.copy()

    def forward(x):
        """x * x."""
        memory[0] += 1
        return x * x

    found = violation(operator(forward, lambda g, x: 2 * g * x), memory)
    assert found.finding == "input-modified"
    assert "its forward writes to x" in found.message


@pytest.mark.parametrize("asked", ["g", "x", "out", "kept"])
def test_a_backward_that_writes_to_what_it_was_given_is_named(operator, asked):
    def forward(x):
        """2 * x."""
        return keep(2 * x, kept=np.ones(3))

    def backward(g, x, out, kept):
        {"g": g, "x": x, "out": out, "kept": kept}[asked][...] = 0
        return 2 * g

    found = violation(operator(forward, backward), X)
    assert found.finding == "input-modified"
    assert f"its backward writes to {asked}" in found.message


def test_a_backward_that_writes_to_one_of_any_number_of_arrays_is_named():
    memory = X.copy()

    @op
    def total(*xs):
        """The sum of the arrays xs."""
        return sum(xs)

    @total.backward
    def _(g, xs):
        memory[0] += 1
        return [g for _ in xs]

    found = violation(total, X, memory)
    assert (found.finding, found.message) == ("input-modified", "its backward writes to xs[1]")


def test_a_write_of_a_backward_that_gets_round_the_flag_is_named(operator):
    memory = np.ones(3)

    def forward(x):
        """2 * x."""
        return keep(2 * x, kept=memory)

    def backward(g, kept):
        memory[0] += 1
        return 2 * g

    found = violation(operator(forward, backward), X)
    assert found.finding == "input-modified"
    assert "its backward writes to kept" in found.message


def test_code_that_needs_writable_arrays_and_changes_nothing_is_right(operator):
    def forward(x):
        """2 * x."""
        x[...] = x
        return 2 * x

    assert check(operator(forward, lambda g: 2 * g), X).verdict == "pass"


def test_a_forward_that_counts_its_calls_is_not_repeatable(operator):
    counter = itertools.count()

    def forward(x):
        """x plus the number of calls so far."""
        return x + next(counter)

    found = violation(operator(forward, lambda g: g), X)
    assert found.finding == "not-repeatable"
    assert "differ by up to 1" in found.message
    assert found.location is not None
    assert found.location.line == forward.__code__.co_firstlineno


def test_a_forward_with_a_generator_of_its_own_is_not_repeatable(operator):
    rng = np.random.default_rng(0)

    def forward(x):
        """x times random numbers."""
        return x * rng.random(x.shape)

    assert violation(operator(forward, lambda g: g), X).finding == "not-repeatable"


def test_a_forward_whose_shape_changes_from_call_to_call_is_not_repeatable(operator):
    counter = itertools.count(1)

    def forward(x):
        """Some of x."""
        return x[: next(counter)]

    found = violation(operator(forward, lambda g: g), X)
    assert found.finding == "not-repeatable"
    assert "in shape: (1,) and (2,)" in found.message


def test_a_forward_seeded_by_an_attribute_is_repeatable():
    assert check(lambda x: F.dropout(x, p=0.5, seed=3), np.linspace(1, 2, 12)).verdict == "pass"


def test_a_case_that_is_not_repeatable_is_named_before_any_number():
    counter = itertools.count()
    result = check(lambda x: F.sum(x) + next(counter), X)
    assert result.verdict == "fail"
    assert [finding.name for finding in result.findings] == ["not-repeatable"]
    assert [(p.verdict, p.checked, p.max_rel_err) for p in result.parameters] == [("skip", 0, None)]


def test_state_that_shows_only_after_many_calls_is_named_at_the_end():
    counter = itertools.count()
    result = check(lambda x: F.sum(x * x) * (1 if x.data.any() and next(counter) < 6 else 1.5), X)
    assert result.verdict == "fail"
    assert [finding.name for finding in result.findings] == ["not-repeatable"]


def test_a_backward_that_makes_nan_of_finite_values_is_named_with_their_range(operator):
    def backward(g, x):
        with np.errstate(invalid="ignore"):
            return g * np.sqrt(x)

    found = violation(operator(square_forward, backward), X)
    assert found.finding == "non-finite"
    assert "the gradient of x is nan in 1 of 3 elements" in found.message
    assert "range from -1 to 2" in found.hint
    assert found.location is not None
    assert found.location.line == backward.__code__.co_firstlineno


def test_a_backward_that_makes_infinities_is_named(operator):
    def backward(g, x):
        with np.errstate(divide="ignore"):
            return g / (x - 2)

    assert "infinite in 1 of 3 elements" in violation(operator(double, backward), X).message


def test_a_backward_is_not_blamed_for_a_cotangent_that_is_not_finite():
    x = Variable(X)
    with using(checked()):
        F.tanh(x).backward(np.array([np.inf, 0.0, 1.0]))
    assert x.grad is not None
    assert not np.isfinite(x.grad).all()


def test_the_first_operator_whose_value_went_bad_is_named_with_the_range_of_its_inputs():
    result = check(lambda x: F.mean(F.exp(F.log(x) * 2)), X)
    (finding,) = result.findings
    assert finding.name == "non-finite"
    assert "nan in 1 of 1 elements" in finding.message
    assert "first at log" in finding.message
    assert "elementwise.py" in finding.message
    assert "from -1 to 2" in finding.message
    assert result.verdict == "fail"


def test_of_two_operators_that_went_bad_the_first_is_named():
    result = check(lambda x: F.sum(F.log(x)) + F.sum(F.exp(800 + x)), X)
    assert "first at log" in result.findings[0].message
    result = check(lambda x: F.sum(F.exp(800 + x)) + F.sum(F.log(x)), X)
    assert "first at exp" in result.findings[0].message


def test_overflow_is_non_finite_and_its_stable_twin_passes():
    unstable = check(lambda x: F.log(F.exp(x) + 1), np.array([800.0]))
    assert [finding.name for finding in unstable.findings] == ["non-finite"]
    assert check(F.softplus, np.array([800.0])).verdict == "pass"


def test_a_second_rule_of_an_operator_is_held_to_the_contract_too():
    @op
    def product(x, y):
        """x * y."""
        return x * y

    @product.backward("x")
    def _(g, y):
        return g * y

    @product.backward("y")
    def _(g, x):
        g *= x
        return g

    assert "its backward writes to g" in violation(product, X, X + 1).message


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ([1.0, 2.0], [1.0, 2.0], True),
        ([1.0, 2.0], [1.0, 2.0 + 1e-15], True),
        ([1.0, 2.0], [1.0, 2.0 + 1e-11], False),
        ([1e-30], [1e-30 + 1e-40], False),
        ([0.0], [1e-300], False),
        ([np.nan, np.inf], [np.nan, np.inf], True),
        ([np.nan, 1.0], [1.0, np.nan], False),
        ([1.0], [[1.0]], False),
        ([1], [1], True),
        ([1], [2], False),
        ([True], [False], False),
        ([1], [1.0], False),
    ],
)
def test_results_of_identical_calls_agree_up_to_rounding(first, second, same):
    assert agree(np.array(first), np.array(second)) is same


def test_rounding_is_that_of_the_type():
    one = np.array([1.0], dtype=np.float32)
    assert agree(one, one * np.float32(1 + 1e-5))
    assert not agree(one, one * np.float32(1 + 1e-3))


def test_results_of_a_sum_in_another_order_still_agree():
    rng = np.random.default_rng(4)
    terms = rng.standard_normal(1000)
    assert agree(np.array(terms.sum()), np.array(sum(terms)))


def test_a_backward_that_is_not_linear_is_named_where_it_is_defined(operator):
    def backward(g, x):
        return 2 * np.abs(g) * x

    found = violation(operator(square_forward, backward), X)
    assert found.finding == "not-linear-in-g"
    assert found.message.startswith("in its backward for x, the gradient for -g is not minus that for g")
    assert found.location is not None
    assert found.location.line == backward.__code__.co_firstlineno


def test_of_two_rules_the_one_that_is_not_linear_is_named():
    @op
    def product(x, y):
        """x * y."""
        return x * y

    @product.backward("x")
    def _(g, y):
        return g * y

    @product.backward("y")
    def rule_of_y(g, x):
        return np.abs(g) * x

    found = violation(product, X, X + 1)
    assert found.message.startswith("in its backward for y")
    assert found.location is not None
    assert found.location.line == rule_of_y.__code__.co_firstlineno + 1  # below its decorator


def test_every_application_of_an_operator_is_examined(operator):
    def calls(function):
        """How often the backward of a square runs under the contract."""
        shapes = []

        def backward(g, x):
            shapes.append(g.shape)
            return 2 * g * x

        with using(checked()):
            function(operator(square_forward, backward), Variable(X)).backward()
        return len(shapes)

    once = calls(lambda square, x: F.sum(square(x)))
    assert 8 <= once <= 12
    assert calls(lambda square, x: F.sum(square(x) + square(x))) == 2 * once
    assert calls(lambda square, x: F.sum(square(x)) + F.sum(square(x[:2]))) == 2 * once


def test_an_inexact_backward_keeps_the_contract_with_the_accuracy_that_is_stated(operator):
    marked = operator(square_forward, lambda g, x: 2 * x * g + 1e-9 * np.abs(g))
    with using(checked(accuracy=1e-5)):
        marked(Variable(X)).backward(np.ones(3))
    assert violation(marked, X).finding == "not-linear-in-g"


def test_a_gradient_of_rounding_is_not_blamed(operator):
    """The bias before a normalisation: exactly zero, computed as the sum of what cancels."""
    x = np.random.default_rng(2).standard_normal((6, 3))
    marked = operator(normalised, normalised_gradient)
    with using(checked()):
        marked(Variable(x), Variable(np.array([0.1, 0.2, 0.3]))).backward(x)


def normalised(x, b):
    """x + b, normalised over its first axis."""
    y = x + b
    return (y - y.mean(axis=0)) / np.sqrt(y.var(axis=0) + 1e-5)


def normalised_gradient(g, x, b, out):
    scale = 1 / np.sqrt((x + b).var(axis=0) + 1e-5)
    gx = scale * (g - g.mean(axis=0) - out * (g * out).mean(axis=0))
    return gx, gx.sum(axis=0)


@pytest.mark.parametrize("size", [1e2, 1e3, 1e4])
def test_a_gradient_of_rounding_is_not_blamed_for_a_large_bias(size, operator):
    x = np.random.default_rng(2).standard_normal((6, 3))
    result = check(operator(normalised, normalised_gradient), {"x": x, "b": np.full(3, size)})
    assert result.verdict != "fail", result.findings


def test_a_gradient_of_rounding_is_not_blamed_for_another_application(operator):
    rng = np.random.default_rng(0)
    marked = operator(normalised, normalised_gradient)
    values = {"x": rng.standard_normal((6, 3)), "y": rng.standard_normal((7, 3)), "b": np.full(3, 1e-3)}
    assert check(lambda x, y, b: marked(x, b), values).verdict != "fail"

    def both(x, y, b):
        return marked(x, b), marked(y, np.full(3, 1e3))

    assert check(both, values).verdict != "fail"


def test_two_operators_of_one_name_are_both_examined(operator):
    def tanh(x):
        """tanh(x)."""
        return np.tanh(x)

    own = operator(tanh, lambda g, out: np.abs(g) * (1 - out * out))
    for function in (lambda x: (F.tanh(x), own(x)), lambda x: (own(x), F.tanh(x))):
        assert [finding.name for finding in check(function, X).findings] == ["not-linear-in-g"]


def test_a_built_in_backward_is_examined_once_for_each_layout_and_a_person_s_every_time(monkeypatch):
    calls = []

    def counted(*args, **kwargs):
        calls.append(args)
        return find_defect(*args, **kwargs)

    monkeypatch.setattr(contract, "find_defect", counted)
    monkeypatch.setattr(contract, "_looked_at", set())

    @op
    def twice(x):
        """Twice x."""
        return 2 * x

    @twice.backward
    def _(g):
        return 2 * g

    def examined(call, shape):
        calls.clear()
        with using(checked()):
            variable = Variable(np.ones(shape))
            call(variable).backward(np.ones(shape))
        return len(calls)

    assert [examined(F.tanh, shape) for shape in (3, 3, 4, 4)] == [1, 0, 1, 0]
    assert [examined(twice, shape) for shape in (3, 3, 4)] == [1, 1, 1]


def test_an_output_that_nobody_uses_may_have_no_gradient_at_the_point():
    @op(outputs="value direction")
    def polar(x):
        """|x| and x / |x|, which has no gradient at 0."""
        return np.abs(x), np.sign(x)

    @polar.backward
    def _(g_value, g_direction, x):
        if np.any((x == 0) & (g_direction != 0)):
            raise ValueError("no direction at 0")
        return g_value * np.sign(x)

    x = np.array([0.0, 1.0])
    assert check(lambda x: polar(x)[0], x).verdict == "pass"
    with pytest.raises(OperatorError, match="no direction at 0"):
        check(lambda x: F.sum(polar(x)[1]), x)

    @op(outputs="value direction")
    def wrong(x):
        """The same, with a backward that is not linear."""
        return np.abs(x), np.sign(x)

    @wrong.backward
    def _(g_value, g_direction, x):
        if np.any((x == 0) & (g_direction != 0)):
            raise ValueError("no direction at 0")
        return np.abs(g_value) * np.sign(x)

    assert [finding.name for finding in check(lambda x: wrong(x)[0], x).findings] == ["not-linear-in-g"]
