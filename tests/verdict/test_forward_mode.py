"""Forward mode against reverse mode: right pairs agree wherever rounding leaves them, wrong ones are named."""

import itertools

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable, arr, check, keep, op, unbroadcast
from gradcheck_cli.core.execution import using
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.verdict.contract import CheckedExecution

SEEDS = range(5)


def make(forward, backward, jvp, **options):
    made = op(**options)(forward)
    made.backward(backward)
    made.jvp(jvp)
    return made


def found(operator, *operands, seed=0, **knobs):
    """What the check has against the jvp of an operator at these arrays."""
    checked = CheckedExecution(np.random.default_rng(seed), Knobs(**knobs))
    with using(checked), np.errstate(all="ignore"):
        out = operator(*map(Variable, operands))
        for each in out if isinstance(out, tuple) else (out,):
            if each.requires_grad:
                each.backward(np.ones(each.shape, each.data.dtype))
    return list(checked.beside.values())


def draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def tanh(x):
    """tanh(x)."""
    return np.tanh(x)


def tanh_backward(g, out):
    return g * (1 - out * out)


def right_tanh():
    return make(tanh, tanh_backward, lambda t, out: t * (1 - out * out))


def softmax(x):
    """Softmax along the last axis."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax_backward(g, out):
    return out * (g - (g * out).sum(axis=-1, keepdims=True))


def product(a, b):
    """a @ b."""
    return a @ b


def product_backward(g, a, b):
    return g @ b.T, a.T @ g


def affine(x, w, b):
    """x @ w + b."""
    return x @ w + b


def affine_backward(g, x, w):
    return g @ w.T, x.T @ g, g.sum(axis=0)


# What is right.

RIGHT = {
    "tanh": (right_tanh, [(3, 4)]),
    "softmax": (lambda: make(softmax, softmax_backward, softmax_pushed), [(3, 4)]),
    "product": (lambda: make(product, product_backward, lambda t_a, t_b, a, b: t_a @ b + a @ t_b), [(3, 4), (4, 2)]),
    "affine": (
        lambda: make(affine, affine_backward, lambda t_x, t_w, t_b, x, w: t_x @ w + x @ t_w + t_b),
        [(3, 4), (4, 2), (2,)],
    ),
    "broadcast": (
        lambda: make(
            scaled_product,
            lambda g, x, w: (unbroadcast(g * w, x.shape), unbroadcast(g * x, w.shape)),
            lambda t_x, t_w, x, w: t_x * w + x * t_w,
        ),
        [(3, 4), (4,)],
    ),
    "number": (right_tanh, [()]),
    "large": (right_tanh, [(2000,)]),
    "nothing": (right_tanh, [(0, 3)]),
}


def scaled_product(x, w):
    """x * w."""
    return x * w


def softmax_pushed(t, out):
    return out * (t - (t * out).sum(axis=-1, keepdims=True))


@pytest.mark.parametrize(("name", "seed"), list(itertools.product(RIGHT, SEEDS)))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_right_pairs_agree(name, seed, dtype):
    made, shapes = RIGHT[name]
    arrays = [x.astype(dtype) for x in draw(seed, *shapes)]
    assert found(made(), *arrays, seed=seed) == []


def test_a_case_with_a_right_jvp_passes():
    result = check(right_tanh(), draw(0, (3, 4)))
    assert result.verdict == "pass"
    assert result.findings == ()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1e3, 1e8])
def test_magnitudes_make_no_difference(seed, scale):
    a, b = draw(seed, (3, 4), (4, 2))
    made = RIGHT["product"][0]()
    assert found(made, a * scale, b / scale, seed=seed) == []
    spread = a * 10.0 ** np.random.default_rng(seed).uniform(-8, 8, a.shape)
    assert found(made, spread, b, seed=seed) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_saturated_function_may_be_differentiated_in_two_ways(seed):
    """1 - tanh^2 has lost its digits where 1 / cosh^2 still has them."""
    made = make(tanh, tanh_backward, lambda t, x: t / np.cosh(x) ** 2)
    x = np.random.default_rng(seed).uniform(5, 20, 12)
    assert found(made, x, seed=seed) == []
    assert found(made, x.astype(np.float32), seed=seed) == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("offset", [1e3, 1e5, 1e7])
def test_cancellation_inside_is_no_mismatch(seed, offset):
    """A variance of large numbers that lie close together keeps few digits, and other ones in another formula."""

    def spread(x):
        """Variance of x."""
        return np.mean(x * x) - np.mean(x) ** 2

    def backward(g, x):
        return g * 2 * (x - x.mean()) / x.size

    def push(t, x):
        return np.asarray(2 * np.mean(x * t) - 2 * np.mean(x) * np.mean(t))

    (x,) = draw(seed, 9)
    assert found(make(spread, backward, push), x + offset, seed=seed) == []
    wrong = make(spread, backward, lambda t, x: np.asarray(2 * np.mean(x * t) - np.mean(x) * np.mean(t)))
    assert [each.finding for each in found(wrong, x + offset, seed=seed)] == ["forward-reverse-mismatch"]


@pytest.mark.parametrize("seed", SEEDS)
def test_at_a_kink_both_may_be_right(seed):
    def relu(x):
        """max(x, 0)."""
        return np.maximum(x, 0)

    made = make(relu, lambda g, x: g * (x > 0), lambda t, x: t * (x >= 0))
    (x,) = draw(seed, 20)
    x[::3] = 0
    assert found(made, x, seed=seed) == []
    wrong = make(relu, lambda g, x: g * (x > 0), lambda t, x: t * (x < 0))
    assert [each.finding for each in found(wrong, x, seed=seed)] == ["forward-reverse-mismatch"]


@pytest.mark.parametrize("seed", SEEDS)
def test_of_equal_elements_each_may_be_the_largest(seed):
    def largest(x):
        """Largest element of x."""
        return x.max()

    def first(g, x):
        gradient = np.zeros_like(x)
        gradient[np.argmax(x)] = g
        return gradient

    def last(t, x):
        return np.asarray(t[x.size - 1 - np.argmax(x[::-1])])

    x = np.array([1.0, 3.0, -2.0, 3.0, 3.0])
    assert found(make(largest, first, last), x, seed=seed) == []


def test_forward_mode_may_not_be_there():
    assert found(make(tanh, tanh_backward, lambda t: NotImplemented), *draw(0, 5)) == []


def test_only_inputs_that_move_are_compared():
    """The backward for w is wrong, and so is the jvp, in another way; nobody asks for either."""
    made = make(scaled_product, lambda g, x, w: (g * w, g), lambda t_x, t_w, w: t_x * w + 7 * t_w)
    x, w = draw(0, 4, 4)
    checked = CheckedExecution(np.random.default_rng(0), Knobs())
    with using(checked):
        made(Variable(x), w).backward(np.ones(4))
    assert checked.beside == {}
    assert len(found(made, x, w)) == 1


def test_it_costs_few_calls():
    calls = []

    def push(t, out):
        calls.append(t)
        return t * (1 - out * out)

    assert check(make(tanh, tanh_backward, push), draw(0, 500)).verdict == "pass"
    assert len(calls) < 40


# What is wrong.

WRONG_JVP = {
    "sign": lambda t_x, t_w, t_b, x, w: -(t_x @ w + x @ t_w + t_b),
    "factor": lambda t_x, t_w, t_b, x, w: 1.000001 * (t_x @ w + x @ t_w + t_b),
    "missing term of w": lambda t_x, t_w, t_b, x, w: t_x @ w + t_b,
    "missing term of b": lambda t_x, t_w, t_b, x, w: t_x @ w + x @ t_w,
    "transposed": lambda t_x, t_w, t_b, x, w: t_x @ w + x @ np.ascontiguousarray(t_w.T).reshape(t_w.shape) + t_b,
    "zero": lambda t_x, t_w, t_b, x, w: np.zeros((x.shape[0], w.shape[1])) + 0 * t_b,
}


@pytest.mark.parametrize(("name", "seed"), list(itertools.product(WRONG_JVP, SEEDS)))
def test_a_wrong_jvp_is_caught_and_told_from_the_backward(name, seed):
    made = make(affine, affine_backward, WRONG_JVP[name])
    (violation,) = found(made, *draw(seed, (3, 4), (4, 2), (2,)), seed=seed)
    assert violation.finding == "forward-reverse-mismatch"
    assert "differences agree with the backward, so the jvp is wrong" in violation.message
    assert violation.location.line == made.operator.jvp.line
    assert f"test_forward_mode.py:{made.operator.rules[0].line}" in violation.hint
    wanted = {"missing term of w": "w[", "missing term of b": "b[", "transposed": "w["}.get(name, "x[")
    assert f"disagree about {wanted}" in violation.message


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_backward_is_caught_and_told_from_the_jvp(seed):
    made = make(tanh, lambda g, out: g * (1 - out), lambda t, out: t * (1 - out * out))
    (violation,) = found(made, *draw(seed, (3, 4)), seed=seed)
    assert "differences agree with the jvp, so the backward is wrong" in violation.message
    assert violation.location.line == made.operator.rules[0].line


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("size", "share"), [(2000, 1e-6), (2000, -2.0), (100, 1e-8)])
def test_one_wrong_element_is_found(seed, size, share):
    bad = np.random.default_rng(seed).integers(size)
    weights = 1 + share * (np.arange(size) == bad)
    made = make(tanh, tanh_backward, lambda t, out: t * (1 - out * out) * weights)
    (violation,) = found(made, *draw(seed, size), seed=seed)
    assert f"disagree about x[{bad}]:" in violation.message


@pytest.mark.parametrize("seed", SEEDS)
def test_a_small_gradient_is_compared_beside_large_ones(seed):
    """One of a hundred elements has a gradient of 1e-9, and its tangent is twice that."""
    weights = np.ones(100)
    weights[17] = 1e-9

    def scaled(x):
        """weights * x."""
        return weights * x

    made = make(scaled, lambda g: g * weights, lambda t: t * weights * (1 + (np.arange(100) == 17)))
    (violation,) = found(made, *draw(seed, 100), seed=seed)
    assert "disagree about x[17]:" in violation.message


@pytest.mark.parametrize("seed", SEEDS)
def test_single_precision_hides_no_wrong_jvp(seed):
    made = make(tanh, tanh_backward, lambda t, out: np.float32(1.001) * t * (1 - out * out))
    (violation,) = found(made, draw(seed, 50)[0].astype(np.float32), seed=seed)
    assert violation.finding == "forward-reverse-mismatch"


def test_outputs_are_told_apart():
    def both(x):
        """x squared and its signs and sin(x)."""
        return x * x, np.sign(x).astype(np.int64), np.sin(x)

    def backward(g_square, g_sine, x):
        return 2 * x * g_square + np.cos(x) * g_sine

    right = make(both, backward, lambda t, x: (2 * x * t, np.cos(x) * t), outputs="square signs sine")
    swapped = make(both, backward, lambda t, x: (np.cos(x) * t, 2 * x * t), outputs="square signs sine")
    assert found(right, *draw(0, 5)) == []
    assert [each.finding for each in found(swapped, *draw(0, 5))] == ["forward-reverse-mismatch"]


@pytest.mark.parametrize(
    ("push", "text"),
    [
        (lambda t, out: np.abs(t) * (1 - out * out), "for -t is not minus that for t"),
        (lambda t, out: t * (1 - out * out) + 1, "for -t is not minus that for t"),
        (lambda t, out: t**3 * (1 - out * out), "for 1024 t is not 1024 times that for t"),
        (lambda t, out: t / np.linalg.norm(t) * (1 - out * out), "for 1024 t is not 1024 times that for t"),
    ],
)
def test_a_jvp_that_is_no_linear_map_is_caught(push, text):
    (violation,) = found(make(tanh, tanh_backward, push), *draw(0, 6))
    assert violation.finding == "forward-reverse-mismatch"
    assert f"in its jvp, for out, the tangent {text}" in violation.message


def test_a_jvp_that_does_not_repeat_is_caught():
    calls = itertools.count()
    made = make(tanh, tanh_backward, lambda t, out: t * (1 - out * out) * (1 + 1e-6 * next(calls)))
    (violation,) = found(made, *draw(0, 6))
    assert violation.finding == "not-repeatable"
    assert "two jvp calls with the same arguments differ" in violation.message


def test_a_jvp_that_draws_its_mask_again_is_caught():
    """The forward keeps the mask that it drew; the jvp draws another one."""

    def dropout(x):
        """x where a drawn mask is set."""
        mask = np.random.random(x.shape) < 0.5
        return keep(np.where(mask, x, 0), mask=mask)

    def again(t):
        return np.where(np.random.random(t.shape) < 0.5, t, 0)

    right = make(dropout, lambda g, mask: np.where(mask, g, 0), lambda t, mask: np.where(mask, t, 0))
    wrong = make(dropout, lambda g, mask: np.where(mask, g, 0), again)
    (x,) = draw(0, 40)
    assert check(right, [x]).verdict == "pass"
    assert [each.name for each in check(wrong, [x]).findings] == ["forward-reverse-mismatch"]


def test_a_jvp_that_is_not_finite_where_the_backward_is_is_caught():
    made = make(tanh, tanh_backward, lambda t, out: t * np.where(out > 0, np.nan, 1 - out * out))
    (violation,) = found(made, *draw(0, 6))
    assert violation.finding == "non-finite"


def test_a_jvp_that_gets_round_the_read_only_flag_is_caught():
    """Compiled code doesn't ask; here the owner of the memory is written to."""

    def push(t, out):
        tangent = t * (1 - out * out)
        t.base[...] = 0
        return tangent

    (violation,) = found(make(tanh, tanh_backward, push), *draw(0, 6))
    assert violation.finding == "input-modified"
    assert violation.message == "its jvp writes to t"


# What becomes of it.


def test_a_wrong_jvp_fails_the_case_and_the_gradient_is_compared_all_the_same():
    result = check(make(tanh, tanh_backward, lambda t, out: t * (1 - out)), draw(0, 5))
    assert result.verdict == "fail"
    assert [parameter.verdict for parameter in result.parameters] == ["pass"]
    (finding,) = result.findings
    assert (finding.name, finding.code) == ("forward-reverse-mismatch", "GC112")


def test_a_wrong_backward_is_shown_by_numbers_too():
    result = check(make(tanh, lambda g, out: -g * (1 - out * out), lambda t, out: t * (1 - out * out)), draw(0, 5))
    assert [parameter.verdict for parameter in result.parameters] == ["fail"]
    assert [finding.name for finding in result.findings] == ["forward-reverse-mismatch"]


def test_what_a_spec_allows_is_accepted():
    calls = itertools.count()
    made = make(tanh, tanh_backward, lambda t, out: t * (1 - out * out) * (1 + 1e-10 * next(calls)))
    result = check(made, draw(0, 5), allow=["not-repeatable"])
    assert result.verdict == "pass"
    assert [(finding.name, finding.accepted) for finding in result.findings] == [("not-repeatable", True)]


def test_an_unusable_jvp_is_a_finding_of_its_own():
    result = check(make(tanh, tanh_backward, lambda t: t.sum()), draw(0, 5))
    assert [parameter.verdict for parameter in result.parameters] == ["pass"]
    assert [finding.name for finding in result.findings] == ["gradient-shape"]


def test_every_node_of_a_case_is_looked_at():
    wrong = make(scaled_product, lambda g, x, w: (g * w, g * x), lambda t_x, t_w, x, w: t_x * w - x * t_w)
    right = right_tanh()

    def model(x, w):
        return F.sum(right(wrong(right(x), w)))

    result = check(model, {"x": draw(0, 4)[0], "w": draw(1, 4)[0]})
    (finding,) = result.findings
    assert finding.message.startswith("scaled_product: its jvp and its backward disagree about w[")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_point_at_the_edge_of_the_domain_is_no_mismatch(seed):
    def root(x):
        """sqrt(x), which raises below zero."""
        if (x < 0).any():
            raise ValueError("below zero")
        return np.sqrt(x)

    made = make(root, lambda g, out: g / (2 * out), lambda t, out: t / (2 * out), x=arr(low=0))
    assert found(made, np.array([1e-300, 1e-20, 1.0, 4.0]), seed=seed) == []
    wrong = make(root, lambda g, out: g / (2 * out), lambda t, out: t / out, x=arr(low=0))
    assert len(found(wrong, np.array([1e-300, 1e-20, 1.0, 4.0]), seed=seed)) == 1
