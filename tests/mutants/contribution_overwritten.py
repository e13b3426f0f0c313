"""GC209: a contribution replaces another instead of being added."""

import numpy as np

from gradcheck_cli import arr, ints, op


@op(table=arr("k m"), index=ints("n", below="k"))
def rows_of(table, index):
    return table[index]


@rows_of.backward
def _(g, table, index):
    dtable = np.zeros_like(table)
    np.add.at(dtable, index, g)
    return dtable


@op(table=arr("k m"), index=ints("n", below="k"))
def rows_of_wrong(table, index):
    return table[index]


@rows_of_wrong.backward
def _(g, table, index):
    dtable = np.zeros_like(table)
    dtable[index] = g
    return dtable


@op(x=arr("n m"), w=arr("m m"))
def residual(x, w):
    return x + np.tanh(x @ w)


@residual.backward
def _(g, x, w):
    dz = g * (1 - np.tanh(x @ w) ** 2)
    return g + dz @ w.T, x.T @ dz


@op(x=arr("n m"), w=arr("m m"))
def residual_wrong(x, w):
    return x + np.tanh(x @ w)


@residual_wrong.backward
def _(g, x, w):
    dz = g * (1 - np.tanh(x @ w) ** 2)
    return dz @ w.T, x.T @ dz


@op(x=arr("n m"), w=arr("m k"))
def row_by_row(x, w):
    return x @ w


@row_by_row.backward
def _(g, x, w):
    dw = np.zeros_like(w)
    for row in range(len(x)):
        dw += np.outer(x[row], g[row])
    return g @ w.T, dw


@op(x=arr("n m"), w=arr("m k"))
def row_by_row_wrong(x, w):
    return x @ w


@row_by_row_wrong.backward
def _(g, x, w):
    dw = np.zeros_like(w)
    for row in range(len(x)):
        dw = np.outer(x[row], g[row])
    return g @ w.T, dw


@op(x=arr("p"), filter=arr("f"))
def windows(x, filter):
    return np.array([x[i : i + len(filter)] @ filter for i in range(len(x) - len(filter) + 1)])


@windows.backward
def _(g, x, filter):
    dx, dfilter = np.zeros_like(x), np.zeros_like(filter)
    for i, each in enumerate(g):
        dx[i : i + len(filter)] += each * filter
        dfilter += each * x[i : i + len(filter)]
    return dx, dfilter


@op(x=arr("p"), filter=arr("f"))
def windows_wrong(x, filter):
    return np.array([x[i : i + len(filter)] @ filter for i in range(len(x) - len(filter) + 1)])


@windows_wrong.backward
def _(g, x, filter):
    dx, dfilter = np.zeros_like(x), np.zeros_like(filter)
    for i, each in enumerate(g):
        dx[i : i + len(filter)] = each * filter
        dfilter += each * x[i : i + len(filter)]
    return dx, dfilter
