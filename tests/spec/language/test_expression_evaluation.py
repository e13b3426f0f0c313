"""What goes wrong while an expression is evaluated is said at the call that it went wrong in."""

import numpy as np
import pytest

from gradcheck_cli import Variable, no_grad, op
from gradcheck_cli.core import execution
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import ContractViolation, OperatorError
from gradcheck_cli.spec.language.expression import compile_expression
from gradcheck_cli.spec.text.place import Place


@op
def picky(x, y):
    """Raises where the shapes differ."""
    if x.shape != y.shape:
        raise ValueError("x and y should have one shape")
    return x + y


@picky.backward
def _(g):
    return g, g


@op
def vandal(x):
    """Writes to its input."""
    x[0] = 0
    return x * 1.0


@vandal.backward
def _(g):
    return g


@op
def forgetful(x):
    """Returns nothing."""


@forgetful.backward
def _(g):
    return g


@op(outputs="a b")
def lone(x):
    """Declares two outputs and returns one."""
    return x


@lone.backward
def _(g_a, g_b):
    return g_a + g_b


SCOPE = Scope(Loader(), own={made.operator.name: made.operator for made in (picky, vandal, forgetful, lone)})
VALUES = {"x": np.arange(12.0).reshape(3, 4), "y": np.ones(3), "w": np.ones((3, 2)), "idx": np.array([5])}
AS = {
    "arrays": lambda array: array,
    "variables": lambda array: Variable(array, requires_grad=array.dtype.kind == "f"),
}


def compiled(text, file_lines=(), line=1, column=1, indent=0):
    problems = []
    expression = compile_expression(
        text, scope=SCOPE, arrays=VALUES, constants={"n": 2},
        place=Place("case.yaml", line, column, file_lines or tuple(text.split("\n")), indent), problems=problems,
    )  # fmt: skip
    assert problems == []
    return expression


def raised(text, form):
    with pytest.raises(OperatorError) as caught:
        compiled(text)({name: AS[form](array) for name, array in VALUES.items()}, np.dtype(float))
    return caught.value.problems[0]


@pytest.mark.parametrize("form", AS)
@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("x @ w", 1, 3, "matmul"),
        ("tanh(x) + relu(\n  w)", 1, 9, "could not be broadcast together with shapes (3,4) (3,2)"),
        ("h = tanh(x)\npicky(h, w)", 2, 1, "forward of picky raised ValueError: x and y should have one shape"),
        ("h = picky(x, x)\nsum(picky(h, y)) + 1", 2, 5, "x and y should have one shape"),
        ("x.reshape(5, n)", 1, 3, "cannot reshape array of size 12 into shape (5,2)"),
        ("sum(x, axis=7)", 1, 1, "axis 7 is out of bounds"),
        ("x[idx]", 1, 1, "index 5 is out of bounds for axis 0 with size 3"),
        ("x[y]", 1, 1, "arrays used as indices must be of integer"),
        ("x * (x > w)", 1, 8, "'>' can't be applied"),
        ("x[~x]", 1, 3, "'~' joins comparisons and masks, this is float64"),
        ("x * ((x > 0) & x)", 1, 14, "'&' joins comparisons and masks, this is float64"),
        ("forgetful(x)", 1, 1, "forgetful returned"),
        ("lone(x)", 1, 1, "lone declares 2 outputs and returned 1"),
    ],
)
def test_what_goes_wrong_is_said_at_the_call(text, line, column, message, form):
    problem = raised(text, form)
    assert (problem.location.file, problem.location.line, problem.location.column) == ("case.yaml", line, column)
    assert message in problem.message
    assert problem.source == text.split("\n")[line - 1]


@pytest.mark.parametrize("form", AS)
def test_the_hint_gives_the_shapes_and_the_operator(form):
    problem = raised("picky(x, w)", form)
    assert "the shapes here are (3, 4) and (3, 2)" in problem.hint
    where = f"picky is defined at {__file__}:{picky.operator.line}, and raised at {__file__}:{picky.operator.line + 3}"
    assert where in problem.hint
    assert problem.code == "operator-raised"


def test_the_hint_gives_no_shapes_where_they_are_not_the_matter():
    assert "shapes" not in raised("x[~x]", "arrays").hint
    assert "shapes" not in raised("lone(x)", "arrays").hint


def test_the_error_stands_in_the_file_with_its_line_and_a_caret():
    lines = ("expr: |", "  h = x @ w", "  h")
    expression = compiled("h = x @ w\nh", lines, 2, 3, 2)
    with pytest.raises(OperatorError) as caught:
        expression(VALUES, np.dtype(float))
    first, source, caret = str(caught.value).splitlines()[:3]
    assert first.startswith("case.yaml:2:9: error: forward of matmul raised ValueError")
    assert source == "    h = x @ w"
    assert caret == "          ^"


@pytest.mark.parametrize("form", AS)
def test_a_contract_violation_passes_as_it_is(form):
    with pytest.raises(ContractViolation) as caught:
        compiled("vandal(x) + 1")({name: AS[form](array) for name, array in VALUES.items()}, np.dtype(float))
    assert caught.value.finding == "input-modified"
    assert caught.value.operator == "vandal"
    assert caught.value.location.line == vandal.operator.line
    assert VALUES["x"][0, 1] == 1, "the caller's array was written to"


def test_an_expression_can_be_evaluated_again_after_an_error():
    expression = compiled("picky(x, y)")
    with pytest.raises(OperatorError):
        expression(VALUES, np.dtype(float))
    np.testing.assert_array_equal(expression({**VALUES, "y": VALUES["x"]}, np.dtype(float))[0], 2 * VALUES["x"])


class Counting(execution.Execution):
    """Counts the operators that run."""

    def __init__(self):
        self.ran = []

    def forward(self, operator, arrays, attributes):
        self.ran.append(operator.name)
        return super().forward(operator, arrays, attributes)


@pytest.mark.parametrize("form", AS)
def test_every_operator_runs_through_the_execution_in_use(form):
    counting = Counting()
    with execution.using(counting), no_grad():
        compiled("tanh(x @ x.T).sum()")({name: AS[form](array) for name, array in VALUES.items()}, np.dtype(float))
    assert counting.ran == ["transpose", "matmul", "tanh", "sum"]


def test_intermediate_arrays_are_let_go_as_soon_as_they_are_used():
    """A chain of 200 copies of one mebibyte needs a few of them at a time."""
    import tracemalloc

    expression = compiled("h = x\n" + "h = h + 1\n" * 200 + "h")
    values = {"x": np.zeros(2**17)}
    expression(values, np.dtype(float))
    tracemalloc.start()
    expression(values, np.dtype(float))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * 2**20


def test_constants_are_made_once_for_each_floating_type():
    expression = compiled("x * (1/3 + 1)")
    for _ in range(3):
        expression({"x": np.ones(2)}, np.dtype("float64"))
        expression({"x": np.ones(2, np.float32)}, np.dtype("float32"))
    assert set(expression.program._registers) == {np.dtype("float64"), np.dtype("float32")}
    assert [step.operator.name for step in expression.program.steps] == ["multiply"]
