"""One step of recurrent networks, with the weights, gates and their order of torch.nn.RNNCell, LSTMCell and GRUCell."""

import numpy as np

from gradcheck_cli import arr, keep, op

from .activations import sigmoid


@op(
    x=arr("n i"),
    hx=arr("n h"),
    w_ih=arr("h i"),
    w_hh=arr("h h"),
    b_ih=arr("h"),
    b_hh=arr("h"),
    nonlinearity=["tanh", "relu"],
)
def rnn_cell(x, hx, w_ih, w_hh, b_ih=None, b_hh=None, *, nonlinearity="tanh"):
    """tanh(x @ w_ih.T + b_ih + hx @ w_hh.T + b_hh), or relu of it; the gradient of relu at 0 is taken as 0.

    x is (n, inputs) and hx, the state before, (n, hidden); or (inputs,) and (hidden,).
    """
    _check(x, hx, w_ih, w_hh, (b_ih, b_hh), 1)
    return _rnn(x, hx, w_ih, w_hh, b_ih, b_hh, nonlinearity=nonlinearity)


def _rnn(x, hx, w_ih, w_hh, b_ih, b_hh, *, nonlinearity):
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"nonlinearity should be 'tanh' or 'relu', not {nonlinearity!r}")
    gate = _linear(x, w_ih, b_ih) + _linear(hx, w_hh, b_hh)
    return np.tanh(gate) if nonlinearity == "tanh" else np.maximum(gate, 0)


@rnn_cell.backward
def _(g, out, x, hx, w_ih, w_hh, nonlinearity):
    at_gate = g * (1 - out * out) if nonlinearity == "tanh" else np.where(out > 0, g, 0)
    return _through_linear(at_gate, at_gate, x, hx, w_ih, w_hh)


@rnn_cell.batch
def _(moved, x, hx, w_ih, w_hh, b_ih=None, b_hh=None, *, nonlinearity="tanh"):
    rows, single = _rows(moved, x=x, hx=hx)
    made = _rnn(*rows, w_ih, w_hh, *_biases(moved, b_ih, b_hh), nonlinearity=nonlinearity)
    return made[..., 0, :] if single else made


@op(
    x=arr("n i"),
    hx=arr("n h"),
    cx=arr("n h"),
    w_ih=arr("g i"),
    w_hh=arr("g h"),
    b_ih=arr("g"),
    b_hh=arr("g"),
    outputs="h c",
)
def lstm_cell(x, hx, cx, w_ih, w_hh, b_ih=None, b_hh=None):
    """c = f * cx + i * tanh(z) and h = o * tanh(c), where x @ w_ih.T + b_ih + hx @ w_hh.T + b_hh holds i, f, z, o.

    i, f and o go through sigmoid. x is (n, inputs), hx and cx, the state before, (n, hidden), w_ih (4 hidden, inputs),
    w_hh (4 hidden, hidden), biases (4 hidden,); x, hx and cx may do without n. After S. Hochreiter and J. Schmidhuber,
    Long short-term memory, Neural Computation 9 (1997), with the forget gate f of F. Gers and others (2000).
    """
    _check(x, hx, w_ih, w_hh, (b_ih, b_hh), 4)
    if np.shape(cx) != np.shape(hx):
        raise ValueError(f"hx and cx should have one shape, not {np.shape(hx)} and {np.shape(cx)}")
    h, c, gates = _lstm(x, hx, cx, w_ih, w_hh, b_ih, b_hh)
    return keep(h, c, gates=gates)


def _lstm(x, hx, cx, w_ih, w_hh, b_ih, b_hh):
    i, f, z, o = np.split(_linear(x, w_ih, b_ih) + _linear(hx, w_hh, b_hh), 4, axis=-1)
    i, f, z, o = sigmoid(i), sigmoid(f), np.tanh(z), sigmoid(o)
    c = f * cx + i * z
    return o * np.tanh(c), c, (i, f, z, o)


@lstm_cell.backward
def _(g_h, g_c, c, gates, x, hx, cx, w_ih, w_hh):
    i, f, z, o = gates
    squashed = np.tanh(c)
    at_c = g_c + g_h * o * (1 - squashed * squashed)
    at_i, at_f = at_c * z * i * (1 - i), at_c * cx * f * (1 - f)
    at_z, at_o = at_c * i * (1 - z * z), g_h * squashed * o * (1 - o)
    at_gates = np.concatenate([at_i, at_f, at_z, at_o], axis=-1)
    at_x, at_hx, *others = _through_linear(at_gates, at_gates, x, hx, w_ih, w_hh)
    return at_x, at_hx, at_c * f, *others


@lstm_cell.batch
def _(moved, x, hx, cx, w_ih, w_hh, b_ih=None, b_hh=None):
    rows, single = _rows(moved, x=x, hx=hx, cx=cx)
    h, c, _ = _lstm(*rows, w_ih, w_hh, *_biases(moved, b_ih, b_hh))
    return (h[..., 0, :], c[..., 0, :]) if single else (h, c)


@op(x=arr("n i"), hx=arr("n h"), w_ih=arr("g i"), w_hh=arr("g h"), b_ih=arr("g"), b_hh=arr("g"))
def gru_cell(x, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """(1 - z) * tanh(a + r * b) + z * hx, a and b the last thirds of x @ w_ih.T + b_ih and hx @ w_hh.T + b_hh.

    r and z are the sigmoid of the sum of the first and second thirds. x is (n, inputs), hx, the state before,
    (n, hidden), w_ih (3 hidden, inputs), w_hh (3 hidden, hidden), biases (3 hidden,); x and hx may do without n. After
    K. Cho and others, Learning phrase representations using RNN encoder-decoder, EMNLP 2014; r is applied after the
    product, as PyTorch does.
    """
    _check(x, hx, w_ih, w_hh, (b_ih, b_hh), 3)
    out, gates = _gru(x, hx, w_ih, w_hh, b_ih, b_hh)
    return keep(out, gates=gates)


def _gru(x, hx, w_ih, w_hh, b_ih, b_hh):
    from_x = np.split(_linear(x, w_ih, b_ih), 3, axis=-1)
    from_h = np.split(_linear(hx, w_hh, b_hh), 3, axis=-1)
    r, z = sigmoid(from_x[0] + from_h[0]), sigmoid(from_x[1] + from_h[1])
    new = np.tanh(from_x[2] + r * from_h[2])
    return (1 - z) * new + z * hx, (r, z, new, from_h[2])


@gru_cell.backward
def _(g, gates, x, hx, w_ih, w_hh):
    r, z, new, from_h = gates
    at_new = g * (1 - z) * (1 - new * new)
    at_r, at_z = at_new * from_h * r * (1 - r), g * (hx - new) * z * (1 - z)
    at_x_gates = np.concatenate([at_r, at_z, at_new], axis=-1)
    at_h_gates = np.concatenate([at_r, at_z, at_new * r], axis=-1)
    at_x, at_hx, *others = _through_linear(at_x_gates, at_h_gates, x, hx, w_ih, w_hh)
    return at_x, at_hx + g * z, *others


@gru_cell.batch
def _(moved, x, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    rows, single = _rows(moved, x=x, hx=hx)
    out, _ = _gru(*rows, w_ih, w_hh, *_biases(moved, b_ih, b_hh))
    return out[..., 0, :] if single else out


def _linear(x, weight, bias):
    product = np.matmul(x, np.swapaxes(weight, -1, -2))
    return product if bias is None else product + bias


def _through_linear(at_x_gates, at_h_gates, x, hx, w_ih, w_hh):
    """Return the gradients of x, hx, w_ih, w_hh, b_ih and b_hh for those of both products."""
    of_weights = [np.atleast_2d(gates).T @ np.atleast_2d(rows) for gates, rows in ((at_x_gates, x), (at_h_gates, hx))]
    of_biases = [np.atleast_2d(gates).sum(axis=0) for gates in (at_x_gates, at_h_gates)]
    return at_x_gates @ w_ih, at_h_gates @ w_hh, *of_weights, *of_biases


def _check(x, hx, w_ih, w_hh, biases, gates):
    """Refuse shapes that don't fit, which could broadcast."""
    *rows, inputs = np.shape(x) or (0,)
    hidden = np.shape(hx)[-1] if np.ndim(hx) else 0
    wanted = (*rows, hidden), (gates * hidden, inputs), (gates * hidden, hidden)
    if np.ndim(x) not in (1, 2) or (np.shape(hx), np.shape(w_ih), np.shape(w_hh)) != wanted:
        shapes = ", ".join(str(np.shape(array)) for array in (x, hx, w_ih, w_hh))
        many = f"{gates} hidden" if gates > 1 else "hidden"
        message = f"(n, inputs), (n, hidden), ({many}, inputs), ({many}, hidden)"
        raise ValueError(f"x, hx, w_ih and w_hh should be {message}, not {shapes}")
    for bias in biases:
        if bias is not None and np.shape(bias) != (gates * hidden,):
            raise ValueError(f"biases should be ({gates * hidden},), not {np.shape(bias)}")


def _rows(moved, **arrays):
    """Return the arrays with an axis of rows, and whether they had none; perturbations stand before it."""
    single = all(array.ndim - (name in moved) == 1 for name, array in arrays.items())
    return [array[..., None, :] if single else array for array in arrays.values()], single


def _biases(moved, b_ih, b_hh):
    """Let perturbations of biases stand before the rows that they are added to."""
    return b_ih[:, None, :] if "b_ih" in moved else b_ih, b_hh[:, None, :] if "b_hh" in moved else b_hh


def _sample_cell(gates, states):
    def sample(rng):
        """Draw rows or a single vector, weights of all gates, and both, one or no bias."""
        rows = [(3,), ()][rng.integers(2)]
        inputs, hidden = map(int, rng.permutation([2, 3, 4])[:2])
        shapes = [(*rows, inputs), *[(*rows, hidden)] * states, (gates * hidden, inputs), (gates * hidden, hidden)]
        biases = [rng.standard_normal(gates * hidden) if rng.random() < 0.8 else None for _ in range(2)]
        return *(rng.standard_normal(shape) for shape in shapes), *biases

    return sample


lstm_cell.sample(_sample_cell(4, 2))
gru_cell.sample(_sample_cell(3, 1))
