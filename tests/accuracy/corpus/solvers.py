"""Solvers: linear systems, fixed points, integration, series; forwards that iterate."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import normal
from tests.accuracy.corpus.record import correct, wrong


def solve(a, b):
    return np.linalg.solve(a, b)


def solve_backward(g, out, a, b):
    gb = np.linalg.solve(a.T, g)
    return -np.outer(gb, out), gb


def solve_backward_untransposed(g, out, a, b):
    gb = np.linalg.solve(a, g)
    return -np.outer(gb, out), gb


def graded_system(rng):
    """Return a matrix with a condition number near 1e5, and a right-hand side."""
    rows = rng.standard_normal((4, 4)) + 3 * np.eye(4)
    return np.array([1.0, 1e-2, 1e2, 1e-3])[:, None] * rows, rng.standard_normal(4)


def conjugate_gradients(a, b, iterations=80):
    """Solve a @ x = b for a positive definite matrix, until the residual has fallen to 1e-14 or the iterations end."""
    x, r = np.zeros_like(b), b
    p, rho = r, r @ r
    first = rho
    for _ in range(iterations):
        if rho <= 1e-28 * first:
            break
        ap = a @ p
        step = rho / (p @ ap)
        x, r = x + step * p, r - step * ap
        p, rho = r + (r @ r) / rho * p, r @ r
    return x


def smooth_matrix(k):
    """Return a positive definite matrix from positive numbers k on the links of a chain."""
    return np.diag(1 + k[:-1] + k[1:]) - np.diag(k[1:-1], 1) - np.diag(k[1:-1], -1)


def chain_solution(k, b):
    return conjugate_gradients(smooth_matrix(k), b)


def chain_backward(g, out, k, b, iterations=80):
    """Solve the adjoint system, and read the gradient of every link off it."""
    gb = conjugate_gradients(smooth_matrix(k), g, iterations)
    ends_out, ends_gb = np.pad(out, 1), np.pad(gb, 1)
    gk = -np.diff(ends_gb) * np.diff(ends_out)
    return gk, gb


def chain(rng):
    return rng.uniform(1, 30, 9), rng.standard_normal(8)


def fixed_point(x, w):
    """Return z with z = tanh(w @ z + x)."""
    z = np.zeros_like(x)
    for _ in range(200):
        z = np.tanh(w @ z + x)
    return z


def fixed_point_backward(g, out, x, w):
    slope = 1 - out * out
    gx = np.linalg.solve(np.eye(x.size) - (slope[:, None] * w).T, g) * slope
    return gx, np.outer(gx, out)


def one_step_backward(g, out, x, w):
    gx = g * (1 - out * out)
    return gx, np.outer(gx, out)


def contraction(rng):
    return rng.standard_normal(4), 0.2 * rng.standard_normal((4, 4))


STEP = 0.05


def pendulum(z):
    """Return the state (angle, speed) after 20 Euler steps."""
    return pendulum_states(z)[-1]


def pendulum_states(z):
    states = [z]
    for _ in range(20):
        angle, speed = states[-1]
        states.append(np.stack([angle + STEP * speed, speed - STEP * np.sin(angle)]))
    return states


def pendulum_backward(g, out, z, late=0):
    """Go back through the steps; `late` = 1 takes the state after each step for the one before it."""
    states = pendulum_states(z)
    for n in reversed(range(20)):
        angle = states[n + late][0]
        g = np.stack([g[0] - STEP * np.cos(angle) * g[1], g[1] + STEP * g[0]])
    return (g,)


def exponential(a):
    """Return the matrix exponential, from its series at a / 16 squared four times."""
    term = total = np.eye(len(a), dtype=a.dtype)
    for n in range(1, 20):
        term = term @ a / (16 * n)
        total = total + term
    for _ in range(4):
        total = total @ total
    return total


def exponential_backward(g, out, a):
    """Read the derivative in the direction g off the exponential of a block matrix."""
    size = len(a)
    return (exponential(np.block([[a.T, g], [np.zeros_like(a), a.T]]))[:size, size:],)


def log_determinant(a):
    return np.linalg.slogdet(a)[1]


OPERATORS = (
    correct("linear_solve_graded_rows", solve, solve_backward, graded_system, "rows of 1e-3 to 1e2"),
    wrong(
        "linear_solve_untransposed",
        solve,
        solve_backward_untransposed,
        graded_system,
        "the adjoint system takes the transpose",
        "right for a symmetric matrix",
    ),
    correct(
        "conjugate_gradients_to_the_end",
        chain_solution,
        chain_backward,
        chain,
        "the forward iterates until 1e-14: its noise is not rounding",
        also_ok=("inconclusive",),
    ),
    wrong(
        "conjugate_gradients_adjoint_stopped_early",
        chain_solution,
        lambda g, out, k, b: chain_backward(g, out, k, b, iterations=6),
        chain,
        "the adjoint system gets 6 iterations of the 8 that it needs",
        "small everywhere: what an accuracy setting is for",
    ),
    correct(
        "fixed_point_implicit", fixed_point, fixed_point_backward, contraction, "200 iterations forward, one solve back"
    ),
    wrong(
        "fixed_point_one_step_gradient",
        fixed_point,
        one_step_backward,
        contraction,
        "only the last iteration is differentiated",
        "same sign, plausible size",
    ),
    correct("pendulum_20_euler_steps", pendulum, pendulum_backward, normal((2,))),
    wrong(
        "pendulum_one_state_late",
        pendulum,
        lambda g, out, z: pendulum_backward(g, out, z, late=1),
        normal((2,)),
        "the adjoint reads the state after each step",
        "off by a few percent only",
    ),
    correct(
        "matrix_exponential_series", exponential, exponential_backward, normal((3, 3)), "not a diagonalisable matrix"
    ),
    correct(
        "log_determinant",
        log_determinant,
        lambda g, out, a: (g * np.linalg.inv(a).T,),
        normal((4, 4)),
    ),
    wrong(
        "log_determinant_untransposed",
        log_determinant,
        lambda g, out, a: (g * np.linalg.inv(a),),
        normal((4, 4)),
        "inverse instead of its transpose",
        "right for a symmetric matrix; the trace is right",
    ),
)
