"""Names that an expression, and a new operator, can have."""

import pytest

from gradcheck_cli.cli.new_names import operator_path
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.spec.names import name_complaint

LETTERS = "letters, digits and _ make a name, and it doesn't begin with a digit"
GRAMMAR = "it is a word of Python's grammar"
WRONG = {"": LETTERS, "1x": LETTERS, "a b": LETTERS, "x-y": LETTERS, "lambda": GRAMMAR, "None": GRAMMAR}


@pytest.mark.parametrize("name", ["x", "W1", "_x", "\u03b8", "sum", "dtype", "gr\u00f6\u00dfe"])
def test_names_of_an_expression_are_allowed(name):
    assert name_complaint(name) == ""


@pytest.mark.parametrize(("name", "complaint"), WRONG.items())
def test_what_no_expression_can_hold_is_refused(name, complaint):
    assert name_complaint(name) == complaint


def test_a_name_that_python_spells_in_another_way_is_to_be_written_so():
    assert name_complaint("\ufb01t") == "write it 'fit'"
    assert name_complaint("fit") == ""


@pytest.mark.parametrize("name", ["1x", "a b", "lambda", "\ufb01t"])
def test_the_same_is_said_of_a_new_operator(name):
    with pytest.raises(GradcheckError) as caught:
        operator_path(name)
    assert caught.value.problems[0].message.endswith(f": {name_complaint(name)}")
