"""A file of a package is imported as its member, so that relative imports work."""

import sys

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.errors import OperatorError


def test_a_file_of_a_package_may_import_relatively(write, operator_text):
    write("project/pack/__init__.py", "SCALE = 2\n")
    write("project/pack/helper.py", "from . import SCALE\n")
    write("project/pack/inner/__init__.py", "")
    path = write(
        "project/pack/inner/ops.py", "from ..helper import SCALE\n" + operator_text("double", body="x * SCALE")
    )
    loader = Loader()
    (double,) = loader.file(path)
    assert (double.name, double(3.0)) == ("double", 6.0)
    assert loader.namespace(path).__name__ == "pack.inner.ops"
    assert [name for name in sys.modules if name.partition(".")[0] == "pack"] == []


def test_a_package_that_doesn_t_import_is_said(write, operator_text):
    write("pack/__init__.py", "raise RuntimeError('broken package')\n")
    path = write("pack/ops.py", operator_text("double"))
    with pytest.raises(OperatorError, match="broken package"):
        Loader().file(path)


def test_a_namespace_is_loaded_once_whether_it_marks_operators_or_not(write):
    path = write("plain.py", "import random\nvalue = random.random()\n")
    loader = Loader()
    assert loader.namespace(path).value == loader.namespace(path).value
    with pytest.raises(OperatorError, match="marks no operator"):
        loader.file(path)
