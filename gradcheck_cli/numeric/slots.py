"""Number values by identity: arrays that one call hands to another are the same object."""

from __future__ import annotations

from typing import Any


class Slots:
    """Values in the order in which they were met, each kept alive, so that its identity stays its own."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._known: dict[int, int] = {}

    def __contains__(self, value: object) -> bool:
        """Tell whether a value was met before."""
        return id(value) in self._known

    def slot(self, value: Any) -> int:
        """Return the number of a value, a new one for one that wasn't met before."""
        slot = self._known.get(id(value))
        if slot is None:
            slot = self._known[id(value)] = len(self.values)
            self.values.append(value)
        return slot
