"""What backwards of layers are given, and in which form they return gradients."""

import numpy as np
import pytest

from gradcheck_cli.api import check
from gradcheck_cli.bridges.objects.layers import from_layer
from gradcheck_cli.errors import OperatorError
from tests.bridges.objects.judging import judge

RNG = np.random.default_rng(20)
X = RNG.normal(size=(5, 3))
LABELS = np.array([0, 2, 1, 1, 0])


class Dense:
    def __init__(self):
        self.W, self.b = np.random.randn(3, 4), np.zeros(4)

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b


class SoftmaxWithLoss:
    def forward(self, x, t):
        self.t = t
        e = np.exp(x - x.max(axis=1, keepdims=True))
        self.y = e / e.sum(axis=1, keepdims=True)
        return -np.log(self.y[np.arange(len(t)), t]).mean()

    def backward(self, dout=1):
        dx = self.y.copy()
        dx[np.arange(len(self.t)), self.t] -= 1
        return dx / len(self.t)


class NotAveraged(SoftmaxWithLoss):
    def backward(self, dout=1):
        return len(self.t) * super().backward(dout)


class WithoutCotangent(SoftmaxWithLoss):
    def backward(self):
        return super().backward()


def test_loss_that_ignores_its_cotangent_is_told():
    verdict, found, _ = judge(from_layer("loss", SoftmaxWithLoss), {"x": X}, {"t": LABELS})
    assert (verdict, found) == ("fail", {"not-linear-in-g"})


@pytest.mark.parametrize(("cls", "expected"), [(SoftmaxWithLoss, "pass"), (NotAveraged, "fail")])
def test_loss_that_is_said_to_be_one(cls, expected):
    operator = from_layer("loss", cls, loss=True)
    for scale in (1.0, -3.0):
        result = check(lambda x, t, scale=scale: scale * operator(x, t), {"x": X}, inputs={"t": LABELS})
        assert str(result.verdict) == expected


def test_backward_without_a_cotangent_is_that_of_a_loss():
    assert judge(from_layer("loss", WithoutCotangent), {"x": X}, {"t": LABELS})[0] == "pass"


class Pair:
    """Prediction and target, each given to forward and backward, as in losses without memory."""

    def forward(self, prediction, target):
        return ((prediction - target) ** 2).mean()

    def backward(self, prediction, target):
        d = 2 * (prediction - target) / target.size
        return d, -d


def test_loss_whose_backward_takes_what_its_forward_takes():
    operator = from_layer("mse", Pair)
    assert judge(operator, {"prediction": X, "target": X[::-1].copy()})[0] == "pass"


class OnlyWeights(Dense):
    def backward(self, dout):
        self.dW, self.db = self.x.T @ dout, dout.sum(axis=0)


class Embedding:
    def __init__(self):
        self.W = np.random.randn(4, 3)

    def forward(self, idx):
        self.idx = idx
        return self.W[idx]

    def backward(self, dout):
        self.dW = np.zeros_like(self.W)
        self.scatter(dout)

    def scatter(self, dout):
        np.add.at(self.dW, self.idx, dout)


class LosesRepeats(Embedding):
    def scatter(self, dout):
        self.dW[self.idx] = dout


def test_input_without_gradient_is_a_wrong_count_where_it_is_checked():
    operator = from_layer("dense", OnlyWeights)
    result = check(lambda W, b, x: operator(x, W, b), dict(operator.own), inputs={"x": X})
    assert result.ok
    result = check(operator, {"x": X})
    assert {finding.name for finding in result.findings} == {"gradient-count"}
    assert "no gradient for x" in result.findings[0].message


@pytest.mark.parametrize(("cls", "expected"), [(Embedding, "pass"), (LosesRepeats, "fail")])
def test_repeated_indices(cls, expected):
    assert judge(from_layer("embed", cls), {}, {"idx": LABELS})[2] == {"W": expected}


class ReturnsAll(Dense):
    def backward(self, dout):
        return dout @ self.W.T, self.x.T @ dout, dout.sum(axis=0)


class ReturnsNested(Dense):
    def backward(self, dout):
        return dout @ self.W.T, {"W": self.x.T @ dout, "b": dout.sum(axis=0)}


class ReturnsMapping(Dense):
    def backward(self, dout):
        return {"dx": dout @ self.W.T, "dW": self.x.T @ dout, "db": dout.sum(axis=0)}


class ReturnsSwapped(Dense):
    def backward(self, dout):
        return dout @ self.W.T, {"W": 2 * self.x.T @ dout, "b": dout.sum(axis=0)}


@pytest.mark.parametrize("cls", [ReturnsAll, ReturnsNested, ReturnsMapping])
def test_gradients_of_weights_may_be_returned(cls):
    assert judge(from_layer("dense", cls, params={"W": "W", "b": "b"}), {"x": X})[0] == "pass"


def test_wrong_gradients_of_weights_that_are_returned():
    operator = from_layer("dense", ReturnsSwapped, params={"W": "W", "b": "b"})
    assert judge(operator, {"x": X})[2] == {"x": "pass", "W": "fail", "b": "pass"}


class Tanh:
    def forward(self, x):
        return np.tanh(x)

    def backward(self, grad, x):
        return grad * (1 - np.tanh(x) ** 2)


class TanhOfInput(Tanh):
    def backward(self, input, grad):
        return grad * (1 - np.tanh(input) ** 2)


class TanhOfOutput(Tanh):
    def backward(self, grad, out):
        return grad * (1 - out**2)


class TanhOfItsName(Tanh):
    def forward(self, x):
        y = np.empty_like(x)
        np.tanh(x, out=y)
        return y

    def backward(self, gy, y):
        return gy * (1 - y**2)


class TanhOfCache:
    def forward(self, x):
        out = np.tanh(x)
        cache = (x, out)
        return out, cache

    def backward(self, dout, cache):
        _, out = cache
        return dout * (1 - out**2)


class TanhOfRate(Tanh):
    def backward(self, grad, x, learning_rate):
        return grad * (1 - np.tanh(x) ** 2) * learning_rate


@pytest.mark.parametrize("cls", [Tanh, TanhOfInput, TanhOfOutput, TanhOfItsName, TanhOfCache])
def test_backward_gets_what_it_asks_for(cls):
    operator = from_layer("tanh", cls)
    assert operator.outputs == ("out",)
    assert judge(operator, {"x": X})[0] == "pass"


def test_further_arguments_of_a_backward_have_to_be_given():
    operator = from_layer("tanh", TanhOfRate)
    with pytest.raises(OperatorError, match="needs 'learning_rate'"):
        operator.bind((X,), {})
    assert check(lambda x: operator(x, learning_rate=1.0), {"x": X}).ok
    assert not check(lambda x: operator(x, learning_rate=0.5), {"x": X}).ok
    assert from_layer("tanh", TanhOfRate, domain={"learning_rate": (1.0,)}).attributes[0].values == (1.0,)


class Concatenate:
    def forward(self, *xs):
        self.sizes = np.cumsum([x.shape[0] for x in xs])[:-1]
        return np.concatenate(xs)

    def backward(self, g):
        return np.split(g, self.sizes)


class AsksForAll(Concatenate):
    def backward(self, g, xs):
        return np.split(g, np.cumsum([len(x) for x in xs])[:-1])


class Rows:
    """A backward that unpacks the rows of its cotangent."""

    def forward(self, a, b):
        return np.stack([a, b])

    def backward(self, dout):
        da, db = dout
        return da, db


def test_layer_of_any_number_of_arrays():
    for cls in (Concatenate, AsksForAll):
        operator = from_layer("concatenate", cls)
        assert operator.signature == "concatenate(*xs)"
        assert check(operator, (X, X[:2])).ok


def test_cotangent_whose_rows_are_unpacked():
    assert judge(from_layer("rows", Rows), {"a": X, "b": X[::-1].copy()})[0] == "pass"
