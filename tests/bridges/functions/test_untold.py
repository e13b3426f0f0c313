"""Where two readings of a pair are possible, or what it returns is not what was told, it is refused."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.functions.pairs import from_pair
from gradcheck_cli.errors import OperatorError
from tests.bridges.functions.telling import (
    alone,
    loss_and_more,
    named_of_unknown,
    of_unknown,
    same_name,
    told,
    two_outputs,
    two_outputs_and_cache,
    with_cache,
    with_new_cache,
    with_two_saved,
    with_unnamed,
)

X = np.array([[0.5, -1.0], [2.0, 0.25]])


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
    with pytest.raises(OperatorError, match=rf"test_untold\.py:\d+: error: the backward of f {message}") as error:
        told(forward, backward)
    assert hint in f"{error.value.problems[0].hint}\n"
    assert error.value.problems[0].code == "pair-convention"


def test_said_outputs_must_be_as_many_as_cotangents():
    with pytest.raises(OperatorError, match="takes 1 cotangent, and outputs names 2 outputs"):
        told(two_outputs, lambda g, x: 0, outputs=("h", "c"))


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
