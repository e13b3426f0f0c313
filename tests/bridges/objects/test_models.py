"""Models with a loss and its gradients, right and wrong ones, judged end to end."""

import numpy as np
import pytest

from gradcheck_cli.api import check
from gradcheck_cli.bridges.objects.models import from_model
from gradcheck_cli.errors import OperatorError, Skipped
from tests.bridges.objects.judging import judge
from tests.bridges.objects.networks import Network

RNG = np.random.default_rng(51)
X = RNG.normal(size=(4, 3))
Y = np.array([0, 1, 1, 0])
GIVEN = {"X": X, "y": Y}


class TwoLayerNet:
    """Two layers and an L2 term, with all in one method."""

    def __init__(self, reg=0.3):
        self.params = {"W1": 0.5 * np.random.randn(3, 4), "b1": 0.1 * np.ones(4)}
        self.params |= {"W2": 0.5 * np.random.randn(4, 2), "b2": np.zeros(2)}
        self.reg = reg

    def loss(self, X, y=None):
        p = self.params
        h = np.tanh(X @ p["W1"] + p["b1"])
        scores = h @ p["W2"] + p["b2"]
        if y is None:
            return scores
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        probs = e / e.sum(axis=1, keepdims=True)
        data = -np.log(probs[np.arange(len(y)), y]).mean()
        loss = data + self.reg * sum((p[name] ** 2).sum() for name in ("W1", "W2"))
        d = probs
        d[np.arange(len(y)), y] -= 1
        d /= len(y)
        dh = d @ p["W2"].T * (1 - h * h)
        grads = {"W2": h.T @ d, "b2": d.sum(axis=0), "W1": X.T @ dh, "b1": dh.sum(axis=0)}
        for name in ("W1", "W2"):
            grads[name] += self.of_penalty(name)
        return loss, self.named(grads)

    def of_penalty(self, name):
        return 2 * self.reg * self.params[name]

    def named(self, grads):
        return grads


class ForgetsPenalty(TwoLayerNet):
    def of_penalty(self, name):
        return 0 if name == "W2" else super().of_penalty(name)


class WithoutFactor(TwoLayerNet):
    def of_penalty(self, name):
        return self.reg * self.params[name]


class NamesD(TwoLayerNet):
    def named(self, grads):
        return {f"d{name}": value for name, value in grads.items()}


class InOrder(TwoLayerNet):
    def named(self, grads):
        return tuple(grads[name] for name in self.params)


class OneByOne(TwoLayerNet):
    def loss(self, X, y):
        loss, grads = super().loss(X, y)
        return (loss, *(grads[name] for name in self.params))


class TooFew(TwoLayerNet):
    def named(self, grads):
        return tuple(grads.values())[:3]


class Misspelt(TwoLayerNet):
    def named(self, grads):
        return {name + "eight" * (name == "W1"): value for name, value in grads.items()}


class Missing(TwoLayerNet):
    def named(self, grads):
        return {name: value for name, value in grads.items() if name != "b1"}


class NotWritten(TwoLayerNet):
    def loss(self, X, y=None):
        loss, grads = 0.0, {}
        return loss, grads


def model(cls, **said):
    return from_model("net", cls, **{"value_and_grad": "loss", **said})


@pytest.mark.parametrize("cls", [TwoLayerNet, NamesD, InOrder, OneByOne])
def test_right_model_passes(cls):
    operator = model(cls)
    assert operator.signature.startswith("net(X, y")
    assert list(operator.own) == ["W1", "b1", "W2", "b2"]
    verdict, found, parameters = judge(operator, inputs=GIVEN)
    assert (verdict, found, set(parameters.values())) == ("pass", set(), {"pass"})


@pytest.mark.parametrize(("cls", "wrong"), [(ForgetsPenalty, {"W2"}), (WithoutFactor, {"W1", "W2"})])
def test_missing_penalty_is_named(cls, wrong):
    verdict, _, parameters = judge(model(cls), inputs=GIVEN)
    assert verdict == "fail"
    assert {name for name, each in parameters.items() if each == "fail"} == wrong


def test_penalty_is_off_without_a_factor():
    assert judge(model(ForgetsPenalty, kwargs={"reg": 0.0}), inputs=GIVEN)[0] == "pass"


@pytest.mark.parametrize(
    ("cls", "message"),
    [
        (TooFew, "returned 3 gradients for 4 weights"),
        (Misspelt, "no gradient for W1"),
        (Missing, "no gradient for b1"),
    ],
)
def test_missing_gradient_is_a_wrong_count(cls, message):
    operator = model(cls)
    result = check(operator, dict(operator.own), inputs=GIVEN)
    assert {finding.name for finding in result.findings} == {"gradient-count"}
    assert message in result.findings[0].message


def test_gradient_that_nobody_needs_may_be_missing():
    operator = model(Missing)
    own = dict(operator.own)
    b1 = own.pop("b1")
    assert check(operator, own, inputs={**GIVEN, "b1": b1}).ok


def test_gradients_are_multiplied_by_the_cotangent():
    operator = model(TwoLayerNet)
    names = list(operator.own)

    def scaled(X, y, W1, b1, W2, b2):
        return -2.5 * operator(X, y, W1, b1, W2, b2) ** 2

    result = check(scaled, dict(operator.own), inputs=GIVEN)
    assert result.ok
    assert [each.name for each in result.parameters] == names


def test_some_of_the_weights():
    operator = model(TwoLayerNet, params={"first": "params.W1"})
    assert operator.signature.endswith("first)")
    assert judge(operator, inputs=GIVEN)[2] == {"first": "pass"}


def test_input_without_a_gradient_is_a_wrong_count_where_it_is_checked():
    operator = model(TwoLayerNet)
    result = check(operator, {"X": X}, inputs={"y": Y})
    assert {finding.name for finding in result.findings} == {"gradient-count"}


class WithInput(TwoLayerNet):
    def named(self, grads):
        return {**grads, "X": np.zeros_like(X)}


def test_gradient_of_the_input_is_checked_where_there_is_one():
    operator = model(WithInput)
    verdict, _, parameters = judge(operator, {"X": X}, {"y": Y})
    assert verdict == "fail"
    assert parameters["X"] == "fail"
    assert parameters["W1"] == "pass"


class Both(TwoLayerNet):
    def value(self, X, y):
        return self.loss(X, y)[0]


def test_value_beside_a_method_for_both():
    operator = from_model("net", Both, value="value", value_and_grad="loss")
    assert operator.location.line != operator.rules[0].line
    assert judge(operator, inputs=GIVEN)[0] == "pass"


def test_model_that_is_not_written_is_skipped():
    operator = model(NotWritten)
    with pytest.raises(Skipped, match="not written yet"):
        judge(operator, inputs=GIVEN)


class ManyLosses(TwoLayerNet):
    def loss(self, X, y):
        loss, grads = super().loss(X, y)
        return np.full(3, loss), grads


class NoPair(TwoLayerNet):
    def loss(self, X, y):
        return super().loss(X, y)[0]


@pytest.mark.parametrize(
    ("cls", "said", "message"),
    [
        (TwoLayerNet, {"value_and_grad": None}, "value_and_grad is missing"),
        (TwoLayerNet, {"value_and_grad": None, "value": "loss"}, "grad is missing"),
        (TwoLayerNet, {"value_and_grad": None, "grad": "loss"}, "value is missing"),
        (TwoLayerNet, {"value": "loss", "grad": "loss"}, "value_and_grad and grad both make gradients"),
        (TwoLayerNet, {"value_and_grad": "lose"}, "TwoLayerNet has no method 'lose'"),
        (TwoLayerNet, {"params": "parms"}, "params names 'parms'"),
        (TwoLayerNet, {"params": {"y": "params.W1"}}, "'y' is the name of a weight and of an argument"),
        (TwoLayerNet, {"params": {"W 1": "params.W1"}}, "the weight 'W 1' can't be an argument"),
        (Network, {"value_and_grad": None, "value": "predict", "grad": "gradient"}, "the gradient takes t"),
    ],
)
def test_model_that_can_not_be_used_is_said(cls, said, message):
    with pytest.raises(OperatorError, match=message):
        model(cls, **said)


@pytest.mark.parametrize(("cls", "message"), [(ManyLosses, "is one number"), (NoPair, r"not \(loss, gradients\)")])
def test_what_is_no_loss_is_said(cls, message):
    with pytest.raises(OperatorError, match=message):
        judge(model(cls), inputs=GIVEN)


def test_model_in_single_precision():
    _, found, parameters = judge(model(TwoLayerNet), inputs=GIVEN, dtype="float32")
    assert found <= {"rounding-dominates"}
    assert "fail" not in parameters.values()
    assert judge(model(ForgetsPenalty), inputs=GIVEN, dtype="float32")[2]["W2"] == "fail"


class Distance:
    """An objective that holds no weights: its gradient is that of its argument."""

    def __init__(self):
        self.target = np.arange(3.0)

    def loss(self, x):
        return 0.5 * np.sum((x - self.target) ** 2)

    def gradient(self, x):
        return x - self.target

    def reversed_gradient(self, x):
        return self.target - x


@pytest.mark.parametrize(("gradient", "verdict"), [("gradient", "pass"), ("reversed_gradient", "fail")])
def test_model_without_weights_has_the_gradient_of_its_argument(gradient, verdict):
    operator = from_model("distance", Distance, params={}, value="loss", grad=gradient)
    assert judge(operator, {"x": np.array([0.3, -1.0, 2.0])})[0] == verdict


class OtherNames:
    def __init__(self):
        self.params = {"W": np.ones((3, 2))}

    def loss(self, X):
        scores = X @ self.params["W"]
        return np.sum(scores**2), {"kernel": 2 * X.T @ scores}


def test_gradients_of_other_names_are_no_unwritten_backward():
    verdict, found, _ = judge(from_model("other", OtherNames, value_and_grad="loss"), inputs={"X": X})
    assert (verdict, found) == ("fail", {"gradient-count"})
