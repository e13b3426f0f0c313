"""Arrays that share memory, and their copies."""

import numpy as np
import pytest

from gradcheck_cli.bridges.objects.buffers import buffers_of, zeros_like


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [None, np.float32])
def test_copies_share_memory_as_the_arrays_do(order, dtype):
    whole = np.array(np.arange(24.0).reshape(4, 6), order=order)
    views = [whole, whole[1:3], whole.T, whole[::-2, 1::3], whole.reshape(-1, order=order)[5:9]]
    (buffer,), alone = buffers_of(views)
    assert not alone
    copies = buffer.copies(None if dtype is None else np.dtype(dtype))
    for view in views:
        copy = copies[id(view)]
        assert copy.dtype == (dtype or np.float64)
        np.testing.assert_array_equal(copy, view)
        assert not np.shares_memory(copy, view)
    copies[id(whole)][...] += 100
    for view in views:
        np.testing.assert_array_equal(copies[id(view)], view + 100)


def test_arrays_of_their_own_stand_alone():
    whole = np.arange(4.0)
    bits = whole.view(np.int64)
    part = np.arange(6.0).reshape(2, 3)
    shared, alone = buffers_of([part, whole, bits])
    assert not shared
    assert {id(array) for array in alone} == {id(array) for array in (part, whole, bits)}


@pytest.mark.parametrize("order", ["C", "F"])
def test_zeros_have_the_layout_of_the_array(order):
    array = np.ones((3, 4), np.float32, order=order)
    zeros = zeros_like(array)
    assert (zeros.shape, zeros.dtype, zeros.strides) == (array.shape, array.dtype, array.strides)
    assert not zeros.any()
