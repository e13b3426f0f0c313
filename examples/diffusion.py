"""The misfit of a small simulation with its adjoint by hand: heat that diffuses along a rod, in implicit steps.

The parameters are of very different scales: conductivities near 1e-3 and a heat source near 1e6. Check the adjoint
with `gradcheck run examples/diffusion.grad.yaml`.
"""

import numpy as np

STEPS, DT = 3, 0.5
CAPACITY = 1e6  # of heat, so that a source of 1e6 warms by about one degree in a unit of time


def step_matrix(kappa):
    """I + DT K, with conductivity kappa[i] (per squared cell) between the cells i and i + 1."""
    n = len(kappa) + 1
    matrix = np.eye(n)
    for i, conductivity in enumerate(1e3 * kappa):
        matrix[i : i + 2, i : i + 2] += DT * conductivity * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return matrix


def simulate(kappa, source, start):
    """Return the temperatures before every step and after the last: each solves matrix @ new = old + heat."""
    matrix = step_matrix(kappa)
    temperatures = [start]
    for _ in range(STEPS):
        temperatures.append(np.linalg.solve(matrix, temperatures[-1] + DT * source / CAPACITY))
    return temperatures


def misfit(kappa, source, start, observed):
    """Half the squared distance between the last temperatures and the observed ones."""
    return 0.5 * np.sum((simulate(kappa, source, start)[-1] - observed) ** 2)


def misfit_gradient(kappa, source, start, observed):
    """Carry the adjoint back through the steps; the matrix is symmetric."""
    matrix = step_matrix(kappa)
    temperatures = simulate(kappa, source, start)
    adjoint = temperatures[-1] - observed
    dkappa, dsource = np.zeros_like(kappa), np.zeros_like(source)
    for new in reversed(temperatures[1:]):
        adjoint = np.linalg.solve(matrix, adjoint)
        dkappa -= DT * 1e3 * np.diff(adjoint) * np.diff(new)
        dsource += DT / CAPACITY * adjoint
    return {"kappa": dkappa, "source": dsource}


def wrong_gradient(kappa, source, start, observed):
    """The same, but for one element of dsource that is 1 % off."""
    gradients = misfit_gradient(kappa, source, start, observed)
    gradients["source"][2] *= 1.01
    return gradients
