"""Functions of a value and its gradients are told from others by names and texts."""

from __future__ import annotations

import functools

import numpy as np

from gradcheck_cli.bridges.functions.value_names import values_and_gradients, values_with_gradients


def J(w, reg=0.1):
    return 0.5 * np.vdot(w, w) + reg


def dJ(w):
    return w


def cube(x):
    return x**3


def d_cube(x):
    return 3 * x**2


def svm(W, X):
    margins = X @ W
    loss = np.mean(margins) + 0.5 * np.sum(W * W)
    dW = X.sum(axis=0)[:, None] + W
    return loss, dW


def of_code(model, x):
    loss, grads = model.loss(x)
    return loss, grads


def of_mappings(params, x):
    loss = np.sum(params.get("w") * x)
    grads = {"w": x}
    return loss, grads


FUNCTIONS = {function.__name__: function for function in (J, dJ, cube, d_cube, svm, of_code, of_mappings)}


def test_a_value_stands_beside_its_gradient():
    assert values_with_gradients(FUNCTIONS) == {"J": "dJ"}
    assert values_with_gradients({"J": J, "helper": dJ}) == {}


def test_a_gradient_may_have_fewer_arguments_and_no_others():
    assert values_with_gradients({"J": J, "dJ": lambda reg, w: w}) == {"J": "dJ"}
    assert values_with_gradients({"J": J, "dJ": lambda w, other: w}) == {}
    assert values_with_gradients({"J": J, "dJ": lambda: 0}) == {}


def test_a_value_is_returned_with_gradients():
    assert values_and_gradients(FUNCTIONS) == ["svm", "of_mappings"]


def test_wrappers_are_looked_behind():
    wrapped = {name: functools.partial(function) for name, function in FUNCTIONS.items()}
    assert values_and_gradients(wrapped) == ["svm", "of_mappings"]
    assert values_with_gradients(wrapped) == {"J": "dJ"}


def test_what_has_no_text_or_no_signature_is_none():
    space = {}
    exec("def f(x):\n    loss = dx = x\n    return loss, dx\n", space)
    assert values_and_gradients({"loss": space["f"], "type": type, "tanh": np.tanh}) == []
    assert values_with_gradients({"loss": np.sum, "dloss": space["f"]}) == {}
