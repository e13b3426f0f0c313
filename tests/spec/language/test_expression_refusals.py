"""What is wrong with an expression is said where it stands, all of it, in plain words."""

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.packs import Packs
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import OperatorError, Problem
from gradcheck_cli.spec.language.expression import compile_expression
from gradcheck_cli.spec.text.place import Place
from tests.spec.language.refusing import SCOPE, problems_of, said, swish

INDEX = "an index is whole numbers, slices, None, ..., lists of whole numbers or arrays"


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        # what is no value
        ("z + x", 1, "undefined name 'z'", "params:"),
        ("x + weigths", 5, "undefined name 'weigths'", "'weights'"),
        ("sum(relu)", 5, "'relu' is an operator, not a value", "relu(...)"),
        ("x + np.exp", 8, "'exp' is an operator, not a value", "exp(...)"),
        ("x + np.pie", 8, "np.pie is not available", "'pi'"),
        ("x + np.linalg", 8, "np.linalg is not available", "pi"),
        ("x + np", 5, "undefined name 'np'", ""),
        # what is no operator
        ("rleu(x)", 1, "unknown operator 'rleu'", "'relu'"),
        ("np.rleu(x)", 4, "unknown operator 'rleu'", "'relu'"),
        ("x.rleu()", 3, "unknown operator 'rleu'", "'relu'"),
        ("x.swish()", 3, "unknown operator 'swish'", "write swish(...)"),
        ("act(x)", 1, "unknown operator 'rleu', the value of 'act' here", "'relu'"),
        ("np.linalg.trace(x)", 11, "np.linalg.trace is not available", "axis1=-2"),
        ("numpy.linalg.diagonal(x)", 14, "np.linalg.diagonal is not available", "axis1=-2"),
        ("np.fft.irfft(x, 5)", 8, "np.fft.irfft is not available", "irfft(real, imag)"),
        ("np.stack(x)", 4, "np.stack of one array joins its rows", "stack([x[0], x[1]])"),
        ("np.concatenate(x, axis=1)", 4, "np.concatenate of one array joins its rows", "x[0]"),
        ("np.random.rand(3)", 11, "np.random.rand is not available", "np.linalg."),
        ("x(3)", 1, "'x' is a parameter or an input, not an operator", "x * (...)"),
        ("n(x)", 1, "'n' is a number, not an operator", "n * (...)"),
        ("relu(x)(x)", 1, "only operators are called, by their name", "h = ..."),
        ("F.relu(x)", 1, "undefined name 'F'", "write relu(...)"),
        ("torch.nn.functional.relu(x)", 10, "undefined name 'torch.nn.functional'", "write relu(...)"),
        # arguments
        ("relu()", 1, "relu needs 'x'", "relu(x)"),
        ("relu(x, y)", 9, "relu takes 1 argument, got 2", "relu(x)"),
        ("swish(x, 1, 2)", 13, "swish takes 2 arguments, got 3", "swish(x, *, beta=1.0)"),
        ("sum(x, dim=0)", 8, "sum has no argument 'dim'", "PyTorch's 'dim' is 'axis' here. It is sum(x, *, axis"),
        ("leaky_relu(x, negative_slope=2)", 15, "leaky_relu has no argument 'negative_slope'", "is 'slope' here"),
        ("swish(x, bta=2)", 10, "swish has no argument 'bta'", "did you mean 'beta'? It is swish(x, *, beta=1.0)"),
        ("swish(x, 1, beta=2)", 13, "swish got 'beta' twice", "swish(x"),
        ("swish(x, beta=1, beta=2)", 18, "swish got 'beta' twice", "swish(x"),
        ("relu(x, x=y)", 9, "relu got 'x' twice", "relu(x)"),
        ("crop(x)", 1, "crop needs 'size'", "crop(x, *, size)"),
        ("concatenate()", 1, "concatenate needs at least one array for '*xs'", "concatenate(*xs"),
        ("concatenate([])", 1, "concatenate needs at least one array for '*xs'", "concatenate(*xs"),
        ("swish(x, y)", 10, "the array 'y' can't be the attribute 'beta' of swish", "attributes are constants"),
        ("swish(x, beta=labels)", 10, "the array 'labels' can't be the attribute 'beta' of swish", "constants"),
        ("swish(x, beta=2*y)", 10, "an array can't be the attribute 'beta' of swish", "constants"),
        ("swish(x, beta=(1, y))", 10, "a tuple of arrays can't be the attribute 'beta' of swish", "constants"),
        ("swish(x, beta=dict(a=y))", 20, "the array 'y' can't be in a dict", "constants"),
        ("swish(x, beta=dict(a=1, a=2))", 25, "dict got 'a' twice", ""),
        ("relu('same')", 6, "'x' of relu is an array, this is a text", ""),
        ("relu(mode)", 6, "'x' of relu is an array, this is a text", ""),
        ("relu(None)", 6, "'x' of relu is an array, this is None", ""),
        ("relu(words)", 6, "'x' of relu is an array, this is a list", ""),
        ("relu([x, y])", 6, "'x' of relu is one array, this is a list of arrays", "concatenate"),
        ("relu([[1, 2], [3]])", 6, "the rows of this list differ in length", ""),
        ("relu(both(x, y))", 6, "'x' of relu is one array, this is 2 values (loss, probs)", "loss, probs = ..."),
        ("concatenate([x, 'a'])", 17, "'xs' of concatenate is an array, this is a text", ""),
        ("relu(*x)", 6, "'*' is not part of the language", "one by one"),
        ("relu(**x)", 6, "'**' is not part of the language", "one by one"),
        ("np.greater(x)", 4, "greater takes 2 arguments, got 1", ""),
        # arithmetic
        ("x + 'a'", 5, "'+' can't be applied to a text", "numbers and arrays"),
        ("x * None", 5, "'*' can't be applied to None", "numbers and arrays"),
        ("x * flag", 5, "'*' can't be applied to True", "numbers and arrays"),
        ("x + [1, 2] * 2", 12, "'*' can't be applied to a list and a number", "numbers and arrays"),
        ("x * (2 @ 3)", 8, "'@' can't be applied to a number and a number", "numbers and arrays"),
        ("both(x, y) + x", 1, "'x' of add is one array, this is 2 values (loss, probs)", "loss, probs = ..."),
        ("x // 2", 3, "'//' can't be applied to arrays", "no gradient"),
        ("x * (7 // 2)", 8, "'//' stands in attributes and indices only", "divide with /"),
        ("x + 1/0", 6, "this divides by zero", ""),
        ("x + (-8)**(1/3)", 9, "the root of a negative number is no real number", ""),
        ("x + 2.0**5000", 8, "the result is too large for a number", ""),
        ("x + 9**9**9", 6, "the result is too large for a number", ""),
        ("x + 1e999", 5, "this number is too large", "np.inf"),
        ("x + 2j", 5, "a complex number is not part of the language", ""),
        ("x + b'a'", 5, "a text of bytes is not part of the language", ""),
        ("x + ...", 5, "... stands in an index only", "x[..., 0]"),
        ("x ^ 2", 3, "'^' is not part of the language", "**"),
        ("x << 2", 3, "'<<' is not part of the language", ""),
        # comparisons
        ("x * (0 < x < 1)", 8, "a chain of comparisons is not part of the language", "(0 < x) & (x < 1)"),
        ("x * (x & 1)", 10, "'&' joins comparisons, this is a number", "each in parentheses"),
        ("x * (x in y)", 8, "'in' is not part of the language", ""),
        ("x * (x is None)", 8, "'is' is not part of the language", "=="),
        ("x * (x > None)", 10, "each side of '>' is an array, this is None", ""),
        ("where(not x, x, y)", 7, "'not' is not part of the language", "~(x > 0)"),
        ("where(x and y, x, y)", 7, "'and / or' is not part of the language", "&"),
        # indices
        ("x[1.5]", 3, f"{INDEX}, this is a number", "//"),
        ("x[n / 2]", 5, f"{INDEX}, this is a number", "//"),
        ("x['a']", 3, f"{INDEX}, this is a text", ""),
        ("x[[labels]]", 3, f"{INDEX}, this is a list of arrays", ""),
        ("x[labels:]", 3, "the limits of a slice are whole numbers, this is the array 'labels'", ""),
        ("x[:1.5]", 4, "the limits of a slice are whole numbers, this is a number", ""),
        ("x + words[0]", 5, "only arrays are indexed, this is a list", ""),
        ("both(x, y)[2]", 1, "both gives 2 values", "[0] to [1]"),
        # attributes of arrays
        ("reshape(x, x.shape)", 14, "'.shape' is not available", "dims:"),
        ("x.sum", 3, "'.sum' is not available", ".sum(...)"),
        # the last line
        ("h = relu(x)", 1, "the last line is the value, this is an assignment", "add a last line"),
        ("x > 0", 3, "the value is a comparison: it has no gradient", ""),
        ("x, 2", 4, "the value is a number: it has no gradient", ""),
        ("n", 1, "the value is a number: it has no gradient", ""),
        ("both(x, y), x", 1, "both gives 2 values (loss, probs)", "loss, probs = ..."),
    ],
)  # fmt: skip
def test_one_problem_is_said_at_its_place(text, column, message, hint):
    (problem,) = problems_of(text)
    assert (problem.location.line, problem.location.column, problem.message) == (1, column, message)
    assert hint in problem.hint
    assert problem.code
    assert problem.source == text


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("h = x\nx", 1, 1, "'h' is assigned and never used"),
        ("h = relu(x)\nh = x\nh", 1, 1, "'h' is assigned and never used"),
        ("h = relu(x)\nh = relu(h)\nx", 2, 1, "'h' is assigned and never used"),
        ("h, k = both(x, y)\nx", 1, 1, "'h, k' is assigned and never used"),
        ("h, k = x, y\nh", 1, 4, "'k' is assigned and never used"),
        ("x = relu(x)\nx", 1, 1, "'x' is a parameter or an input, it can't be assigned over"),
        ("n = 3\nx * n", 1, 1, "'n' is a dim or a matrix value, it can't be assigned over"),
        ("_h = x\nx", 1, 1, "names that start with _ are not available"),
        ("_ = x\nx", 1, 1, "names that start with _ are not available"),
        ("h, k = relu(x)\nh + k", 1, 1, "relu gives one value for 2 names"),
        ("h, k = x\nh + k", 1, 1, "the right side has one value for 2 names"),
        ("h, k, l = both(x, y)\nh + k + l", 1, 1, "both gives 2 values (loss, probs) for 3 names"),
        ("h, k = x, y, x\nh + k", 1, 1, "the right side has 3 values for 2 names"),
        ("h = both(x, y)\nh", 1, 5, "both gives 2 values (loss, probs)"),
        ("h = 'same'\nx + h", 1, 5, "a name holds an array or a number, this is a text"),
        ("h = [x, y]\nconcatenate(h)", 1, 5, "a name holds an array or a number, this is a list of arrays"),
        ("h = [[1]]\nx + h", 1, 5, "a name holds an array or a number, this is a list"),
        ("x[0] = y\nx", 1, 1, "only names are assigned to"),
        ("x.data = y\nx", 1, 3, "only names are assigned to"),
        ("h, *k = x, y\nh", 1, 4, "only names are assigned to"),
        ("x\ny", 1, 1, "this line's value is not used"),
        ("x +\ny", 1, 4, "this is not an expression"),
        ("h = x\n+ y\nh", 2, 1, "this line's value is not used"),
        ("h = x\nfor a in x: pass\nh", 2, 1, "'for' is not part of the language"),
        ("import os\nx", 1, 1, "'import' is not part of the language"),
        ("h += x\nx", 1, 1, "an assignment such as += is not part of the language"),
    ],
)
def test_one_problem_of_several_lines_is_said_at_its_place(text, line, column, message):
    assert said(text) == [(line, column, message)]


def test_every_problem_is_said_in_the_order_of_the_text():
    text = "h = rleu(x) + z\nk = swish(x, bta=1, gmma=2)\nx.T.shape + h.__class__ + (lambda: 1)"
    assert said(text) == [
        (1, 5, "unknown operator 'rleu'"),
        (1, 15, "undefined name 'z'"),
        (2, 14, "swish has no argument 'bta'"),
        (2, 21, "swish has no argument 'gmma'"),
        (3, 5, "'.shape' is not available"),
        (3, 15, "names that start with _ are not available"),
        (3, 28, "'lambda' is not part of the language"),
    ]


def test_comparisons_without_their_brackets_are_explained():
    assert said("where(x > 0 & y > 0, x, y)") == [
        (1, 9, "a chain of comparisons is not part of the language"),
        (1, 11, "'&' joins comparisons, this is a number"),
    ]


def test_what_is_made_of_a_broken_part_is_no_second_problem():
    assert said("h = rleu(x)\na, b = h, h\nrelu(a)[0, h].sum() + [b]") == [(1, 5, "unknown operator 'rleu'")]


def test_problems_are_appended_to_those_of_the_file():
    problems = [Problem("another")]
    compile_expression("z", scope=SCOPE, arrays=[], constants={}, place=Place("f", 1, 1), problems=problems)
    assert [problem.message for problem in problems] == ["another", "undefined name 'z'"]


def scope_with(packs):
    """Return a scope in which `packs` are installed; a function is called when they are asked for."""

    class Installed(Loader):
        @property
        def packs(self):
            return packs() if callable(packs) else packs

    return Scope(Installed())


def test_what_is_wrong_with_packs_is_said_only_if_a_name_is_otherwise_unknown():
    clash = Problem("two operators are named 'twin'", code="same-name")
    broken = Problem("the installed operator pack 'p' can't be used", code="broken-pack")
    scope = scope_with(Packs({"swish": swish.operator}, {"twin": clash}, (broken,)))
    assert problems_of("swish(x) + np.absolute(x) + x.sum()", scope) == []
    found = problems_of("twin(x) + other(x) + another(x)", scope)
    assert sorted(problem.message for problem in found) == [
        "the installed operator pack 'p' can't be used",
        "two operators are named 'twin'",
        "unknown operator 'another'",
        "unknown operator 'other'",
        "unknown operator 'twin'",
    ]


def test_installed_packs_are_left_alone_while_every_name_is_known():
    def unwanted():
        raise AssertionError("packs were loaded")

    scope = scope_with(unwanted)
    scope.own = SCOPE.own
    assert problems_of("relu(x) + np.tanh(y).sum() + np.absolute(x) + np.amax(y)", scope) == []
    assert problems_of("swish(x, dict(to=n)) * np.greater(x, 0)", scope) == []
    with pytest.raises(AssertionError, match="packs were loaded"):
        problems_of("another(x)", scope)


class NoBuiltins(Scope):
    """A scope whose built-in operators can't be collected."""

    @property
    def builtins(self):
        raise OperatorError(Problem("two operators are named 'relu'"))


def test_built_ins_that_cannot_be_collected_are_a_problem():
    assert [problem.message for problem in problems_of("x", NoBuiltins(Loader()))] == ["two operators are named 'relu'"]
