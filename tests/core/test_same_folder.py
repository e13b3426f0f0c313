"""The current folder is put back, unless it isn't there any more."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradcheck_cli.core.same_folder import same_folder


def test_the_folder_is_put_back_also_after_an_error(folder: Path) -> None:
    (folder / "inner").mkdir()
    with pytest.raises(ZeroDivisionError), same_folder():
        os.chdir("inner")
        raise ZeroDivisionError
    assert Path.cwd() == folder


def test_a_folder_that_is_gone_is_no_fault(folder: Path) -> None:
    (folder / "inner").mkdir()
    os.chdir("inner")
    with same_folder():
        os.chdir(folder)
        (folder / "inner").rmdir()
    assert Path.cwd() == folder
    (folder / "inner").mkdir()
    os.chdir("inner")
    (folder / "inner").rmdir()
    with same_folder():
        os.chdir(folder)
    assert Path.cwd() == folder
