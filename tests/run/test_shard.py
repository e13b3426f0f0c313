"""Shards: together they are the whole, once each, and of nearly equal size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli.run.shard import Shard, read_shard


@given(st.integers(0, 60), st.integers(1, 20))
def test_shards_together_are_the_whole_in_order(items, count):
    parts = [Shard(number, count).of(range(items)) for number in range(1, count + 1)]
    assert [item for part in parts for item in part] == list(range(items))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_a_shard_is_read():
    assert read_shard("2/3") == Shard(2, 3)


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "-1/3", "a/b", "1/3/5", "1.0/3", " 1/3"])
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(ValueError, match=r"should be i/n, part i of n"):
        read_shard(text)
