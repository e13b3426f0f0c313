"""Pairs are found in a module by their names, and each becomes an operator."""

from __future__ import annotations

import functools
import types

import numpy as np
import pytest

from gradcheck_cli import check, op
from gradcheck_cli.bridges.functions.pairs import from_pairs, pairs_in, unpaired_in
from gradcheck_cli.errors import OperatorError

X = np.array([[0.5, -1.0], [2.0, 0.25]])


def forward(x):
    return 2 * x


def backward(g, x):
    return 2 * g


def named(*functions):
    """Return a namespace of functions of these names, each another one."""
    return {name: functools.partial(backward if "ackward" in name or "bwd" in name else forward) for name in functions}


def names(*functions, **more):
    """Return the names of the functions of each pair, by operator."""
    namespace = named(*functions) | more
    by_function = {id(function): name for name, function in namespace.items()}
    return {name: tuple(by_function[id(each)] for each in pair) for name, pair in pairs_in(namespace).items()}


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ("affine_forward", "affine_backward", "affine"),
        ("conv_forward_naive", "conv_backward_naive", "conv"),
        ("forward_relu", "backward_relu", "relu"),
        ("softmax_fwd", "softmax_bwd", "softmax"),
        ("fwd_softmax", "bwd_softmax", "softmax"),
        ("affineForward", "affineBackward", "affine"),
        ("reluforward", "relubackward", "relu"),
        ("sigmoid", "sigmoid_backward", "sigmoid"),
        ("sigmoid", "backward_sigmoid", "sigmoid"),
        ("conv_forward_fast", "conv_backward_fast", "conv_fast"),
        ("rnn_step_forward", "rnn_step_backward", "rnn_step"),
        ("affine_forward", "backward_affine", "affine"),
        ("batchnorm_forward", "batchnorm_backward_alt", "batchnorm_alt"),
        ("conv_forward", "conv_backward_naive", "conv"),
        ("conv_forward_naive", "conv_backward", "conv"),
    ],
)
def test_a_pair_is_known_by_its_names(first, second, name):
    assert names(first, second) == {name: (first, second)}
    assert names(second, first) == {name: (first, second)}


def test_variants_are_operators_of_their_own():
    found = names(
        "conv_forward_naive", "conv_backward_naive", "conv_forward_fast", "conv_backward_fast", "conv_forward_strides"
    )
    assert found == {
        "conv": ("conv_forward_naive", "conv_backward_naive"),
        "conv_fast": ("conv_forward_fast", "conv_backward_fast"),
    }
    found = names("bn_forward", "bn_backward", "bn_backward_alt", "bn_forward_naive", "bn_backward_naive")
    assert found == {
        "bn": ("bn_forward", "bn_backward"),
        "bn_alt": ("bn_forward", "bn_backward_alt"),
        "bn_naive": ("bn_forward_naive", "bn_backward_naive"),
    }


def test_two_ways_to_one_name_are_two_operators():
    found = names("conv_fast_forward", "conv_fast_backward", "conv_forward_fast", "conv_backward_fast")
    assert sorted(found) == ["conv_fast", "conv_fast_"]


def test_pairs_come_in_the_order_of_their_forwards():
    assert list(names("b_forward", "a_forward", "a_backward", "b_backward", "c", "c_backward")) == ["b", "a", "c"]


def test_forward_and_backward_alone_are_named_after_their_file():
    assert names("forward", "backward", __file__="/somewhere/relu.py") == {"relu": ("forward", "backward")}
    assert names("forward", "backward", __file__="/somewhere/my-relu.py") == {}
    assert names("forward", "backward") == {}


def test_classes_operators_and_values_are_no_halves():
    @op
    def relu_forward(x):
        """max(x, 0)."""
        return np.maximum(x, 0)

    class RELU_backward:
        pass

    namespace = {"relu_forward": relu_forward, "relu_backward": backward, "tanh_forward": 3, "tanh_backward": backward}
    assert pairs_in(namespace) == {}
    assert pairs_in({"RELU_forward": forward, "RELU_backward": RELU_backward}) == {}


def test_halves_without_the_other_are_noted():
    namespace = named("relu_forward", "tanh_backward", "backward_sigmoid", "_hidden_forward", "feedforward", "a_fwd")
    assert unpaired_in(namespace) == (
        "relu_forward has no relu_backward beside it",
        "tanh_backward has no tanh_forward beside it",
        "backward_sigmoid has no forward_sigmoid beside it",
        "a_fwd has no a_bwd beside it",
    )
    assert unpaired_in(named("relu_forward", "relu_backward", "helper")) == ()


def module(text, name="layers", **more):
    made = types.ModuleType(name)
    vars(made).update(more)
    exec(text, vars(made))
    return made


COURSE = """
import functools
import numpy as np
from numpy import maximum as max_forward, minimum as max_backward

def affine_forward(x, w, b):
    return x @ w + b, (x, w, b)

def affine_backward(dout, cache):
    x, w, b = cache
    return dout @ w.T, x.T @ dout, dout.sum(axis=0)

def relu_forward(x):
    return np.maximum(x, 0), x

def relu_backward(dout, cache):
    return dout * (cache < 0)

def softmax_loss_forward(x, y):
    return np.mean((x - y) ** 2)

def softmax_loss_backward(x, y):
    return 2 * (x - y) / x.size

relu6_forward = functools.partial(relu_forward)
relu6_backward = functools.partial(relu_backward)
"""


def test_every_pair_of_a_module_becomes_an_operator():
    operators = {operator.name: operator for operator in from_pairs(module(COURSE), loss=["softmax_loss"])}
    assert list(operators) == ["affine", "relu", "softmax_loss", "relu6"]
    params = {"x": X, "w": X + 1, "b": X[0]}
    assert check(operators["affine"], params).verdict == "pass"
    assert check(operators["relu"], {"x": X}).verdict == "fail"
    assert check(operators["relu6"], {"x": X}).verdict == "fail"
    assert check(lambda x: operators["softmax_loss"](x, 2 * X), {"x": X}).verdict == "pass"


def test_only_what_a_module_defines_itself_is_its_own():
    made = module("from somewhere import *\n".replace("from somewhere import *", "pass"))
    vars(made).update(relu_forward=forward, relu_backward=backward)
    assert pairs_in(made) == {}
    assert list(pairs_in({"relu_forward": forward, "relu_backward": backward})) == ["relu"]
    part = module("def a_forward(x): return x\ndef a_backward(g, x): return g\n", "package.part")
    package = module("", "package", a_forward=part.a_forward, a_backward=part.a_backward)
    assert list(pairs_in(package)) == ["a"]


def test_domains_are_given_by_operator():
    domain = {"affine": {"x": "n d", "w": "d k", "b": "k"}, "relu": {"x": {"shape": "n d", "avoid": 0}}}
    operators = from_pairs(module(COURSE), domain=domain, loss="softmax_loss")
    assert [item.domain.shape for item in operators[0].inputs] == ["n d", "d k", "k"]
    assert operators[1].inputs[0].domain.avoid == (0.0,)
    assert operators[2].inputs[0].loose


@pytest.mark.parametrize("options", [{"domain": {"afine": {}}}, {"loss": ["afine"]}, {"loss": "afine"}])
def test_a_name_that_no_pair_has_is_an_error(options):
    with pytest.raises(OperatorError, match=r"'afine' is no pair of functions here.*\n.*did you mean 'affine'"):
        from_pairs(module(COURSE), **options)


def test_a_module_without_pairs_is_an_error_that_says_what_was_looked_for():
    with pytest.raises(
        OperatorError, match=r"(?s)/x/ops\.py: error: there is no pair.*X_forward with X_backward.*relu_f"
    ):
        from_pairs(module("def relu_forward(x): return x\n", __file__="/x/ops.py"))


UNCLEAR = """
def sigmoid(z):
    return 1 / (1 + 2.718281828 ** -z)

def sigmoid_backward(dA, A):
    return dA * A * (1 - A)

def double_forward(x):
    return 2 * x

def double_backward(g, x):
    return 2 * g
"""


def test_a_pair_that_cannot_be_told_raises_only_where_it_is_used():
    unclear, double = from_pairs(named_text(UNCLEAR))
    assert (unclear.name, unclear.signature) == ("sigmoid", "sigmoid(z)")
    assert check(double, {"x": X}).verdict == "pass"
    for use in (lambda: unclear(X), lambda: check(unclear, {"z": X})):
        with pytest.raises(OperatorError, match="asks for 'A', and it can't be told what that is"):
            use()


def named_text(text):
    """Return a module whose functions have a text that can be read."""
    import linecache

    name = "<unclear>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    made = types.ModuleType("unclear")
    exec(compile(text, name, "exec"), vars(made))
    return made


def test_a_wrong_domain_of_a_pair_is_an_error():
    with pytest.raises(OperatorError, match="the domain names 'q'"):
        from_pairs(module(COURSE), domain={"affine": {"q": "n"}})
