"""The same numbers in another layout, and gradients that flow through."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli.core.variable import Variable
from gradcheck_cli.run.layouts import FORTRAN, PLAIN, STRIDED, in_layout, lay_out


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (0, 3), (1, 1)])
@pytest.mark.parametrize("layout", [PLAIN, FORTRAN, STRIDED])
def test_a_layout_changes_no_number(layout: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape)
    laid = in_layout(x, layout)
    assert laid.shape == x.shape
    assert np.array_equal(laid, x)


def test_the_memory_is_another() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert in_layout(x, PLAIN) is x
    assert in_layout(x, FORTRAN).strides == (8, 16)
    assert in_layout(x, FORTRAN).flags.f_contiguous
    strided = in_layout(x, STRIDED)
    assert strided.strides == (48, 16)
    assert not strided.flags.c_contiguous
    assert not strided.flags.f_contiguous


@pytest.mark.parametrize("layout", [FORTRAN, STRIDED])
def test_a_gradient_flows_back_through_a_layout(layout: str) -> None:
    x = Variable(np.arange(6.0).reshape(2, 3))
    laid = lay_out(x, layout)
    assert laid.data.strides != x.data.strides
    g = np.arange(6.0, 12.0).reshape(2, 3)
    laid.backward(g)
    assert np.array_equal(x.grad, g)


@pytest.mark.parametrize("layout", [PLAIN, FORTRAN, STRIDED])
def test_what_is_no_array_stays_as_it_is(layout: str) -> None:
    assert lay_out(None, layout) is None
    assert lay_out("a text", layout) == "a text"
    constant = lay_out(np.ones((2, 2)), layout)
    assert isinstance(constant, np.ndarray)
