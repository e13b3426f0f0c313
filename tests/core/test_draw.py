"""Drawing from domains, and sample arguments of an operator."""

import numpy as np
import pytest

from gradcheck_cli import arr, ints, mask, op
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.draw import draw, sample_arguments, split_arguments
from gradcheck_cli.errors import OperatorError

SEEDS = range(5)
seeded = pytest.mark.parametrize("seed", SEEDS)


def rng(seed=0):
    return np.random.default_rng(seed)


def operator_of(forward, **options):
    """An operator that is never differentiated here."""
    definition = op(**options)(forward)
    definition.backward(lambda g: None)
    return definition.declared[0]


@seeded
@pytest.mark.parametrize("shape", [(), (0,), (40,), (5, 6)], ids=str)
@pytest.mark.parametrize(
    "domain",
    [
        arr(),
        arr(low=-1, high=2),
        arr(low=3),
        arr(high=-3),
        arr(avoid=(0, 1)),
        arr(distinct=True),
        arr(low=0, high=1, distinct=True),
        arr(distinct=True, avoid=(0, 0.5), low=-1),
    ],
    ids=str,
)
def test_floats_lie_in_their_domain(domain, shape, seed):
    values = draw(domain, shape, rng(seed))
    assert isinstance(values, np.ndarray)
    assert values.shape == shape
    assert values.dtype == np.float64
    assert domain.low is None or (values >= domain.low).all()
    assert domain.high is None or (values <= domain.high).all()
    for kink in domain.avoid:
        assert (np.abs(values - kink) >= 0.1 - 1e-12).all()
    if domain.distinct and values.size > 1:
        gaps = np.diff(np.sort(values.ravel()))
        assert gaps.min() > 0.4 * (values.max() - values.min()) / values.size / 2


@seeded
def test_distinct_values_are_in_random_order(seed):
    values = draw(arr(distinct=True), (50,), rng(seed))
    assert (np.diff(values) > 0).any()
    assert (np.diff(values) < 0).any()


def test_many_distinct_values_stay_in_a_moderate_range():
    values = draw(arr(distinct=True), (5000,), rng())
    assert np.abs(values).max() <= 10
    assert len(np.unique(values)) == 5000


@seeded
@pytest.mark.parametrize("shape", [(), (30,), (2, 3)], ids=str)
def test_integers_and_booleans_are_arrays_of_their_kind(shape, seed):
    numbers = draw(ints(below=3), shape, rng(seed))
    flags = draw(mask(), shape, rng(seed))
    assert numbers.shape == flags.shape == shape
    assert numbers.dtype == np.int64
    assert flags.dtype == bool
    assert ((numbers >= 0) & (numbers < 3)).all()
    assert draw(ints(below="k"), shape, rng(seed), below=1).max() == 0


@seeded
def test_spd_matrices_are_symmetric_positive_definite(seed):
    matrices = draw(arr("... n n", spd=True), (2, 3, 3), rng(seed))
    assert np.array_equal(matrices, np.swapaxes(matrices, -1, -2))
    assert (np.linalg.eigvalsh(matrices) > 0).all()


@pytest.mark.parametrize(
    ("domain", "shape", "message"),
    [
        pytest.param(arr(spd=True), (2, 3), "symmetric positive definite", id="not square"),
        pytest.param(arr(spd=True), (4,), "symmetric positive definite", id="not a matrix"),
        pytest.param(arr(low=-0.05, high=0.05, avoid=0), (2,), "no room between", id="no room"),
        pytest.param(
            arr(low=-0.05, high=0.05, avoid=0, distinct=True), (2,), "no room between", id="no room, distinct"
        ),
        pytest.param(Domain(low=2, high=1), (2,), "nothing lies between", id="narrowed to nothing"),
        pytest.param(Domain("int", below="k"), (2,), "below 'k'", id="a word without its size"),
        pytest.param(Domain("int"), (2,), "below None", id="integers without a bound"),
    ],
)
def test_nothing_to_draw_is_said(domain, shape, message):
    with pytest.raises(ValueError, match=message):
        draw(domain, shape, rng())


def test_distinct_values_on_one_side_of_a_value_to_avoid():
    values = draw(arr(low=0, high=1, avoid=(0, 0.95), distinct=True), (20,), rng())
    assert values.min() >= 0.1
    assert values.max() <= 0.85
    assert (draw(arr(high=-2, distinct=True), (20,), rng()) <= -2).all()


def test_the_same_seed_draws_the_same():
    assert np.array_equal(draw(arr(avoid=0), (9,), rng(3)), draw(arr(avoid=0), (9,), rng(3)))
    assert not np.array_equal(draw(arr(avoid=0), (9,), rng(3)), draw(arr(avoid=0), (9,), rng(4)))


@seeded
def test_shape_words_are_shared_and_differ_from_one_another(seed):
    def product(a, b, bias, labels):
        """Some function of these."""

    operator = operator_of(product, a=arr("... m k"), b=arr("k n"), bias=arr("n"), labels=ints("m", below="n"))
    (a, b, bias, labels), attributes = sample_arguments(operator, rng(seed))
    assert a.shape[-1] == b.shape[0]
    assert b.shape[1:] == bias.shape
    assert labels.shape == a.shape[1:2]
    assert labels.max() < bias.size
    assert len({*a.shape, *b.shape}) == 4, f"sizes that are equal would hide a transpose (seed {seed})"
    assert attributes == {}


@seeded
def test_undeclared_inputs_share_one_shape_that_is_not_square(seed):
    def blend(x, y, z):
        """Some function of these."""

    arrays, _ = sample_arguments(operator_of(blend, z=arr("3")), rng(seed))
    assert arrays[0].shape == arrays[1].shape
    assert len(set(arrays[0].shape)) == 2
    assert arrays[2].shape == (3,)


def test_attributes_come_from_their_lists_and_their_defaults():
    def scaled(x, *, slope, axis=0):
        """Some function of these."""

    operator = operator_of(scaled, slope=[0.1, 0.2])
    drawn = [sample_arguments(operator, rng(seed))[1] for seed in range(20)]
    assert {attributes["slope"] for attributes in drawn} == {0.1, 0.2}
    assert {attributes["axis"] for attributes in drawn} == {0}


def test_a_variadic_input_is_drawn_twice():
    def joined(x, *xs):
        """Some function of these."""

    arrays, _ = sample_arguments(operator_of(joined, xs=arr("4")), rng())
    assert [array.shape for array in arrays[1:]] == [(4,), (4,)]
    assert not np.array_equal(arrays[1], arrays[2])


def test_a_required_attribute_without_values_asks_for_them():
    def shaped(x, *, shape):
        """Some function of these."""

    with pytest.raises(OperatorError, match=r"'shape' has neither a default nor a list.*\n.*hint:.*@shaped\.sample"):
        sample_arguments(operator_of(shaped), rng())


def test_a_domain_without_room_names_the_operator():
    def kinked(x):
        """Some function of these."""

    with pytest.raises(OperatorError, match=r"can't draw arguments for kinked: 'x': there is no room"):
        sample_arguments(operator_of(kinked, x=arr(low=0, high=0.1, avoid=0)), rng())


def sampled(sampler, **options):
    @op(**options)
    def gather(x, index=None, bias=None, *, axis=0):
        """Some function of these."""

    gather.backward(lambda g: None)
    gather.sample(sampler)
    return gather.declared[0]


@pytest.mark.parametrize(
    "returned",
    [
        pytest.param(([1.0, 2.0], [0, 1]), id="tuple"),
        pytest.param([[1.0, 2.0], [0, 1]], id="list"),
        pytest.param(([1.0, 2.0], [0, 1], {"axis": 0}), id="tuple that ends with attributes"),
        pytest.param({"index": [0, 1], "x": [1.0, 2.0], "axis": 0}, id="mapping"),
        pytest.param(([1.0, 2.0], {"index": [0, 1]}), id="an array by name"),
    ],
)
def test_a_sample_function_gives_arguments(returned):
    arrays, attributes = sample_arguments(sampled(lambda rng: returned), rng())
    assert [array.tolist() for array in arrays] == [[1.0, 2.0], [0, 1]]
    assert attributes in ({}, {"axis": 0})


def test_a_sample_function_may_leave_an_optional_array_out():
    arrays, _ = sample_arguments(sampled(lambda rng: {"x": [1.0], "bias": [2.0]}), rng())
    assert arrays[1] is None
    assert arrays[2].tolist() == [2.0]
    arrays, _ = sample_arguments(sampled(lambda rng: np.ones(3)), rng())
    assert len(arrays) == 1


def test_a_sample_function_gets_the_generator():
    arrays, _ = sample_arguments(sampled(lambda rng: rng.standard_normal(2)), rng(5))
    assert np.array_equal(arrays[0], rng(5).standard_normal(2))


def test_a_sample_function_that_raises_is_an_error_at_its_line():
    def broken(rng):
        return rng.no_such_distribution(3)

    with pytest.raises(OperatorError, match=r"test_draw\.py:\d+: error: sample function of gather raised Attribute"):
        sample_arguments(sampled(broken), rng())


def test_a_sample_function_that_returns_too_much_is_an_error():
    with pytest.raises(OperatorError, match=r"gather has no argument 'axes'.*\n.*did you mean 'axis'"):
        sample_arguments(sampled(lambda rng: {"x": np.ones(2), "axes": 1}), rng())
    with pytest.raises(OperatorError, match="gather needs 'x'"):
        sample_arguments(sampled(lambda rng: {"index": np.ones(2)}), rng())


def test_arguments_of_a_variadic_operator_are_split_from_every_form():
    def joined(x, *xs, axis=0):
        """Some function of these."""

    operator = operator_of(joined)
    first, second, third = np.zeros(1), np.ones(1), np.full(1, 2.0)
    for drawn in (
        (first, second, third, {"axis": 1}),
        (first, [second, third], {"axis": 1}),
        {"x": first, "xs": [second, third], "axis": 1},
    ):
        arrays, attributes = split_arguments(operator, drawn)
        assert [array.item() for array in arrays] == [0, 1, 2]
        assert attributes == {"axis": 1}


def test_integers_of_several_elements_are_never_all_the_same() -> None:
    for seed in range(50):
        drawn = draw(ints("n", below=2), (2,), np.random.default_rng(seed))
        assert sorted(drawn.tolist()) == [0, 1], seed
