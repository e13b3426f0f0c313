"""Foreign code as an operator: how it is called, what its backward sees, and what is said when it isn't there."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest

from gradcheck_cli import Variable, check
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.domain import ints
from gradcheck_cli.errors import OperatorError, Skipped
from tests.bridges.foreign_code import PLACES, X, gradient, make, scale, twice


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
