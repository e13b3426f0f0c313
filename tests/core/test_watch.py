"""Reads of a Variable's array are heard; reads by the core itself aren't."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli.core.watch import watching


def heard(use):
    """The arrays heard of while `use` has a Variable, which is given back, too."""
    x, seen = Variable(np.array([2.0])), []
    with watching(seen.append):
        use(x)
    return seen, x.data


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x.data,
        lambda x: x.item(),
        float,
        int,
        bool,
        lambda x: x > 1,
        lambda x: x >= 1,
        lambda x: x == 2,
        lambda x: np.greater(x, 1),
        repr,
        lambda x: f"{x:.2f}",
    ],
)
def test_a_read_is_heard(use):
    seen, data = heard(use)
    assert seen
    assert all(array is data for array in seen)


@pytest.mark.parametrize(
    "use",
    [
        lambda x: F.tanh(x * x + 1)[0],
        lambda x: (x.shape, x.ndim, x.size, x.dtype, len(x)),
        lambda x: x.detach() * x,
        list,
        lambda x: F.sum(x).backward(),
    ],
)
def test_what_the_core_reads_itself_is_not_heard(use):
    assert heard(use)[0] == []


def test_an_array_that_is_replaced_is_heard_and_nothing_after_the_block():
    x, seen = Variable(np.array([2.0])), []
    before = x.data
    with watching(seen.append):
        x.data = np.array([3.0])
    assert [array is before for array in seen] == [True]
    assert x.data.tolist() == [3.0]
    assert len(seen) == 1
