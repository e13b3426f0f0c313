"""Recurrent cells and a small network: gates, states, several inputs at once."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.formulas import sigmoid
from tests.accuracy.corpus.inputs import normal
from tests.accuracy.corpus.record import correct, wrong


def lstm_gates(x, h, w, b):
    i, f, o, u = np.split(np.concatenate([x, h], axis=1) @ w + b, 4, axis=1)
    return sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(u)


def lstm(x, h, c, w, b):
    """Return the next hidden and cell state, side by side."""
    i, f, o, u = lstm_gates(x, h, w, b)
    cell = f * c + i * u
    return np.concatenate([o * np.tanh(cell), cell], axis=1)


def lstm_backward(g, out, x, h, c, w, b, cell_gradient=True, forget_slope=True):
    """Differentiate `lstm`; the flags plant mistakes when off."""
    width = h.shape[1]
    i, f, o, u = lstm_gates(x, h, w, b)
    t = np.tanh(out[:, width:])
    g_hidden, g_cell = g[:, :width], g[:, width:]
    dc = g_hidden * o * (1 - t * t) + (g_cell if cell_gradient else 0.0)
    df = dc * c * f * ((1 - f) if forget_slope else 1.0)
    dz = np.concatenate([dc * u * i * (1 - i), df, g_hidden * t * o * (1 - o), dc * i * (1 - u * u)], axis=1)
    d_in = dz @ w.T
    dw = np.concatenate([x, h], axis=1).T @ dz
    return d_in[:, : x.shape[1]], d_in[:, x.shape[1] :], dc * f, dw, dz.sum(axis=0)


lstm_state = normal((2, 2), (2, 2), (2, 2), (4, 8), (8,), scale=0.8)


def gru_gates(x, h, u):
    k = h.shape[1]
    zr = sigmoid(x[:, : 2 * k] + h @ u[:, : 2 * k])
    recurrent = h @ u[:, 2 * k :]
    return zr[:, :k], zr[:, k:], recurrent, np.tanh(x[:, 2 * k :] + zr[:, k:] * recurrent)


def gru(x, h, u):
    z, _, _, n = gru_gates(x, h, u)
    return (1 - z) * n + z * h


def gru_backward_without_reset(g, out, x, h, u):
    z, r, recurrent, n = gru_gates(x, h, u)
    dn = g * (1 - z) * (1 - n * n)
    dz = g * (h - n) * z * (1 - z)
    dr = dn * recurrent * r * (1 - r)
    dx = np.concatenate([dz, dr, dn], axis=1)
    return dx, g * z + dx @ u.T, h.T @ dx


def network(x, w1, w2):
    return ((np.tanh(x @ w1) @ w2) ** 2).mean()


def network_backward(g, out, x, w1, w2):
    h = np.tanh(x @ w1)
    y = h @ w2
    dy = 2 * g * y / y.size
    da = dy @ w2.T * (1 - h * h)
    return da @ w1.T, x.T @ da, h.T @ dy


OPERATORS = (
    correct("lstm_cell", lstm, lstm_backward, lstm_state, "control: five inputs, two outputs in one array"),
    wrong(
        "lstm_last_cell_state_ignored",
        lstm,
        lambda *values: lstm_backward(*values, cell_gradient=False),
        lstm_state,
        "gradient arriving at the cell-state output is dropped",
        "right when only h is used downstream",
        source="deeplearning4j/deeplearning4j#8838",
    ),
    wrong(
        "lstm_forget_gate_derivative",
        lstm,
        lambda *values: lstm_backward(*values, forget_slope=False),
        lstm_state,
        "sigmoid value where its derivative is meant, for one gate of four",
        "right when the cell state is 0",
        source="CaptainE/RNN-LSTM-in-numpy#1",
    ),
    wrong(
        "gru_reset_gate_forgotten",
        gru,
        gru_backward_without_reset,
        normal((2, 6), (2, 2), (2, 6), scale=0.8),
        "candidate's recurrent gradient not multiplied by the reset gate",
        "input gradient is right",
    ),
    correct("two_layer_network", network, network_backward, normal((4, 3), (3, 3), (3, 2))),
)
