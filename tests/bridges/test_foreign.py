"""Foreign code as an operator: how it is called, what its backward sees, and what is said when it isn't there."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import numpy as np
import pytest

from gradcheck_cli import Variable, check
from gradcheck_cli.bridges.foreign import Description, operator_of
from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.core.domain import ints
from gradcheck_cli.errors import Location, OperatorError, Skipped
from tests.results import findings

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
PLACES = (Location("code.py", 3), Location("code.py", 9))


class Code:
    """Foreign code made of two functions: `forward(operands, attributes)` and `backward(call)`."""

    def __init__(self, forward, backward):
        self.forward = forward
        self.backward = backward


def make(forward, backward, inputs=("x",), attributes=(), outputs=("out",), **more):
    declared = tuple(name if isinstance(name, Input) else Input(name, loose=True) for name in inputs)
    return operator_of(
        Code(forward, backward), Description("code", declared, attributes, outputs, PLACES, "Doc.", **more)
    )


def scale(**more):
    """s * x, with an attribute s that is 2 by default."""
    return make(
        lambda operands, settings: ((settings["s"] * operands[0],), None),
        lambda call: call.attributes["s"] * call.cotangents[0],
        attributes=(Attribute("s", 2.0),),
        **more,
    )


def twice(forward=None, backward=None, **more):
    return make(
        forward or (lambda operands, _: ((2 * operands[0],), "memory")),
        backward or (lambda call: 2 * call.cotangents[0]),
        **more,
    )


def gradient(operator, *operands, **attributes):
    """Sum what an operator returns, and return the gradient of the first operand."""
    leaf = Variable(operands[0])
    operator(leaf, *operands[1:], **attributes).backward(np.ones_like(X))
    return leaf.grad


def test_the_record_holds_what_the_description_says():
    operator = scale(label="cuda float32", own={"w": X}, hints={"input-modified": "copy first"})
    assert (operator.name, operator.outputs, operator.doc, operator.label) == ("code", ("out",), "Doc.", "cuda float32")
    assert (operator.location, operator.rules[0].location) == PLACES
    assert (operator.own["w"] is X, operator.hints) == (True, {"input-modified": "copy first"})
    assert operator.signature == "code(x, *, s=2.0)"


@pytest.mark.parametrize("call", [lambda f: f(X), lambda f: f(x=X), lambda f: f(X, s=2.0), lambda f: f(x=X, s=2.0)])
def test_a_direct_call_takes_arrays_by_position_and_by_name(call):
    assert np.array_equal(call(scale()), 2 * X)


def test_attributes_are_given_by_position_and_by_name():
    operator = scale()
    assert np.array_equal(operator(X, 3.0), 3 * X)
    assert np.array_equal(operator(X, s=3.0), 3 * X)
    assert np.array_equal(gradient(operator, X, 3.0), np.full_like(X, 3.0))
    assert np.array_equal(gradient(operator, X, s=3.0), np.full_like(X, 3.0))
    assert np.array_equal(gradient(operator, X), np.full_like(X, 2.0))


def test_a_direct_call_that_lacks_an_argument_says_so():
    with pytest.raises(OperatorError, match="code needs 'x'"):
        scale()(s=1.0)


def test_right_code_passes_and_its_wrong_twin_fails():
    assert check(twice(), {"x": X}).verdict == "pass"
    wrong = twice(backward=lambda call: -2 * call.cotangents[0])
    assert check(wrong, {"x": X}).verdict == "fail"


def test_a_mixed_call_takes_an_array_as_a_constant():
    product = make(
        lambda operands, _: ((operands[0] * operands[1],), None),
        lambda call: (call.cotangents[0] * call.operands[1], call.cotangents[0] * call.operands[0]),
        ("x", "y"),
    )
    assert np.array_equal(gradient(product, X, 2 * X), 2 * X)
    assert check(lambda x: product(2 * X, x), {"x": X}).verdict == "pass"


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


@pytest.mark.parametrize("name", ["g", "g_out", "out"])
def test_an_input_may_have_a_name_that_our_own_operators_reserve(name):
    outputs = ("out_",) if name in ("out", "g_out") else ("out",)
    product = make(
        lambda operands, _: ((operands[0] * operands[1],), None),
        lambda call: (call.cotangents[0] * call.operands[1], call.cotangents[0] * call.operands[0]),
        ("x", name),
        outputs=outputs,
    )
    result = check(lambda **p: product(p["x"], p["w"]), {"x": X, "w": X + 3})
    assert result.verdict == "pass"


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


@pytest.mark.parametrize(
    "hide", [lambda x: [x], lambda x: (1.0, [x]), lambda x: {"w": x}], ids=["list", "nested", "mapping"]
)
def test_variables_inside_a_plain_value_are_refused(hide):
    operator = make(lambda operands, _: ((operands[0],), None), lambda call: call.cotangents[0], ("x", "params"))
    with pytest.raises(OperatorError, match="as 'params': no gradient flows there"):
        operator(Variable(X), hide(Variable(X)))


def test_a_forward_that_returns_none_is_not_written_yet():
    operator = twice(forward=lambda operands, _: ((None,), None))
    with pytest.raises(Skipped, match=r"code\.py:3: .*not written yet: the forward of code returns nothing"):
        check(operator, {"x": X})
    with pytest.raises(Skipped):
        operator(X)


@pytest.mark.parametrize("returned", [None, (None, None), [None], {"x": None}], ids=str)
def test_a_backward_that_returns_none_is_not_written_yet(returned):
    operator = twice(backward=lambda call: returned)
    with pytest.raises(Skipped, match=r"code\.py:9: .*the backward of code returns nothing"):
        check(operator, {"x": X})


def raising(error):
    def call(*args):
        raise error

    return call


def test_code_that_is_not_implemented_is_not_written_yet():
    with pytest.raises(Skipped, match="the forward"):
        twice(forward=raising(NotImplementedError()))(X)
    with pytest.raises(Skipped, match="the backward"):
        gradient(twice(backward=raising(NotImplementedError())), X)


def test_code_that_raises_otherwise_is_an_error_of_the_operator():
    with pytest.raises(OperatorError, match="forward of code raised ValueError: no"):
        check(twice(forward=raising(ValueError("no"))), {"x": X})


def test_an_import_that_fails_is_tried_again_at_home():
    at_home = []

    @contextmanager
    def home():
        at_home.append(True)
        yield
        at_home.pop()

    def forward(operands, _):
        if not at_home:
            raise ModuleNotFoundError("no module named 'helpers'")
        return (2 * operands[0],), None

    assert np.array_equal(twice(forward=forward, home=home)(X), 2 * X)
    assert at_home == []


def test_an_output_that_is_not_floating_has_no_cotangent():
    seen = []

    def backward(call):
        seen.append(call.cotangents[1])
        (index,) = np.nonzero(call.operands[0] == call.outputs[0])
        return call.cotangents[0] * (np.arange(len(call.operands[0])) == index[0])

    def forward(operands, _):
        (x,) = operands
        return (x.max(), x.argmax()), None

    operator = make(forward, backward, outputs=("value", "index"))
    assert check(lambda x: operator(x)[0], {"x": X[0]}).verdict == "pass"
    assert all(g is None for g in seen)


def test_a_declared_input_without_gradient_has_no_slot():
    operator = make(
        lambda operands, _: ((operands[0][operands[1]],), None),
        lambda call: np.where(np.arange(3) == call.operands[1], call.cotangents[0], 0),
        ("x", Input("index", ints("", below=3))),
    )
    assert check(lambda x: operator(x, 1), {"x": X[0]}).verdict == "pass"


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


def test_a_hint_of_the_operator_is_added_to_its_finding_only():
    def writes(call):
        g = call.cotangents[0]
        g *= 2
        return g

    operator = twice(backward=writes, hints={"input-modified": "a habit of courses", "gradient-count": "no"})
    (finding,) = check(operator, {"x": X}).findings
    assert finding.message.count("a habit of courses") == 1
    assert "; no" not in finding.message


def test_a_hint_on_linearity_is_for_a_backward_that_ignores_its_cotangent():
    hints = {"not-linear-in-g": "a last layer?"}
    total = {"forward": lambda operands, _: ((operands[0].sum(),), None), "hints": hints}
    ignores = twice(backward=lambda call: np.ones_like(X), **total)
    (finding,) = check(ignores, {"x": X}).findings
    assert finding.name == "not-linear-in-g"
    assert "right for g = 1 only" in finding.message
    assert "a last layer?" in finding.message
    clips = twice(backward=lambda call: np.abs(call.cotangents[0]) * np.ones_like(X), **total)
    (finding,) = check(clips, {"x": X}).findings
    assert finding.name == "not-linear-in-g"
    assert "a last layer?" not in finding.message
