"""Modules of PyTorch: their parameters are inputs with values, and they are left as they were."""

from __future__ import annotations

import functools

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from gradcheck_cli.bridges.torch_code.pytorch import from_torch  # noqa: E402
from tests.bridges.torch_code.functions import X, passes  # noqa: E402
from tests.places import line_of  # noqa: E402


class Net(torch.nn.Module):
    """Two layers that share their weight."""

    def __init__(self, size=4):
        super().__init__()
        self.first = torch.nn.Linear(size, size)
        self.second = torch.nn.Linear(size, size)
        self.second.weight = self.first.weight
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x, mask=None):  # net forward
        y = self.second(torch.tanh(self.first(x))) * self.scale
        return y if mask is None else y * mask


def make_net(size):
    return Net(size)


@pytest.mark.parametrize(
    ("thing", "kwargs"),
    [(Net(), None), (Net, None), (Net, {"size": 4}), (make_net, {"size": 4}), (functools.partial(make_net, 4), None)],
    ids=["instance", "class", "class with arguments", "factory", "bound factory"],
)
def test_module_has_its_parameters_as_inputs_with_values(thing, kwargs):
    (operator,) = from_torch("net", thing, kwargs=kwargs)
    assert operator.signature == "net(x, mask=None, first_weight, first_bias, second_bias)"
    assert {name: value.shape for name, value in operator.own.items()} == {
        "first_weight": (4, 4),
        "first_bias": (4,),
        "second_bias": (4,),
    }
    assert operator.location.line == line_of(__file__, "# net forward")
    weight = operator.own["first_weight"].astype(float)
    passes(operator, {"x": X, "w": weight}, lambda x, w: operator(x, first_weight=w))
    passes(operator, {"x": X}, lambda x: operator(x, X > 0))


def test_made_module_has_the_same_weights_every_time_and_the_generators_are_left_alone():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, second = (from_torch("net", Net)[0].own["first_weight"] for _ in range(2))
    assert np.array_equal(first, second)
    assert torch.equal(torch.get_rng_state(), before)


def test_module_is_left_as_it_was():
    norm = torch.nn.BatchNorm1d(4)
    (operator,) = from_torch("norm", norm)
    passes(operator, {"x": X, "w": np.linspace(0.5, 2, 4)}, lambda x, w: operator(x, weight=w))
    assert norm.training
    assert norm.num_batches_tracked.item() == 0
    assert norm.running_mean.tolist() == [0] * 4
    assert norm.weight.dtype == torch.float32


def test_module_stays_in_the_mode_that_it_is_in():
    norm = torch.nn.BatchNorm1d(4).eval()
    norm.running_var.fill_(4.0)
    assert np.allclose(from_torch("norm", norm)[0](X), X / 2, rtol=1e-5)
    dropout = from_torch("dropout", torch.nn.Dropout(0.5))[0]
    result = passes(dropout, {"x": X})
    assert any("random generators" in note for note in result.notes)


def test_frozen_parameter_is_no_input():
    net = Net()
    net.first.bias.requires_grad_(False)
    (operator,) = from_torch("net", net)
    assert list(operator.own) == ["first_weight", "second_bias"]
    passes(operator, {"x": X})


def test_parameters_with_dots_and_digits_get_identifiers_that_nothing_else_has():
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.PReLU())
    assert list(from_torch("net", net)[0].own) == ["w_0_weight", "w_0_bias", "w_1_weight"]

    class Clash(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.x = torch.nn.Parameter(torch.ones(1))

        def forward(self, x):
            return x * self.x

    assert from_torch("net", Clash)[0].signature == "net(x, x_2)"


def test_domain_of_a_parameter_is_its_shape_unless_another_is_given():
    (operator,) = from_torch("net", Net, domain={"x": "n 4", "first_bias": {"shape": "4", "low": 0}})
    domains = {item.name: item.domain for item in operator.inputs}
    assert domains["first_weight"].shape == "4 4"
    assert domains["first_bias"].low == 0


def test_recurrent_module_returns_nested_outputs():
    (operator,) = from_torch("lstm", torch.nn.LSTM(4, 2, batch_first=True), outputs="y h c")
    steps = np.random.default_rng(3).standard_normal((2, 3, 4))
    w = operator.own["weight_hh_l0"].astype(float)
    passes(operator, {"x": steps, "w": w}, lambda x, w: operator(x, weight_hh_l0=w))
