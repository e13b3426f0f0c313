"""Two operators of one name at one level."""

import pytest

from gradcheck_cli.core.levels import levels_of, same_name
from gradcheck_cli.core.operator import Input, Operator
from gradcheck_cli.errors import OperatorError


def named(name, file, line):
    return Operator(name, lambda x: x, (Input("x"),), file=file, line=line)


def test_groups_are_joined_by_name():
    relu, tanh, gelu = named("relu", "a.py", 1), named("tanh", "a.py", 5), named("gelu", "b.py", 1)
    assert levels_of([(relu, tanh), (gelu,), (relu,)]) == {"relu": relu, "tanh": tanh, "gelu": gelu}
    assert levels_of([]) == {}


def test_every_name_that_two_have_is_said_with_both_places():
    first = (named("relu", "a.py", 1), named("tanh", "a.py", 5))
    second = (named("relu", "b.py", 7), named("tanh", "b.py", 9))
    with pytest.raises(OperatorError) as error:
        levels_of([first, second])
    assert [str(problem.location) for problem in error.value.problems] == ["b.py:7", "b.py:9"]
    assert "two operators are named 'relu': here and at a.py:1" in str(error.value)


def test_the_later_one_is_where_the_problem_stands():
    problem = same_name(named("relu", "a.py", 1), named("relu", "b.py", 7))
    assert (str(problem.location), problem.code) == ("b.py:7", "same-name")
