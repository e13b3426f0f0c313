"""What comes past the net around operators is told from what the program itself is to blame for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradcheck_cli import Variable
from gradcheck_cli.errors import Location
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.escape import escaped

Write = Callable[[str, str], Path]

OPERATORS = '''
from gradcheck_cli import op

class Strange(BaseException):
    """No Exception."""

def deep(what):
    raise what

@op
def raises(x):
    """x."""
    deep(Strange("odd"))

@raises.backward
def _(g):
    return g
'''


def raised_by(function: Callable[[], object]) -> BaseException:
    try:
        function()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.fixture
def selected(write: Write, cases: Callable[..., list[Selected]]) -> Selected:
    write("my_ops.py", OPERATORS)
    (item,) = cases("ops: [my_ops.py]\nexpr: raises(x)\nparams: {x: [1.0]}\n")
    return item


def test_the_deepest_line_of_an_operator_file_is_named(folder: Path, selected: Selected) -> None:
    (operator,) = selected.case.expression.operators
    problem = escaped(selected.case, raised_by(lambda: operator.forward(1.0)))
    assert problem is not None
    assert problem.message == "an operator raised Strange: odd"
    assert problem.location == Location(str(folder / "my_ops.py"), 7)
    assert problem.source == "    raise what"


def test_what_passed_a_call_of_an_operator_is_told_with_its_name(folder: Path, selected: Selected) -> None:
    x = Variable([1.0])
    error = raised_by(lambda: selected.case.expression({"x": x}, np.dtype(float)))
    problem = escaped(selected.case, error)
    assert problem is not None
    assert problem.message == "forward of raises raised Strange: odd"
    assert problem.location == selected.case.expression.calls[0][1]
    assert f"raises is defined at {folder / 'my_ops.py'}:10, and raised at {folder / 'my_ops.py'}:7" in problem.hint
    # The same exception may be raised again, elsewhere.
    again = escaped(selected.case, error)
    assert again is not None
    assert again.message == "an operator raised Strange: odd"


def test_what_the_program_raises_itself_is_not_described(selected: Selected) -> None:
    def fails() -> None:
        raise ValueError("a bug")

    assert escaped(selected.case, raised_by(fails)) is None


def test_memory_that_runs_out_is_an_error_of_the_case(selected: Selected) -> None:
    def fails() -> None:
        raise MemoryError("Unable to allocate 1 TiB")

    problem = escaped(selected.case, raised_by(fails))
    assert problem is not None
    assert problem.message == "the case needs more memory than there is: MemoryError: Unable to allocate 1 TiB"
    assert problem.location == selected.case.location
    assert problem.code == "out-of-memory"


def test_memory_that_runs_out_in_an_operator_is_told_with_its_line_and_what_to_do(
    folder: Path, write: Write, cases: Callable[..., list[Selected]]
) -> None:
    write("my_ops.py", OPERATORS.replace('Strange("odd")', "MemoryError"))
    (item,) = cases("ops: [my_ops.py]\nexpr: raises(x)\nparams: {x: [1.0]}\n")
    (operator,) = item.case.expression.operators
    x = Variable([1.0])
    for call in (lambda: operator.forward(1.0), lambda: item.case.expression({"x": x}, np.dtype(float))):
        problem = escaped(item.case, raised_by(call))
        assert problem is not None
        assert problem.code == "out-of-memory"
        assert "raised MemoryError" in problem.message
        assert problem.hint.startswith("memory ran out: lower --memory, make the arrays smaller")
        assert str(folder / "my_ops.py") in str(problem)
