"""What NumPy's functions mean on Variables."""

from operator import attrgetter

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli.core.numpy_names import CONSTANT_FUNCTIONS, OTHER_MEANINGS, check_ufunc_call, numpy_operator


def test_other_names_of_numpy_mean_the_same_operator():
    assert numpy_operator("absolute") is F.abs.operator
    assert numpy_operator("amax") is numpy_operator("max") is F.max.operator
    assert numpy_operator("true_divide") is F.divide.operator
    assert numpy_operator("remainder") is F.mod.operator


def test_a_function_without_an_operator_is_a_type_error():
    with pytest.raises(TypeError, match=r"np\.fft2 has no operator here"):
        numpy_operator("fft2")


def test_constant_functions_exist_and_are_no_operators():
    for name in CONSTANT_FUNCTIONS:
        assert callable(getattr(np, name)), name
        assert name not in F.__all__, f"{name} has an operator, whose gradient would be lost"


def test_what_means_something_else_exists_in_numpy():
    for name in OTHER_MEANINGS:
        assert callable(attrgetter(name.removeprefix("np."))(np)), name
        assert name.rpartition(".")[2] in F.__all__


def test_a_plain_call_of_a_ufunc_is_fine():
    assert check_ufunc_call("add", "__call__", {}) is None
    with pytest.raises(TypeError, match=r"np\.add\.accumulate"):
        check_ufunc_call("add", "accumulate", {})
