"""Decompositions of matrices and of stacks of them, and the pseudo-inverse."""

import numpy as np

from gradcheck_cli import arr, op

from .checks import check_square
from .linalg import orthogonal, square_shape, takes_stacks, transposed

# Eigenvectors have either sign. The first component that isn't much smaller than the largest one is made positive:
# the largest itself would jump wherever two are equally large, as in (1, -1).
_NOT_SMALL = 0.3


def _symmetric(a):
    a = np.asarray(a)
    return (a + transposed(a)) / 2


@op(a=arr("... n n", spd=True), upper=[False, True])
def cholesky(a, *, upper=False):
    """L, lower triangular, with L @ L.T = (a + a.T) / 2; L.T if upper. What isn't positive definite is refused.

    The symmetric part of a is taken, as in JAX: so each element of a has a gradient, and a gradient is symmetric.
    """
    check_square(a)
    factor = np.linalg.cholesky(_symmetric(a))
    return transposed(factor) if upper else factor


@cholesky.backward
def _(g, out, upper):
    # I. Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527, equations 9 and 10.
    factor, g = (transposed(out), transposed(g)) if upper else (out, g)
    inner = np.tril(transposed(factor) @ np.tril(g))
    inner = inner - inner * np.eye(inner.shape[-1], dtype=inner.dtype) / 2
    half = np.linalg.solve(transposed(factor), inner)
    return _symmetric(transposed(np.linalg.solve(transposed(factor), transposed(half))))


@cholesky.sample
def _(rng):
    """Draw symmetric matrices, and stacks of them, with eigenvalues between 0.5 and 3."""
    shape = square_shape(rng)
    values, vectors = rng.uniform(0.5, 3, shape[:-1]), orthogonal(rng, *shape)
    return (vectors * values[..., None, :]) @ transposed(vectors)


@op(a=arr("... n n", spd=True), outputs="eigenvalues eigenvectors")
def eigh(a):
    """w, ascending, and v with (a + a.T) / 2 = v @ diag(w) @ v.T, the columns of v being orthonormal.

    The symmetric part of a is taken, as in JAX. The sign of an eigenvector is chosen: its first component that is
    at least 0.3 times as large as its largest one is positive. Eigenvectors of an eigenvalue that repeats aren't
    determined, so the backward raises if a gradient arrives at one of them. Where only the eigenvalues are
    used the gradient holds for what doesn't depend on their order; any other function of them has a kink there.
    """
    check_square(a)
    values, vectors = np.linalg.eigh(_symmetric(a))
    return values, vectors * _signs(vectors)


@eigh.backward
def _(g_eigenvalues, g_eigenvectors, eigenvalues, eigenvectors):
    v, rows = eigenvectors, transposed(eigenvectors)
    gaps = _gaps(eigenvalues, np.any(g_eigenvectors != 0, axis=-2))
    diagonal = np.eye(v.shape[-1], dtype=v.dtype) * g_eigenvalues[..., None, :]
    return _symmetric(v @ (diagonal + (rows @ g_eigenvectors) / gaps) @ rows)


def _gaps(eigenvalues, used):
    """Give the differences of eigenvalues, infinite where nothing is to flow; raise for equal ones that are used."""
    gaps = eigenvalues[..., None, :] - eigenvalues[..., :, None]
    size = np.abs(eigenvalues).max(axis=-1, initial=0)[..., None, None]
    same = np.abs(gaps) <= gaps.shape[-1] * np.finfo(gaps.dtype).eps * size
    if np.any(same & ~np.eye(gaps.shape[-1], dtype=bool) & (used[..., None, :] | used[..., :, None])):
        raise np.linalg.LinAlgError("an eigenvalue repeats: its eigenvectors are not determined, and have no gradient")
    return np.where(same, np.inf, gaps)


def _signs(vectors):
    sizes = np.abs(vectors)
    candidates = sizes >= _NOT_SMALL * sizes.max(axis=-2, keepdims=True, initial=0)
    first = candidates & (np.cumsum(candidates, axis=-2) == 1)
    return np.sum(np.where(first, np.sign(vectors), 0), axis=-2, keepdims=True)


@eigh.sample
def _(rng):
    """Draw symmetric matrices, and stacks of them, with eigenvalues between -2 and 2, apart from one another."""
    shape = square_shape(rng)
    vectors = orthogonal(rng, *shape)
    return (vectors * _apart(rng, shape[:-1])[..., None, :]) @ transposed(vectors)


def _apart(rng, shape):
    """Draw numbers from -2 to 2 that are apart from one another, along the last axis."""
    values = np.arange(shape[-1]) + rng.uniform(-0.25, 0.25, shape) + 0.5
    return 4 * values / shape[-1] - 2


@op(x=arr("... m n"))
def svdvals(x):
    """s, descending, the singular values of x = u @ diag(s) @ v.

    Where a value repeats the gradient holds for what doesn't depend on their order. At 0 a singular value has a kink,
    as |x| has; u @ v is then one of its subgradients.
    """
    return np.linalg.svd(x, compute_uv=False)


@svdvals.backward
def _(g, x):
    u, _, v = np.linalg.svd(x, full_matrices=False)
    return (u * g[..., None, :]) @ v


@svdvals.sample
def _(rng):
    """Draw matrices, and stacks of them, with singular values between 1 and 5, apart from one another."""
    shape = _shape(rng)
    return _with_values(rng, shape, _apart(rng, (*shape[:-2], min(shape[-2:]))) + 3)


def _shape(rng):
    return [(3, 3), (2, 4), (4, 2), (2, 3, 2)][rng.integers(4)]


def _with_values(rng, shape, values):
    """Draw matrices with given singular values."""
    *stack, m, n = shape
    k = values.shape[-1]
    return (orthogonal(rng, *stack, m, k) * values[..., None, :]) @ transposed(orthogonal(rng, *stack, n, k))


@op(a=arr("... m n"))
def pinv(a, *, rcond=None):
    """v.T @ diag(1 / s) @ u.T, the pseudo-inverse of a = u @ diag(s) @ v, without any s up to rcond * max(s).

    None is max(m, n) times the machine epsilon of a's type, as in the array API standard and PyTorch. Where the rank
    is less than m and n it isn't continuous; the gradient then holds for changes of a that keep its rank.
    """
    return np.linalg.pinv(a, rcond=_cut(np.asarray(a), rcond))


@pinv.backward
def _(g, a, out, rcond):
    # G. Golub and V. Pereyra, SIAM Journal on Numerical Analysis 10 (1973), equation 4.12, transposed. Two of its terms
    # are zero where a has full rank; computed, they would be rounding times the square of the condition number.
    values = np.linalg.svd(a, compute_uv=False)
    cut = np.asarray(_cut(a, rcond))[..., None] * values.max(axis=-1, keepdims=True, initial=0)
    rank = np.sum(values > cut, axis=-1)[..., None, None]
    rows, gt = transposed(out), transposed(g)
    left = np.where(rank < a.shape[-2], (gt - a @ (out @ gt)) @ out @ rows, 0)
    right = np.where(rank < a.shape[-1], rows @ out @ (gt - (gt @ out) @ a), 0)
    return left + right - rows @ g @ rows


def _cut(a, rcond):
    if rcond is not None:
        return rcond
    return max(a.shape[-2:], default=0) * np.finfo(a.dtype if a.dtype.kind == "f" else float).eps


@pinv.sample
def _(rng):
    """Draw matrices, and stacks of them, with singular values between 0.5 and 2."""
    shape = _shape(rng)
    return _with_values(rng, shape, rng.uniform(0.5, 2, (*shape[:-2], min(shape[-2:]))))


for _operator in (cholesky, eigh, svdvals, pinv):
    takes_stacks(_operator)
