"""What is found in a Python file that marks no operator, and what isn't taken for one."""

from __future__ import annotations

import sys
import textwrap

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.discovery import discover
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.errors import OperatorError
from tests.bridges.discovering import CLASSES, PAIRS, X, by_name


def test_pairs_are_found_with_the_line_that_names_them(found):
    result = found(PAIRS)
    operators = by_name(result)
    assert list(operators) == ["affine", "relu"]
    assert result.lines == (
        "affine: {forward: layers.py:affine_forward, backward: layers.py:affine_backward}",
        "relu: {forward: layers.py:relu, backward: layers.py:relu_backward}",
    )
    assert result.notes == ("tanh_forward has no tanh_backward beside it",)
    assert check(operators["affine"], {"x": X, "w": X + 1, "b": X[0]}).verdict == "pass"
    assert check(operators["relu"], {"x": X}).verdict == "fail"


VALUES = """
    def softmax_loss(x, y):
        p = np.exp(x - x.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        loss = -np.log(p[np.arange(len(y)), y]).mean()
        p[np.arange(len(y)), y] -= 1
        dx = p / len(y)
        return loss, dx

    def J(w):
        return 0.5 * np.sum(w**2)

    def dJ(w):
        return w

    def misfit(kappa, source):
        return simulate(kappa, source).sum()

    def misfit_gradient(kappa, source):
        return {"kappa": source, "source": kappa}

    def simulate(kappa, source):
        return kappa * source
"""


def test_values_with_gradients_are_found(found):
    result = found(VALUES, "sim.py")
    operators = by_name(result)
    assert result.lines == (
        "J: {value: sim.py:J, grad: sim.py:dJ}",
        "misfit: {value: sim.py:misfit, grad: sim.py:misfit_gradient}",
        "softmax_loss: {value_and_grad: sim.py:softmax_loss}",
    )
    assert list(operators) == ["J", "misfit", "softmax_loss"]
    assert check(operators["J"], {"w": X}).verdict == "pass"
    assert check(operators["misfit"], {"kappa": X, "source": X + 2}).verdict == "pass"
    assert check(lambda x: operators["softmax_loss"](x, np.array([1, 0])), {"x": X}).verdict == "pass"


@pytest.mark.parametrize("gradient", ["dJ", "d_J", "grad_J", "gradient_J", "J_grad", "J_gradient"])
def test_a_gradient_is_called_after_its_value(found, gradient):
    result = found(f"def J(w): return np.sum(w**2)\ndef {gradient}(w): return 2 * w\n")
    assert result.lines == (f"J: {{value: layers.py:J, grad: layers.py:{gradient}}}",)


RETURNS = {
    "named after a parameter": "def f(W, X):\n    loss, dW = np.sum(W), X\n    return loss, dW",
    "two": "def f(W, b):\n    cost = dW = db = W\n    return cost, dW, db",
    "in a tuple": "def f(W, b):\n    cost = dW = db = W\n    return cost, (dW, db)",
    "in a list": "def f(W, b):\n    J = dW = db = W\n    grads = [dW, db]\n    return J, grads",
    "grad": "def f(W, b):\n    loss = grad = W\n    return loss, grad",
    "grads": "def f(W, b):\n    loss, grads = W, {}\n    return loss, grads",
    "a sum of everything": "def f(W, X):\n    dW = X\n    return np.sum(W * X) / X.shape[0], dW",
    "a sum in a variable": "def f(W):\n    total = 0.5 * float(np.vdot(W, W))\n    dW = W\n    return total, dW",
    "by its own name": "def squared_loss(W):\n    dW = 2 * W\n    return helper(W), dW",
    "two branches": "def f(W, flag):\n    loss = dW = W\n    if flag:\n        return loss, dW\n    return loss, dW",
}


@pytest.mark.parametrize("text", RETURNS.values(), ids=RETURNS)
def test_a_value_is_returned_with_its_gradients(found, text):
    name = "squared_loss" if "squared_loss" in text else "f"
    assert found(text).lines == (f"{name}: {{value_and_grad: layers.py:{name}}}",)


UNRELATED = {
    "two values": "def f(x):\n    loss, accuracy = np.sum(x), 1\n    return loss, accuracy",
    "an optimiser": "def sgd(w, dw):\n    w = w - dw\n    return w, dw",
    "an optimiser with settings": "def sgd(w, dw, config):\n    next_w = w - dw\n    return next_w, config",
    "a gradient that is given": "def f(w, dw):\n    loss = np.sum(w)\n    return loss, dw",
    "gradients only": "def f(x, w):\n    dx = dw = x\n    return dx, dw",
    "an array with a gradient": "def f(x):\n    out = dx = x * 2\n    return out, dx",
    "a sum along an axis": "def f(x):\n    dx = x\n    return np.sum(x, axis=0), dx",
    "a sum along an axis by place": "def f(x):\n    dx = x\n    return np.sum(x, 0), dx",
    "a softmax": "def f(x):\n    dx = x\n    e = np.exp(x)\n    return e / np.sum(e), dx",
    "something else beside": "def f(x):\n    loss, dx, info = np.sum(x), x, 3\n    return loss, dx, info",
    "of another parameter": "def f(x):\n    loss, dz = np.sum(x), x\n    return loss, dz",
    "twice the same": "def f(x):\n    loss, dx, grad_x = np.sum(x), x, x\n    return loss, dx, grad_x",
    "a value alone": "def loss(x):\n    return np.sum(x)",
    "branches that differ": "def f(x):\n    loss = dx = x\n    if x:\n        return loss\n    return loss, dx",
    "a training step": "def step(model, x):\n    loss, grads = model.loss(x)\n    return loss, grads",
    "a numerical gradient": "def numeric(f, x):\n    value, grad = f(x), x\n    return value, grad",
    "no parameter": "def f():\n    loss, grad = 1, 2\n    return loss, grad",
    "elementwise": "def sigmoid(x):\n    return 1 / (1 + np.exp(-x))\ndef sigmoid_grad(s):\n    return s * (1 - s)",
    "elementwise of one parameter": "def cube(x):\n    return x**3\ndef cube_grad(x):\n    return 3 * x**2",
    "a gradient of another function": "def J(w):\n    return np.sum(w)\ndef dJ(x, y):\n    return x",
    "a function of functions": "def loss(f, x):\n    return np.sum(f(x))\ndef loss_grad(f, x):\n    return x",
    "a value with more": "def J(w):\n    return np.sum(w), w\ndef dJ(w):\n    return w",
    "a helper": "def helper(x):\n    return x",
    "a constant": "loss = 3\ndloss = 4",
    "a class without backward": "class Net:\n    def forward(self, x):\n        return x",
}


@pytest.mark.parametrize("text", UNRELATED.values(), ids=UNRELATED)
def test_what_is_no_pair_of_value_and_gradient_is_not_taken_for_one(found, text):
    with pytest.raises(OperatorError, match="nothing to check"):
        found(text)


def test_nothing_found_says_what_was_looked_for(found):
    with pytest.raises(OperatorError) as error:
        found("def tanh_forward(x): return x\n")
    (problem,) = error.value.problems
    assert str(problem.location).endswith("layers.py")
    assert problem.code == "no-operator"
    for word in ("@op", "X_forward with X_backward", "classes with forward and backward", "dJ", "returns loss, dx"):
        assert word in problem.hint
    assert "tanh_forward has no tanh_backward beside it" in problem.hint


def test_imported_functions_are_not_the_files_own(found):
    others = {"other.py": PAIRS.replace("    def", "def").replace("        ", "    ")}
    others["other.py"] = "import numpy as np\n" + textwrap.dedent(PAIRS)
    with pytest.raises(OperatorError, match="nothing to check"):
        found("from other import *\nfrom other import affine_forward as double_forward", others=others)
    text = """
        from other import *

        def sandwich_forward(x, w, b):
            a, fc_cache = affine_forward(x, w, b)
            return a, fc_cache

        def sandwich_backward(dout, cache):
            return affine_backward(dout, cache)
    """
    result = found(text, others=others)
    assert [operator.name for operator in result.operators] == ["sandwich"]
    assert check(result.operators[0], {"x": X, "w": X + 1, "b": X[0]}).verdict == "pass"


def test_a_file_that_imports_marked_operators_has_none_of_its_own(found):
    others = {"marked.py": 'from gradcheck_cli import op\n\n\n@op\ndef f(x):\n    """x."""\n    return x\n'}
    assert found("from marked import f", others=others).operators == ()


def test_a_name_is_used_once(found):
    text = """
        def loss(w):
            return np.sum(w**2)

        def loss_backward(g, w):
            return 2 * g * w

        def loss_grad(w):
            return 2 * w
    """
    result = found(text)
    assert result.lines == ("loss: {forward: layers.py:loss, backward: layers.py:loss_backward}",)


def test_two_things_of_one_name_are_noted(found):
    text = """
        class relu:
            def forward(self, x):
                return x

            def backward(self, gy):
                return gy

        def relu_forward(x):
            return x

        def relu_backward(g, x):
            return g
    """
    pytest.importorskip("gradcheck_cli.bridges.objects.classes")
    result = found(text)
    assert len(result.operators) == 1
    assert result.notes == ("there are two of the name relu: relu: {function: layers.py:relu} is not used",)


def test_a_pair_that_cannot_be_told_is_found_and_raises_where_it_is_used(found):
    result = found("def sigmoid(z): return 1 / z\ndef sigmoid_backward(dA, A): return dA * A\n")
    assert len(result.lines) == 1
    with pytest.raises(OperatorError, match="asks for 'A', and it can't be told what that is"):
        result.operators[0](X)


def test_a_file_name_that_yaml_would_misread_is_quoted(found):
    result = found("def a_forward(x): return x\ndef a_backward(g, x): return g\n", "my layers, new.py")
    assert result.lines == ('a: {forward: "my layers, new.py:a_forward", backward: "my layers, new.py:a_backward"}',)


def test_modules_beside_the_file_can_be_imported_later(found):
    text = """
        def double_forward(x):
            from helpers import factor
            return factor * x

        def double_backward(g, x):
            return 2 * g
    """
    result = found(text, others={"helpers.py": "factor = 2.0\n"})
    assert check(result.operators[0], {"x": X}).verdict == "pass"
    assert "helpers" not in sys.modules


def test_a_part_of_a_package_may_import_from_its_package_when_it_is_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    part = tmp_path / "package_of_layers" / "inner"
    part.mkdir(parents=True)
    for folder in (part, part.parent):
        (folder / "__init__.py").write_text("")
    (part.parent / "late.py").write_text("FACTOR = 3.0\n")
    (part / "layers.py").write_text(
        "def scale_forward(x):\n    from ..late import FACTOR\n    return FACTOR * x\n\n\n"
        "def scale_backward(dout):\n    from package_of_layers.late import FACTOR\n    return FACTOR * dout\n"
    )
    path = part / "layers.py"
    (scale,) = discover(Loader().namespace(path), path).operators
    assert str(check(scale, {"x": np.array([1.0, 2.0])}).verdict) == "pass"


def test_pytorch_is_not_imported_for_a_search(found):
    before = "torch" in sys.modules
    found(PAIRS + CLASSES)
    assert ("torch" in sys.modules) == before
