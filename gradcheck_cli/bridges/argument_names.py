"""What the name of an argument says of the array that it stands for."""

from __future__ import annotations

CHOOSING = frozenset({"label", "labels", "target", "targets", "index", "indices", "idx"})
"""Names of arrays whose whole numbers choose among the elements of others."""
