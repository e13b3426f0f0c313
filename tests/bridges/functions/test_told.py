"""Which convention a pair follows: told by signatures and texts, and refused where two readings are possible."""

# How a function returns is what is tested here.
# ruff: noqa: RET504

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.functions.conventions import Cotangent, Operand, Output, Saved, Setting
from gradcheck_cli.bridges.functions.facts import Facts
from gradcheck_cli.bridges.functions.forms import form_of
from gradcheck_cli.bridges.functions.pairs import from_pair
from gradcheck_cli.bridges.functions.told import told_convention
from gradcheck_cli.bridges.signatures import arguments_of, parameters_of, place_of
from gradcheck_cli.errors import OperatorError

X = np.array([[0.5, -1.0], [2.0, 0.25]])


def told(forward, backward, **more):
    inputs, attributes = arguments_of(parameters_of(forward), {}, None)
    facts = Facts("f", inputs, attributes, form_of(forward), tuple(parameters_of(backward)), place_of(backward), **more)
    return told_convention(facts)


def asked(forward, backward, **more):
    convention = told(forward, backward, **more)
    return {parameter.name: group[0] if len(group) == 1 else group for parameter, group in convention.asks}


def alone(x):
    return np.tanh(x)


def alone_named(x):
    y = np.tanh(x)
    return y


def with_cache(x, w):
    out = x * w
    cache = (x, w)
    return out, cache


def with_unnamed(x, w):
    return x * w, (x, w)


def with_two_saved(x, w):
    out, rows, columns = x * w, x, w
    return out, rows, columns


def two_outputs(x, w):
    h, c = x * w, x + w
    return h, c


def two_outputs_and_cache(x, w):
    h, c, cache = x * w, x + w, (x, w)
    return h, c, cache


def loss_and_more(x, y):
    loss, probs = np.mean(x * y), x
    return loss, probs


def cache_in_front(x):
    cache, out = x, 2 * x
    return cache, out


def with_new_cache(x, cache):
    out, new_cache = x * cache, x
    return out, new_cache


def of_unknown(x):
    return x.anything()


def named_of_unknown(x):
    out = x.anything()
    return out


def same_name(x):
    x = np.tanh(x)
    return x


def settings(x, slope=0.1, *, mode="a"):
    return x * slope


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


@pytest.mark.parametrize(
    ("forward", "backward", "message", "hint"),
    [
        pytest.param(
            alone,
            lambda dA, A: 0,
            "asks for 'A', and it can't be told what that is",
            "takes: g x or takes: g out; it can say g, x, out, cache",
            id="input or output",
        ),
        pytest.param(alone, lambda g, cache: 0, "asks for 'cache'", "takes: g x or takes: g out", id="no cache there"),
        pytest.param(named_of_unknown, lambda g, z: 0, "asks for 'z'", "takes: g x or", id="one value most likely"),
        pytest.param(
            same_name,
            lambda g, x: 0,
            "asks for 'x', which is an argument of the forward and the name of what it returns",
            "takes: g x or takes: g out",
            id="input and output",
        ),
        pytest.param(with_cache, lambda g, cache, z: 0, "asks for 'z'", "takes: g cache", id="beside the cache"),
        pytest.param(with_unnamed, lambda g, a, b: 0, "asks for 'a'", "takes: g x b", id="two unknown names"),
        pytest.param(
            with_unnamed, lambda g, data: 0, "asks for 'data'", "takes: g", id="a second cotangent or a cache"
        ),
        pytest.param(with_unnamed, lambda g, *rest: 0, r"asks for '\*rest'", "takes: g x or", id="spread of what"),
        pytest.param(alone, lambda *args: 0, r"asks for '\*args'", "takes: x or takes: out", id="anything"),
        pytest.param(
            alone, lambda x: 0, "takes no cotangent", "if it is the last layer, whose g is 1, say loss: true", id="none"
        ),
        pytest.param(alone, lambda: 0, "takes no cotangent", "that is its first argument", id="nothing at all"),
        pytest.param(
            alone,
            lambda dout, dy: 0,
            r"seems to take 2 cotangents \(dout, dy\), and the forward returns one value",
            "say what it is given",
            id="too many cotangents",
        ),
        pytest.param(
            with_cache,
            lambda dout, dy: 0,
            "takes 2 cotangents that can't be matched",
            "outputs: out",
            id="cotangents and a cache",
        ),
        pytest.param(
            two_outputs_and_cache,
            lambda dc, dh, cache: 0,
            "takes its cotangents in another order than that of the outputs",
            "takes: g_c g_h cache",
            id="cotangents in another order",
        ),
        pytest.param(
            two_outputs_and_cache,
            lambda dh, cache: 0,
            "knows nothing of 'c' among the 3 values that the forward returns",
            "outputs: h _\n",
            id="a forgotten cotangent",
        ),
        pytest.param(
            loss_and_more,
            lambda dloss, x, y: 0,
            "knows nothing of 'probs' among the 2 values",
            "outputs: loss _",
            id="something beside the loss",
        ),
        pytest.param(
            with_two_saved,
            lambda dout, rows: 0,
            "knows nothing of 'columns' among the 3 values",
            "outputs: out _ _",
            id="something that is not asked for",
        ),
        pytest.param(
            with_new_cache,
            lambda g, cache: 0,
            "asks for 'cache'",
            "takes: g cache or takes: g new_cache",
            id="old or new",
        ),
        pytest.param(lambda x: x.f(), lambda g, a, b: 0, "asks for 'a'", "takes: g x b", id="unknown form, two names"),
    ],
)
def test_what_cannot_be_told_says_what_to_say(forward, backward, message, hint):
    with pytest.raises(OperatorError, match=rf"test_told\.py:\d+: error: the backward of f {message}") as error:
        told(forward, backward)
    assert hint in f"{error.value.problems[0].hint}\n"
    assert error.value.problems[0].code == "pair-convention"


def test_said_outputs_decide_what_has_a_gradient():
    convention = told(loss_and_more, lambda dloss, probs, y: 0, outputs=("loss", "_"))
    assert (convention.outputs, convention.positions, convention.ignored) == (("loss",), (0,), (1,))
    assert asked(loss_and_more, lambda dloss, probs, y: 0, outputs=("loss", "_"))["probs"] == Saved(1)


def test_said_outputs_name_what_the_text_does_not():
    convention = told(of_unknown, lambda gu, gv, v, cache: 0, outputs=("u", "v"))
    assert convention.outputs == ("u", "v")
    assert [group for _, group in convention.asks] == [(Cotangent(0),), (Cotangent(1),), (Output(1),), (Saved(),)]


def test_said_outputs_must_be_as_many_as_cotangents():
    with pytest.raises(OperatorError, match="takes 1 cotangent, and outputs names 2 outputs"):
        told(two_outputs, lambda g, x: 0, outputs=("h", "c"))


def test_a_loss_needs_no_cotangent():
    assert asked(lambda x, y: np.mean(x * y), lambda x, y: 0, loss=True) == {"x": Operand("x"), "y": Operand("y")}
    assert asked(loss_and_more, lambda probs, y: 0, loss=True) == {"probs": Saved(1), "y": Operand("y")}
    assert asked(with_cache, lambda cache: 0, loss=True) == {"cache": Saved(1)}


def test_what_the_forward_returns_is_held_against_what_was_told():
    operator = from_pair("f", of_unknown, lambda dout, cache: dout)

    class Odd(np.ndarray):
        def anything(self):
            return np.asarray(self)

    with pytest.raises(OperatorError, match="the forward of f returned 1 value, not 2") as error:
        operator(X.view(Odd))
    assert "for instance takes: g x" in str(error.value)
    operator = from_pair("f", lambda x: (x, x, x) if x.any() else x, lambda dout, x: dout)
    with pytest.raises(OperatorError, match="the forward of f returned 3 values, not 1") as error:
        check(operator, {"x": X})
    assert "outputs: out" in str(error.value)
