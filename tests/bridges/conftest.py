"""Files of code that was not written for this program, and what is found in them."""

from __future__ import annotations

import textwrap

import pytest

from gradcheck_cli.bridges.discovery import discover
from gradcheck_cli.core.loader import Loader


@pytest.fixture
def found(tmp_path):
    """Write a file, load it as an operator file is loaded, and return what is found in it."""

    def find(text, name="layers.py", others=()):
        for other, content in dict(others).items():
            (tmp_path / other).write_text(textwrap.dedent(content), encoding="utf-8")
        path = tmp_path / name
        path.write_text("import numpy as np\n" + textwrap.dedent(text), encoding="utf-8")
        return discover(Loader().namespace(path), path)

    return find
