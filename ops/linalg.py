"""Functions of square matrices and of stacks of them: inverses, determinants, systems of equations, powers."""

import numpy as np

from gradcheck_cli import arr, op, unbroadcast

from .axes import aligned
from .checks import check_square

_SQUARE = arr("... n n")


@op(a=_SQUARE)
def inv(a):
    """a**-1, the inverse of a square matrix; a singular one is refused."""
    return np.linalg.inv(a)


@inv.backward
def _(g, out):
    return -transposed(out) @ g @ transposed(out)


@op(a=_SQUARE)
def det(a):
    """det(a), the determinant; its gradient is the matrix of cofactors, which singular matrices have as well."""
    return np.linalg.det(a)


@det.backward
def _(g, a):
    # Cofactors of U diag(s) V are those of U and V, which are det(U) U and det(V) V, around products of the other s.
    u, s, v = np.linalg.svd(a)
    others = np.where(np.eye(s.shape[-1], dtype=bool), 1, s[..., None, :]).prod(axis=-1)
    sign = np.sign(np.linalg.det(u) * np.linalg.det(v))
    return (g * sign)[..., None, None] * ((u * others[..., None, :]) @ v)


@op(a=_SQUARE, outputs="sign logabsdet")
def slogdet(a):
    """sign(det(a)) and log(|det(a)|).

    The sign has no gradient. Of a singular matrix the logarithm is -inf, and the backward raises.
    """
    sign, logabsdet = np.linalg.slogdet(a)
    return sign, logabsdet


@slogdet.backward
def _(g_logabsdet, a):
    return g_logabsdet[..., None, None] * transposed(np.linalg.inv(a))


@op(a=_SQUARE)
def matrix_power(a, *, n):
    """a @ a @ ... @ a, n times; the identity for n = 0, powers of the inverse for n < 0."""
    return np.linalg.matrix_power(a, n)


@matrix_power.backward
def _(g, a, n):
    base = transposed(a if n >= 0 else np.linalg.inv(a))
    size = base.shape[-1]
    # The block beside the diagonal of [[b, g], [0, b]] ** n is the sum of b**i @ g @ b**(n - 1 - i):
    # N. Higham, Functions of Matrices, theorem 3.6.
    blocks = np.zeros((*base.shape[:-2], 2 * size, 2 * size), g.dtype)
    blocks[..., :size, :size] = blocks[..., size:, size:] = base
    blocks[..., :size, size:] = g
    power = np.linalg.matrix_power(blocks, abs(n))[..., :size, size:]
    return power if n >= 0 else -base @ power @ base


@op(a=_SQUARE, b=arr("... n k"), linear="b")
def solve(a, b):
    """x with a @ x = b, b a vector if it has one axis, else a matrix or a stack of them; a singular a is refused."""
    _check_system(a, b)
    return np.linalg.solve(a, b)


@solve.backward("a")
def _(g, a, out, b_shape):
    x, g = (each[..., None] if len(b_shape) == 1 else each for each in (out, g))
    return unbroadcast(-np.linalg.solve(transposed(a), g) @ transposed(x), a.shape)


@solve.backward("b")
def _(g, a, b_shape):
    gradient = np.linalg.solve(transposed(a), g[..., None] if len(b_shape) == 1 else g)
    return unbroadcast(gradient[..., 0] if len(b_shape) == 1 else gradient, b_shape)


@solve.batch
def _(moved, a, b):
    a, b, is_vector = _systems(moved, a, b)
    x = np.linalg.solve(a, b)
    return x[..., 0] if is_vector else x


def _systems(moved, a, b):
    """Align `a` and `b`, a vector b as a matrix of one column; tell whether it is one."""
    is_vector = b.ndim - ("b" in moved) == 1
    return *aligned(moved, a=a, b=b[..., None] if is_vector else b), is_vector


@op(a=_SQUARE, b=arr("... n k"), trans=[0, 1], lower=[False, True], unit_diagonal=[False, True], linear="b")
def solve_triangular(a, b, *, trans=0, lower=False, unit_diagonal=False):
    """x with a @ x = b, where only one triangle of a is read: the lower or the upper; trans=1 or "T" is for a.T.

    With unit_diagonal the diagonal counts as ones. b is a vector if it has one axis. What isn't read has no gradient.
    """
    _check_system(a, b)
    triangle, b = _triangle(np.asarray(a), trans, lower, unit_diagonal), np.asarray(b)
    return _substituted(triangle, b[..., None])[..., 0] if np.ndim(b) == 1 else _substituted(triangle, b)


@solve_triangular.backward("a")
def _(g, a, out, b_shape, trans, lower, unit_diagonal):
    x, g = (each[..., None] if len(b_shape) == 1 else each for each in (out, g))
    gb = _substituted(transposed(_triangle(a, trans, lower, unit_diagonal)), g)
    gradient = -x @ transposed(gb) if _is_transposed(trans) else -gb @ transposed(x)
    read = np.tril(gradient, -bool(unit_diagonal)) if lower else np.triu(gradient, bool(unit_diagonal))
    return unbroadcast(read, a.shape)


@solve_triangular.backward("b")
def _(g, a, b_shape, trans, lower, unit_diagonal):
    other = transposed(_triangle(a, trans, lower, unit_diagonal))
    if len(b_shape) == 1:
        return unbroadcast(_substituted(other, g[..., None])[..., 0], b_shape)
    return unbroadcast(_substituted(other, g), b_shape)


@solve_triangular.batch
def _(moved, a, b, *, trans=0, lower=False, unit_diagonal=False):
    a, b, is_vector = _systems(moved, a, b)
    x = _substituted(_triangle(a, trans, lower, unit_diagonal), b)
    return x[..., 0] if is_vector else x


def _check_system(a, b):
    check_square(a)
    shape = np.shape(b)
    if not shape or shape[-2:][0] != np.shape(a)[-1]:
        n = np.shape(a)[-1]
        raise ValueError(f"b should be ({n},) or (..., {n}, columns) beside a of shape {np.shape(a)}, not {shape}")


def _is_transposed(trans):
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(f"trans should be 0 or 'N' for a, 1 or 'T' for its transpose, not {trans!r}")
    return trans not in (0, "N")


def _triangle(a, trans, lower, unit_diagonal):
    """Take the triangle of `a` that is read, transposed where that is asked for."""
    triangle = np.tril(a, -bool(unit_diagonal)) if lower else np.triu(a, bool(unit_diagonal))
    if unit_diagonal:
        triangle = triangle + np.eye(a.shape[-1], dtype=a.dtype)
    return transposed(triangle) if _is_transposed(trans) else triangle


def _substituted(triangle, b):
    """Solve for the matrices `b`: of an upper triangle no pivot moves, so that `solve` is plain substitution."""
    if not np.tril(triangle, -1).any():
        return np.linalg.solve(triangle, b)
    return np.linalg.solve(triangle[..., ::-1, ::-1], b[..., ::-1, :])[..., ::-1, :]


def transposed(x):
    return np.swapaxes(x, -1, -2)


def takes_stacks(operator):
    """Say that perturbations are one more axis of a stack."""
    operator.batch(lambda _, *arrays, **attributes: operator(*arrays, **attributes))


def square_shape(rng):
    return [(3, 3), (4, 4), (2, 3, 3)][rng.integers(3)]


def orthogonal(rng, *shape):
    return np.linalg.qr(rng.standard_normal(shape))[0]


@inv.sample
@det.sample
@slogdet.sample
def _well_conditioned(rng):
    """Draw matrices with singular values between 0.5 and 2."""
    shape = square_shape(rng)
    values = rng.uniform(0.5, 2, shape[:-1]) * rng.choice([-1, 1], shape[:-1])
    return (orthogonal(rng, *shape) * values[..., None, :]) @ orthogonal(rng, *shape)


@matrix_power.sample
def _(rng):
    """Draw matrices with singular values between 0.5 and 2, and an n from -2 to 5."""
    return _well_conditioned(rng), {"n": int(rng.choice([2, 5, 1, 0, -1, -2]))}


@solve.sample
@solve_triangular.sample
def _system(rng):
    """Draw a matrix whose diagonal rules, and right sides."""
    shapes = [((3, 3), (3, 2)), ((3, 3), (3,)), ((2, 3, 3), (3,)), ((3, 3), (2, 3, 1)), ((2, 1, 2, 2), (3, 2, 2))]
    a_shape, b_shape = shapes[rng.integers(5)]
    diagonal = (2 + rng.random(a_shape[-1])) * rng.choice([-1, 1], a_shape[-1])
    return rng.uniform(-0.5, 0.5, a_shape) + np.diag(diagonal), rng.standard_normal(b_shape)


for _operator in (inv, det, slogdet, matrix_power):
    takes_stacks(_operator)
