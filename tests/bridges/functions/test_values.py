"""Functions of one number with its gradients as operators: every form, right and wrong."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from gradcheck_cli import Variable, check
from gradcheck_cli.bridges.functions.values import from_value, from_value_and_grad
from gradcheck_cli.errors import OperatorError, Skipped
from tests.bridges.functions.quadratic import XW, W, X, gradients, value
from tests.results import findings

RNG = np.random.default_rng(6)
LABELS = np.array([1, 0])


FORMS = {
    "arrays": lambda x, w: (value(x, w), *gradients(x, w)),
    "a tuple": lambda x, w: (value(x, w), gradients(x, w)),
    "a list": lambda x, w: (value(x, w), list(gradients(x, w))),
    "lists of numbers": lambda x, w: (value(x, w), [gradient.tolist() for gradient in gradients(x, w)]),
    "all in a list": lambda x, w: [value(x, w), *gradients(x, w)],
    "a mapping": lambda x, w: (value(x, w), dict(zip(("w", "x"), gradients(x, w)[::-1], strict=True))),
    "a mapping of gradients": lambda x, w: (value(x, w), dict(zip(("dx", "dw"), gradients(x, w), strict=True))),
    "a Python float": lambda x, w: (float(value(x, w)), gradients(x, w)),
    "no axes": lambda x, w: (np.array(value(x, w)), gradients(x, w)),
    "one element": lambda x, w: (np.array([[value(x, w)]]), gradients(x, w)),
}


@pytest.mark.parametrize("form", FORMS)
def test_value_and_gradients_in_every_form(form):
    operator = from_value_and_grad("loss", FORMS[form])
    assert check(operator, XW).verdict == "pass"
    assert check(lambda x, w: operator(x, w) * -3.0 + operator(x, 2.0 * w), XW).verdict == "pass"


def changed(function, change):
    """Return a function of value and gradients whose gradients are changed, whatever their form."""

    @functools.wraps(function)
    def twin(x, w):
        made, *rest = function(x, w)
        parts = rest[0] if len(rest) == 1 else rest
        if isinstance(parts, dict):
            return made, {name: change(np.asarray(gradient)) for name, gradient in parts.items()}
        return made, [change(np.asarray(gradient)) for gradient in parts]

    return twin


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("factor", [-1.0, 0.0, 1.001, "one element"])
def test_wrong_gradients_are_caught_in_every_form(form, factor):
    def change(gradient):
        if factor != "one element":
            return factor * gradient
        gradient = gradient.copy()
        gradient.flat[0] *= 1.01
        return gradient

    operator = from_value_and_grad("loss", changed(FORMS[form], change))
    assert check(operator, XW).verdict == "fail"


def test_a_gradient_that_draws_numbers_is_not_repeatable():
    state = np.random.default_rng(7)
    operator = from_value_and_grad("loss", changed(FORMS["arrays"], lambda gradient: gradient * state.random()))
    assert check(operator, XW).verdict == "fail"
    operator = from_value("loss", value, lambda x, w: [g * state.random() for g in gradients(x, w)])
    assert findings(check(operator, XW)) == ["not-repeatable"]


def test_a_gradient_may_be_returned_in_the_same_array_each_time():
    buffer = np.empty_like(X)

    def loss(x):
        buffer[...] = np.cos(x)
        return np.sum(np.sin(x)), buffer

    operator = from_value_and_grad("loss", loss)
    assert check(lambda x: operator(x) * operator(2 * x), {"x": X}).verdict == "pass"


def test_swapped_gradients_are_caught():
    square = {"x": W[:2], "w": X[:, :2]}
    operator = from_value_and_grad("loss", lambda x, w: (value(x, w), gradients(x, w)[::-1]))
    assert check(operator, square).verdict == "fail"
    said = from_value_and_grad("loss", lambda x, w: (value(x, w), gradients(x, w)[::-1]), returns="w x")
    assert check(said, square).verdict == "pass"
    said = from_value("loss", value, lambda x, w: gradients(x, w)[::-1], returns=["dw", "dx"])
    assert check(said, square).verdict == "pass"


def test_an_input_that_is_written_to_is_caught():
    def writes(x, w):
        made = value(x, w), gradients(x, w)
        np.multiply(x, 2, out=x)
        return made

    assert findings(check(from_value_and_grad("loss", writes), XW)) == ["input-modified"]

    def gradient_writes(x, w):
        made = gradients(x, w)
        np.multiply(w, 2, out=w)
        return made

    assert findings(check(from_value("loss", value, gradient_writes), XW)) == ["input-modified"]


def test_inputs_that_a_mapping_leaves_out_have_no_gradient():
    operator = from_value_and_grad("loss", lambda x, w: (value(x, w), {"w": gradients(x, w)[1]}))
    assert check(lambda w: operator(X, w), {"w": W}).verdict == "pass"
    (finding,) = check(operator, XW).findings
    assert finding.name == "gradient-count"
    assert "no gradient for x" in finding.message


def test_a_gradient_of_what_is_no_input_is_an_error():
    operator = from_value_and_grad("loss", lambda x, w: (value(x, w), {"weights": W}))
    (finding,) = check(operator, XW).findings
    assert (finding.name, "'weights', which is no argument" in finding.message) == ("gradient-count", True)


def svm_loss(W, X, y, reg=0.1):
    """The mean hinge loss of the scores X @ W."""
    scores = X @ W
    rows = np.arange(len(y))
    margins = np.maximum(0, scores - scores[rows, y][:, None] + 1)
    margins[rows, y] = 0
    loss = np.sum(margins) / len(y) + reg * np.sum(W * W)
    binary = (margins > 0).astype(float)
    binary[rows, y] = -binary.sum(axis=1)
    dW = X.T @ binary / len(y) + 2 * reg * W
    return loss, dW


def svm_loss_of_data_first(X, y, W, reg=0.1):
    loss, dW = svm_loss(W, X, y, reg)
    return loss, dW


def svm_loss_in_a_tuple(X, y, W, b):
    loss, dW = svm_loss(W, X, y)
    db = 2 * b
    return loss + np.sum(b**2), (dW, db)


@pytest.mark.parametrize("reg", [0.1, 0.5])
def test_data_and_labels_are_given(reg):
    operator = from_value_and_grad("svm", svm_loss)
    assert operator.outputs == ("loss",)
    assert operator.doc == "The mean hinge loss of the scores X @ W."
    assert check(lambda W: operator(W, X, LABELS, reg=reg), {"W": W}).verdict == "pass"
    assert check(lambda W: operator(W, X, LABELS, reg), {"W": W}).verdict == "pass"


def test_gradients_are_told_by_their_names_where_data_come_first():
    operator = from_value_and_grad("svm", svm_loss_of_data_first)
    assert check(lambda W: operator(X, LABELS, W), {"W": W}).verdict == "pass"
    operator = from_value_and_grad("svm", svm_loss_in_a_tuple)
    assert check(lambda W, b: operator(X, LABELS, W, b), {"W": W, "b": W[0]}).verdict == "pass"


def test_names_in_another_order_get_a_hint():
    def loss(x, w):
        dx, dw = gradients(x, w)
        total = value(x, w)
        return total, dw, dx

    (finding,) = check(from_value_and_grad("loss", loss), {"x": X, "w": W}).findings
    assert "say returns: w x" in finding.message


@pytest.mark.parametrize(
    ("function", "message"),
    [
        pytest.param(lambda x: np.sum(x**2), "loss returned float64, and no gradient", id="a value alone"),
        pytest.param(lambda x: (np.sum(x),), "loss returned 1 value, and no gradient", id="one in a tuple"),
        pytest.param(lambda x: (x, x), r"loss returned an array of shape \(2, 3\)", id="an array"),
        pytest.param(lambda x: ("text", x), "loss returned str", id="a text"),
    ],
)
def test_what_is_no_value_with_gradients_is_an_error(function, message):
    with pytest.raises(OperatorError, match=message):
        check(from_value_and_grad("loss", function), {"x": X})


@pytest.mark.parametrize("function", [lambda x: None, lambda x: (None, None)], ids=["nothing", "none and none"])
def test_what_is_not_written_yet_is_skipped(function):
    with pytest.raises(Skipped, match="the forward of loss"):
        check(from_value_and_grad("loss", function), {"x": X})


def test_gradients_that_are_not_written_yet_are_skipped():
    with pytest.raises(Skipped, match="the backward of loss"):
        check(from_value_and_grad("loss", lambda x: (np.sum(x**2), None)), {"x": X})
    with pytest.raises(Skipped, match="the forward of J"):
        check(from_value("J", lambda x: None, lambda x: x), {"x": X})
    with pytest.raises(Skipped, match="the backward of J"):
        check(from_value("J", lambda x: np.sum(x**2), lambda x: None), {"x": X})


def test_a_direct_call_returns_the_value():
    operator = from_value_and_grad("svm", svm_loss)
    assert operator(W, X, LABELS) == svm_loss(W, X, LABELS)[0]
    assert operator(y=LABELS, W=W, X=X, reg=0.5) == svm_loss(W, X, LABELS, 0.5)[0]
    loss = operator(Variable(W), X, LABELS)
    loss.backward()
    assert loss.data == svm_loss(W, X, LABELS)[0]


def test_domains_and_places_are_recorded():
    operator = from_value("J", value, gradients, domain={"x": "n d", "w": {"shape": "d k", "low": 0}})
    assert [item.domain.shape for item in operator.inputs] == ["n d", "d k"]
    assert operator.line == value.__code__.co_firstlineno
    assert operator.rules[0].line == gradients.__code__.co_firstlineno
    with pytest.raises(OperatorError, match="the domain names 'q'"):
        from_value_and_grad("svm", svm_loss, domain={"q": "n"})


def test_a_value_called_like_an_input_has_another_name():
    def loss(x, out):
        x = np.sum(x * out)
        return x, {}

    assert from_value_and_grad("loss", loss).outputs == ("value",)
    assert from_value_and_grad("loss", lambda g, g_out: (np.sum(g), {})).outputs == ("value",)


def logistic(w, b, X, Y):
    """As a course has it: the gradients come first, under their own names, and the data have none."""
    m = X.shape[1]
    A = 1 / (1 + np.exp(-(w.T @ X + b)))
    cost = np.squeeze(-np.sum(Y * np.log(A) + (1 - Y) * np.log(1 - A)) / m)
    grads = {"dw": X @ (A - Y).T / m, "db": np.sum(A - Y) / m}
    return grads, cost


def logistic_without_mean(w, b, X, Y):
    grads, cost = logistic(w, b, X, Y)
    return {**grads, "dw": grads["dw"] * X.shape[1]}, cost


def array_before_cost(w):
    cost = np.sum(w**2)
    grad = 2 * w
    return grad, cost


@pytest.mark.parametrize(("function", "verdict"), [(logistic, "pass"), (logistic_without_mean, "fail")])
def test_gradients_may_stand_before_the_value(function, verdict):
    data = {"X": RNG.standard_normal((3, 4)), "Y": np.array([[0.0, 1, 1, 0]])}
    weights = {"w": RNG.standard_normal((3, 1)), "b": np.array(0.2)}
    operator = from_value_and_grad("logistic", function)
    assert str(check(operator, weights, inputs=data).verdict) == verdict


def test_an_array_before_its_value_is_told_by_the_names():
    operator = from_value_and_grad("array_before_cost", array_before_cost)
    assert operator.outputs == ("cost",)
    assert str(check(operator, {"w": RNG.standard_normal(1)}).verdict) == "pass"


def scaled_square(x, *args):
    scale = args[0] if args else 1.0
    return scale * (x @ x), 2 * scale * x


def test_further_arguments_may_be_left_out():
    operator = from_value_and_grad("scaled_square", scaled_square)
    x = RNG.standard_normal(3)
    assert str(check(operator, {"x": x}).verdict) == "pass"
    assert str(check(lambda x: operator(x, 2.5), {"x": x}).verdict) == "pass"
