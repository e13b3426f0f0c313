"""Arrays from files: plain numbers within limits, and no file of the spec's can do more."""

import io
import pickle
import struct
import zipfile

import numpy as np
import pytest

from gradcheck_cli.spec.arrays.files import ArrayFiles
from gradcheck_cli.spec.folders import Folders, Unusable


@pytest.fixture
def files(tmp_path):
    return ArrayFiles(Folders(tmp_path))


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.arange(6.0).reshape(2, 3), "float64"),
        (np.arange(6.0).reshape(2, 3).T, "float64"),
        (np.float32([1, 2]), "float64"),
        (np.float64(3.5), "float64"),
        (np.int32([1, -2]), "int64"),
        (np.uint8([255]), "int64"),
        (np.array([True, False]), "bool"),
        (np.zeros((0, 3)), "float64"),
        (np.array([1, 2], dtype=">f8"), "float64"),
        (np.array([np.nan, np.inf]), "float64"),
    ],
)
def test_array_is_read_as_it_was_saved(files, tmp_path, array, dtype):
    np.save(tmp_path / "a.npy", array)
    read = files.read("a.npy")
    assert read.dtype == dtype
    assert read.shape == array.shape
    np.testing.assert_array_equal(read, array)
    assert not read.flags.writeable


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archive_is_read_by_name_or_whole(files, tmp_path, save):
    save(tmp_path / "one.npz", W=np.ones(3))
    save(tmp_path / "two.npz", W=np.ones(3), b=np.zeros(2))
    np.testing.assert_array_equal(files.read("one.npz"), np.ones(3))
    np.testing.assert_array_equal(files.read("one.npz:W"), np.ones(3))
    np.testing.assert_array_equal(files.read("two.npz:b"), np.zeros(2))
    assert files.read("two.npz:b") is files.read("two.npz:b")


def refusal(files, text):
    with pytest.raises(Unusable) as caught:
        files.read(text)
    return str(caught.value), caught.value.hint


def test_archive_with_several_arrays_needs_a_name(files, tmp_path):
    np.savez(tmp_path / "two.npz", weight=np.ones(3), bias=np.zeros(2))
    assert refusal(files, "two.npz") == ("'two.npz' holds 2 arrays", "name one, as in two.npz:weight")
    assert refusal(files, "two.npz:wight") == ("'two.npz' holds no array 'wight'", "did you mean 'weight'?")
    assert refusal(files, "two.npz:q") == ("'two.npz' holds no array 'q'", "there are: weight, bias")
    np.savez(tmp_path / "empty.npz")
    assert refusal(files, "empty.npz") == ("'empty.npz' holds 0 arrays", "")


class Tripwire:
    """Says when it is unpickled."""

    unpickled = False

    def __reduce__(self):
        return (setattr, (Tripwire, "unpickled", True))


def test_pickled_objects_are_never_read(files, tmp_path):
    np.save(tmp_path / "o.npy", np.array([Tripwire()], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "o.npz", a=np.array([Tripwire()], dtype=object))
    (tmp_path / "p.npy").write_bytes(pickle.dumps(Tripwire()))
    for name in ("o.npy", "o.npz"):
        with pytest.raises(Unusable, match="holds Python objects, not real numbers"):
            files.read(name)
    with pytest.raises(Unusable, match="can't be read: the file is broken"):
        files.read("p.npy")
    assert not Tripwire.unpickled


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array([1j]), "complex numbers"),
        (np.array(["a"]), "texts"),
        (np.array([b"a"]), "texts"),
        (np.zeros(2, dtype=[("a", "f8")]), "not real numbers"),
        (np.array(["2024-01-01"], dtype="M8[D]"), "not real numbers"),
        (np.array([2**63], dtype=np.uint64), "beyond the range of int64"),
    ],
)
def test_other_things_than_real_numbers_are_refused(files, tmp_path, array, words):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(Unusable, match=words):
        files.read("a.npy")


def header(shape, dtype="<f8", order=False, version=(1, 0)):
    text = f"{{'descr': {dtype!r}, 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    length = struct.pack("<H", len(text)) if version == (1, 0) else struct.pack("<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (header("(10000001,)"), "holds 10,000,001 elements: at most 10,000,000 are read"),
        (header("(100000, 100000, 100000)"), "elements: at most 10,000,000 are read"),
        (header("(-1, 5)") + b"\0" * 80, "has a shape that no array can have"),
        (header(str((1,) * 40)) + b"\0" * 8, "has a shape that no array can have"),
        (header("(5,)") + b"\0" * 39, "the file is broken"),
        (header("('a',)"), "the file is broken"),
        (header("(2,)", dtype="nonsense") + b"\0" * 16, "the file is broken"),
        (header("__import__('os').system('true')"), "the file is broken"),
        (b"\x93NUMPY\x03\x00" + b"\0" * 20, "holds something else than plain numbers"),
        (b"", "the file is broken"),
        (b"not numpy at all", "the file is broken"),
    ],
)
def test_broken_and_too_large_files_are_refused_by_their_header(files, tmp_path, data, words):
    (tmp_path / "a.npy").write_bytes(data)
    with pytest.raises(Unusable, match=words):
        files.read("a.npy")


def test_second_version_of_the_format_is_read(files, tmp_path):
    (tmp_path / "a.npy").write_bytes(header("(2,)", version=(2, 0)) + np.array([1.0, 2.0]).tobytes())
    np.testing.assert_array_equal(files.read("a.npy"), [1, 2])


def test_archive_that_unpacks_to_more_than_it_may_is_refused(files, tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", header("(20000000,)") + bytes(10_000_000))
    with pytest.raises(Unusable, match="holds 20,000,000 elements"):
        files.read("bomb.npz")


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_damaged_archive_is_refused(files, tmp_path, damage):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, a=np.arange(1000.0))
    data = bytearray(buffer.getvalue())
    if damage == "flip":
        data[200] ^= 0xFF
    (tmp_path / "a.npz").write_bytes({"cut": data[:-50], "flip": data, "empty": b""}[damage])
    with pytest.raises(Unusable, match="the file is broken"):
        files.read("a.npz")


def test_missing_file_names_one_that_is_nearly_it(files, tmp_path):
    np.save(tmp_path / "weights.npy", np.ones(2))
    assert refusal(files, "weight.npy") == ("no file 'weight.npy'", "did you mean 'weights.npy'?")
    assert refusal(files, "zzzz.npz") == ("no file 'zzzz.npz'", "")


@pytest.mark.parametrize("name", ["a.txt", "a", "a.npy.gz", "x.npy:a"])
def test_other_files_are_refused_by_their_name(files, name):
    with pytest.raises(Unusable, match=r"is no .npy or .npz file"):
        files.read(name)


def test_path_out_of_reach_is_refused(files, tmp_path):
    with pytest.raises(Unusable, match="outside the spec's folder"):
        files.read("../../a.npy")
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(Unusable, match=r"no file 'folder.npy'"):
        files.read("folder.npy")
