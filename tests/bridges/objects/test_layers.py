"""Layers, right and wrong ones, judged end to end."""

import random

import numpy as np
import pytest

from gradcheck_cli.api import check
from gradcheck_cli.bridges.objects.layers import from_layer
from gradcheck_cli.bridges.signatures import place_of
from gradcheck_cli.core.domain import arr
from gradcheck_cli.errors import OperatorError, Skipped
from tests.bridges.objects.judging import judge

RNG = np.random.default_rng(20)
X = RNG.normal(size=(5, 3))


class Dense:
    """The layer of a course: weights are attributes, gradients others."""

    def __init__(self, inputs=3, outputs=4):
        self.W = np.random.randn(inputs, outputs)
        self.b = np.zeros(outputs)

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, dout):
        self.dW = self.x.T @ dout
        self.db = dout.sum(axis=0)
        return dout @ self.W.T


class WrongSign(Dense):
    def backward(self, dout):
        dx = super().backward(dout)
        self.dW = -self.dW
        return dx


class BiasNotSummed(Dense):
    def backward(self, dout):
        dx = super().backward(dout)
        self.db = dout
        return dx


class Detached(Dense):
    def __init__(self):
        super().__init__()
        self.dW, self.db = np.zeros_like(self.W), np.zeros_like(self.b)

    def backward(self, dout):
        self.db = dout.sum(axis=0)
        return dout @ self.W.T


class WritesIntoCotangent(Dense):
    def backward(self, dout):
        dout *= 1.0 * (dout > 0)
        return super().backward(dout)


class WritesIntoInput(Dense):
    def forward(self, x):
        x -= x.mean()
        return super().forward(x)


class WritesIntoSavedInput(Dense):
    def backward(self, dout):
        dx = super().backward(dout)
        self.x *= 0.5
        return dx


class WritesIntoViewOfInput(Dense):
    def forward(self, x):
        self.rows = [x[0], x[1:]]
        return super().forward(x)

    def backward(self, dout):
        self.rows[1][...] = 0
        return super().backward(dout)


class TrainsInBackward(Dense):
    def backward(self, dout):
        dx = super().backward(dout)
        self.W -= 0.1 * self.dW
        return dx


class ClipsWeightsInForward(Dense):
    def forward(self, x):
        np.clip(self.W, -0.5, 0.5, out=self.W)
        return super().forward(x)


def test_right_layer_passes_with_its_own_weights():
    operator = from_layer("dense", Dense, params={"W": "W", "b": "b"}, grads={"W": "dW", "b": "db"})
    assert operator.signature == "dense(x, W, b)"
    verdict, found, parameters = judge(operator, {"x": X})
    assert (verdict, found, list(parameters)) == ("pass", set(), ["x", "W", "b"])


def test_weights_are_found_by_their_gradients():
    operator = from_layer("dense", Dense)
    assert list(operator.own) == ["W", "b"]
    assert judge(operator, {"x": X})[0] == "pass"


@pytest.mark.parametrize("cls", [WrongSign, Detached])
def test_wrong_weight_gradient_is_named(cls):
    verdict, _, parameters = judge(from_layer("dense", cls), {"x": X})
    assert verdict == "fail"
    assert parameters == {"x": "pass", "W": "fail", "b": "pass"}


def test_bias_that_is_not_summed_is_named():
    verdict, found, _ = judge(from_layer("dense", BiasNotSummed), {"x": X})
    assert (verdict, found) == ("fail", {"gradient-shape"})


@pytest.mark.parametrize(
    "cls",
    [
        WritesIntoCotangent,
        WritesIntoInput,
        WritesIntoSavedInput,
        WritesIntoViewOfInput,
        TrainsInBackward,
        ClipsWeightsInForward,
    ],
)
def test_code_that_writes_to_arrays_of_the_graph_is_caught(cls):
    verdict, found, _ = judge(from_layer("dense", cls), {"x": X})
    assert (verdict, found) == ("fail", {"input-modified"})


def test_writing_may_be_allowed():
    verdict, found, _ = judge(from_layer("dense", WritesIntoSavedInput), {"x": X}, allow=["input-modified"])
    assert (verdict, found) == ("pass", {"input-modified"})


class Accumulating:
    """Adds its gradients up in buffers, as layers do that are used several times in a step."""

    def __init__(self):
        self.params = {"W": np.random.randn(3, 4), "b": np.random.randn(4)}
        self.grads = {name: np.zeros_like(value) for name, value in self.params.items()}

    def forward(self, x):
        self.x = x
        return x @ self.params["W"] + self.params["b"]

    def backward(self, dout):
        self.grads["W"] += self.x.T @ dout
        self.grads["b"] += dout.sum(axis=0)
        return dout @ self.params["W"].T


class CountsTwice(Accumulating):
    def backward(self, dout):
        self.grads["W"] += self.x.T @ dout
        return super().backward(dout)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"params": "params"},
        {"params": "params", "grads": "grads"},
        {"params": {"W": "params.W", "b": "params.b"}, "grads": {"W": "grads.W", "b": "grads.b"}},
        {"params": {"W": "params.W", "b": "params.b"}},
    ],
)
def test_gradients_that_are_added_up_are_right(said):
    operator = from_layer("dense", Accumulating, **said)
    assert set(operator.own) == {"W", "b"}
    assert judge(operator, {"x": X})[:2] == ("pass", set())


def test_gradient_that_is_added_twice_is_wrong():
    assert judge(from_layer("dense", CountsTwice), {"x": X})[2] == {"x": "pass", "W": "fail", "b": "pass"}


def test_single_precision_layer_computes_in_the_type_of_the_arrays():
    class Single(Accumulating):
        def __init__(self):
            super().__init__()
            for held in (self.params, self.grads):
                held.update({name: value.astype(np.float32) for name, value in held.items()})

    operator = from_layer("dense", Single)
    assert {value.dtype for value in operator.own.values()} == {np.dtype(np.float32)}
    assert operator(X).dtype == np.float64
    assert operator(X.astype(np.float32)).dtype == np.float32
    verdict, found, _ = judge(operator, {"x": X})
    assert (verdict, found) == ("pass", set())
    assert judge(operator, {"x": X}, dtype="float32")[0] == "pass"


def test_double_precision_layer_computes_in_the_type_of_the_arrays():
    operator = from_layer("dense", Accumulating)
    own = {name: value.astype(np.float32) for name, value in operator.own.items()}
    assert operator(X.astype(np.float32), **own).dtype == np.float32
    verdict, found, _ = judge(operator, {"x": X}, dtype="float32")
    assert (verdict, found) == ("pass", set())


def test_generators_are_given_back_and_weights_are_the_same_each_time():
    random.seed(5)
    np.random.seed(5)
    expected = random.random(), np.random.rand()
    random.seed(5)
    np.random.seed(5)
    first, second = (from_layer("dense", Dense).own["W"] for _ in range(2))
    assert (random.random(), np.random.rand()) == expected
    np.testing.assert_array_equal(first, second)


class NotWritten(Dense):
    def forward(self, x):
        pass


class BackwardNotWritten(Dense):
    def backward(self, dout):
        pass


class BackwardRaises(Dense):
    def backward(self, dout):
        raise NotImplementedError


@pytest.mark.parametrize("cls", [NotWritten, BackwardNotWritten, BackwardRaises])
def test_what_is_not_written_is_skipped(cls):
    operator = from_layer("dense", cls, params={"W": "W", "b": "b"})
    with pytest.raises(Skipped, match="not written yet"):
        judge(operator, {"x": X})


def test_declared_domains():
    operator = from_layer("dense", Dense, domain={"x": arr("n 3"), "W": arr("3 4", low=0.0)})
    assert [item.domain.shape for item in operator.inputs] == ["n 3", "3 4", "4"]
    with pytest.raises(OperatorError, match="'Z', which is no argument"):
        from_layer("dense", Dense, domain={"Z": arr("n")})


class PrivateParts:
    """A scale whose methods hand on to private ones, which set the gradients."""

    def __init__(self, gamma):
        self.gamma = gamma

    def forward(self, xs):
        self.shape = xs.shape
        return self.__forward(xs)

    def __forward(self, xs):
        self.xs = xs
        return self.gamma * xs

    def backward(self, dout):
        return self.__backward(dout)

    def __backward(self, dout):
        self.dgamma = (dout * self.xs).sum(axis=0)
        return dout * self.gamma


def test_weights_are_found_behind_private_methods_and_xs_may_be_one_array():
    operator = from_layer("scale", PrivateParts)
    assert [item.name for item in operator.inputs] == ["xs", "gamma"]
    assert not operator.inputs[0].variadic
    point = {"xs": np.array([[0.3, 1.0], [2.0, -1.0]]), "gamma": np.array([0.5, 2.0])}
    assert str(check(operator, point).verdict) == "pass"


def test_a_class_of_a_file_that_was_loaded_by_its_path_has_a_place(tmp_path):
    file = tmp_path / "own.py"
    file.write_text("\n\nclass Pool:\n    def __init__(self, size):\n        self.size = size\n")
    namespace = {"__name__": "own_and_not_in_sys_modules"}
    exec(compile(file.read_text(), str(file), "exec"), namespace)
    place = place_of(namespace["Pool"])
    assert (place.file, place.line) == (str(file), 3)
