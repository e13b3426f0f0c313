"""Mistakes of all kinds in operators that were written after the detectors, which were not changed for them."""

import numpy as np

from gradcheck_cli import arr, ints, keep, op


@op(x=arr("n m"), z=arr("n m", low=0.5, high=2))
def ratio(x, z):
    return x / z


@ratio.backward
def _(g, x, z):
    return g / z, -g * x / z**2


@op(x=arr("n m"), z=arr("n m", low=0.5, high=2))
def ratio_wrong(x, z):
    return x / z


@ratio_wrong.backward
def _(g, x, z):
    return g / z, g * x / z**2


@op(x=arr("n"))
def area(x):
    return 0.5 * (x[1:] ** 2 + x[:-1] ** 2)


@area.backward
def _(g, x):
    dx = np.zeros_like(x)
    dx[1:] += g * x[1:]
    dx[:-1] += g * x[:-1]
    return dx


@op(x=arr("n"))
def area_wrong(x):
    return 0.5 * (x[1:] ** 2 + x[:-1] ** 2)


@area_wrong.backward
def _(g, x):
    dx = np.zeros_like(x)
    dx[1:] += 2 * g * x[1:]
    dx[:-1] += 2 * g * x[:-1]
    return dx


@op
def sine_of_degrees(x):
    return np.sin(np.deg2rad(x))


@sine_of_degrees.backward
def _(g, x):
    return g * np.cos(np.deg2rad(x)) * np.pi / 180


@op
def sine_of_degrees_wrong(x):
    return np.sin(np.deg2rad(x))


@sine_of_degrees_wrong.backward
def _(g, x):
    return g * np.cos(np.deg2rad(x))


@op(x=arr("n m"))
def log_softmax_of_rows(x):
    shifted = x - x.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


@log_softmax_of_rows.backward
def _(g, out):
    return g - np.exp(out) * g.sum(axis=1, keepdims=True)


@op(x=arr("n m"))
def log_softmax_of_rows_wrong(x):
    shifted = x - x.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


@log_softmax_of_rows_wrong.backward
def _(g):
    return g


@op
def ricker(x):
    return x * np.exp(-x)


@ricker.backward
def _(g, x):
    return g * np.exp(-x) * (1 - x)


@op
def ricker_wrong(x):
    return x * np.exp(-x)


@ricker_wrong.backward
def _(g, x):
    return g * np.exp(-x)


@op(x=arr("n m"))
def directions(x):
    norm = np.sqrt((x * x).sum(axis=1, keepdims=True))
    return keep(x / norm, norm=norm)


@directions.backward
def _(g, out, norm):
    return (g - out * (g * out).sum(axis=1, keepdims=True)) / norm


@op(x=arr("n m"))
def directions_wrong(x):
    norm = np.sqrt((x * x).sum(axis=1, keepdims=True))
    return keep(x / norm, norm=norm)


@directions_wrong.backward
def _(g, norm):
    return g / norm


@op
def bearing(x):
    return np.arctan(x)


@bearing.backward
def _(g, x):
    return g / (1 + x * x)


@op
def bearing_wrong(x):
    return np.arctan(x)


@bearing_wrong.backward
def _(g):
    return g


@op(x=arr("n m"), w=arr("m k"), b=arr("k"))
def dense_relu(x, w, b):
    return np.maximum(x @ w + b, 0)


@dense_relu.backward
def _(g, x, w, b, out):
    dz = g * (out > 0)
    return dz @ w.T, x.T @ dz, dz.sum(axis=0)


@op(x=arr("n m"), w=arr("m k"), b=arr("k"))
def dense_relu_wrong(x, w, b):
    return np.maximum(x @ w + b, 0)


@dense_relu_wrong.backward
def _(g, x, w, b, out):
    dz = g * (out > 0)
    return dz @ w.T, x.T @ g, dz.sum(axis=0)


@op(x=arr("m"), a=arr("m m"), y=arr("m"))
def bilinear(x, a, y):
    return np.array(x @ a @ y)


@bilinear.backward
def _(g, x, a, y):
    return g * (a @ y), g * np.outer(x, y), g * (x @ a)


@op(x=arr("m"), a=arr("m m"), y=arr("m"))
def bilinear_wrong(x, a, y):
    return np.array(x @ a @ y)


@bilinear_wrong.backward
def _(g, x, a, y):
    return g * (a @ y), g * np.outer(y, x), g * (x @ a)


@op(x=arr("n n n"))
def turned_round(x):
    return 3 * x.transpose(1, 2, 0)


@turned_round.backward
def _(g):
    return 3 * g.transpose(2, 0, 1)


@op(x=arr("n n n"))
def turned_round_wrong(x):
    return 3 * x.transpose(1, 2, 0)


@turned_round_wrong.backward
def _(g):
    return 3 * g.transpose(1, 2, 0)


@op(x=arr("n"), y=arr("m"))
def table_of_sums(x, y):
    return x[:, None] + y


@table_of_sums.backward
def _(g):
    return g.sum(axis=1), g.sum(axis=0)


@op(x=arr("n"), y=arr("m"))
def table_of_sums_wrong(x, y):
    return x[:, None] + y


@table_of_sums_wrong.backward
def _(g):
    return g[:, 0], g.sum(axis=0)


@op(x=arr("n m"), gamma=arr("m"))
def gain(x, gamma):
    return np.sin(x) * gamma


@gain.backward
def _(g, x, gamma):
    return g * gamma * np.cos(x), (g * np.sin(x)).sum(axis=0)


@op(x=arr("n m"), gamma=arr("m"))
def gain_wrong(x, gamma):
    return np.sin(x) * gamma


@gain_wrong.backward
def _(g, x, gamma):
    return g * gamma * np.cos(x), (g * np.sin(x)).mean(axis=0)


@op(x=arr("n m", low=0.5, high=2))
def safe_log(x):
    return np.log(x + 1e-3)


@safe_log.backward
def _(g, x):
    return g / (x + 1e-3)


@op(x=arr("n m", low=0.5, high=2))
def safe_log_wrong(x):
    return np.log(x + 1e-3)


@safe_log_wrong.backward
def _(g, x):
    return g / x


@op(x=arr("n"), w=arr("m n"))
def recurrent(x, w):
    h = np.zeros(len(w))
    states = []
    for each in x:
        h = np.tanh(h + w[:, 0] * each)
        states.append(h)
    return keep(h, states=np.array(states))


@recurrent.backward
def _(g, x, w, states):
    dx, dw, dh = np.zeros_like(x), np.zeros_like(w), g
    for t in reversed(range(len(x))):
        dz = dh * (1 - states[t] ** 2)
        dx[t] = dz @ w[:, 0]
        dw[:, 0] += dz * x[t]
        dh = dz
    return dx, dw


@op(x=arr("n"), w=arr("m n"))
def recurrent_wrong(x, w):
    h = np.zeros(len(w))
    states = []
    for each in x:
        h = np.tanh(h + w[:, 0] * each)
        states.append(h)
    return keep(h, states=np.array(states))


@recurrent_wrong.backward
def _(g, x, w, states):
    dx, dw, dh = np.zeros_like(x), np.zeros_like(w), g
    for t in reversed(range(len(x))):
        dz = dh * (1 - states[t] ** 2)
        dx[t] = dz @ w[:, 0]
        dw[:, 0] = dz * x[t]
        dh = dz
    return dx, dw


@op(x=arr("n"))
def doubled_up(x):
    return np.concatenate([np.exp(x), np.sin(x)])


@doubled_up.backward
def _(g, x):
    half = len(x)
    return g[:half] * np.exp(x) + g[half:] * np.cos(x)


@op(x=arr("n"))
def doubled_up_wrong(x):
    return np.concatenate([np.exp(x), np.sin(x)])


@doubled_up_wrong.backward
def _(g, x):
    half = len(x)
    dx = np.empty_like(x)
    dx[:] = g[:half] * np.exp(x)
    dx[:] = g[half:] * np.cos(x)
    return dx


@op(x=arr("n m"), index=ints("p", below="m"))
def columns_of(x, index):
    return x[:, index] ** 2


@columns_of.backward
def _(g, x, index):
    dx = np.zeros_like(x)
    np.add.at(dx, (slice(None), index), 2 * g * x[:, index])
    return dx


@op(x=arr("n m"), index=ints("p", below="m"))
def columns_of_wrong(x, index):
    return x[:, index] ** 2


@columns_of_wrong.backward
def _(g, x, index):
    dx = np.zeros_like(x)
    dx[:, index] = 2 * g * x[:, index]
    return dx


@op
def rounded_gain(x):
    return np.tanh(x) * 1.5


@rounded_gain.backward
def _(g, x):
    return 1.5 * g * (1 - np.tanh(x) ** 2)


@op
def rounded_gain_wrong(x):
    return np.tanh(x) * 1.5


@rounded_gain_wrong.backward
def _(g, x):
    return 1.5 * g * ((1 - np.tanh(x) ** 2).astype(int))


@op
def blend(a, b, *, t=0.3):
    return (1 - t) * np.exp(a) + t * np.sin(b)


@blend.backward
def _(g, a, b, t):
    return (1 - t) * g * np.exp(a), t * g * np.cos(b)


@op
def blend_wrong(a, b, *, t=0.3):
    return (1 - t) * np.exp(a) + t * np.sin(b)


@blend_wrong.backward
def _(g, a, b, t):
    return t * g * np.cos(b), (1 - t) * g * np.exp(a)


@op(x=arr("p"))
def differences(x):
    return np.diff(x) ** 2


@differences.backward
def _(g, x):
    step = 2 * g * np.diff(x)
    dx = np.zeros_like(x)
    dx[1:] += step
    dx[:-1] -= step
    return dx


@op(x=arr("p"))
def differences_wrong(x):
    return np.diff(x) ** 2


@differences_wrong.backward
def _(g, x):
    step = 2 * g * np.diff(x)
    dx = np.zeros_like(x)
    dx[1:-1] = step[:-1] - step[1:]
    return dx


@op(x=arr("n p"))
def clamped(x):
    return np.clip(x, -1, 1) + 0.1 * x


@clamped.backward
def _(g, x):
    return g * ((np.abs(x) < 1) + 0.1)


@op(x=arr("n p"))
def clamped_wrong(x):
    return np.clip(x, -1, 1) + 0.1 * x


@clamped_wrong.backward
def _(g, x):
    return g * ((x > -1) + 0.1)


@op(x=arr("p"))
def rolled(x):
    return np.roll(x, 1) ** 2


@rolled.backward
def _(g, x):
    return 2 * x * np.roll(g, -1)


@op(x=arr("p"))
def rolled_wrong(x):
    return np.roll(x, 1) ** 2


@rolled_wrong.backward
def _(g, x):
    return 2 * x * np.roll(g, 1)
