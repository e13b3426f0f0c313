"""Blame: the operator that makes a gradient wrong is named, wherever it stands, and no other one."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import arr, check, keep, op
from gradcheck_cli.records import Blame, CaseResult, Culprit, Verdict
from gradcheck_cli.run.case import check_case
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options

Checked = Callable[..., CaseResult]


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., CaseResult]:
    """Write `my_ops.py` and a spec of one case, and return the result of that case."""
    monkeypatch.chdir(tmp_path)

    def check_spec(operators: str, spec: str) -> CaseResult:
        (tmp_path / "my_ops.py").write_text(textwrap.dedent(operators).lstrip("\n"), encoding="utf-8")
        (tmp_path / "a.grad.yaml").write_text("ops: [my_ops.py]\n" + textwrap.dedent(spec).lstrip("\n"), "utf-8")
        (item,) = collect(Options(paths=("a.grad.yaml",)))
        return check_case(item.case, item.parameters, Options())

    return check_spec


def blame_of(result: CaseResult) -> Blame:
    assert result.verdict is Verdict.FAIL, result
    assert result.blame is not None
    return result.blame


def accused(result: CaseResult) -> list[tuple[str, str]]:
    return [(culprit.operator, culprit.argument) for culprit in blame_of(result).culprits]


def only(result: CaseResult) -> Culprit:
    (culprit,) = blame_of(result).culprits
    return culprit


# A network of twelve applications, two of them of an operator whose backward is broken.

RIGHT = """
import numpy as np
from gradcheck_cli import op

@op
def bad(x):
    \"\"\"tanh(x).\"\"\"
    return np.tanh(x)

@bad.backward
def _(g, out):
    {body}
"""
BACKWARD_LINE = 10

MISTAKES = {
    "sign": "return -g * (1 - out * out)",
    "factor": "return g",
    "transposed": "return (g * (1 - out * out)).T.copy()",
    "element": "return g * (1 - out * out) * np.array([[1, 1.01], [1, 1]])",
}
NETWORK = 12


def network(first: int, second: int) -> tuple[str, list[int]]:
    """Return a spec of twelve applications, and the lines of the two that are broken."""
    right = ("h = h @ W{0}", "h = h + W{0}", "h = h * W{0}", "h = softplus(h)")
    lines = [
        "h = bad(h)" if number in (first, second) else right[number % 4].format(number) for number in range(NETWORK)
    ]
    lines[0] = lines[0].replace("h @", "x @").replace("bad(h)", "bad(x)")
    used = [f"W{number}" for number, line in enumerate(lines) if f"W{number}" in line.split("= ")[1].split(" ")]
    params = ", ".join(f"{name}: 2 2" for name in ("x", *used))
    text = "".join(f"  {line}\n" for line in [*lines, "h"])
    # The key of the operators is on line 1, the parameters on line 2, the expression starts on line 4.
    return f"params: {{{params}}}\nexpr: |\n{text}", [4 + number for number in (first, second)]


POSITIONS = [(position, (position + step) % NETWORK) for step in (5, 3) for position in range(NETWORK)][:20]


@pytest.mark.parametrize(("number", "positions"), list(enumerate(POSITIONS)), ids=str)
def test_a_broken_operator_used_twice_is_named_at_every_position(
    checked: Checked, number: int, positions: tuple[int, int]
) -> None:
    mistake = list(MISTAKES)[(number + number // 4) % 4]
    spec, lines = network(*positions)
    result = checked(RIGHT.format(body=MISTAKES[mistake]), spec)
    said = f"{mistake} at {positions}: {result.blame}"
    culprit = only(result)
    assert (culprit.operator, culprit.argument) == ("bad", "x"), said
    assert culprit.backward is not None, said
    assert (culprit.backward.file.endswith("my_ops.py"), culprit.backward.line) == (True, BACKWARD_LINE), said
    places = [place.line for place in culprit.places]
    # Two mistakes may cancel in what stands before both of them: then the earlier one is on no wrong path.
    assert places in ([max(lines)], sorted(lines, reverse=True)), said
    assert all(place.file.endswith("a.grad.yaml") and place.column == 7 for place in culprit.places), said
    blame = blame_of(result)
    assert blame.wrong == len(places) == culprit.applications, said
    assert blame.applications == blame.right + blame.wrong, said


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_right_twin_of_the_network_has_nobody_to_blame(checked: Checked, mistake: str) -> None:
    spec, _ = network(2, 7)
    result = checked(RIGHT.format(body="return g * (1 - out * out)"), spec)
    assert (result.verdict, result.blame) == (Verdict.PASS, None)


def test_blame_costs_less_than_ten_times_the_check(checked: Checked) -> None:
    for mistake in ("sign", "element"):
        spec, _ = network(2, 7)
        result = checked(RIGHT.format(body=MISTAKES[mistake]), spec)
        # An evaluation of the case is one of all twelve applications.
        assert 0 < blame_of(result).evaluations < 10 * result.evaluations, mistake


# The story of the sources: in a network of three layers, the second weight's gradient lacks a derivative.

ACTIVATION = """
import numpy as np
from gradcheck_cli import op

@op
def squash(x):
    \"\"\"1 / (1 + exp(-x)).\"\"\"
    return 1 / (1 + np.exp(-x))

@squash.backward
def _(g, out):
    return g
"""
STORY = """
dims: {batch: 5, pixels: 4, hidden: 3, classes: 2}
params: {W1: pixels hidden, b1: hidden, W2: hidden hidden, b2: hidden, W3: hidden classes, b3: classes}
inputs: {x: batch pixels}
expr: |
  h1 = sigmoid(x @ W1 + b1)
  h2 = squash(h1 @ W2 + b2)
  mean((h2 @ W3 + b3)**2)
"""


def test_an_activation_whose_derivative_is_left_out_is_named(checked: Checked) -> None:
    result = checked(ACTIVATION, STORY)
    wrong = {parameter.name for parameter in result.parameters if parameter.verdict is Verdict.FAIL}
    assert wrong == {"W1", "b1", "W2", "b2"}
    culprit = only(result)
    assert (culprit.operator, culprit.argument, culprit.applications) == ("squash", "x", 1)
    assert (culprit.location and (culprit.location.line, culprit.location.column)) == (7, 8)
    assert (culprit.backward and culprit.backward.line) == 10
    assert blame_of(result).right == blame_of(result).applications - 1 > 6


LAYER = """
import numpy as np
from gradcheck_cli import arr, op

def sigmoid(z):
    return 1 / (1 + np.exp(-z))

@op(x=arr("n i"), W=arr("i o"), b=arr("o"))
def layer(x, W, b):
    \"\"\"sigmoid(x @ W + b).\"\"\"
    return sigmoid(x @ W + b)

@layer.backward
def _(g, x, W, out):
    d = g * out * (1 - out)
    return d @ W.T, x.T @ d, d.sum(axis=0)

@op(x=arr("n i"), W=arr("i o"), b=arr("o"))
def hasty_layer(x, W, b):
    \"\"\"sigmoid(x @ W + b).\"\"\"
    return sigmoid(x @ W + b)

@hasty_layer.backward
def _(g, x, W, out):
    d = g * out * (1 - out)
    return d @ W.T, x.T @ g, d.sum(axis=0)
"""
LAYERED_STORY = """
dims: {batch: 5, pixels: 4, hidden: 3, classes: 2}
params: {W1: pixels hidden, b1: hidden, W2: hidden hidden, b2: hidden, W3: hidden classes, b3: classes}
inputs: {x: batch pixels}
expr: |
  h1 = layer(x, W1, b1)
  h2 = hasty_layer(h1, W2, b2)
  mean(layer(h2, W3, b3)**2)
"""


def test_a_layer_whose_weight_gradient_lacks_the_derivative_is_named(checked: Checked) -> None:
    result = checked(LAYER, LAYERED_STORY)
    assert [p.name for p in result.parameters if p.verdict is Verdict.FAIL] == ["W2"]
    culprit = only(result)
    assert (culprit.operator, culprit.argument, culprit.applications) == ("hasty_layer", "W", 1)
    assert (culprit.location and culprit.location.line) == 7
    assert (culprit.backward and culprit.backward.line) == 23
    assert (blame_of(result).right, blame_of(result).applications) == (3, 4)


# What there is to get right about operators: outputs, attributes, numbers of arguments, types, randomness.

rng = np.random.default_rng(6)
x, y, b = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=2)


@op(outputs="sine cosine")
def waves(x, *, k=2.0):
    """The sine of x, and the cosine of k x."""
    return np.sin(x), np.cos(k * x)


@waves.backward
def _(g_sine, g_cosine, x, k):
    return g_sine * np.cos(x) - g_cosine * np.sin(k * x)  # lacks a k


@op
def joined(*xs):
    """All arrays in one; the second one's gradient is doubled."""
    return np.concatenate(xs)


@joined.backward
def _(g, xs):
    ends = np.cumsum([len(x) for x in xs])[:-1]
    return tuple(part * (2 if number == 1 else 1) for number, part in enumerate(np.split(g, ends)))


@op
def dropped(x):
    """x with a random half of it left out; the backward draws another one."""
    return x * (np.random.random(x.shape) > 0.5)


@dropped.backward
def _(g):
    return g * (np.random.random(g.shape) > 0.5)


@op
def kept_mask(x):
    """x with a random half of it left out; the backward forgets a factor."""
    m = np.random.random(x.shape) > 0.5
    return keep(2 * x * m, m=m)


@kept_mask.backward
def _(g, m):
    return g * m


@op
def shifted(x, b):
    """x + b, whose gradient for b is a mean."""
    return x + b


@shifted.backward
def _(g, x, b):
    return g, g.mean(axis=0)


@op
def halved(x, y):
    """x * y, of which both gradients are wrong."""
    return x * y


@halved.backward("x")
def _(g, y):
    return g * y / 2


@halved.backward("y")
def _(g, x):
    return g * x / 2


def test_one_of_several_outputs_and_an_attribute() -> None:
    def both(x):
        sine, cosine = waves(x, k=3.0)
        return F.sum(F.tanh(sine * cosine))

    assert accused(check(both, {"x": x})) == [("waves", "x")]
    assert check(lambda x: waves(x, k=3.0)[0] * 2, {"x": x}).ok  # nothing arrives at the wrong one
    assert check(lambda x: F.sum(waves(x, k=1.0)[1]), {"x": x}).ok


def test_one_argument_of_many() -> None:
    result = check(lambda x, y: F.sum(F.tanh(joined(x, F.tanh(y), x))), {"x": x, "y": y})
    assert accused(result) == [("joined", "xs[1]")]
    assert only(result).backward is not None


def test_random_operators_draw_the_same_numbers_alone() -> None:
    for operator in (dropped, kept_mask):
        result = check(lambda x: F.sum(F.tanh(operator(F.tanh(x)))), {"x": x})  # noqa: B023 (called at once)
        assert accused(result) == [(operator.__name__, "x")]
        assert blame_of(result).right == 3


def test_single_precision_and_vectors() -> None:
    result = check(lambda x: F.tanh(halved(F.tanh(x), 2.0)) + 1, {"x": x}, dtype="float32")
    assert accused(result) == [("halved", "x")]
    assert blame_of(result).resolution is not None
    assert blame_of(result).right == 3


def test_a_shared_parameter_that_is_broadcast() -> None:
    result = check(lambda x, b: F.sum(F.tanh(shifted(F.tanh(shifted(x, b)), b))), {"x": x, "b": b})
    culprit = only(result)
    assert (culprit.operator, culprit.argument, culprit.applications) == ("shifted", "b", 2)


def test_each_argument_has_the_line_of_its_own_rule() -> None:
    first, second = blame_of(check(lambda x, y: F.sum(F.tanh(halved(x, y))), {"x": x, "y": y})).culprits
    assert (first.argument, second.argument) == ("x", "y")
    assert first.backward is not None
    assert second.backward is not None
    assert second.backward.line == first.backward.line + 5
    assert blame_of(check(lambda x, y: F.sum(F.tanh(halved(x, y))), {"x": x, "y": y})).wrong == 1


def test_a_python_function_is_given_by_the_line_of_the_call() -> None:
    def function(x):
        h = F.tanh(x)
        return F.sum(halved(h, 3.0))

    place = only(check(function, {"x": x})).location
    assert place is not None
    assert (place.file, place.line) == (__file__, function.__code__.co_firstlineno + 2)


def test_the_same_application_twice_is_checked_once_and_counted_twice() -> None:
    result = check(lambda x: F.sum(halved(x, 2.0) + halved(x, 2.0)), {"x": x})
    one = check(lambda x: F.sum(halved(x, 2.0) + F.tanh(x)), {"x": x})
    assert (only(result).applications, only(one).applications) == (2, 1)
    assert blame_of(result).evaluations < blame_of(one).evaluations + 40


def test_only_what_is_on_the_wrong_path_is_looked_at() -> None:
    result = check(lambda x, y: F.sum(halved(F.tanh(x), 2.0)) + F.sum(F.exp(y)), {"x": x, "y": y})
    assert [parameter.verdict for parameter in result.parameters] == [Verdict.FAIL, Verdict.PASS]
    assert blame_of(result).applications == 4


@pytest.mark.parametrize("rows", [3, 30])
def test_what_is_handed_to_findings_is_the_application(rows: int) -> None:
    from gradcheck_cli.findings.blame.blaming import Blaming
    from gradcheck_cli.findings.blame.place import python_line
    from gradcheck_cli.knobs import Knobs
    from gradcheck_cli.numeric.function import TracedFunction
    from gradcheck_cli.verdict.judge import judge
    from gradcheck_cli.verdict.judgement import Judgement

    x, y = rng.normal(size=(rows, 2)), rng.normal(size=(rows, 2))
    function = TracedFunction(lambda v: F.sum(3.0 * halved(F.tanh(v["x"]), v["y"])))
    judgement, values = Judgement(), {"x": x, "y": y}
    judge(function, values, Knobs(), [0], {}, judgement, ["x", "y"])
    blaming = Blaming(function, values, judgement, Knobs(), [0], python_line, 1.0)
    blaming.run()
    assert list(blaming.suspects) == ["x", "y"]
    assert [suspect.evidence.parameter for suspect in blaming.suspects["y"]] == ["y"]
    (first,) = blaming.suspects["x"]
    application = first.application
    assert application is not None
    assert (application.operator.name, first.evidence.parameter, set(first.others)) == ("halved", "x", {"y"})
    np.testing.assert_array_equal(application.arguments["x"], np.tanh(x))
    np.testing.assert_array_equal(application.cotangents["out"], np.full((rows, 2), 3.0))
    np.testing.assert_allclose(first.evidence.analytic, np.ravel(3 * y / 2))
    np.testing.assert_allclose(first.evidence.numeric, np.ravel(3 * y), rtol=1e-6)
    assert (np.abs(first.evidence.numeric - np.ravel(3 * y)) <= first.evidence.bar).all()
    assert first.shapes["out"] == (rows, 2)
    assert application.location is not None


# Who is not to be blamed.


@op
def rough(x):
    """tanh(x) in steps, which nobody can differentiate."""
    return np.round(np.tanh(x), 4)


@rough.backward
def _(g, x):
    return g / np.cosh(x) ** 2


def test_what_can_not_be_decided_alone_is_not_accused() -> None:
    result = check(lambda x: F.sum(halved(F.tanh(x), 2.0)) + 1e-9 * F.sum(rough(x)), {"x": x})
    assert accused(result) == [("halved", "x")]
    blame = blame_of(result)
    assert blame.applications == blame.right + blame.wrong + len(blame.undecided)
    assert [why.startswith("rough at ") and "can't be decided" in why for why in blame.undecided] == [True]


CALLS = {"left": 0}


@op
def tired(x):
    """x, until it was called too often."""
    CALLS["left"] -= 1
    if CALLS["left"] < 0:
        raise RuntimeError("too tired")
    return 1.0 * x


@tired.backward
def _(g):
    return g


def test_what_raises_alone_is_not_accused(monkeypatch: pytest.MonkeyPatch) -> None:
    from gradcheck_cli.findings.blame import alone

    whole = alone.judge

    def judged(function, *arguments):
        if function.subject.name == "tired":
            CALLS["left"] = 3
        whole(function, *arguments)

    CALLS["left"] = 10**9
    monkeypatch.setattr(alone, "judge", judged)
    result = check(lambda x: F.sum(halved(tired(x), 2.0)), {"x": x})
    assert accused(result) == [("halved", "x")]
    (why,) = blame_of(result).undecided
    assert "tired" in why
    assert "too tired" in why


def test_a_broken_contract_names_its_operator_already() -> None:
    @op
    def unsummed(x, b):
        """x + b, whose gradient for b has the wrong shape."""
        return x + b

    @unsummed.backward
    def _(g, x, b):
        return g, g

    result = check(lambda x, b: F.sum(unsummed(x, b)), {"x": x, "b": b})
    assert (result.verdict, result.blame) == (Verdict.FAIL, None)


def test_an_input_that_is_not_differentiated_is_not_looked_at() -> None:
    @op(w=arr("j k"))
    def product(x, w):
        """x @ w, whose gradient of x is wrong."""
        return x @ w

    @product.backward
    def _(g, x, w):
        return 2 * (g @ w.T), x.T @ g

    assert check(lambda w: F.sum(F.tanh(product(x, w))), {"w": y.T}).ok
    result = check(lambda w: F.sum(F.tanh(product(x, halved(w, 2.0)))), {"w": y.T})
    assert accused(result) == [("halved", "x")]


def test_who_is_to_blame_does_not_depend_on_how_busy_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    large = rng.normal(size=(60, 60))

    def blamed() -> Blame:
        return blame_of(check(lambda x: F.mean(halved(F.tanh(F.tanh(x)), 2.0)), {"x": large}, sample=5))

    first, clock, turns = blamed(), time.perf_counter, itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: 5.0 * clock() + 1e-4 * next(turns))
    assert blamed() == first


@pytest.mark.filterwarnings("ignore::gradcheck_cli.errors.SampledWarning")
def test_the_budget_of_a_case_bounds_blame_too() -> None:
    result = check(lambda x: F.mean(halved(F.tanh(F.tanh(x)), 2.0)), {"x": rng.normal(size=(9, 9))}, budget=1e-6)
    assert any(note.startswith("all would take too long") for note in blame_of(result).notes)
    assert accused(result) == [("halved", "x")]


def test_a_large_application_is_sampled_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from gradcheck_cli.findings.blame import blaming as blame

    monkeypatch.setattr(blame, "_MOST", 0)
    monkeypatch.setattr(blame, "_GRANTED", 0)
    monkeypatch.setattr(blame, "_LEAST", 100)
    large = rng.normal(size=(18, 18))
    result = check(lambda x: F.mean(halved(F.tanh(F.tanh(x)), 2.0)), {"x": large}, sample=5)
    assert accused(result) == [("halved", "x")]
    stopped, sampled = blame_of(result).notes
    assert stopped == "all would take too long: 3 of 4 applications were checked"  # one of each operator
    assert sampled.startswith("not every element was compared, since that would take too long: mean at ")
    assert blame_of(result).right == 2


@pytest.mark.parametrize("element", range(0, 49, 8))
def test_one_wrong_element_of_many_is_found(element: int) -> None:
    @op
    def flawed(x):
        """tanh(x), whose gradient is off by a hundredth in one element."""
        return np.tanh(x)

    @flawed.backward
    def _(g, out):
        gradient = g * (1 - out * out)
        gradient.reshape(-1)[element] *= 1.01
        return gradient

    many = np.random.default_rng(element).normal(size=(7, 7))
    result = check(lambda x: F.mean(F.exp(flawed(2.0 * x))), {"x": many})
    assert accused(result) == [("flawed", "x")]
    assert blame_of(result).right == 3


def test_a_wrong_forward_mode_is_told_already_and_makes_no_gradient_wrong() -> None:
    @op
    def pushed(x):
        """tanh(x), with a jvp that is wrong."""
        return np.tanh(x)

    @pushed.backward
    def _(g, out):
        return g * (1 - out * out)

    @pushed.jvp
    def _(t, out):
        return 2 * t * (1 - out * out)

    result = check(lambda x: F.sum(halved(pushed(x), 2.0)), {"x": rng.normal(size=(5, 5))})
    assert [finding.name for finding in result.findings] == ["forward-reverse-mismatch"]
    assert accused(result) == [("halved", "x")]
    assert blame_of(result).right == 2


def test_a_gradient_of_plain_numbers_has_no_operators_to_blame() -> None:
    result = check(lambda x: float(np.sum(x**2)), {"x": x}, grad=lambda x: x)
    assert (result.verdict, result.blame) == (Verdict.FAIL, None)
