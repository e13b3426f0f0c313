"""Shards: a run that is divided among several machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


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
    if not (slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ValueError(f"'{text}' should be i/n, part i of n: 1/3, 2/3 and 3/3 are the whole")
    return Shard(int(number), int(count))
