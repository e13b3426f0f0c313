"""The promises of the verdict, one by one: what is right is never called wrong, and what is wrong never right."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import check, keep
from gradcheck_cli.cli.main import main
from tests.accuracy.stability import unexpected

SPECS = Path(__file__).parents[2] / "specs"
each_seed = pytest.mark.parametrize("seed", range(3))


def names(result):
    """The findings of the whole, then those of the parameters."""
    parts = [result.findings, *(parameter.findings for parameter in result.parameters)]
    return [finding.name for part in parts for finding in part]


def relu(x):
    """max(x, 0)."""
    return np.maximum(x, 0.0)


def absolute(x):
    """|x|."""
    return np.abs(x)


def floor(x):
    """The largest integer below x."""
    return np.floor(x)


def exponential(x):
    """exp(x)."""
    return np.exp(x)


def cube(x):
    """x ** 3."""
    return x**3


def root(x):
    """sqrt(x)."""
    return np.sqrt(x)


def arc_cosine(x):
    """arccos(x)."""
    return np.arccos(x)


def square(x):
    """x * x."""
    return x * x


def sine(x):
    """sin(x)."""
    return np.sin(x)


def constant(x):
    """3, whatever x is."""
    return 0 * x + 3


def softmax(x):
    """exp(x) / sum(exp(x)) along the last axis."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@each_seed
@pytest.mark.parametrize(
    ("at_zero", "verdict", "finding"),
    [
        (0.0, "pass", "kink-at-point"),
        (0.5, "pass", "kink-at-point"),
        (1.0, "pass", "kink-at-point"),
        (2.0, "fail", "invalid-at-kink"),
    ],
)
def test_relu_at_zero_takes_any_subgradient_and_no_other(at_zero, verdict, finding, seed, operator):
    marked = operator(relu, lambda g, x: g * np.where(x > 0, 1.0, np.where(x == 0, at_zero, 0.0)))
    result = check(marked, np.array([0.0, 1.0, -2.0]), seed=seed)
    assert (result.verdict, names(result)) == (verdict, [finding])


@each_seed
@pytest.mark.parametrize(("share", "verdict"), [(0.5, "pass"), (1.0, "fail"), (0.0, "fail")])
def test_a_tie_of_a_maximum_can_t_give_everything_to_both(share, verdict, seed, operator):
    def largest(x):
        """The largest element of x."""
        return x.max()

    result = check(operator(largest, lambda g, x, out: share * g * (x == out)), np.array([1.0, 1.0, 0.5]), seed=seed)
    assert result.verdict == verdict
    assert names(result)[0] == ("kink-at-point" if verdict == "pass" else "invalid-at-kink")


@each_seed
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "pass"), (-1.0, "fail"), (1.001, "fail")])
def test_a_kink_1e_9_away_is_not_at_the_point(factor, verdict, seed, operator):
    marked = operator(absolute, lambda g, x: factor * g * np.sign(x))
    assert check(marked, np.array([1e-9, 1.0, -2.0]), seed=seed).verdict == verdict


@each_seed
def test_a_floor_at_an_integer_jumps(seed, operator):
    result = check(operator(floor, lambda g: 0 * g), np.array([2.0, 0.5]), seed=seed)
    assert (result.verdict, names(result)) == ("inconclusive", ["jump"])
    assert check(operator(floor, lambda g: g), np.array([2.0, 0.5]), seed=seed).verdict == "fail"
    assert check(operator(floor, lambda g: 0 * g), np.array([2.25, 0.5]), seed=seed).verdict == "pass"


@each_seed
@pytest.mark.parametrize(("factor", "forbidden"), [(1.0, "fail"), (2.0, "pass"), (0.0, "pass")])
def test_a_constant_of_1e10_makes_nothing_wrong_and_nothing_right(factor, forbidden, seed, operator):
    def shifted(x):
        """1e10 + tanh(x)."""
        return 1e10 + np.tanh(x)

    marked = operator(shifted, lambda g, x: factor * g * (1 - np.tanh(x) ** 2))
    for x in (0.3, np.array([0.3, 0.5])):
        assert check(marked, x, seed=seed).verdict != forbidden, x


@each_seed
def test_exponentials_from_1e_13_to_1e260(seed, operator):
    x = np.array([-30.0, 0.0, 50.0, 300.0, 600.0])

    def times(factor):
        return operator(exponential, lambda g, out: factor * g * out)

    assert check(times(1.0), x, seed=seed).verdict == "pass"
    for element in range(5):
        result = check(times(np.where(np.arange(5) == element, 1.001, 1.0)), x, seed=seed)
        assert result.verdict == "fail", element
        assert result.parameters[0].worst is not None
        assert result.parameters[0].worst.index == (element,)


@each_seed
def test_elements_over_18_decades(seed, operator):
    x = np.array([1e-9, -1e-6, 1e-3, 1.0, 1e3, -1e6, 1e9])

    def times(factor):
        return operator(cube, lambda g, x: factor * 3 * g * x * x)

    assert check(times(1.0), x, seed=seed).verdict == "pass"
    for element in range(7):
        result = check(times(np.where(np.arange(7) == element, 1.01, 1.0)), x, seed=seed)
        assert result.verdict == "fail", element
    assert check(operator(sine, lambda g, x: g * np.cos(x)), x, seed=seed).verdict != "fail"


@each_seed
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "pass"), (1.01, "fail"), (-1.0, "fail")])
def test_a_root_of_1e_12(factor, verdict, seed, operator):
    marked = operator(root, lambda g, out: factor * g / (2 * out))
    assert check(marked, np.array([1e-12, 1.0]), seed=seed).verdict == verdict
    assert check(marked, 1e-12, seed=seed).verdict == verdict


@each_seed
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "pass"), (1.01, "fail"), (-1.0, "fail")])
def test_an_arc_cosine_within_1e_10_of_1(factor, verdict, seed, operator):
    def gradient(g, x):
        return -g / np.sqrt((1 - x) * (1 + x)) * np.where(x > 0.5, factor, 1.0)

    marked = operator(arc_cosine, gradient)
    assert check(marked, np.array([1 - 1e-10, 0.3]), seed=seed).verdict == verdict


@each_seed
@pytest.mark.parametrize("x", [[-1.0, 2.0, 0.5], [-1e-3, 1e-3, 0.5]], ids=str)
def test_nan_in_the_branch_that_is_not_taken(x, seed, operator):
    def log_or_itself(x):
        """log(x) where x > 0, else x."""
        return np.where(x > 0, np.log(x), x)

    def gradient(factor):
        return lambda g, x: np.where(x > 0, g / np.where(x > 0, x, 1), factor * g)

    assert check(operator(log_or_itself, gradient(1.0)), np.array(x), seed=seed).verdict == "pass"
    assert check(operator(log_or_itself, gradient(1.01)), np.array(x), seed=seed).verdict == "fail"


@each_seed
def test_a_gradient_that_is_zero_everywhere_is_said_to_be_vacuous(seed, operator):
    result = check(operator(constant, lambda g: 0 * g), np.array([1.0, 2.0]), seed=seed)
    assert (result.verdict, names(result)) == ("pass", ["disconnected", "vacuous"])
    assert result.parameters[0].resolution is None
    assert check(operator(constant, lambda g: 1e-6 * g), np.array([1.0, 2.0]), seed=seed).verdict == "fail"
    seen = check(operator(square, lambda g, x: 2 * g * x), np.array([0.0, 2.0]), seed=seed)
    assert (seen.verdict, names(seen)) == ("pass", [])


@each_seed
def test_a_dropout_without_a_seed_is_not_repeatable(seed, operator):
    rng = np.random.default_rng(5)

    def dropout(x):
        """x with a random half of its elements."""
        kept = rng.random(x.shape) < 0.5
        return keep(x * kept, kept=kept)

    result = check(operator(dropout, lambda g, kept: g * kept), np.ones(8), seed=seed)
    assert (result.verdict, names(result)) == ("fail", ["not-repeatable"])
    assert "dropout" in result.findings[0].message
    assert [parameter.verdict for parameter in result.parameters] == ["skip"]
    assert check(lambda x: F.dropout(x, p=0.5, seed=3), np.ones(8), seed=seed).verdict == "pass"


def overwritten(g, x):
    g *= 2 * x
    return g


def accumulating():
    buffer = np.zeros((3, 4))

    def gradient(g, x):
        buffer[...] += 2 * g * x
        return buffer.copy()

    return gradient


def returned_again():
    buffer = np.zeros((3, 4))

    def gradient(g, x):
        buffer[...] = 2 * g * x
        return buffer

    return gradient


BREACHES = {
    "returns |g|": (lambda: lambda g, x: 2 * np.abs(g) * x, "not-linear-in-g"),
    "ignores g": (lambda: lambda g, x: 2 * x, "not-linear-in-g"),
    "clips g": (lambda: lambda g, x: 2 * np.clip(g, -1, 1) * x, "not-linear-in-g"),
    "overwrites g": (lambda: overwritten, "input-modified"),
    "adds up in a buffer": (accumulating, "not-repeatable"),
    "returns a buffer": (returned_again, "not-repeatable"),
    "is right only for contiguous g": (
        lambda: lambda g, x: 2 * np.frombuffer(g.tobytes("A")).reshape(g.shape) * x,
        "layout-dependent",
    ),
}


@each_seed
@pytest.mark.parametrize(("backward", "finding"), BREACHES.values(), ids=list(BREACHES))
def test_a_backward_that_breaks_its_contract_is_named(backward, finding, seed, operator):
    x = np.random.default_rng(0).standard_normal((3, 4))
    result = check(operator(square, backward()), x, seed=seed)
    assert (result.verdict, names(result)) == ("fail", [finding])
    assert result.findings[0].location is not None
    assert Path(result.findings[0].location.file).name == "test_promises.py"


def test_a_backward_that_keeps_its_contract_is_not():
    x = np.random.default_rng(0).standard_normal((3, 4))
    assert names(check(F.square, x)) == []


@each_seed
def test_a_softmax_whose_backward_is_zero(seed, operator):
    x = np.random.default_rng(0).standard_normal((3, 4))
    assert check(operator(softmax, lambda g: 0 * g), x, seed=seed).verdict == "fail"
    right = operator(softmax, lambda g, out: out * (g - (g * out).sum(axis=-1, keepdims=True)))
    assert check(right, x, seed=seed).verdict == "pass"


def test_a_millionth_in_one_of_1500_elements(operator):
    x = np.random.default_rng(1).standard_normal(1500)
    factor = np.where(np.arange(1500) == 777, 1 + 1e-6, 1.0)
    result = check(operator(sine, lambda g, x: g * np.cos(x) * factor), x)
    assert result.verdict == "fail"
    assert result.parameters[0].worst is not None
    assert result.parameters[0].worst.index == (777,)
    right = check(operator(sine, lambda g, x: g * np.cos(x)), x, sample=300)
    assert (right.verdict, names(right)) == ("pass", [])
    assert right.evaluations < 2.1 * 300 + 20


@each_seed
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "pass"), (1.001, "fail"), (0.999, "fail")])
def test_an_operator_in_single_precision_is_judged_by_its_own_rounding(factor, verdict, seed, operator):
    def tanh(x):
        """tanh(x), in single precision."""
        return np.tanh(x.astype(np.float32)).astype(np.float64)

    x = np.array([0.3, 0.7, -1.2, 0.5])
    result = check(operator(tanh, lambda g, out: factor * g * (1 - out * out)), x, seed=seed)
    assert result.verdict == verdict
    assert "float32-inside" in names(result)
    if verdict == "pass":
        assert result.parameters[0].resolution is not None
        assert 1e-6 < result.parameters[0].resolution < 1e-3


def normalised(x, b):
    """x + b, normalised over its first axis."""
    y = x + b
    return (y - y.mean(axis=0)) / np.sqrt(y.var(axis=0) + 1e-5)


def normalised_gradient(share):
    """Its gradient, and for b a share of what b would get without the normalisation."""

    def gradient(g, x, b, out):
        scale = 1 / np.sqrt((x + b).var(axis=0) + 1e-5)
        gx = scale * (g - g.mean(axis=0) - out * (g * out).mean(axis=0))
        return gx, gx.sum(axis=0) + share * (scale * g).sum(axis=0)

    return gradient


@each_seed
def test_a_bias_before_a_normalisation_has_no_gradient(seed, operator):
    arrays = {"x": np.random.default_rng(2).standard_normal((6, 3)), "b": np.array([0.1, 0.2, 0.3])}
    result = check(operator(normalised, normalised_gradient(0.0)), arrays, seed=seed)
    assert [(p.name, p.verdict) for p in result.parameters] == [("x", "pass"), ("b", "pass")]
    assert names(result) == ["vacuous"]
    wrong = check(operator(normalised, normalised_gradient(1e-6)), arrays, seed=seed)
    assert [(p.name, p.verdict) for p in wrong.parameters] == [("x", "pass"), ("b", "fail")]


@each_seed
def test_a_bias_of_the_keys_of_attention_has_no_gradient(seed, operator):
    def biased(k, b):
        """k + b."""
        return k + b

    def attention(share):
        keys = operator(biased, lambda g: (g, g.sum(axis=0) + share * g[0]))
        return lambda q, k, b, v: F.softmax(q @ keys(k, b).T / np.sqrt(3), axis=1) @ v

    rng = np.random.default_rng(4)
    shapes = {"q": (4, 3), "k": (5, 3), "b": 3, "v": (5, 2)}
    arrays = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    result = check(attention(0.0), arrays, seed=seed)
    assert {p.name: str(p.verdict) for p in result.parameters} == dict.fromkeys("qkbv", "pass")
    assert [(p.name, f.name) for p in result.parameters for f in p.findings] == [("b", "vacuous")]
    wrong = check(attention(1e-6), arrays, seed=seed)
    assert {p.name: str(p.verdict) for p in wrong.parameters} == dict.fromkeys("qkv", "pass") | {"b": "fail"}


SYSTEM = np.random.default_rng(3).standard_normal((60, 60))
SYSTEM = SYSTEM @ SYSTEM.T + 10 * np.eye(60)  # so large that a solver stops long before it is exact


def conjugate_gradients(g):
    """The solution of the system, to a relative residual of 1e-8."""
    x, r = np.zeros_like(g), g.copy()
    p, rr = r.copy(), r @ r
    while np.sqrt(rr) >= 1e-8 * np.linalg.norm(g):
        step = rr / (p @ SYSTEM @ p)
        x, r = x + step * p, r - step * SYSTEM @ p
        rr, before = r @ r, rr
        p = r + rr / before * p
    return x


def solve(b):
    """The solution of a linear system, exact."""
    return np.linalg.solve(SYSTEM, b)


@each_seed
def test_an_adjoint_that_is_solved_to_1e_8_needs_its_accuracy(seed, operator):
    b = np.random.default_rng(4).standard_normal(60)
    inexact = operator(solve, conjugate_gradients)
    assert check(inexact, b, seed=seed).verdict == "fail"
    result = check(inexact, b, seed=seed, accuracy=1e-5)
    assert result.verdict == "pass"
    assert result.parameters[0].resolution == 1e-5
    assert check(operator(solve, lambda g: np.linalg.solve(SYSTEM, g)), b, seed=seed).verdict == "pass"


@each_seed
def test_an_accuracy_of_1e_5_hides_no_element_that_is_a_hundredth_off(seed, operator):
    factor = np.where(np.arange(60) == 3, 1.01, 1.0)
    b = np.random.default_rng(4).standard_normal(60)
    result = check(operator(solve, lambda g: factor * conjugate_gradients(g)), b, seed=seed, accuracy=1e-5)
    assert result.verdict == "fail"
    assert result.parameters[0].worst is not None
    assert result.parameters[0].worst.index == (3,)


@each_seed
@pytest.mark.parametrize(
    ("jitter", "factor", "verdict", "found"),
    [(1e-14, 1.0, "pass", []), (1e-14, 1.001, "fail", ["small-everywhere"]), (1e-9, 1.0, "fail", ["not-repeatable"])],
)
def test_a_jitter_of_1e_14_between_calls_is_noise(jitter, factor, verdict, found, seed, operator):
    rng = np.random.default_rng(9)

    def jittering(x):
        """sin(x), a little different every time."""
        return np.sin(x) * (1 + jitter * rng.standard_normal(x.shape))

    marked = operator(jittering, lambda g, x: factor * g * np.cos(x))
    result = check(marked, np.array([0.3, 0.5, 1.0]), seed=seed)
    assert result.verdict == verdict
    assert names(result) == found


@each_seed
def test_a_dropout_on_the_global_generator_repeats_and_one_that_draws_again_fails(seed, operator):
    def dropout(x):
        """x with a random half of its elements, from NumPy's global generator."""
        kept = np.random.random_sample(x.shape) < 0.5
        return keep(x * kept, kept=kept)

    x = np.arange(1.0, 17.0)
    assert check(operator(dropout, lambda g, kept: g * kept), x, seed=seed).verdict == "pass"
    again = operator(dropout, lambda g: g * (np.random.random_sample(g.shape) < 0.5))
    result = check(again, x, seed=seed)
    assert (result.verdict, names(result)) == ("fail", ["unexplained"])


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_same_seed_gives_the_same_report_byte_for_byte(form, capsys, monkeypatch):
    monkeypatch.chdir(SPECS.parent)
    arguments = ["run", *map(str, sorted(SPECS.glob("[blw]*.yaml"))), "--seed", "7", "--sweep", "--format", form]

    def report():
        with pytest.raises(SystemExit):
            main(arguments)
        # How long it took is the only thing that may differ.
        return re.sub(r'in [\d.]+ s$|"seconds": [\d.e-]+', "", capsys.readouterr().out, flags=re.MULTILINE)

    first = report()
    assert first.count("\n") > 100
    assert report() == first
    arguments[arguments.index("7")] = "8"
    assert report() != first


def test_another_seed_changes_no_verdict_on_a_shipped_spec():
    """`python -m tests.accuracy.stability` does so for every case and 100 seeds."""
    assert unexpected(range(2, 8), every=9) == []
