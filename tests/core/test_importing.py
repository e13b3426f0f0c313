"""A folder is importable for a while, and leaves no trace."""

import sys
import types

import pytest

from gradcheck_cli.core.importing import importable


@pytest.fixture
def state():
    """Whatever a test does to paths and modules is undone."""
    path, modules = list(sys.path), dict(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]
    sys.modules.update(modules)


def test_modules_of_the_folder_are_found_and_forgotten(tmp_path, write, state):
    write("helper_a.py", "VALUE = 1")
    write("package_a/__init__.py", "from .part import VALUE")
    write("package_a/part.py", "VALUE = 2")
    write("space_a/inner.py", "VALUE = 3")
    before, path = set(sys.modules), list(sys.path)
    with importable(tmp_path):
        import helper_a
        import package_a
        import space_a.inner

        assert (helper_a.VALUE, package_a.VALUE, space_a.inner.VALUE) == (1, 2, 3)
        sys.path.append("somewhere")
    assert set(sys.modules) == before
    assert sys.path == path


def test_nothing_is_left_after_an_exception_either(tmp_path, write, state):
    write("helper_b.py", "raise RuntimeError('no')")
    before, path, flag = set(sys.modules), list(sys.path), sys.dont_write_bytecode
    with pytest.raises(RuntimeError), importable(tmp_path):
        import helper_b  # noqa: F401
    assert (set(sys.modules), sys.path, sys.dont_write_bytecode) == (before, path, flag)


def test_no_bytecode_is_left_in_the_folder(tmp_path, write, state, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    write("helper_c.py", "VALUE = 1")
    with importable(tmp_path):
        import helper_c  # noqa: F401
    assert [entry.name for entry in tmp_path.iterdir()] == ["helper_c.py"]


def test_a_module_of_the_programs_own_with_the_same_name_steps_aside(tmp_path, write, state):
    other, part = types.ModuleType("namesake"), types.ModuleType("namesake.part")
    other.__file__ = "/somewhere/else/namesake.py"
    sys.modules["namesake"], sys.modules["namesake.part"] = other, part
    write("namesake.py", "VALUE = 1")
    with importable(tmp_path):
        import namesake

        assert namesake.VALUE == 1
        assert "namesake.part" not in sys.modules
    assert sys.modules["namesake"] is other
    assert sys.modules["namesake.part"] is part


def test_a_file_named_like_a_library_does_not_replace_it(tmp_path, write, state):
    import json

    import numpy

    write("numpy.py", "VALUE = 1")
    write("json.py", "VALUE = 1")
    with importable(tmp_path):
        import json as json_again

        import numpy as numpy_again

        assert numpy_again is numpy
        assert json_again is json


def test_modules_that_were_there_before_stay(tmp_path, write, state):
    package = types.ModuleType("known_package")
    package.__path__ = [str(tmp_path / "known_package")]
    package.__file__ = str(tmp_path / "known_package" / "__init__.py")
    sys.modules["known_package"] = package
    write("known_package/late.py", "VALUE = 1")
    with importable(tmp_path):
        import known_package.late  # noqa: F401
    assert sys.modules["known_package"] is package
    assert "known_package.late" in sys.modules


def test_a_library_imported_for_the_first_time_stays(tmp_path, write, state):
    library = tmp_path / "venv" / "lib" / "site-packages"
    write("venv/lib/site-packages/library_d.py", "VALUE = 1")
    sys.path.append(str(library))
    with importable(tmp_path):
        import library_d  # noqa: F401
    assert "library_d" in sys.modules


def test_what_is_printed_goes_to_standard_error(tmp_path, capsys, state):
    with importable(tmp_path):
        print("loading")  # noqa: T201
    assert capsys.readouterr() == ("", "loading\n")
