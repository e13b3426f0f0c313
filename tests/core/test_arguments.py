"""Sorting the arguments of a call into arrays and attributes."""

import numpy as np
import pytest

from gradcheck_cli.core.arguments import REQUIRED, Attribute, Binder, Input, signature
from gradcheck_cli.errors import OperatorError

LINEAR = Binder("linear", [Input("x"), Input("w"), Input("b", optional=True), Input("s", optional=True)], [])
SCALED = Binder("scaled", [Input("x")], [Attribute("axis", None), Attribute("slope", REQUIRED)])
JOINED = Binder("joined", [Input("x"), Input("xs", variadic=True)], [Attribute("axis", 0)])
EINSUM = Binder("einsum", [Input("xs", variadic=True)], [Attribute("subscripts")])


@pytest.mark.parametrize(
    ("binder", "args", "kwargs", "arrays", "attributes"),
    [
        pytest.param(LINEAR, (1, 2), {}, (1, 2, None, None), {}, id="optional ones left out"),
        pytest.param(LINEAR, (1, 2, 3), {}, (1, 2, 3, None), {}, id="optional by position"),
        pytest.param(LINEAR, (1, 2), {"s": 4}, (1, 2, None, 4), {}, id="optional by name"),
        pytest.param(LINEAR, (1,), {"b": 3, "w": 2}, (1, 2, 3, None), {}, id="arrays by name"),
        pytest.param(LINEAR, (), {"w": 2, "x": 1}, (1, 2, None, None), {}, id="all by name"),
        pytest.param(LINEAR, (1, 2, None, 4), {}, (1, 2, None, 4), {}, id="optional none by position"),
        pytest.param(SCALED, (1,), {"slope": 2}, (1,), {"slope": 2}, id="attribute by name"),
        pytest.param(SCALED, (1, 0, 2), {}, (1,), {"axis": 0, "slope": 2}, id="attributes by position"),
        pytest.param(SCALED, (1, 0), {"slope": 2}, (1,), {"axis": 0, "slope": 2}, id="attributes both ways"),
        pytest.param(JOINED, (1, 2, 3), {}, (1, 2, 3), {}, id="variadic"),
        pytest.param(JOINED, (1, [2, 3]), {"axis": 1}, (1, 2, 3), {"axis": 1}, id="variadic from a list"),
        pytest.param(JOINED, (1, (2, 3), 1), {}, (1, 2, 3), {"axis": 1}, id="then attributes"),
        pytest.param(EINSUM, ("i,i", 1, 2), {}, (1, 2), {"subscripts": "i,i"}, id="leading text"),
        pytest.param(EINSUM, (1, 2), {"subscripts": "i,i"}, (1, 2), {"subscripts": "i,i"}, id="text by name"),
    ],
)
def test_arguments_are_sorted(binder, args, kwargs, arrays, attributes):
    given = dict(kwargs)
    assert binder.bind(args, kwargs) == (arrays, attributes)
    assert kwargs == given, "the caller's mapping is left alone"


@pytest.mark.parametrize(
    ("binder", "args", "kwargs", "message"),
    [
        pytest.param(LINEAR, (1,), {}, "linear needs 'w'", id="missing array"),
        pytest.param(LINEAR, (1, None), {}, "linear needs 'w'", id="none for an array"),
        pytest.param(LINEAR, (1, 2, 3, 4, 5), {}, "linear takes 4 arguments, got 5", id="too many"),
        pytest.param(LINEAR, (1, 2), {"x": 3}, "linear got 'x' twice", id="array twice"),
        pytest.param(LINEAR, (1, 2), {"bias": 3}, "linear has no argument 'bias'", id="unknown"),
        pytest.param(SCALED, (1,), {}, "scaled needs 'slope'", id="missing attribute"),
        pytest.param(SCALED, (1, 0), {"axis": 1, "slope": 2}, "scaled got 'axis' twice", id="attribute twice"),
        pytest.param(SCALED, (1,), {"slop": 2}, "did you mean 'slope'", id="near name"),
        pytest.param(SCALED, (1,), {"negative_slope": 2}, "PyTorch's 'negative_slope' is 'slope' here", id="PyTorch's"),
        pytest.param(LINEAR, (1, 2), {"input": 2}, "PyTorch's 'input' is 'x' here", id="PyTorch's array"),
        pytest.param(JOINED, (1,), {}, r"joined needs at least one array for '\*xs'", id="empty variadic"),
        pytest.param(JOINED, (), {}, "joined needs", id="nothing"),
        pytest.param(JOINED, (1, 2), {"xs": 3}, r"joined takes '\*xs' by position", id="variadic by name"),
        pytest.param(JOINED, (1, [2, None]), {}, "joined needs 'xs'", id="none inside"),
        pytest.param(EINSUM, (1, 2), {}, "einsum needs 'subscripts'", id="no text"),
    ],
)
def test_wrong_arguments_are_named_with_the_signature_or_a_near_name(binder, args, kwargs, message):
    with pytest.raises(OperatorError, match=message) as error:
        binder.bind(args, kwargs)
    assert error.value.problems[0].code == "wrong-argument"
    assert error.value.problems[0].hint.startswith(("it is " + binder.name + "(", "did you mean", "PyTorch's"))


def test_arrays_are_never_compared_with_none():
    assert LINEAR.bind((np.zeros(2), np.ones(3)), {})[0][1].sum() == 3


def test_signatures_read_like_python():
    assert signature("linear", LINEAR.inputs, ()) == "linear(x, w, b=None, s=None)"
    assert signature("scaled", SCALED.inputs, SCALED.attributes) == "scaled(x, *, axis=None, slope)"
    assert signature("joined", JOINED.inputs, JOINED.attributes) == "joined(x, *xs, axis=0)"
