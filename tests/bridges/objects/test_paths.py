"""Dotted paths into objects."""

from types import SimpleNamespace

import pytest

from gradcheck_cli.bridges.objects.paths import NoSuchPath, names_at, put_at, value_at


@pytest.fixture
def root():
    return SimpleNamespace(
        W=1,
        layers=[SimpleNamespace(W=2, b=3), {"W": 4, 7: 5}],
        params={"conv.weight": 6, "conv": {"weight": 0}, "inner": {"a.b": {"c": 8}}},
        fixed=(9, 10),
        _hidden=11,
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("W", 1),
        ("layers.0.W", 2),
        ("layers.-2.b", 3),
        ("layers.1.W", 4),
        ("layers.1.7", 5),
        ("params.conv.weight", 6),
        ("params.inner.a.b.c", 8),
        ("fixed.1", 10),
    ],
)
def test_value_is_found(root, path, expected):
    assert value_at(root, path) == expected


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("w", "SimpleNamespace has no 'w'", "there are: W, layers, params, fixed"),
        ("layer", "SimpleNamespace has no 'layer'", "did you mean 'layers'?"),
        ("layers.2", "has no '2' (on the way to 'layers.2')", "there are: 0, 1"),
        ("layers.x.W", "has no 'x' (on the way to 'layers.x.W')", ""),
        ("params.bias", "has no 'bias'", "there are: conv.weight, conv, inner"),
        ("W.grad", "int has no 'grad'", ""),
    ],
)
def test_path_that_leads_nowhere_is_said(root, path, message, hint):
    with pytest.raises(NoSuchPath) as raised:
        value_at(root, path)
    assert message in str(raised.value)
    assert hint in raised.value.hint


@pytest.mark.parametrize("path", ["W", "new", "layers.0.W", "layers.0", "params.conv.weight", "params.new"])
def test_value_is_put(root, path):
    put_at(root, path, "value")
    assert value_at(root, path) == "value"


@pytest.mark.parametrize(
    ("path", "message"), [("fixed.0", "can't be set"), ("layers.5", "can't be set"), ("W.x.y", "no 'x'")]
)
def test_value_that_can_not_be_put_is_said(root, path, message):
    with pytest.raises(NoSuchPath, match=message):
        put_at(root, path, 1)


def test_names_that_a_path_can_go_on_with(root):
    assert names_at(root) == ["W", "layers", "params", "fixed"]
    assert names_at(root.params) == ["conv.weight", "conv", "inner"]
    assert names_at([3, 4]) == ["0", "1"]
    assert names_at(3) == []
