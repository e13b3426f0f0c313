"""A backward as a map of its cotangent: right ones are linear, and what isn't is found without a difference."""

import numpy as np
import pytest

from gradcheck_cli.verdict.linearity import Defect, Sizes, find_defect

X = np.random.default_rng(1).standard_normal((3, 4))
A = np.random.default_rng(2).standard_normal((12, 12))
SEEDS = range(5)
# Outputs and inputs near 1, in double precision.
USUAL = Sizes(1.0, (1.0,))


def defect(backward, like=X, sizes=USUAL, accuracy=0.0, seed=0):
    """What is wrong with a backward of one cotangent and one gradient."""
    return find_defect(lambda gs: (backward(gs[0]),), [like], sizes, accuracy, np.random.default_rng(seed))


def found(*arguments, **options):
    seen = defect(*arguments, **options)
    return None if seen is None else seen.finding


def matrix(g):
    return (A @ np.ravel(g)).reshape(g.shape)


RIGHT = {
    "factor": lambda g: 2 * g * X,
    "the same array": lambda g: g,
    "matrix": matrix,
    "transpose": lambda g: g.T,
    "sum": lambda g: g.sum(),
    "reversed view": lambda g: g[::-1],
    "gathered": lambda g: g[[0, 0, 2]],
    "mean taken away": lambda g: g - g.mean(axis=1, keepdims=True),
    "zero": lambda g: 0 * g,
    "a new array of zeros": lambda g: np.zeros(g.shape),
    "huge": lambda g: 1e290 * g * X,
    "tiny": lambda g: 1e-290 * g * X,
    "over twenty decades": lambda g: g * 10.0 ** np.linspace(-10, 10, 12).reshape(3, 4),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("backward", RIGHT.values(), ids=list(RIGHT))
def test_a_linear_backward_has_no_defect(backward, seed):
    assert defect(backward, seed=seed) is None


NOT_LINEAR = {
    "absolute value": (lambda g: 2 * np.abs(g) * X, "-g"),
    "cotangent ignored": (lambda g: 2 * X, "-g"),
    "constant added": (lambda g: 2 * g * X + 1e-3, "-g"),
    "constant added in one element": (lambda g: 2 * g * X + (np.arange(12) == 7).reshape(3, 4) * 1e-6, "-g"),
    "positive part": (lambda g: np.maximum(g, 0) * X, "-g"),
    "square": (lambda g: g * g * X, "-g"),
    "cube": (lambda g: g**3 * X, "1024 g"),
    "clipped at 1": (lambda g: np.clip(g, -1, 1) * X, "1024 g"),
    "clipped at 100": (lambda g: np.clip(g, -100, 100) * X, "1024 g"),
    "normalised": (lambda g: g / np.linalg.norm(g), "1024 g"),
    "small values cut off": (lambda g: np.where(np.abs(g) < 2, 0, g) * X, "1024 g"),
    "tiny values cut off": (lambda g: np.where(np.abs(g) < 1e-3, 0, g) * X, "g / 1024"),
    "norm for one element": (lambda g: g * np.abs(g[0, 0]) / np.linalg.norm(g), "g1 + g2"),
    "median": (lambda g: np.median(g) * X, "g1 + g2"),
    "zero replaced": (lambda g: np.where(g == 0, 1.0, g) * X, "g = 0"),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("backward", "words"),
    [pytest.param(*case, id=name) for name, case in NOT_LINEAR.items()],
)
def test_a_backward_that_is_not_linear_is_found(backward, words, seed):
    seen = defect(backward, seed=seed)
    assert isinstance(seen, Defect)
    assert seen.finding == "not-linear-in-g"
    assert f"the gradient for {words} is not" in seen.message


@pytest.mark.parametrize("error", [1e-3, 1e-6, 1e-9, 1e-11])
def test_a_small_violation_counts_and_rounding_does_not(error):
    assert found(lambda g: g * X + error * np.abs(g)) == "not-linear-in-g"
    assert found(lambda g: g * X + 1e-15 * np.abs(g)) is None


def test_the_slot_that_is_wrong_is_named():
    def vjp(cotangents):
        (g,) = cotangents
        return g * X, None, g.sum(), np.abs(g)

    seen = find_defect(vjp, [X], Sizes(1.0, (1.0, 1.0, 1.0, 1.0)), 0.0, np.random.default_rng(0))
    assert seen is not None
    assert (seen.finding, seen.slot) == ("not-linear-in-g", 3)


def test_every_output_s_cotangent_counts():
    def vjp(second):
        return lambda gs: (gs[0] * X + second(gs[2]),)

    like = [X, None, X]
    assert find_defect(vjp(lambda g: 2 * g), like, USUAL, 0.0, np.random.default_rng(0)) is None
    seen = find_defect(vjp(np.abs), like, USUAL, 0.0, np.random.default_rng(0))
    assert seen is not None
    assert seen.finding == "not-linear-in-g"


@pytest.mark.parametrize("shape", [(), (1,), (0,), (0, 3), (1, 1, 1), (2, 0, 3)], ids=str)
def test_scalars_and_arrays_without_elements(shape):
    like = np.zeros(shape)
    assert defect(lambda g: 3 * g, like) is None
    assert defect(lambda g: np.full((2,), 5.0) * g.sum(), like) is None
    if like.size:
        assert found(np.abs, like) == "not-linear-in-g"


def test_a_buffer_that_is_returned_again_is_no_gradient():
    buffer = np.zeros((3, 4))

    def backward(g):
        buffer[...] = 2 * g * X
        return buffer

    seen = defect(backward)
    assert seen is not None
    assert seen.finding == "not-repeatable"
    assert "returned before changed" in seen.message
    assert found(lambda g: (backward(g), buffer.copy())[1]) is None


def test_gradients_that_are_added_up_between_calls_are_found():
    total = np.zeros((3, 4))

    def backward(g):
        total[...] += 2 * g * X
        return total.copy()

    seen = defect(backward)
    assert seen is not None
    assert seen.finding == "not-repeatable"
    assert "two backward calls" in seen.message


def test_a_backward_that_draws_is_not_repeatable():
    rng = np.random.default_rng(3)
    assert found(lambda g: g * (rng.random(g.shape) < 0.5)) == "not-repeatable"


@pytest.mark.parametrize("jitter", [1e-16, 1e-14])
def test_a_jitter_of_a_few_roundings_is_repeatable(jitter):
    rng = np.random.default_rng(4)
    assert found(lambda g: g * X * (1 + jitter * rng.standard_normal(g.shape)), sizes=Sizes(1.0, (1e-3,))) is None
    assert found(lambda g: g * X * (1 + 1e-8 * rng.standard_normal(g.shape))) == "not-repeatable"


def in_memory_order(g):
    """The values in the order of memory, as compiled code reads them that takes the pointer alone."""
    return np.frombuffer(g.tobytes("A")).reshape(g.shape) * X


def from_the_pointer(g):
    """The values behind the pointer, whatever the strides."""
    return np.lib.stride_tricks.as_strided(g, g.shape, (32, 8)) * X


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("backward", [in_memory_order, from_the_pointer])
def test_a_backward_that_relies_on_the_layout_of_its_cotangent_is_found(backward, seed):
    seen = defect(backward, seed=seed)
    assert seen is not None
    assert seen.finding == "layout-dependent"
    assert "ascontiguousarray" in seen.hint
    assert found(lambda g: backward(np.ascontiguousarray(g)), seed=seed) is None


def test_only_fortran_order_is_enough_to_be_found():
    assert found(lambda g: (-g if np.isfortran(g) else g) * X) == "layout-dependent"
    assert found(lambda g: (g if g.flags.c_contiguous or g.flags.f_contiguous else -g) * X) == "layout-dependent"


def cancelling(g):
    """Exactly zero in mathematics, rounding in numbers."""
    return (g - g.mean(axis=0)).sum(axis=0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_gradient_that_is_exactly_zero_is_rounding_divided_by_rounding(seed):
    assert 0 < np.abs(cancelling(X)).max() < 1e-14
    assert defect(cancelling, seed=seed) is None
    # Rounding is none where nothing is known of sizes, either; a violation far above it is one.
    assert defect(cancelling, sizes=Sizes(), seed=seed) is None
    assert found(lambda g: cancelling(g) + 1e-13 * np.abs(g).sum(axis=0), sizes=Sizes(), seed=seed) == "not-linear-in-g"


def test_a_gradient_above_rounding_is_no_zero():
    assert found(lambda g: 1e-12 * np.abs(g)) == "not-linear-in-g"
    assert found(lambda g: 1e-15 * np.abs(g)) is None
    assert found(lambda g: 1e-12 * np.abs(g), sizes=Sizes(1e3, (1.0,))) is None
    # A large input makes no rounding smaller, a small one makes it larger.
    assert found(lambda g: 1e-12 * np.abs(g), sizes=Sizes(1e3, (1e3,))) is None
    assert found(lambda g: 1e-12 * np.abs(g), sizes=Sizes(1.0, (1e-3,))) is None


def test_the_zero_of_a_gradient_is_a_hundred_roundings_of_outputs_over_inputs():
    sizes = Sizes(3.0, (0.5, 0.0), 1e-16)
    assert sizes.zero(0) == pytest.approx(6e-14)
    assert sizes.zero(1) == 0
    assert sizes.zero(2) == 0


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def quadratic(rng, gap):
    """(x0 - x1)**2, multiplied out."""
    a = rng.normal()
    x = np.array([a, a + gap])
    return 0.0, gap**2, lambda g: np.array([g * 2 * x[0] - g * 2 * x[1], g * 2 * x[1] - g * 2 * x[0]])


def quadratic_form(rng, gap):
    """The form of a graph's Laplacian at nearly equal values."""
    edges = np.abs(rng.normal(size=(5, 5)))
    edges = edges + edges.T
    matrix = np.diag(edges.sum(axis=1)) - edges
    x = rng.normal() + gap * rng.normal(size=5)
    return 0.0, gap**2, lambda g: (g * x) @ matrix + matrix @ (x * g)


def difference_of_losses(rng, gap):
    """Log-sum-exp of rows, less that of rows beside them."""
    x = rng.normal(size=(3, 4))
    y = x + gap * rng.normal(size=(3, 4))
    return np.zeros(3), gap, lambda g: g[:, None] * softmax(x) - g[:, None] * softmax(y)


def variance(rng, gap):
    """The mean of squares less the square of the mean, of nearly equal numbers."""
    x = 3 * rng.normal() + gap * rng.normal(size=6)
    return 0.0, gap**2, lambda g: 2 * g * x / 6 - 2 * g * x.mean() / 6


def without_the_largest(rng, gap):
    """Log-sum-exp less the first number, which is by far the largest."""
    x = rng.normal(size=(4, 5))
    x[:, 0] = 3 - np.log(gap)
    first = np.eye(5)[0]
    return np.zeros(4), gap, lambda g: g[:, None] * softmax(x) - g[:, None] * first


def difference_of_norms(rng, gap):
    x = rng.normal(size=4)
    y = x + gap * rng.normal(size=4)
    return 0.0, gap, lambda g: g * x / np.linalg.norm(x) - g * y / np.linalg.norm(y)


CANCELLING = [
    quadratic,
    quadratic_form,
    difference_of_losses,
    variance,
    without_the_largest,
    difference_of_norms,
]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7, 1e-9])
@pytest.mark.parametrize("family", CANCELLING)
def test_rounding_of_terms_that_cancel_is_no_violation(family, gap, seed):
    like, size, backward = family(np.random.default_rng(seed), gap)
    assert defect(backward, np.asarray(like), Sizes(size, (1.0,)), seed=seed) is None


SMALL_VIOLATIONS = {
    "absolute value": np.abs,
    "square": np.square,
    "cube": lambda g: g**3,
    "constant": np.ones_like,
    "sign": np.sign,
    "positive part": lambda g: np.maximum(g, 0),
    "clipped": lambda g: np.clip(g, -100, 100),
    "cut off": lambda g: np.where(np.abs(g) < 1, 0, g),
}


@pytest.mark.parametrize("share", [1.0, 1e-3, 1e-6])
@pytest.mark.parametrize("violation", SMALL_VIOLATIONS.values(), ids=list(SMALL_VIOLATIONS))
@pytest.mark.parametrize("family", CANCELLING)
def test_a_small_violation_beside_terms_that_cancel_is_found(family, violation, share):
    for seed in SEEDS:
        like, size, backward = family(np.random.default_rng(seed), 1e-5)
        largest = np.abs(backward(np.ones_like(like))).max()

        def wrong(g, backward=backward, largest=largest):
            return backward(g) + share * largest * np.sum(violation(np.asarray(g)))

        assert found(wrong, np.asarray(like), Sizes(size, (1.0,)), seed=seed) == "not-linear-in-g", seed


@pytest.mark.parametrize("seed", SEEDS)
def test_a_homogeneous_violation_beside_terms_that_cancel_is_found(seed):
    """No multiple of g shows it, only a sum."""
    like, size, backward = difference_of_losses(np.random.default_rng(seed), 1e-5)
    largest = np.abs(backward(np.ones_like(like))).max()
    for share in (1.0, 1e-3, 1e-6):

        def wrong(g, share=share):
            return backward(g) + share * largest * g[:, None] * np.abs(g[0]) / np.linalg.norm(g)

        seen = defect(wrong, like, Sizes(size, (1.0,)), seed=seed)
        assert seen is not None
        assert "g1 + g2" in seen.message


@pytest.mark.parametrize("seed", range(20))
def test_sums_that_cancel_in_another_order_do_not_depend_on_the_layout(seed):
    a = np.random.default_rng(seed).normal(size=(5, 10, 4))
    b = a + 1e-7 * np.random.default_rng(seed + 100).normal(size=a.shape)

    def backward(g):
        order = np.argsort(g.strides)
        turned = g.transpose(order)
        return np.tensordot(turned, a.transpose(*order, 2), 2) - np.tensordot(turned, b.transpose(*order, 2), 2)

    sizes = Sizes(1e-7, (1.0,))
    assert defect(backward, np.zeros((5, 10)), sizes, seed=seed) is None
    assert found(lambda g: backward(g[::-1] if np.isfortran(g) else g), np.zeros((5, 10)), sizes, seed=seed) == (
        "layout-dependent"
    )


SINGLE = Sizes(1.0, (1.0,), float(np.finfo(np.float32).eps))


def singly(g):
    """Sums and products in single precision."""
    return np.cumsum(g.astype(np.float32) * np.float32(1 / 3), dtype=np.float32).astype(g.dtype)


@pytest.mark.parametrize("seed", SEEDS)
def test_single_precision_inside_is_held_to_its_own_rounding(seed):
    assert defect(singly, sizes=SINGLE, seed=seed) is None
    assert found(singly, seed=seed) == "not-linear-in-g"
    assert found(lambda g: singly(np.abs(g)), sizes=SINGLE, seed=seed) == "not-linear-in-g"


@pytest.mark.parametrize("seed", SEEDS)
def test_single_precision_cotangents_are_right_in_single_precision(seed):
    types = []
    like = X.astype(np.float32)
    assert defect(lambda g: (types.append(g.dtype), singly(g))[1], like, SINGLE, seed=seed) is None
    assert set(types) == {np.dtype(np.float32)}
    assert found(lambda g: np.abs(singly(g)), like, SINGLE, seed=seed) == "not-linear-in-g"


SYSTEM = np.random.default_rng(5).standard_normal((60, 60))
SYSTEM = SYSTEM @ SYSTEM.T + 10 * np.eye(60)


def solved(g, tolerance=1e-8):
    """The solution of a symmetric system by conjugate gradients."""
    x, r = np.zeros(60), np.array(g)
    p, rr = r.copy(), r @ r
    while np.sqrt(rr) > tolerance * np.linalg.norm(g):
        step = rr / (p @ SYSTEM @ p)
        x, r = x + step * p, r - step * SYSTEM @ p
        rr, before = r @ r, rr
        p = r + rr / before * p
    return x


@pytest.mark.parametrize("seed", SEEDS)
def test_an_iterative_solver_is_linear_to_the_accuracy_that_is_stated(seed):
    seen = defect(solved, np.zeros(60), seed=seed)
    assert seen is not None
    assert seen.finding == "not-linear-in-g"
    assert "accuracy" in seen.hint
    assert defect(solved, np.zeros(60), accuracy=1e-5, seed=seed) is None
    assert found(lambda g: solved(np.abs(g)), np.zeros(60), accuracy=1e-5, seed=seed) == "not-linear-in-g"


def test_a_solver_that_divides_zero_by_zero_for_no_cotangent_is_not_blamed():
    def backward(g):
        with np.errstate(invalid="ignore"):
            return g * X * (np.linalg.norm(g) / np.linalg.norm(g))

    assert np.isnan(backward(0 * X)).all()
    assert defect(backward) is None
    assert found(lambda g: np.abs(backward(g))) == "not-linear-in-g"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_said_elsewhere(bad):
    assert defect(lambda g: np.where(X > 0, bad, g * X)) is None


def test_a_gradient_near_the_largest_number_is_no_violation():
    with np.errstate(over="ignore"):
        assert defect(lambda g: 1e306 * g) is None


def test_a_backward_is_called_about_eight_times_and_gets_what_it_declares():
    calls = []
    defect(lambda g: (calls.append(g), g)[1])
    assert 7 <= len(calls) <= 10
    assert {g.shape for g in calls} == {(3, 4)}
    assert any(not g.flags.c_contiguous and not g.flags.f_contiguous for g in calls)
    assert (calls[0] > 0).any()
    assert (calls[0] < 0).any()


def test_the_cotangents_follow_the_generator():
    first, again, other = [], [], []
    for seen, seed in ((first, 1), (again, 1), (other, 2)):
        defect(lambda g, seen=seen: (seen.append(np.array(g)), g)[1], seed=seed)
    assert all(map(np.array_equal, first, again))
    assert not np.array_equal(first[0], other[0])


def test_a_gradient_that_is_the_same_for_every_cotangent_is_told_from_others():
    for like in (X, np.zeros(())):
        ignored = defect(lambda g: 2 * X, like=like)
        assert (ignored.finding, ignored.constant) == ("not-linear-in-g", True)
        assert "right for g = 1 only" in ignored.hint
        for backward in (lambda g: np.abs(g) * X.sum(), lambda g: np.sign(g) * X.sum(), lambda g: g * 0 + 2 + g):
            seen = defect(backward, like=like)
            assert (seen.finding, seen.constant) == ("not-linear-in-g", False)
            assert "right for g = 1 only" not in seen.hint
