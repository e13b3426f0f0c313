"""References to code in files and modules."""

import sys

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.spec.folders import Folders, Unusable
from gradcheck_cli.spec.references import References


@pytest.fixture
def references(tmp_path, write):
    write("project/pyproject.toml", "")
    write("project/mine/__init__.py", "")
    write("project/mine/layers.py", "from .helper import factor\n\ndef double(x):\n    return factor * x\n")
    write("project/mine/helper.py", "factor = 2\n")
    write("project/specs/layers.py", "class Layer:\n    @staticmethod\n    def forward(x):\n        return -x\n")
    return References(Loader(), Folders(tmp_path / "project" / "specs"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("layers.py:Layer.forward", -3),
        ("../mine/layers.py:double", 6),
        ("mine.layers:double", 6),
        ("math:floor", 3),
    ],
)
def test_a_reference_finds_code_in_files_the_project_and_what_is_installed(references, text, value):
    assert references.find(text).value(3) == value
    assert not [name for name in sys.modules if name.partition(".")[0] in ("mine", "layers")]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("layers.py", "'layers.py' names no code", "write file.py:name, or package.module:name"),
        ("layer.py:Layer", "no operator file 'layer.py'", "did you mean 'layers.py'?"),
        ("layers.py:Layers", "'layers.py' has no 'Layers'", "did you mean 'Layer'?"),
        ("layers.py:Layer.forwards", "'layers.py:Layer' has no 'forwards'", "did you mean 'forward'?"),
        ("math:flour", "'math' has no 'flour'", "did you mean 'floor'?"),
        ("nowhere.to:f", "no module named 'nowhere' is installed or in the project", ""),
        ("/layers.py:Layer", "'/layers.py' should be relative to the spec, with / between folders", ""),
    ],
)
def test_what_a_reference_doesn_t_find_is_said(references, text, message, hint):
    with pytest.raises(Unusable) as caught:
        references.find(text)
    assert (str(caught.value), caught.value.hint) == (message, hint)


def test_a_framework_that_is_missing_comes_with_its_install_line(references, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(Unusable) as caught:
        references.find("torch.nn:Linear")
    assert caught.value.hint == "pip install 'gradcheck-cli[torch]'"


def test_code_that_doesn_t_import_is_an_operator_error(references, write):
    write("project/specs/broken.py", "import no_such_thing\n")
    with pytest.raises(OperatorError, match="no_such_thing"):
        references.find("broken.py:f")


def test_the_home_of_a_file_makes_its_neighbours_importable(references, write):
    write("project/specs/lazy.py", "def value():\n    import neighbour\n    return neighbour.VALUE\n")
    write("project/specs/neighbour.py", "VALUE = 7\n")
    found = references.find("lazy.py:value")
    with pytest.raises(ImportError):
        found.value()
    with found.home():
        assert found.value() == 7
    assert "neighbour" not in sys.modules
