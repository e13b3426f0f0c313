"""Drawing: a seed of its own for each array, from what its record says."""

import numpy as np
import pytest

from gradcheck_cli.errors import SpecError
from gradcheck_cli.spec.arrays.values import draw_values


@pytest.fixture
def drawn(load, operators):
    """Draw the arrays of a one-case spec: `drawn(text, seed)`."""

    def values(text, seed=None):
        (case,) = load(text, given=operators)
        return draw_values(case, seed)

    return values


def test_draw_is_seeded_by_seed_case_and_array(load, drawn):
    text = "expr: x * y\nparams: {x: 3, y: 3}\nname: NAME\nseed: SEED\n"
    text = text.replace("x: 3", "x: '3'").replace("y: 3", "y: '3'")
    first = drawn(text.replace("NAME", "a").replace("SEED", "1"))
    again = drawn(text.replace("NAME", "a").replace("SEED", "1"))
    np.testing.assert_array_equal(first["x"], again["x"])
    assert not np.array_equal(first["x"], first["y"])
    assert not np.array_equal(first["x"], drawn(text.replace("NAME", "b").replace("SEED", "1"))["x"])
    assert not np.array_equal(first["x"], drawn(text.replace("NAME", "a").replace("SEED", "2"))["x"])
    np.testing.assert_array_equal(first["x"], drawn(text.replace("NAME", "a").replace("SEED", "2"), seed=1)["x"])


def test_draw_is_that_of_the_documented_generator(drawn):
    from zlib import crc32

    x = drawn("expr: tanh(x) * 2\nname: a\nparams: {x: 4 5}\n")["x"]
    np.testing.assert_array_equal(x, np.random.default_rng([0, crc32(b"a"), crc32(b"x")]).standard_normal((4, 5)))


def test_draw_does_not_depend_on_neighbours(load):
    alone = load("expr: tanh(x)\nname: a\nparams: {x: 3 4}\n")
    among = load(
        """
        cases:
          - {name: b, expr: tanh(x), params: {x: 5 6}}
          - {name: a, expr: y * tanh(x), params: {y: 2 1 1, x: 3 4}}
        """
    )
    np.testing.assert_array_equal(draw_values(alone[0])["x"], draw_values(among[1])["x"])


def test_given_values_are_new_arrays_each_time(load):
    (case,) = load("expr: x * y\nparams: {x: [1, 2]}\ninputs: {y: 3}\n")
    first, second = draw_values(case), draw_values(case)
    first["x"][0] = 7
    assert second["x"].tolist() == [1, 2]
    assert first["y"].shape == ()
    assert first["y"].dtype == np.float64


SIZE = 4000


@pytest.mark.parametrize(
    ("keys", "mean", "deviation"),
    [
        ("init: normal", 0, 1),
        ("init: uniform", 0.5, 12**-0.5),
        ("init: uniform, low: 2, high: 4", 3, 2 * 12**-0.5),
        ("init: zeros", 0, 0),
        ("init: ones", 1, 0),
        ("init: he", 0, (2 / 40) ** 0.5),
        ("init: xavier", 0, (2 / 140) ** 0.5),
        ("low: -1, high: 3", 1, 4 * 12**-0.5),
    ],
)
def test_init_gives_its_distribution(drawn, keys, mean, deviation):
    x = drawn(f"expr: tanh(x)\nparams: {{x: {{shape: 40 100, {keys}}}}}\n")["x"]
    assert x.shape == (40, 100)
    tolerance = 5 * deviation / SIZE**0.5
    assert abs(x.mean() - mean) <= tolerance
    assert abs(x.std() - deviation) <= tolerance


@pytest.mark.parametrize(("shape", "fan_in"), [("40 5", 40), ("3 4 50 10", 600), ("2000", 1)])
def test_he_counts_what_flows_in(drawn, shape, fan_in):
    x = drawn(f"expr: tanh(x)\nparams: {{x: {{shape: '{shape}', init: he}}}}\n")["x"]
    assert x.std() == pytest.approx((2 / fan_in) ** 0.5, rel=5 / x.size**0.5)


@pytest.mark.parametrize("shape", ["''", "'0'", "0 3"])
@pytest.mark.parametrize("init", ["he", "xavier", "normal", "uniform"])
def test_odd_shapes_are_drawn(drawn, shape, init):
    x = drawn(f"expr: tanh(x)\nparams: {{x: {{shape: {shape}, init: {init}}}}}\n")["x"]
    assert np.isfinite(x).all()


def test_positive_definite_matrices_are_drawn(drawn):
    x = drawn("expr: tanh(x)\nparams: {x: {shape: 3 4 4, init: spd}}\n")["x"]
    np.testing.assert_allclose(x, np.swapaxes(x, -1, -2))
    assert (np.linalg.eigvalsh(x) > 0).all()
    A = drawn("expr: factor(A)\nparams: {A: 4 4}\n")["A"]
    assert (np.linalg.eigvalsh(A) > 0).all()


def test_domain_of_the_operator_is_drawn_from(drawn):
    x = drawn("expr: root(x)\nparams: {x: 1000}\n".replace("1000", "'1000'"))["x"]
    assert ((x >= 1) & (x < 2)).all()
    indirect = drawn("expr: root(2 + x * x)\nparams: {x: '1000'}\n")["x"]
    assert indirect.min() < 0


def test_own_keys_go_before_the_domain_of_the_operator(drawn):
    x = drawn("expr: root(x)\nparams: {x: {shape: 1000, low: 5, high: 6}}\n")["x"]
    assert ((x >= 5) & (x < 6)).all()
    x = drawn("expr: root(x)\nparams: {x: {shape: 1000, high: 1.5}}\n")["x"]
    assert ((x >= 1) & (x < 1.5)).all()
    x = drawn("expr: root(x)\nparams: {x: {shape: 1000, init: uniform}}\n")["x"]
    assert ((x >= 0) & (x < 1)).all()
    x = drawn("expr: root(x)\nparams: {x: {shape: 1000, init: normal}}\n")["x"]
    assert x.min() < 0


def test_values_to_avoid_are_avoided(drawn):
    x = drawn("expr: kinked(x)\nparams: {x: '50'}\n")["x"]
    assert np.abs(x).min() >= 0.1
    assert np.diff(np.sort(x.ravel())).min() > 0
    x = drawn("expr: kinked(x)\nparams: {x: {shape: 500, avoid: [], distinct: false}}\n")["x"]
    assert np.abs(x).min() < 0.1
    x = drawn("expr: tanh(x)\nparams: {x: {shape: 500, avoid: [0.5, -0.5]}}\n")["x"]
    assert np.abs(np.abs(x) - 0.5).min() >= 0.1


def test_integers_and_booleans_are_drawn(drawn):
    values = drawn(
        "expr: pick_three(x, i) * hide(x, m)[j]\nparams: {x: '3'}\n"
        "inputs: {i: '100', j: {shape: 100, below: 2}, m: '3'}\n"
    )
    assert values["i"].dtype == np.int64
    assert set(values["i"].tolist()) == {0, 1, 2}
    assert set(values["j"].tolist()) == {0, 1}
    assert values["m"].dtype == np.bool_


def test_dtype_of_the_record_is_kept(drawn):
    values = drawn("expr: x * y\nparams: {x: '3', y: {shape: 3, dtype: float64}}\ncheck: {dtype: float32}\n")
    assert values["x"].dtype == np.float32
    assert values["y"].dtype == np.float64


def test_array_that_leaves_nothing_to_draw_is_said_at_its_place(load):
    (case,) = load("expr: tanh(x) * y\nparams:\n  y: 1\n  x: {shape: 3, low: -0.01, high: 0.01, avoid: 0}\n")
    with pytest.raises(SpecError) as caught:
        draw_values(case)
    (problem,) = caught.value.problems
    assert str(problem.location) == "spec.grad.yaml:4:3"
    assert problem.code == "nothing-to-draw"
