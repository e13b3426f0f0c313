"""The library's front: names that are imported when they are used."""

import subprocess
import sys

import pytest

import gradcheck_cli


def in_a_process(program):
    ended = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_importing_the_package_imports_no_numpy():
    program = (
        "import sys, gradcheck_cli; print([name for name in ('numpy', 'gradcheck_cli.core') if name in sys.modules])"
    )
    assert in_a_process(program) == "[]"


def test_listing_names_imports_no_numpy_and_shows_them_all():
    program = "import sys, gradcheck_cli; names = dir(gradcheck_cli); assert 'numpy' not in sys.modules; print(*names)"
    assert set(in_a_process(program).split()) >= set(gradcheck_cli.__all__)


def test_a_name_is_imported_when_it_is_used():
    program = "import sys, gradcheck_cli as g; g.op; print('numpy' in sys.modules, 'op' in vars(g))"
    assert in_a_process(program) == "True True"


@pytest.mark.parametrize("name", gradcheck_cli.__all__)
def test_every_public_name_exists(name):
    value = getattr(gradcheck_cli, name)
    assert value is getattr(gradcheck_cli, name)
    assert name == "__version__" or value.__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'gradcheck_cli' has no attribute 'chekc'"):
        _ = gradcheck_cli.chekc
    with pytest.raises(ImportError):
        from gradcheck_cli import chekc  # noqa: F401


def test_the_operators_stand_below_the_package():
    import gradcheck_cli.ops as F

    assert F.__name__ == "gradcheck_cli.ops"
    assert F.tanh.home.startswith("gradcheck_cli.ops")


def test_the_bridges_are_public_and_imported_when_they_are_used() -> None:
    import gradcheck_cli.bridges

    for name in gradcheck_cli.bridges.__all__:
        assert callable(getattr(gradcheck_cli.bridges, name)), name
    with pytest.raises(AttributeError, match="from_nowhere"):
        _ = gradcheck_cli.bridges.from_nowhere
