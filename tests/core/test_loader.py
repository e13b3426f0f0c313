"""Loading operator files and modules: once, without traces, and only what is theirs."""

import os
import sys

import numpy as np
import pytest

from gradcheck_cli import Variable
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.errors import OperatorError


def names(operators):
    return [operator.name for operator in operators]


# What a file gives


def test_the_operators_of_a_file_work(write, operator_text):
    path = write("my_ops.py", operator_text("double") + operator_text("twice").partition("\n\n\n")[2])
    double, twice = Loader().file(path)
    assert (double.name, twice.name) == ("double", "twice")
    assert (double.file, double.line) == (str(path), 5)
    x = Variable([1.0])
    double(x).backward()
    assert x.grad == 2.0


def test_importing_a_file_registers_nothing(write, operator_text):
    path = write("my_ops.py", operator_text("relu"))
    first, second = Loader(), Loader()
    assert first.file(path)[0] is not second.file(path)[0]
    assert first.built_in["relu"].file != str(path)


def test_a_file_loads_once_per_resolved_path(write, tmp_path, operator_text, monkeypatch):
    path = write("folder/my_ops.py", "with open('loaded.txt', 'a') as f:\n    f.write('x')\n" + operator_text("f"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.py").symlink_to(path)
    loader = Loader()
    first = loader.file(path)
    for again in (
        tmp_path / "link.py",
        tmp_path / "folder" / ".." / "folder" / "my_ops.py",
        path.relative_to(tmp_path),
    ):
        assert loader.file(again) is first
    assert (tmp_path / "loaded.txt").read_text() == "x"


def test_a_file_that_fails_is_not_run_again_either(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write("bad.py", "with open('ran.txt', 'a') as f:\n    f.write('x')\n1 / 0\n")
    loader = Loader()
    for _ in range(2):
        with pytest.raises(OperatorError, match="ZeroDivisionError"):
            loader.file(path)
    assert (tmp_path / "ran.txt").read_text() == "x"


def test_an_edit_is_seen_at_once(write, operator_text):
    """Bytecode is compared by seconds and size: a sign that is flipped changes neither."""
    path = write("my_ops.py", operator_text("f", "x + 1"))
    stamp = path.stat()
    assert Loader().file(path)[0](np.array(1.0)) == 2.0
    write("my_ops.py", operator_text("f", "x - 1"))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert Loader().file(path)[0](np.array(1.0)) == 0.0
    assert not (path.parent / "__pycache__").exists()


def test_helpers_beside_the_file_can_be_imported_and_do_not_leak(write):
    text = """
        import helper_module
        from gradcheck_cli import op

        @op
        def f(x):
            "Some function."
            return helper_module.FACTOR * x

        @f.backward
        def _(g):
            return helper_module.FACTOR * g
        """
    write("a/helper_module.py", "FACTOR = 2.0")
    write("b/helper_module.py", "FACTOR = 3.0")
    loader = Loader()
    path = list(sys.path)
    factors = [loader.file(write(f"{folder}/my_ops.py", text))[0](np.array(1.0)) for folder in "ab"]
    assert factors == [2.0, 3.0]
    assert "helper_module" not in sys.modules
    assert sys.path == path


def test_dataclasses_and_enumerations_work_in_a_file(write, operator_text):
    path = write(
        "my_ops.py",
        "from __future__ import annotations\nimport dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 1\n"
        + operator_text("f"),
    )
    assert names(Loader().file(path)) == ["f"]


def test_what_a_file_prints_goes_to_standard_error(write, operator_text, capsys):
    Loader().file(write("my_ops.py", "print('hello')\n" + operator_text("f")))
    assert capsys.readouterr() == ("", "hello\n")


def test_only_what_is_marked_in_the_file_is_its_own(write, operator_text):
    write("other_ops.py", operator_text("imported"))
    path = write(
        "my_ops.py", "from other_ops import imported\nfrom gradcheck_cli.ops import tanh\n" + operator_text("own")
    )
    loader = Loader()
    assert names(loader.file(path)) == ["own"]
    assert names(loader.file(path.parent / "other_ops.py")) == ["imported"]


def test_plain_functions_of_elsewhere_can_be_marked_here(write):
    write(
        "plain_functions.py",
        "def cube(x):\n    'x**3.'\n    return x**3\n\ndef dcube(g, x):\n    return 3 * x**2 * g\n",
    )
    path = write(
        "my_ops.py",
        "from gradcheck_cli import op\nimport plain_functions as F\ncube = op(F.cube)\ncube.backward(F.dcube)\n",
    )
    (cube,) = Loader().file(path)
    x = Variable(2.0)
    cube(x).backward()
    assert x.grad == 12.0


def test_two_names_for_one_operator_are_one_operator(write, operator_text):
    path = write("my_ops.py", operator_text("silu") + "\nswish = silu\n")
    assert names(Loader().file(path)) == ["silu"]


def test_operators_made_by_a_function_of_the_file_are_its_own(write):
    path = write(
        "my_ops.py",
        """
        from gradcheck_cli import op

        def make(name, factor):
            def forward(x):
                "Some function."
                return factor * x
            forward.__name__ = name
            made = op(forward)
            made.backward(lambda g: factor * g)
            return made

        double = make("double", 2)
        triple = make("triple", 3)
        """,
    )
    assert sorted(names(Loader().file(path))) == ["double", "triple"]


# Modules


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The temporary folder is importable, and its modules are forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_module_gives_the_operators_in_its_namespace(write, operator_text, installed):
    write("pack_a/__init__.py", "from .parts import softsign\nfrom gradcheck_cli.ops import tanh\nimport pack_b\n")
    write("pack_a/parts.py", operator_text("softsign") + operator_text("private").partition("\n\n\n")[2])
    write("pack_b.py", operator_text("other"))
    loader = Loader()
    assert names(loader.module("pack_a")) == ["softsign"]
    assert names(loader.module("pack_a.parts")) == ["softsign", "private"]
    assert loader.module("pack_a") is loader.module("pack_a")


def test_a_module_with_two_operators_of_one_name_in_its_parts_says_so(write, operator_text, installed):
    write("pack_c/__init__.py", "from .first import relu\nfrom .second import relu\n")
    first = write("pack_c/first.py", operator_text("relu"))
    write("pack_c/second.py", operator_text("relu"))
    with pytest.raises(OperatorError, match=f"two operators are named 'relu': here and at {first}:5"):
        Loader().module("pack_c")


def test_a_module_that_does_not_import_is_said_at_its_line(write, installed):
    path = write("pack_d.py", "import os\nos.no_such_thing\n")
    with pytest.raises(OperatorError) as error:
        Loader().module("pack_d")
    assert str(error.value).startswith(f"{path}:2: error: 'pack_d' doesn't import: AttributeError")
    path = write("pack_e.py", "def f(:\n")
    with pytest.raises(OperatorError) as error:
        Loader().module("pack_e")
    assert str(error.value).startswith(f"{path}:1:7: error: 'pack_e' doesn't import: SyntaxError")
    write("pack_f.py", "raise SystemExit\n")
    with pytest.raises(OperatorError, match="it ends the program"):
        Loader().module("pack_f")
    with pytest.raises(OperatorError, match="'no_such_pack' doesn't import: ModuleNotFoundError"):
        Loader().module("no_such_pack")


def test_the_built_in_operators_are_collected_the_same_way():
    loader = Loader()
    import gradcheck_cli.ops as F

    assert loader.built_in["tanh"] is F.tanh.operator
    assert set(loader.built_in) == set(F.__all__)
