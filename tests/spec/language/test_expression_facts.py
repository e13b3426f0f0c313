"""What is known about an expression before it is evaluated, and that gradients flow through it."""

import numpy as np
import pytest

from gradcheck_cli import Variable, ints
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.spec.language.expression import compile_expression
from gradcheck_cli.spec.text.place import Place
from tests.spec.language.compiling import ARRAYS, SCOPE, B, W, X, compiled


def test_names_are_the_arrays_and_constants_that_are_used():
    assert compiled("h = x @ W\nh + n * reshape(x, sizes).sum()").names == {"x", "W", "n", "sizes"}
    assert compiled("act(x)").names == {"x", "act"}
    assert compiled("sum(x)").names == {"x"}


def test_operators_are_listed_once_in_order():
    assert [made.name for made in compiled("tanh(x @ W + b) + tanh(b)").operators] == ["matmul", "add", "tanh"]
    assert compiled("x").operators == ()


def test_indices_are_the_arrays_that_index_others():
    assert compiled("x[idx, 0]").indices == {"idx"}
    assert compiled("h = m\nx[h]").indices == {"m"}
    assert compiled("x[idx - 1] + x[x > 0].sum() + idx.sum()").indices == set()


def test_domains_are_those_of_direct_arguments_narrowed():
    domains = compiled("stretch(x).sum() + tanh(x).sum() + tanh(2 * W).sum()").domains
    assert domains["x"] == Domain(low=0.5)
    assert domains["W"] == Domain()
    assert compiled("log(x) + stretch(x)").domains["x"].low == 0.5
    assert compiled("x / W.sum()").domains.keys() == {"x", "W"}
    assert compiled("b / x[0, 0] + sum(W / b)").domains["b"].avoid == (0.0,)
    assert compiled("h = x\nstretch(h)").domains["x"].low == 0.5
    assert compiled("concatenate([x, x])").domains["x"] == SCOPE.builtins["concatenate"].inputs[0].domain


def test_an_integer_or_boolean_declaration_wins_over_a_floating_one():
    for text in ("h, k = split_at(x, idx)\nh + k * idx", "h = idx * x\nk, j = split_at(h, idx)\nk + j"):
        assert compiled(text).domains["idx"] == ints("", below=3)
    assert compiled("h = m * 1.0\ncount(m) + h.sum()").domains["m"].kind == "bool"
    assert compiled("count(m) + sum(m * 1.0)").domains["m"].kind == "bool"


def test_a_whole_exponent_leaves_the_sign_of_its_base_free():
    limits = SCOPE.builtins["power"].inputs[0].domain
    assert limits.low is not None
    assert compiled("x**2").domains["x"] == Domain()
    assert compiled("x**-2").domains["x"] == Domain(avoid=(0.0,))
    assert compiled("x**0.5").domains["x"] == limits
    assert compiled("x**b[0]").domains["x"] == limits


def test_gradients_flow_to_every_use():
    expression = compiled("h = tanh(x @ W + b)\nh[idx].sum() + 1e-1 * sum(W**2) + x.T[0].sum()")
    leaves = {name: Variable(array, requires_grad=array.dtype.kind == "f") for name, array in ARRAYS.items()}
    (loss,) = expression(leaves, np.dtype(float))
    loss.backward()
    h = np.tanh(X @ W + B)
    uses = np.array([1, 0, 2])[:, None]
    slope = uses * (1 - h**2)
    np.testing.assert_allclose(leaves["W"].grad, X.T @ slope + 0.2 * W, rtol=1e-12)
    np.testing.assert_allclose(leaves["b"].grad, slope.sum(0), rtol=1e-12)
    np.testing.assert_allclose(leaves["x"].grad, slope @ W.T + [1, 0, 0, 0], rtol=1e-12)


def test_the_worked_example_of_the_sources():
    problems = []
    text = "p = sigmoid(x*w + b)\n(p - t)**2"
    expression = compile_expression(
        text, scope=SCOPE, arrays=["x", "w", "b", "t"], constants={}, place=Place("f", 1, 1), problems=problems
    )
    leaves = {name: Variable(number) for name, number in {"x": 0.5, "w": 1.2, "b": -0.3, "t": 0.8}.items()}
    (loss,) = expression(leaves, np.dtype(float))
    loss.backward()
    assert loss.item() == pytest.approx(0.050876, abs=1e-6)
    assert [float(leaves[name].grad) for name in "wxb"] == pytest.approx([-0.055139, -0.132335, -0.110279], abs=1e-6)


def test_names_are_found_whatever_their_unicode_form():
    """Python's grammar reads the micro sign as the Greek letter, so the spec's spelling is followed back."""
    micro, ligature = "\N{MICRO SIGN}", "\N{LATIN SMALL LIGATURE FI}t"
    problems = []
    text = f"{micro} * {ligature}"
    expression = compile_expression(
        text, scope=SCOPE, arrays=[micro], constants={ligature: 3}, place=Place("f", 1, 1), problems=problems
    )
    assert problems == []
    assert expression.names == {micro, ligature}
    assert expression({micro: np.array(2.0)}, np.dtype(float))[0] == 6


def test_a_parameter_named_np_is_no_namespace():
    problems = []
    expression = compile_expression(
        "np.exp().sum()", scope=SCOPE, arrays=["np"], constants={}, place=Place("f", 1, 1), problems=problems
    )
    assert problems == []
    assert expression({"np": np.zeros(3)}, np.dtype(float))[0] == 3
