"""What is said of layers that can't be used, and of gradients that are nowhere."""

import numpy as np
import pytest

from gradcheck_cli.api import check
from gradcheck_cli.bridges.objects.layers import from_layer
from gradcheck_cli.errors import OperatorError
from tests.bridges.objects.scale import Scale

X = np.random.default_rng(32).normal(size=(3, 2))


class NoGradient(Scale):
    def keep(self, gradient):
        self.elsewhere = gradient


class Needy(Scale):
    def __init__(self, size):
        super().__init__()


class Refuses(Scale):
    def __init__(self):
        raise ValueError("not today")


class HasNames(Scale):
    def __init__(self):
        self.params = {"conv1.weight": np.ones(2), "lambda": np.ones(2), "fine": np.ones(2)}


@pytest.mark.parametrize(
    ("cls", "said", "message", "hint"),
    [
        (Scale, {"forward": "forwrd"}, "Scale has no method 'forwrd'", "did you mean 'forward'?"),
        (Scale, {"params": {"w": "W"}}, "params names 'W': Scale has no 'W'", "there are: w"),
        (Scale, {"params": {"w": "weights.0"}}, "params names 'weights.0': Scale has no 'weights'", ""),
        (Scale, {"params": {"x": "w"}}, "'x' is the name of a weight and of an argument", "params: {x_weight: w}"),
        (Scale, {"params": "dw"}, "params names 'dw'", ""),
        (
            HasNames,
            {"params": "params"},
            "the weight 'conv1.weight' can't",
            "params: {conv1_weight: params.conv1.weight}",
        ),
        (
            HasNames,
            {"params": {"lambda": "params.lambda"}},
            "the weight 'lambda' can't",
            "params: {w_lambda: params.lambda}",
        ),
        (Needy, {}, "Needy can't be made without 'size'", "kwargs: {size: VALUE}"),
        (Needy, {"kwargs": {"sise": 3}}, "doesn't take these args and kwargs", ""),
        (Refuses, {}, "the constructor of layer raised ValueError: not today", ""),
        (Scale(), {"kwargs": {"size": 3}}, "an object takes no args and kwargs", ""),
        (3, {}, "int is no class with the methods forward and backward", ""),
        (lambda: 3, {}, "int has no method 'forward'", ""),
    ],
)
def test_layer_that_can_not_be_used_is_said(cls, said, message, hint):
    with pytest.raises(OperatorError) as raised:
        from_layer("layer", cls, **said)
    (problem,) = raised.value.problems
    assert message in problem.message
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("said", "message", "hint"),
    [
        ({}, "its backward leaves no gradient of w: looked for dw, grad_w, w_grad, ", "grads: {w: PATH}"),
        ({"grads": {"w": "elsewher"}}, "grads names 'elsewher'", "did you mean 'elsewhere'?"),
        ({"grads": "grads"}, "looked for grads.w", ""),
    ],
)
def test_gradient_that_is_nowhere_is_said(said, message, hint):
    operator = from_layer("scale", NoGradient, params={"w": "w"}, **said)
    with pytest.raises(OperatorError) as raised:
        check(operator, {"x": X, **operator.own})
    (problem,) = raised.value.problems
    assert message in problem.message
    assert hint in problem.hint


def test_gradient_that_stays_none_is_a_missing_one():
    class StaysNone(Scale):
        def keep(self, gradient):
            self.dw = None

    operator = from_layer("scale", StaysNone)
    result = check(operator, {"x": X, **operator.own})
    assert {finding.name for finding in result.findings} == {"gradient-count"}
    assert check(operator, {"x": X}).ok


def test_wrong_number_of_outputs_is_said():
    class Two(Scale):
        def forward(self, x):
            result = (super().forward(x), x)
            return result if len(x) else None

    with pytest.raises(OperatorError, match="returned 2 values, not 1"):
        from_layer("scale", Two, outputs=["y"])(X)
    with pytest.raises(OperatorError, match="takes no cotangent for same") as raised:
        from_layer("scale", Two, outputs=["y", "same"])
    assert "outputs: [y, _]" in raised.value.problems[0].hint
    operator = from_layer("scale", Two, outputs="y _")
    assert operator.outputs == ("y",)
    assert check(operator, {"x": X, **operator.own}).ok
