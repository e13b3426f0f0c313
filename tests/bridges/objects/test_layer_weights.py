"""Where layers keep their weights, and what else they hold."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from gradcheck_cli.api import check
from gradcheck_cli.bridges.objects.layers import from_layer
from gradcheck_cli.errors import OperatorError
from tests.bridges.objects.scale import Scale

RNG = np.random.default_rng(31)
X = RNG.normal(size=(3, 2))


class InMapping(Scale):
    def __init__(self):
        self.state = {"block.1": {"w": np.array([0.5, -2.0])}, "grads": {}}

    def weight(self):
        return self.state["block.1"]["w"]

    def keep(self, gradient):
        self.state["grads"]["w"] = gradient


class InList(Scale):
    def __init__(self):
        self.layers = [None, Scale()]

    def weight(self):
        return self.layers[1].w

    def keep(self, gradient):
        self.layers[1].dw = gradient


class Wrapped(Scale):
    def __init__(self):
        self.w = SimpleNamespace(value=np.array([0.5, -2.0]), grad=np.zeros(2))

    def weight(self):
        return self.w.value

    def keep(self, gradient):
        self.w.grad += gradient


class InVector(Scale):
    """All weights are parts of one vector, and so are their gradients."""

    def __init__(self):
        self.theta = np.array([9.0, 0.5, -2.0, 7.0])
        self.slopes = np.zeros(4)
        self.w, self.dw = self.theta[1:3], self.slopes[1:3]

    def weight(self):
        return self.theta[1:3]

    def keep(self, gradient):
        self.slopes[1:3] += gradient


class HeldTwice(Scale):
    """An inner object holds the very same array."""

    def __init__(self):
        self.w = np.array([0.5, -2.0])
        self.inner = SimpleNamespace(w=self.w)

    def weight(self):
        return self.inner.w


class InProperty(Scale):
    def __init__(self):
        self._held = {"w": np.array([0.5, -2.0])}

    @property
    def w(self):
        return self._held["w"]


class InClosure(Scale):
    """A function on the object reads the object through a variable of its constructor."""

    def __init__(self):
        self.w = np.array([0.5, -2.0])
        self.weight = lambda: self.w


class InNumber(Scale):
    def __init__(self):
        self.w = 0.5

    def keep(self, gradient):
        self.dw = gradient.sum()


class MadeLate(Scale):
    def __init__(self):
        self.w = None

    def forward(self, x):
        if self.w is None:
            self.w = np.ones(x.shape[1])
        return super().forward(x)


class OnClass(Scale):
    w = np.array([0.5, -2.0])

    def __init__(self):
        pass


class Matrix(Scale):
    """A matrix multiplies in its own way."""

    def __init__(self):
        self.w = np.matrix([[0.5, -2.0], [1.0, 3.0]])

    def forward(self, x):
        self.x = x
        return np.asarray(x * self.w)

    def backward(self, g):
        self.dw = self.x.T @ g
        return np.asarray(g * self.w.T)


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (Scale, {}),
        (Scale, {"params": {"w": "w"}, "grads": {"w": "dw"}}),
        (Scale, {"params": {"scale": "w"}}),
        (InMapping, {"params": {"w": "state.block.1.w"}, "grads": {"w": "state.grads.w"}}),
        (InList, {"params": {"w": "layers.1.w"}}),
        (InList, {"params": {"w": "layers.1.w"}, "grads": {"w": "layers.1.dw"}}),
        (Wrapped, {}),
        (Wrapped, {"params": {"w": "w"}}),
        (Wrapped, {"params": {"w": "w.value"}, "grads": {"w": "w.grad"}}),
        (InVector, {}),
        (InVector, {"params": {"w": "w"}}),
        (HeldTwice, {}),
        (InProperty, {"params": {"w": "w"}}),
        (InClosure, {}),
        (InNumber, {"params": {"w": "w"}}),
        (OnClass, {"params": {"w": "w"}}),
    ],
)
def test_weight_is_given_wherever_it_stands(cls, said):
    operator = from_layer("scale", cls, **said)
    assert len(operator.own) == 1
    name, value = next(iter(operator.own.items()))
    np.testing.assert_array_equal(operator(X, **{name: 3.0 * value}), 3.0 * operator(X))
    result = check(operator, {"x": X, name: value})
    assert (str(result.verdict), len(result.parameters)) == ("pass", 2)
    # Nothing stays behind from one call to the next.
    np.testing.assert_array_equal(operator(X), X * np.asarray(value))


@pytest.mark.parametrize("cls", [Scale, HeldTwice, Wrapped])
def test_given_weight_is_not_copied(cls):
    seen = []

    class Watched(cls):
        def forward(self, x):
            seen.append(self.weight())
            return super().forward(x)

    operator = from_layer("scale", Watched, params={"w": "w"})
    given = np.array([1.0, 2.0])
    operator(X, w=given)
    assert np.shares_memory(seen[0], given)


def test_weight_that_is_made_late_has_to_be_given():
    operator = from_layer("scale", MadeLate, params={"w": "w"})
    assert not operator.own
    assert check(operator, {"x": X, "w": np.array([1.0, 2.0])}).ok


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_matrix_stays_a_matrix():
    operator = from_layer("scale", Matrix)
    assert check(operator, {"x": X, **operator.own}).ok


def test_vector_that_is_written_to_in_the_forward_is_caught():
    class Normalises(InVector):
        def forward(self, x):
            self.theta /= 2.0
            return super().forward(x)

    result = check(from_layer("scale", Normalises), {"x": X, "w": np.array([1.0, 2.0])})
    assert {finding.name for finding in result.findings} == {"input-modified"}
    with pytest.raises(OperatorError, match="w shares memory with other arrays"):
        check(from_layer("scale", InVector), {"x": X, "w": np.ones((1, 2))})


class Holding(Scale):
    """Holds things that aren't copied."""

    def __init__(self):
        super().__init__()
        self.xp = np
        self.lock = threading.Lock()

    def forward(self, x):
        with self.lock:
            self.log = (line for line in ())
            return self.xp.asarray(super().forward(x))


def test_what_can_not_be_copied_is_shared():
    operator = from_layer("scale", Holding)
    assert check(operator, {"x": X, **operator.own}).ok


def test_object_and_function_in_place_of_a_class():
    layer = Scale()
    of_object = from_layer("scale", layer)
    layer.w[...] = 0.0
    np.testing.assert_array_equal(of_object.own["w"], [0.5, -2.0])
    of_function = from_layer("scale", lambda factor: factor and Scale(), kwargs={"factor": 2})
    for operator in (of_object, of_function):
        assert check(operator, {"x": X, **operator.own}).ok
    np.testing.assert_array_equal(layer.w, [0.0, 0.0])


class Adds(Scale):
    def __init__(self):
        super().__init__()
        self.dw = np.zeros(2)

    def keep(self, gradient):
        self.dw += gradient


def test_gradients_of_earlier_calls_are_forgotten():
    trained = Adds()
    trained.backward(trained.forward(X))
    before = trained.dw.copy()
    assert before.any()
    for cls in (trained, lambda: trained):
        operator = from_layer("scale", cls)
        assert check(operator, {"x": X, **operator.own}).ok
    np.testing.assert_array_equal(trained.dw, before)


def test_hidden_weights_and_constants_are_no_parameters():
    class Other(Scale):
        def __init__(self):
            super().__init__()
            self.x = np.ones(2)
            self._w = self.state = self.shift = np.ones(2)

        def backward(self, g):
            self.dx = self.dstate = self.d_w = 0
            return super().backward(g)

        def forward(self, x):
            self.state = x
            return super().forward(x)

    assert list(from_layer("scale", Other).own) == ["w"]
