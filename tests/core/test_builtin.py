"""Looking built-in operators up by name."""

import pytest

import gradcheck_cli.ops as F
from gradcheck_cli.core.builtin import builtin


def test_a_built_in_operator_is_its_record():
    assert builtin["tanh"] is F.tanh.operator
    assert builtin["tanh"] is builtin["tanh"]


@pytest.mark.parametrize("name", ["no_such", "activations", "__name__", "__all__", "np"])
def test_what_is_no_operator_is_an_attribute_error(name):
    with pytest.raises(AttributeError):
        builtin[name]
    assert name not in builtin
