"""Shards: a run that is divided among several machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from gradcheck_cli.light_dataclass import dataclass

Item = TypeVar("Item")


_LONGEST = 20


@dataclass(frozen=True)
class Shard:
    """Part `number` of `count`, counted from 1."""

    number: int
    count: int

    def of(self, items: Sequence[Item]) -> list[Item]:
        """Return this part of `items`: neighbours, as many as in every other part or one more."""
        start, end = (len(items) * part // self.count for part in (self.number - 1, self.number))
        return list(items[start:end])


def read_shard(text: str) -> Shard:
    """Read `1/3`. Raises ValueError saying what it should be."""
    number, slash, count = text.partition("/")
    # Python reads no number of some thousand digits.
    short = len(text) <= _LONGEST
    if not (slash and short and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ValueError(f"'{text}' should be i/n, part i of n: 1/3, 2/3 and 3/3 are the whole")
    return Shard(int(number), int(count))
