"""Models with a method for the loss and another for its gradients, judged end to end."""

import numpy as np
import pytest

from gradcheck_cli.bridges.objects.models import from_model
from gradcheck_cli.errors import OperatorError
from tests.bridges.objects.judging import judge
from tests.bridges.objects.networks import Network

RNG = np.random.default_rng(52)
X = RNG.normal(size=(4, 3))


class OtherNames(Network):
    def gradient(self, inputs, target):
        return super().gradient(inputs, target)


class LeavesGradients(Network):
    def backward(self):
        self.grads = self.sweep()


class FirstOnly(Network):
    def gradient(self, x, t):
        grads = super().gradient(x, t)
        return {**grads, "W2": -grads["W2"]}


class WritesIntoInput(Network):
    def gradient(self, x, t):
        grads = super().gradient(x, t)
        self.layers["Affine1"].x[...] = 0
        return grads


TARGET = {"x": X, "t": RNG.normal(size=(4, 2))}


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (Network, {"grad": "gradient"}),
        (OtherNames, {"grad": "gradient"}),
        (Network, {"grad": "sweep"}),
        (LeavesGradients, {"grad": "backward"}),
        (LeavesGradients, {"grad": "backward", "grads": "grads"}),
        (Network, {"grad": "gradient", "kwargs": {"drop": True}}),
        (Network, {"grad": "sweep", "kwargs": {"drop": True}}),
    ],
)
def test_value_and_gradient_by_two_methods(cls, said):
    operator = from_model("net", cls, value="loss", **said)
    verdict, _, parameters = judge(operator, inputs=TARGET)
    assert (verdict, set(parameters)) == ("pass", {"W1", "b1", "W2", "b2"})


@pytest.mark.parametrize(("cls", "finding"), [(FirstOnly, None), (WritesIntoInput, "input-modified")])
def test_wrong_gradient_by_two_methods(cls, finding):
    verdict, found, parameters = judge(from_model("net", cls, value="loss", grad="gradient"), inputs=TARGET)
    assert verdict == "fail"
    assert found == {finding} if finding else parameters["W2"] == "fail"


class LeavesAll(Network):
    def loss(self, x, t):
        value = super().loss(x, t)
        self.grads = self.sweep()
        return value


def test_gradients_that_the_loss_leaves_on_the_object():
    for method in ({"value": "loss"}, {"value_and_grad": "loss"}):
        assert judge(from_model("net", LeavesAll, grads="grads", **method), inputs=TARGET)[0] == "pass"
    operator = from_model("net", LeavesAll, grads={"W1": "nowhere"}, value="loss")
    with pytest.raises(OperatorError, match="grads names 'nowhere'"):
        judge(operator, inputs=TARGET)
