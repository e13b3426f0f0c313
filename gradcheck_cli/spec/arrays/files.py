"""Read arrays from .npy and .npz files: plain numbers only, never pickled objects, within limits."""

from __future__ import annotations

import math
import warnings
from dataclasses import field
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from gradcheck_cli.core.arrays import Array, read_only
from gradcheck_cli.errors import near
from gradcheck_cli.light_dataclass import dataclass
from gradcheck_cli.spec.folders import Folders, Unusable

MOST_ELEMENTS = 10**7
MOST_AXES = 32


@dataclass(eq=False)
class ArrayFiles:
    """Reads the arrays that a spec names, each once."""

    folders: Folders
    _read: dict[tuple[Path, str], Array] = field(default_factory=dict)

    def read(self, text: str) -> Array:
        """Return the array that `text` names: `a.npy`, `a.npz` with one array, or `a.npz:W`.

        The array is read-only, of booleans, integers or floats. Raises Unusable for a path out of
        reach, and for a file that is missing, broken, too large or of another kind.
        """
        name, member = text, ""
        if ".npz:" in text:
            name, _, member = text.rpartition(":")
        path = self.folders.locate(name)
        if path.suffix not in (".npy", ".npz"):
            raise Unusable(f"'{name}' is no .npy or .npz file")
        if not self.folders.is_file(path):
            raise Unusable(f"no file '{name}'", self.folders.near_file(name, (".npy", ".npz")))
        key = (path, member)
        if key not in self._read:
            self._read[key] = read_only(_guarded(path, member, name))
        return self._read[key]


def _guarded(path: Path, member: str, shown: str) -> Array:
    """Read an array; whatever a broken file makes NumPy or zipfile raise becomes an Unusable."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _read_npy_file(path) if path.suffix == ".npy" else _read_npz(path, member, shown)
    except _Refused as refused:
        raise Unusable(f"'{shown}' {refused}", refused.hint) from refused
    except Exception as error:
        raise Unusable(f"'{shown}' can't be read: the file is broken ({type(error).__name__})") from error


class _Refused(Unusable):
    """The file is sound, but not what a spec may use; the message continues the file's name."""


def _read_npy_file(path: Path) -> Array:
    with path.open("rb") as stream:
        return _read_npy(stream)


def _read_npz(path: Path, member: str, shown: str) -> Array:
    import zipfile  # here, since most specs name no files

    with zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
        if not member and len(names) != 1:
            example = f"{shown}:{names[0]}" if names else ""
            raise _Refused(f"holds {len(names)} arrays", f"name one, as in {example}" if names else "")
        member = member or names[0]
        if member not in names:
            hint = near(member, names) or f"there are: {', '.join(names)}"
            raise _Refused(f"holds no array '{member}'", hint)
        with archive.open(f"{member}.npy") as stream:
            return _read_npy(stream)


def _read_npy(stream: IO[bytes]) -> Array:
    """Read one array, looking at its header before allocating anything for it."""
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise _Refused("holds something else than plain numbers")
    header = npy.read_array_header_1_0(stream) if version == (1, 0) else npy.read_array_header_2_0(stream)
    shape, fortran_order, dtype = header
    if dtype.kind not in "biuf" or dtype.hasobject:
        raise _Refused(f"holds {_kind_in_words(dtype)}, not real numbers")
    if len(shape) > MOST_AXES or any(size < 0 for size in shape):
        raise _Refused("has a shape that no array can have")
    count = math.prod(shape)
    if count > MOST_ELEMENTS:
        raise _Refused(f"holds {count:,} elements: at most {MOST_ELEMENTS:,} are read")
    data = stream.read(count * dtype.itemsize)
    values = np.frombuffer(data, dtype=dtype, count=count)
    values = values.reshape(shape, order="F" if fortran_order else "C")
    wide = {"b": np.bool_, "f": np.float64}.get(dtype.kind, np.int64)
    if dtype.kind == "u" and values.size and int(values.max()) > np.iinfo(np.int64).max:
        raise _Refused("holds integers beyond the range of int64")
    return np.ascontiguousarray(values.astype(wide)).reshape(shape)


def _kind_in_words(dtype: np.dtype[np.generic]) -> str:
    return {"O": "Python objects", "c": "complex numbers", "U": "texts", "S": "texts"}.get(dtype.kind, str(dtype))
