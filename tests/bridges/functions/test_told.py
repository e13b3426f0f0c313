"""Which convention a pair follows: told by signatures and texts."""

# How a function returns is what is tested here.
# ruff: noqa: RET504

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli.bridges.functions.conventions import Cotangent, Operand, Output, Saved, Setting
from tests.bridges.functions.telling import (
    alone,
    alone_named,
    asked,
    cache_in_front,
    loss_and_more,
    named_of_unknown,
    of_unknown,
    same_name,
    settings,
    told,
    two_outputs,
    two_outputs_and_cache,
    with_cache,
    with_two_saved,
    with_unnamed,
)


@pytest.mark.parametrize(
    ("forward", "backward", "roles"),
    [
        pytest.param(alone, lambda g, x: g, {"g": Cotangent(0), "x": Operand("x")}, id="input"),
        pytest.param(alone, lambda g, out: g, {"g": Cotangent(0), "out": Output(0)}, id="out"),
        pytest.param(alone, lambda g, output: g, {"g": Cotangent(0), "output": Output(0)}, id="output"),
        pytest.param(alone_named, lambda dy, y: dy, {"dy": Cotangent(0), "y": Output(0)}, id="the output's name"),
        pytest.param(alone, lambda x, dout: x, {"x": Operand("x"), "dout": Cotangent(0)}, id="cotangent last"),
        pytest.param(alone, lambda top, x: x, {"top": Cotangent(0), "x": Operand("x")}, id="any name in front"),
        pytest.param(with_cache, lambda top, cache: 0, {"top": Cotangent(0), "cache": Saved(1)}, id="cache"),
        pytest.param(with_cache, lambda dout, saved: 0, {"dout": Cotangent(0), "saved": Saved(1)}, id="saved"),
        pytest.param(with_unnamed, lambda dout, mem: 0, {"dout": Cotangent(0), "mem": Saved(1)}, id="any cache"),
        pytest.param(with_cache, lambda cache, dout: 0, {"cache": Saved(1), "dout": Cotangent(0)}, id="cache first"),
        pytest.param(
            with_cache,
            lambda g, cache, x: 0,
            {"g": Cotangent(0), "cache": Saved(1), "x": Operand("x")},
            id="cache and input",
        ),
        pytest.param(with_cache, lambda g, x, w: 0, {"g": Cotangent(0), "x": Operand("x"), "w": Operand("w")}, id="-"),
        pytest.param(
            with_two_saved,
            lambda dout, columns, rows: 0,
            {"dout": Cotangent(0), "columns": Saved(2), "rows": Saved(1)},
            id="one by one",
        ),
        pytest.param(
            two_outputs, lambda dh, dc, x: 0, {"dh": Cotangent(0), "dc": Cotangent(1), "x": Operand("x")}, id="two"
        ),
        pytest.param(
            two_outputs_and_cache,
            lambda dh, dc, cache: 0,
            {"dh": Cotangent(0), "dc": Cotangent(1), "cache": Saved(2)},
            id="two and cache",
        ),
        pytest.param(
            two_outputs_and_cache,
            lambda gy, gz, c, cache: 0,
            {"gy": Cotangent(0), "gz": Cotangent(1), "c": Output(1), "cache": Saved(2)},
            id="an output, too",
        ),
        pytest.param(cache_in_front, lambda g, cache: 0, {"g": Cotangent(0), "cache": Saved(0)}, id="cache in front"),
        pytest.param(of_unknown, lambda dout, cache: 0, {"dout": Cotangent(0), "cache": Saved()}, id="unknown form"),
        pytest.param(
            of_unknown, lambda dout, mask: 0, {"dout": Cotangent(0), "mask": Saved()}, id="unknown, any cache"
        ),
        pytest.param(
            of_unknown, lambda dh, dc, cache: 0, {"dh": Cotangent(0), "dc": Cotangent(1), "cache": Saved()}, id="--"
        ),
        pytest.param(of_unknown, lambda dout, x: 0, {"dout": Cotangent(0), "x": Operand("x")}, id="unknown, input"),
        pytest.param(
            settings,
            lambda g, x, mode, slope: 0,
            {"g": Cotangent(0), "x": Operand("x"), "mode": Setting("mode"), "slope": Setting("slope")},
            id="settings",
        ),
        pytest.param(alone, lambda g, x, eps=1e-5: 0, {"g": Cotangent(0), "x": Operand("x"), "eps": ()}, id="default"),
        pytest.param(
            alone, lambda x, dout=1.0: 0, {"x": Operand("x"), "dout": Cotangent(0)}, id="a cotangent with a default"
        ),
        pytest.param(
            with_cache, lambda g, cache=None: 0, {"g": Cotangent(0), "cache": Saved(1)}, id="a cache with a default"
        ),
        pytest.param(alone, lambda g, *xs: 0, {"g": Cotangent(0), "xs": Operand("x")}, id="spread"),
    ],
)
def test_roles_are_told(forward, backward, roles):
    assert asked(forward, backward) == roles


def test_all_inputs_are_spread_in_order():
    assert asked(lambda x, w: x * w, lambda g, *rest: 0)["rest"] == (Operand("x"), Operand("w"))


@pytest.mark.parametrize(
    ("forward", "backward", "outputs", "count"),
    [
        (alone, lambda g, x: 0, ("out",), 1),
        (alone_named, lambda g, x: 0, ("y",), 1),
        (named_of_unknown, lambda g, x: 0, ("out",), 1),
        (with_cache, lambda g, cache: 0, ("out",), 2),
        (two_outputs_and_cache, lambda dh, dc, cache: 0, ("h", "c"), 3),
        (of_unknown, lambda dh, dc, cache: 0, ("h", "c"), 3),
        (of_unknown, lambda gy, gz, cache: 0, ("out0", "out1"), 3),
        (same_name, lambda g, out: 0, ("out",), 1),
        (lambda h, c: (h, c), lambda gy, gz, h, c: 0, ("out0", "out1"), 2),
        (cache_in_front, lambda g, cache: 0, ("out",), 2),
    ],
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_outputs_are_named_and_counted(forward, backward, outputs, count):
    convention = told(forward, backward)
    assert (convention.outputs, convention.count) == (outputs, count)


def test_outputs_that_are_called_like_inputs_get_other_names():
    def lstm(x, h, c):
        h, c = h + x, c * x
        cache = x
        return h, c, cache

    convention = told(lstm, lambda dh, dc, cache: 0)
    assert (convention.outputs, convention.positions) == (("h_out", "c_out"), (0, 1))


def test_a_name_is_free_only_if_its_cotangents_name_is():
    def forward(g, g_y):
        y = g * g_y
        return y

    assert told(forward, lambda dout, g, g_y: 0).outputs == ("out",)


def test_said_outputs_decide_what_has_a_gradient():
    convention = told(loss_and_more, lambda dloss, probs, y: 0, outputs=("loss", "_"))
    assert (convention.outputs, convention.positions, convention.ignored) == (("loss",), (0,), (1,))
    assert asked(loss_and_more, lambda dloss, probs, y: 0, outputs=("loss", "_"))["probs"] == Saved(1)


def test_said_outputs_name_what_the_text_does_not():
    convention = told(of_unknown, lambda gu, gv, v, cache: 0, outputs=("u", "v"))
    assert convention.outputs == ("u", "v")
    assert [group for _, group in convention.asks] == [(Cotangent(0),), (Cotangent(1),), (Output(1),), (Saved(),)]


def test_a_loss_needs_no_cotangent():
    assert asked(lambda x, y: np.mean(x * y), lambda x, y: 0, loss=True) == {"x": Operand("x"), "y": Operand("y")}
    assert asked(loss_and_more, lambda probs, y: 0, loss=True) == {"probs": Saved(1), "y": Operand("y")}
    assert asked(with_cache, lambda cache: 0, loss=True) == {"cache": Saved(1)}
