"""Recurrent cells: values against their equations gate by gate, cells without rows, what is refused."""

import numpy as np
import pytest
from scipy.special import expit

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

RNG = np.random.default_rng(4)
N, INPUTS, HIDDEN = 3, 4, 2


def drawn(gates, states):
    shapes = [(N, INPUTS), *[(N, HIDDEN)] * states, (gates * HIDDEN, INPUTS), (gates * HIDDEN, HIDDEN)]
    return [RNG.standard_normal(shape) for shape in [*shapes, (gates * HIDDEN,), (gates * HIDDEN,)]]


def products(x, hx, w_ih, w_hh, b_ih, b_hh):
    """What each gate gets from x and from hx, gate by gate."""
    rows = [slice(start, start + HIDDEN) for start in range(0, len(w_ih), HIDDEN)]
    return [x @ w_ih[r].T + b_ih[r] for r in rows], [hx @ w_hh[r].T + b_hh[r] for r in rows]


@pytest.mark.parametrize(("nonlinearity", "function"), [("tanh", np.tanh), ("relu", lambda z: np.where(z > 0, z, 0))])
def test_rnn_cell_is_its_equation(nonlinearity, function):
    arrays = drawn(1, 1)
    (from_x,), (from_h,) = products(*arrays)
    np.testing.assert_allclose(F.rnn_cell(*arrays, nonlinearity=nonlinearity), function(from_x + from_h), rtol=1e-12)


def test_lstm_cell_is_its_equations():
    x, hx, cx, *weights = drawn(4, 2)
    i, f, z, o = (a + b for a, b in zip(*products(x, hx, *weights), strict=True))
    c = expit(f) * cx + expit(i) * np.tanh(z)
    h, made = F.lstm_cell(x, hx, cx, *weights)
    np.testing.assert_allclose(made, c, rtol=1e-12)
    np.testing.assert_allclose(h, expit(o) * np.tanh(c), rtol=1e-12)


def test_gru_cell_is_its_equations():
    arrays = drawn(3, 1)
    from_x, from_h = products(*arrays)
    r, z = (expit(from_x[gate] + from_h[gate]) for gate in (0, 1))
    known = (1 - z) * np.tanh(from_x[2] + r * from_h[2]) + z * arrays[1]
    np.testing.assert_allclose(F.gru_cell(*arrays), known, rtol=1e-12)


CELLS = {F.rnn_cell: (1, 1), F.lstm_cell: (4, 2), F.gru_cell: (3, 1)}
each_cell = pytest.mark.parametrize(("cell", "sizes"), CELLS.items(), ids=lambda value: getattr(value, "__name__", ""))


@each_cell
def test_a_cell_without_rows_is_a_cell_of_one(cell, sizes, check):
    gates, states = sizes
    rows, weights = drawn(gates, states)[: 1 + states], drawn(gates, states)[1 + states :]
    single = [row[0] for row in rows]
    one, many = cell(*single, *weights), cell(*[row[:1] for row in rows], *weights)
    np.testing.assert_array_equal(np.squeeze(one), np.squeeze(many))
    assert check.disagreement(cell, [*single, *weights]) < check.tolerance


@each_cell
def test_biases_may_be_left_out_and_rows_be_none(cell, sizes, check):
    gates, states = sizes
    arrays = drawn(gates, states)
    bare, zeros = arrays[:-2], [np.zeros(gates * HIDDEN)] * 2
    np.testing.assert_array_equal(cell(*bare), cell(*bare, *zeros))
    assert check.disagreement(cell, bare) < check.tolerance
    empty = [*(array[:0] for array in arrays[: 1 + states]), *arrays[1 + states :]]
    assert [g.shape for g in check.gradients(cell, empty)] == [array.shape for array in empty]


@each_cell
def test_gates_far_out_do_not_overflow(cell, sizes):
    gates, states = sizes
    arrays = drawn(gates, states)
    for far in (1000.0, -1000.0):
        out = cell(*[np.full(array.shape, far) for array in arrays[: 1 + states]], *arrays[1 + states :])
        assert np.isfinite(out).all()


def test_an_output_that_nobody_uses_counts_for_nothing():
    arrays = drawn(4, 2)
    o = slice(3 * HIDDEN, None)
    bias = Variable(arrays[5])
    _, c = F.lstm_cell(*arrays[:5], bias, arrays[6])
    c.backward(np.ones((N, HIDDEN)))
    assert not bias.grad[o].any()
    assert np.abs(bias.grad[: o.start]).min() > 0


@each_cell
def test_shapes_that_do_not_fit_a_cell_are_refused(cell, sizes):
    gates, states = sizes
    arrays = drawn(gates, states)
    for at, shape in ((0, (N + 1, INPUTS)), (1, (1, HIDDEN)), (1 + states, (gates * HIDDEN, INPUTS + 1)), (0, ())):
        wrong = [*arrays[:at], np.ones(shape), *arrays[at + 1 :]]
        with pytest.raises(ValueError, match=r"x, hx, w_ih and w_hh should be|hx and cx should have one shape"):
            cell(*wrong)
    with pytest.raises(ValueError, match="biases should be"):
        cell(*arrays[:-1], np.ones(1))


def test_an_unknown_nonlinearity_and_another_state_are_refused():
    with pytest.raises(ValueError, match="'tanh' or 'relu', not 'sigmoid'"):
        F.rnn_cell(*drawn(1, 1), nonlinearity="sigmoid")
    x, hx, _, *weights = drawn(4, 2)
    with pytest.raises(ValueError, match="hx and cx should have one shape"):
        F.lstm_cell(x, hx, np.ones((1, HIDDEN)), *weights)
