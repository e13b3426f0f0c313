"""Outputs of any shape as one vector, without those that have no gradient."""

from __future__ import annotations

import numpy as np

from gradcheck_cli.numeric.point import Outputs

LIKE = (np.ones((2, 3)), np.arange(4), np.full(2, 7.0, np.float32), np.zeros(5))


def test_floating_outputs_are_joined_and_cut_again():
    outputs = Outputs(LIKE)
    assert outputs.counts == [True, False, True, True]
    vector = outputs.flat(LIKE)
    assert vector.tolist() == [1.0] * 6 + [7.0] * 2 + [0.0] * 5
    parts = outputs.split(np.arange(13.0))
    assert [part.shape for part in parts] == [(2, 3), (4,), (2,), (5,)]
    assert parts[2].dtype == np.float32
    assert not parts[1].any()
    assert parts[3].tolist() == [8, 9, 10, 11, 12]


def test_output_that_is_declared_to_have_no_gradient_is_left_out():
    outputs = Outputs(LIKE, without_gradient=[2])
    assert outputs.counts == [True, False, False, True]
    assert outputs.flat(LIKE).size == 11
    parts = outputs.split(np.ones(11))
    assert (parts[2].tolist(), parts[2].dtype) == ([0, 0], np.float32)
    assert parts[3].all()


def test_epsilon_is_that_of_the_type_or_of_what_is_coarser_on_the_way():
    double, single = (np.finfo(dtype).eps for dtype in (np.float64, np.float32))
    assert Outputs(LIKE).epsilon.tolist() == [double] * 6 + [single] * 2 + [double] * 5
    assert set(Outputs(LIKE, 1e-3).epsilon) == {1e-3}


def test_the_vector_at_the_point_is_made_once_and_is_no_view_of_an_output():
    out = np.array([1.0, 2.0])
    for like in ((out,), (out, np.array([3]), np.array(4.0))):
        outputs = Outputs(like)
        assert outputs.base.tolist() == outputs.flat(like).tolist()
        assert outputs.base is outputs.base
        assert not np.shares_memory(outputs.base, out)
