"""The floating types that operators compute in, NumPy's and others: how they round, and where they end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradcheck_cli.core.arrays import Array


class Precision(NamedTuple):
    """A floating type: its machine epsilon, its smallest normal number and its largest."""

    name: str
    epsilon: float
    tiny: float
    largest: float

    def round(self, array: Array) -> Array:
        """Return the nearest numbers of this type as float64; overflow gives infinities."""
        with np.errstate(over="ignore"):
            if self.name != "bfloat16":
                return np.asarray(array, dtype=self.name).astype(np.float64)
            # The upper half of a float32, rounded to even; NumPy has no such type.
            bits = np.asarray(array, dtype=np.float32).view(np.uint32)
            upper = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
            return np.asarray(upper.view(np.float32), dtype=np.float64)


def _of_numpy(name: str) -> Precision:
    info = np.finfo(name)
    return Precision(name, float(info.eps), float(info.tiny), float(info.max))


_KNOWN = {
    **{name: _of_numpy(name) for name in ("float64", "float32", "float16")},
    "bfloat16": Precision("bfloat16", 2.0**-7, float(np.finfo(np.float32).tiny), (2 - 2.0**-7) * 2.0**127),
}


def precision_of(dtype: str) -> Precision:
    """Return the precision of a floating type by its name; an empty name means float64."""
    return _KNOWN[dtype or "float64"]
