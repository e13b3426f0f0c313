"""Linear algebra: products, inverses, factorisations, eigenvalues."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import fixed, normal
from tests.accuracy.corpus.record import correct, wrong


def trace_and_contract(x, y):
    return np.einsum("iij,jk->ik", x, y)


def trace_and_contract_backward(g, out, x, y):
    return on_diagonal(np.einsum("ik,jk->ij", g, y)), np.einsum("iij,ik->jk", x, g)


def on_diagonal(d):
    """Put row i at [i, i] of zeros."""
    size = d.shape[0]
    spread = np.zeros((size, size, d.shape[1]))
    spread[np.arange(size), np.arange(size)] = d
    return spread


HILBERT = 1.0 / (np.arange(4)[:, None] + np.arange(4)[None, :] + 1.0)


def lower_cholesky(a):
    """Factorise the symmetric matrix whose lower triangle is that of a."""
    return np.linalg.cholesky(np.tril(a) + np.swapaxes(np.tril(a, -1), 0, 1))


def symmetric_cholesky_gradient(g, out):
    phi = np.tril(out.T @ np.tril(g))
    phi[np.diag_indices(3)] *= 0.5
    inverse = np.linalg.inv(out)
    s = inverse.T @ phi @ inverse
    return 0.5 * (s + s.T)


def positive_definite_3(rng):
    a = rng.standard_normal((3, 3))
    return (a @ a.T + 2 * np.eye(3),)


def eigenvalues(a):
    return np.linalg.eigvalsh(0.5 * (a + a.T))


def eigenvalues_backward(g, out, a):
    v = np.linalg.eigh(0.5 * (a + a.T))[1]
    return (v @ (g[:, None] * v.T),)


def row_cross(a, b):
    return np.stack(
        [
            a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
            a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
            a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
        ],
        axis=1,
    )


OPERATORS = (
    wrong(
        "square_matmul_transpose_forgotten",
        lambda a, b: a @ b,
        lambda g, out, a, b: (g @ b, a.T @ g),
        normal((3, 3), (3, 3)),
        "g @ b where g @ b.T is meant",
        "square or symmetric b hides it",
        source="tile-ai/TileOPs#54",
    ),
    correct(
        "einsum_trace_and_contraction",
        trace_and_contract,
        trace_and_contract_backward,
        normal((3, 3, 2), (2, 4)),
        "repeated index: off-diagonal gradients exactly zero",
        source="HIPS/autograd#115",
    ),
    wrong(
        "einsum_trace_spread_over_matrix",
        lambda x: np.einsum("ii->", x),
        lambda g, out, x: (g * np.ones_like(x),),
        normal((3, 3)),
        "diagonal restriction forgotten",
        "easy",
        source="HIPS/autograd#115",
    ),
    correct(
        "inverse_of_hilbert_matrix",
        np.linalg.inv,
        lambda g, out, a: (-out.T @ g @ out.T,),
        lambda rng: (HILBERT + 1e-3 * rng.standard_normal((4, 4)),),
        "ill-conditioned (1e3 .. 1e4)",
    ),
    wrong(
        "cholesky_symmetric_gradient",
        lower_cholesky,
        lambda g, out, a: (symmetric_cholesky_gradient(g, out),),
        positive_definite_3,
        "gradient spread over the triangle that forward ignores, half of it missing from the other",
        "right if both triangles are moved together; trace and sums agree",
        source="jax-ml/jax#40421",
    ),
    wrong(
        "cholesky_diagonal_counted_twice",
        lower_cholesky,
        lambda g, out, a: (2 * np.tril(symmetric_cholesky_gradient(g, out)),),
        positive_definite_3,
        "diagonal not halved",
        "off-diagonal part is right",
        source="stan-dev/math#1803",
    ),
    correct(
        "eigenvalues_close_pair",
        eigenvalues,
        eigenvalues_backward,
        fixed([[2.0, 0.0, 0.3], [0.0, 2.003, 0.0], [0.3, 0.0, 5.0]]),
        "gap of 0.03 between two eigenvalues: strong curvature",
        source="HIPS/autograd#527",
    ),
    wrong(
        "cross_product_operands_swapped",
        row_cross,
        lambda g, out, a, b: (np.cross(g, b), np.cross(g, a)),
        normal((2, 3), (2, 3)),
        "b x g written g x b",
        "second gradient is right",
    ),
)
