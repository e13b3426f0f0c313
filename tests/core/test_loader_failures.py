"""Operator files that can't be used: every problem at its line, and no trace afterwards."""

import sys

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.errors import OperatorError


def fails(path):
    """All that is said about a file."""
    before, modules = list(sys.path), set(sys.modules)
    with pytest.raises(OperatorError) as error:
        Loader().file(path)
    assert sys.path == before
    assert {name for name in set(sys.modules) - modules if "gradcheck_file" in name or "helper" in name} == set()
    return error.value


def names(operators):
    return [operator.name for operator in operators]


def test_a_missing_file_a_folder_and_another_ending(tmp_path):
    assert "no operator file" in str(fails(tmp_path / "no.py"))
    (tmp_path / "folder.py").mkdir()
    assert "is a folder, and operators are named by file" in str(fails(tmp_path / "folder.py"))
    (tmp_path / "ops.txt").write_text("x")
    assert "is not a Python file" in str(fails(tmp_path / "ops.txt"))
    (tmp_path / "circle.py").symlink_to(tmp_path / "circle.py")
    assert "no operator file" in str(fails(tmp_path / "circle.py"))
    assert "no operator file" in str(fails(tmp_path / "a\0b.py"))


def test_a_syntax_error_shows_its_own_line_and_a_caret(write):
    path = write("bad.py", "import os\n\ndef f(x):\n    return x +* 2\n")
    text = str(fails(path))
    lines = text.splitlines()
    assert lines[0] == f"{path}:4:15: error: bad.py doesn't import: SyntaxError: invalid syntax [import-failed]"
    assert lines[1].endswith("    return x +* 2")
    assert lines[1][lines[2].index("^")] == "*"


def test_an_indentation_with_tabs_keeps_the_caret_in_place(write):
    path = write("bad.py", "def f(x):\n\treturn x +* 2\n")
    lines = str(fails(path)).splitlines()
    assert lines[1][lines[2].index("^")] == "*"


def test_an_exception_shows_the_deepest_line_of_the_file(write):
    path = write("bad.py", "def f():\n    return undefined_name\n\nf()\n")
    text = str(fails(path))
    assert text.startswith(f"{path}:2: error: bad.py doesn't import: NameError: name 'undefined_name' is not defined")
    assert "return undefined_name" in text


def test_an_exception_in_a_helper_shows_the_import_and_names_the_helper(write):
    helper = write("helper_b.py", "VALUE = 1\nVALUE / 0\n")
    path = write("bad.py", "import os\nimport helper_b\n")
    text = str(fails(path))
    assert text.startswith(f"{path}:2: error: bad.py doesn't import: ZeroDivisionError")
    assert "  import helper_b" in text
    assert f"hint: raised at {helper}:2: VALUE / 0" in text


def test_a_syntax_error_in_a_helper_shows_the_import_and_names_the_helper(write):
    helper = write("helper_c.py", "VALUE = = 1\n")
    path = write("bad.py", "import helper_c\n")
    text = str(fails(path))
    assert text.startswith(f"{path}:1: error: bad.py doesn't import: SyntaxError: invalid syntax")
    assert f"hint: in {helper}:1: VALUE = = 1" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("exit(3)", "it ends the program, exit(3)", id="exit"),
        pytest.param("import sys\nsys.exit()", "it ends the program, exit()", id="sys.exit"),
        pytest.param(
            "import pytest\npytest.skip('no', allow_module_level=True)", "Skipped: no", id="skipped test module"
        ),
        pytest.param("import no_such_module", "No module named 'no_such_module'", id="missing module"),
        pytest.param("raise RuntimeError", "RuntimeError: no message", id="no text"),
        pytest.param("raise RuntimeError('one\\ntwo')", r"RuntimeError: one\ntwo [import-failed]", id="two lines"),
        pytest.param("VALUE = '\0'", "null byte", id="null byte"),
        pytest.param("# coding: no-such-codec", "no-such-codec", id="unknown encoding"),
    ],
)
def test_a_file_that_does_not_import(write, text, said):
    path = write("bad.py", text + "\n")
    error = fails(path)
    assert said in str(error)
    assert len(error.problems) == 1
    assert error.problems[0].location.file == str(path)


def test_an_interrupt_passes_through_and_leaves_no_trace(write, monkeypatch):
    path, before = list(sys.path), set(sys.modules)
    file = write("bad.py", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        Loader().file(file)
    with monkeypatch.context() as patched:
        patched.syspath_prepend(str(file.parent))
        with pytest.raises(KeyboardInterrupt):
            Loader().module("bad")
    assert sys.path == path
    assert not {name for name in set(sys.modules) - before if name.startswith("gradcheck_file")}


def test_a_file_without_operators_says_what_to_do(write, operator_text):
    assert "marks no operator [no-operator]\n  hint: mark a function with @op" in str(fails(write("no.py", "x = 1\n")))
    other = write("other_ops.py", operator_text("imported"))
    text = str(fails(write("only_imports.py", "from other_ops import imported\n")))
    assert f"hint: imported is imported: name {other}, where it is marked, or its module" in text


def test_all_problems_of_all_declarations_are_said_at_once(write):
    path = write(
        "bad.py",
        """
        from gradcheck_cli import op, arr

        @op(z=arr())
        def f(x):
            "Some function."
            return x

        @f.backward
        def _(g, y):
            return g

        @op
        def h(x, *, slope=1):
            "Some function."
            return slope * x

        @h.backward
        def _(g, slop):
            return g * slop
        """,
    )
    error = fails(path)
    assert [problem.location.line for problem in error.problems] == [3, 9, 18]
    assert all(problem.location.file == str(path) for problem in error.problems)
    assert "did you mean 'slope'?" in str(error)


def test_a_redefinition_that_hides_an_operator_is_said_with_both_places(write, operator_text):
    second = operator_text("relu", "x * 3").partition("\n\n\n")[2]
    path = write("my_ops.py", operator_text("relu") + "\n" + second)
    error = fails(path)
    (problem,) = error.problems
    assert problem.location.line == 15
    assert problem.message == f"two operators are named 'relu': here and at {path}:5"


def test_two_operators_under_two_names_with_one_name_are_said(write, operator_text):
    second = operator_text("relu", "x * 3").partition("\n\n\n")[2]
    path = write("my_ops.py", operator_text("relu") + "first = relu\n" + second)
    assert "two operators are named 'relu'" in str(fails(path))


def test_an_operator_that_is_deleted_again_is_none(write, operator_text):
    path = write("my_ops.py", operator_text("gone") + "del gone\n" + operator_text("kept").partition("\n\n\n")[2])
    assert names(Loader().file(path)) == ["kept"]


def test_a_wrong_call_while_loading_is_said_with_its_line(write, operator_text):
    path = write("bad.py", operator_text("f") + "\nfrom gradcheck_cli import Variable\nf(Variable(1.0), scale=2)\n")
    text = str(fails(path))
    assert text.startswith(f"{path}:15: error: bad.py doesn't import: OperatorError")
    assert "f has no argument 'scale'" in text


def test_an_operator_used_before_its_backward_is_said_with_its_own_place(write):
    path = write(
        "bad.py", "from gradcheck_cli import op, Variable\n@op\ndef f(x):\n    'x.'\n    return x\nf(Variable(1.0))\n"
    )
    assert str(fails(path)).startswith(f"{path}:3: error: f: has no backward")
