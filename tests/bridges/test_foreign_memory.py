"""What code of others remembers between its forward and its backward, hides in its arguments, or writes to."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.core.arguments import Attribute
from tests.bridges.foreign_code import X, gradient, make, twice
from tests.results import findings


def test_the_backward_sees_what_the_forward_had_made_and_remembered():
    seen = []

    def backward(call):
        seen.append(call)
        return call.cotangents[0]

    operator = make(lambda operands, _: ((operands[0] + 1,), {"m": 7}), backward, ("x", "k"), (Attribute("s", "a"),))
    gradient(operator, X, 5, s="b")
    (call,) = seen
    assert np.array_equal(call.operands[0], X)
    assert call.operands[1] == 5
    assert np.array_equal(call.outputs[0], X + 1)
    assert (call.attributes, call.memory) == ({"s": "b"}, {"m": 7})


def test_a_mapping_that_the_forward_changes_is_as_before_at_the_next_call():
    settings = {"calls": 0}

    def forward(operands, _):
        operands[1]["calls"] += 1
        return (operands[0] * operands[1]["calls"],), None

    operator = make(forward, lambda call: call.cotangents[0] * call.operands[1]["calls"], ("x", "settings"))
    assert check(lambda x: operator(x, settings), {"x": X}).verdict == "pass"
    assert settings == {"calls": 0}
    operator(X, settings)
    assert settings == {"calls": 0}


def test_what_code_hides_in_a_mutable_default_shows_at_the_next_call():
    default = []

    def forward(operands, attributes):
        attributes["history"].append(1)
        return (operands[0] * len(attributes["history"]),), None

    operator = make(forward, lambda call: 1.0 * call.cotangents[0], attributes=(Attribute("history", default),))
    result = check(operator, {"x": X})
    assert [finding.name for finding in result.findings] == ["not-repeatable"]
    assert len(default) >= 2


def test_the_backward_sees_a_mapping_as_the_forward_left_it_and_cannot_change_it():
    def forward(operands, _):
        operands[1]["mask"] = operands[0] > 0
        return (operands[0] * operands[1]["mask"],), None

    def backward(call):
        return call.cotangents[0] * call.operands[1].pop("mask")

    operator = make(forward, backward, ("x", "settings"))
    assert check(lambda x: operator(x, {}), {"x": X}).verdict == "pass"


def test_a_plain_value_that_cannot_be_copied_is_handed_on():
    lock = threading.Lock()
    operator = make(
        lambda operands, settings: ((operands[0] * (settings["lock"] is lock),), None),
        lambda call: call.cotangents[0],
        attributes=(Attribute("lock", None),),
    )
    assert np.array_equal(operator(X, lock=lock), X)


class Cache:
    """What a forward may remember: arrays as attributes."""

    def __init__(self, **held):
        self.__dict__.update(held)


@pytest.mark.parametrize(
    ("remember", "write", "part"),
    [
        pytest.param(lambda x: x, lambda m: m, "", id="array"),
        pytest.param(lambda x: (1, x), lambda m: m[1], "[1]", id="tuple"),
        pytest.param(lambda x: {"x": x}, lambda m: m["x"], "['x']", id="mapping"),
        pytest.param(lambda x: Cache(inner=[x]), lambda m: m.inner[0], ".inner[0]", id="object"),
    ],
)
def test_a_backward_that_writes_to_what_was_remembered_is_told_where(remember, write, part):
    def backward(call):
        write(call.memory)[...] = 0
        return 2 * call.cotangents[0]

    operator = twice(lambda operands, _: ((2 * operands[0],), remember(operands[0].copy())), backward, memory="cache")
    result = check(operator, {"x": X})
    assert findings(result) == ["input-modified"]
    assert f"its backward writes to cache{part}:" in result.findings[0].message


def test_a_backward_that_writes_to_an_array_in_a_mapping_is_told_where():
    def backward(call):
        call.operands[1]["mask"][...] = 0
        return call.cotangents[0]

    operator = make(lambda operands, _: ((1 * operands[0],), None), backward, ("x", "settings"))
    (finding,) = check(lambda x: operator(x, {"mask": np.ones(3)}), {"x": X}).findings
    assert finding.name == "input-modified"
    assert "writes to plain arguments['settings']['mask']" in finding.message


def test_memory_that_holds_itself_is_no_trouble():
    def forward(operands, _):
        memory = {"x": operands[0].copy()}
        memory["itself"] = memory
        held = Cache(memory=memory)
        memory["owner"] = [held, held]
        return (operands[0] ** 2,), held

    right = make(forward, lambda call: 2 * call.memory.memory["x"] * call.cotangents[0])
    assert check(right, {"x": X}).verdict == "pass"

    def writes(call):
        call.memory.memory["x"][...] = 1
        return call.cotangents[0]

    assert findings(check(make(forward, writes), {"x": X})) == ["input-modified"]
