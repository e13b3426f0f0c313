"""Backward rules are called by the names of their parameters, of every kind."""

import numpy as np

from gradcheck_cli import Variable, op
from gradcheck_cli.core.rule_call import adapted


def test_a_plain_function_is_itself():
    def rule(g, x):
        return g, x

    assert adapted(rule) is rule


def test_keyword_only_parameters_get_their_values_by_name():
    def rule(g, *, x, slope=0.5):
        return g, x, slope

    assert adapted(rule)(1, 2, 3) == (1, 2, 3)


def test_a_starred_parameter_gets_its_tuple_spread():
    def rule(g, *xs, axis):
        return g, xs, axis

    assert adapted(rule)(1, (2, 3), 4) == (1, (2, 3), 4)


def test_a_backward_with_such_parameters_runs():
    @op
    def total(*xs, scale=2.0):
        """scale times the sum of all."""
        return scale * sum(xs)

    @total.backward
    def _(g, *xs, scale):
        return [g * scale for _ in xs]

    x, y = Variable(np.ones(2)), Variable(np.ones(2))
    total(x, y, scale=3.0).backward(np.array([1.0, 2.0]))
    assert x.grad.tolist() == y.grad.tolist() == [3.0, 6.0]
