"""The rules to compare with say what they are known to say."""

import numpy as np
import pytest

from tests.accuracy.rules import installed_rules, plain_rule, torch_rule, verdicts

X = np.array([0.3, -1.2, 0.8])


def sine_backward(factor):
    return lambda g, out, x: (factor * g * np.cos(x),)


@pytest.mark.parametrize("rule", [plain_rule, torch_rule])
def test_a_rule_passes_a_right_gradient_and_no_wrong_one(rule):
    assert rule(np.sin, sine_backward(1), (X,))
    assert not rule(np.sin, sine_backward(1.1), (X,))
    assert not rule(np.sin, sine_backward(-1), (X,))


def test_rules_differ_where_they_are_known_to():
    assert torch_rule(np.sin, sine_backward(1 + 1e-4), (X,))
    assert not plain_rule(np.sin, sine_backward(1 + 1e-4), (X,))
    # All ones hide a permutation, an absolute tolerance hides what is small.
    flipped = (lambda x: x[::-1] * 1.0, lambda g, out, x: (g.copy(),), (X,))
    assert plain_rule(*flipped)
    assert not torch_rule(*flipped)
    small = (lambda x: 1e-7 * np.sin(x), lambda g, out, x: (3e-7 * g * np.cos(x),), (X,))
    assert torch_rule(*small)
    assert not plain_rule(*small)


@pytest.mark.parametrize(
    "backward",
    [
        lambda g, out, x: (),
        lambda g, out, x: (np.zeros(2),),
        lambda g, out, x: (np.full(3, np.nan),),
        lambda g, out, x: (None,),
    ],
)
def test_what_a_rule_cannot_handle_does_not_pass(backward):
    assert set(verdicts(np.sin, backward, (X,), 0).values()) == {False}


def test_integer_arguments_are_not_moved():
    forward, backward = (lambda x, i: x[i]), (lambda g, out, x, i: (np.bincount(i, g, 3), None))
    assert plain_rule(forward, backward, (X, np.array([0, 2])))
    assert torch_rule(forward, backward, (X, np.array([0, 2])))


def test_rules_leave_the_arguments_alone():
    x = X.copy()

    def forward(x):
        x *= 2
        return x.copy()

    verdicts(forward, lambda g, out, x: (2 * g,), (x,), 0)
    assert np.array_equal(x, X)


@pytest.mark.torch
def test_torch_agrees_with_its_rule():
    pytest.importorskip("torch")
    rule = installed_rules()["torch itself"]
    for factor in (1, 1 + 1e-4, 1.1, -1):
        assert rule(np.sin, sine_backward(factor), (X,)) == torch_rule(np.sin, sine_backward(factor), (X,))
