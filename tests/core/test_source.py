"""What the text of a function tells: places, kept names, numbers of outputs."""

import linecache

import numpy as np

from gradcheck_cli import keep, op
from gradcheck_cli.core.source import Source
from tests.places import line_of


def passing(function):
    """A decorator, so that the def is not the first line."""
    return function


@passing
@passing
def decorated(x, *xs, axis=0, **rest):
    """Several kinds of parameters."""
    return x


def test_the_line_is_that_of_the_def_and_not_of_the_decorator():
    source = Source(decorated)
    assert source.file == __file__
    assert source.line == line_of(__file__, "def decorated")


def test_every_kind_of_parameter_is_found_with_its_column():
    source = Source(decorated)
    text = source.lines[source.line - 1]
    for name in ("x", "xs", "axis", "rest"):
        at = source.of_parameter(name)
        assert text[at.column - 1 :].startswith(name)
    assert source.of_parameter("no") is None


def test_columns_count_characters():
    def wide(größe, x):  # noqa: PLC2401 (two bytes for one column)
        """Two parameters."""

    at = Source(wide).of_parameter("x")
    assert Source(wide).lines[at.line - 1][at.column - 1] == "x"


def test_an_option_is_found_in_the_decorator():
    @op(
        x=None,
        slope=[0.1],
    )
    def f(x, *, slope=0.5):
        """Some function."""

    at = Source(f.forward).of_option("slope")
    assert (at.line, at.column) == (line_of(__file__, "slope=[0.1],"), 9)
    assert Source(f.forward).of_option("no") is None


def test_kept_names_are_read_from_every_keep():
    def forward(x):
        """Kept in several places: textual keep(no=1) in a docstring is none."""
        if x > 0:
            return keep(x, a=1, b=2)
        result = keep(x, b=3, c=4)
        x += 1
        return result

    assert Source(forward).kept_names() == ("a", "b", "c")
    assert Source(decorated).kept_names() == ()


def test_kept_names_that_the_text_does_not_tell_are_unknown():
    def forward(x):
        values = {"a": 1}
        return keep(x, **values)

    assert Source(forward).kept_names() is None


def test_the_number_of_outputs_is_read_where_a_return_tells_it():
    def forward(x):
        def inner():
            return 1, 2, 3

        for _ in x:
            return x, x
        try:
            return keep(x, a=1)
        except ValueError:
            return (*x, 1)
        return inner()

    assert [count for _, count in Source(forward).returned_counts()] == [2, 1]


def test_a_function_whose_text_is_gone_has_no_tree():
    space = {}
    exec("def f(x):\n    return keep(x, a=1)", space)  # as at an interpreter's prompt
    source = Source(space["f"])
    assert source.tree is None
    assert source.kept_names() is None
    assert source.returned_counts() == []
    assert source.of_parameter("x") is None
    assert source.line == 1
    assert source.problem("wrong").source == ""


def test_a_file_that_was_edited_since_it_was_imported_tells_nothing(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text("def f(x):\n    return keep(x, a=1)\n", encoding="utf-8")
    space = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    assert Source(space["f"]).kept_names() == ("a",)
    path.write_text("def other(x):\n    return keep(x, b=1)\n", encoding="utf-8")
    linecache.clearcache()
    assert Source(space["f"]).kept_names() is None
    path.write_text("def broken(:\n", encoding="utf-8")
    linecache.clearcache()
    assert Source(space["f"]).tree is None


def test_a_problem_shows_the_line():
    problem = Source(decorated).problem("something", code="x")
    assert problem.source == "def decorated(x, *xs, axis=0, **rest):"
    assert problem.location.line == line_of(__file__, "def decorated")


def test_text_at_the_left_margin_does_not_confuse():
    def forward(x):
        """A docstring that starts further left
        than its function does."""
        return keep(np.tanh(x), a=1)

    assert Source(forward).kept_names() == ("a",)


def several(x):
    out, cache = None, None
    out: object
    for _ in x:
        out = x + 1
    first, _ = divmod(x, 2)
    with open(x) as stream:
        out[0] = stream

    def inner():
        out = "of another function"
        return out.upper()

    if inner:
        return out, cache
    return first


def test_the_functions_own_returns_are_listed():
    lines = [statement.lineno for statement in Source(several).returns()]
    assert lines == [line_of(__file__, "return out, cache"), line_of(__file__, "return first")]
    assert Source(eval("lambda x: x")).returns() == []


def test_what_is_assigned_to_a_variable_is_listed():
    source = Source(several)
    assert [type(value).__name__ for value in source.assigned("out")] == ["Constant", "BinOp"]
    assert [type(value).__name__ for value in source.assigned("cache")] == ["Constant"]
    assert source.assigned("x") == []


def test_what_gets_its_value_in_another_way_is_no_single_expression():
    source = Source(several)
    assert [source.assigned(name) for name in ("first", "stream", "_")] == [None, None, None]
