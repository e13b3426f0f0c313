"""Where weights and their gradients are looked for."""

from types import SimpleNamespace

import numpy as np
import pytest

from gradcheck_cli.bridges.objects.weights import Gradients, own_values, weight_paths
from gradcheck_cli.errors import Location, OperatorError

HERE = Location("net.py", 3)
W, B = np.ones((2, 3)), np.zeros(3)


def gradients(paths, said=None):
    return Gradients("net", paths, said, HERE)


@pytest.mark.parametrize(
    ("left", "path"),
    [
        ({"dW": W}, "W"),
        ({"grad_W": W}, "W"),
        ({"W_grad": W}, "W"),
        ({"d_W": W}, "W"),
        ({"grads": {"W": W}}, "W"),
        ({"grads": {"dW": W}}, "W"),
        ({"gradients": {"W": W}}, "W"),
        ({"grads": [W]}, "params.0"),
        ({"grads": {"W": W}}, "params.W"),
        ({"dW": W}, "params.W"),
        ({"inner": SimpleNamespace(dW=W)}, "inner.W"),
        ({"inner": SimpleNamespace(grads={"W": W})}, "inner.params.W"),
        ({"grads": {"inner": {"W": W}}}, "params.inner.W"),
        ({"W": SimpleNamespace(data=B, grad=W)}, "W.data"),
        ({"dW": None, "grads": {"W": W}}, "W"),
    ],
)
def test_gradient_is_found_by_custom(left, path):
    assert gradients({"W": path}).of(SimpleNamespace(**left), "W") is W


def test_place_that_is_empty_is_no_gradient():
    assert gradients({"W": "W"}).of(SimpleNamespace(dW=None), "W") is None
    assert gradients({"W": "W"}).found(SimpleNamespace(dW=None)) == {}


def test_weights_of_one_name_are_not_mixed_up():
    """A gradient under a name that two weights share belongs to neither."""
    several = gradients({"W1": "layers.0.W", "W2": "layers.1.W"})
    instance = SimpleNamespace(layers=[SimpleNamespace(dW=W), SimpleNamespace(dW=B)], grads={"W": None})
    assert several.found(instance)["W1"] is W
    assert several.found(instance)["W2"] is B
    assert several.found(SimpleNamespace(grads={"W": W})) == {}


def test_list_of_another_length_is_no_place():
    assert gradients({"W": "W"}).found(SimpleNamespace(grads=[W, B])) == {}


def test_place_may_change_from_call_to_call():
    here = gradients({"W": "W"})
    assert here.of(SimpleNamespace(dW=W), "W") is W
    assert here.of(SimpleNamespace(grads={"W": B}), "W") is B


def test_said_places():
    instance = SimpleNamespace(store={"a": W}, held=B)
    said = gradients({"W": "W", "b": "b"}, {"W": "store.a", "b": "held"})
    assert said.found(instance) == {"W": W, "b": B}
    with pytest.raises(OperatorError, match=r"grads names 'store\.b'"):
        gradients({"W": "W"}, {"W": "store.b"}).of(instance, "W")


def test_names_and_values_of_weights():
    instance = SimpleNamespace(
        params={"W": W, "rate": 0.1, "steps": np.array([1, 2]), "inner": {"b": B}},
        both=[W, B],
        wrapped=SimpleNamespace(W=SimpleNamespace(value=W, grad=None)),
        number=2,
        late=None,
    )
    assert weight_paths(instance, "params", "net", HERE) == {"W": "params.W", "inner.b": "params.inner.b"}
    assert weight_paths(instance, "both", "net", HERE) == {"both0": "both.0", "both1": "both.1"}
    assert weight_paths(instance, "wrapped", "net", HERE) == {"W": "wrapped.W.value"}
    paths = weight_paths(instance, {"a": "number", "c": "late", "s": "params.steps"}, "net", HERE)
    values = own_values(instance, paths)
    assert {name: value.tolist() for name, value in values.items()} == {"a": 2.0, "s": [1.0, 2.0]}
    assert all(value.dtype == np.float64 and not value.flags.writeable for value in values.values())


@pytest.mark.parametrize(("params", "message"), [("number", "'number' holds no weights"), ("parms", "params names")])
def test_weights_that_are_not_there_are_said(params, message):
    with pytest.raises(OperatorError, match=message):
        weight_paths(SimpleNamespace(number=2), params, "net", HERE)
