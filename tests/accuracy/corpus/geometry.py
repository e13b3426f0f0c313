"""Angles, distances and rotations: edges of domains, quadrants, pairs."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.formulas import unbroadcast
from tests.accuracy.corpus.inputs import away_from_zero, fixed, normal
from tests.accuracy.corpus.record import correct, wrong

NEAR_EDGES = fixed([1 - 1e-10, -1 + 1e-10, 1 - 1e-4, 0.3, -0.9])


def arctan2_backward(g, out, y, x):
    square = x * x + y * y
    return unbroadcast(g * x / square, y.shape), unbroadcast(-g * y / square, x.shape)


def swapped_arctan2_backward(g, out, y, x):
    square = x * x + y * y
    return unbroadcast(g * y / square, y.shape), unbroadcast(-g * x / square, x.shape)


def distances(a, b):
    """Return the distance of every row of a to every row of b."""
    d = a[:, None, :] - b[None, :, :]
    return np.sqrt((d * d).sum(axis=-1))


def distances_backward(g, out, a, b):
    unit = (a[:, None, :] - b[None, :, :]) * (g / out)[:, :, None]
    return unit.sum(axis=1), -unit.sum(axis=0)


def self_distances(a):
    """Return the squared distance of every row to every other."""
    d = a[:, None, :] - a[None, :, :]
    return (d * d).sum(axis=-1)


def self_distances_rows_only_backward(g, out, a):
    return (2 * (g[:, :, None] * (a[:, None, :] - a[None, :, :])).sum(axis=1),)


def haversine(p, q):
    """Return the angle between points given by latitude and longitude, row by row."""
    latitude = np.sin((q[:, 0] - p[:, 0]) / 2) ** 2
    longitude = np.cos(p[:, 0]) * np.cos(q[:, 0]) * np.sin((q[:, 1] - p[:, 1]) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(latitude + longitude))


def haversine_backward(g, out, p, q):
    half, turn = (q[:, 0] - p[:, 0]) / 2, (q[:, 1] - p[:, 1]) / 2
    inner = np.sin(half) ** 2 + np.cos(p[:, 0]) * np.cos(q[:, 0]) * np.sin(turn) ** 2
    slope = g / np.sqrt(inner * (1 - inner))
    south = -np.sin(p[:, 0]) * np.cos(q[:, 0]) * np.sin(turn) ** 2
    north = -np.cos(p[:, 0]) * np.sin(q[:, 0]) * np.sin(turn) ** 2
    east = np.cos(p[:, 0]) * np.cos(q[:, 0]) * np.sin(turn) * np.cos(turn)
    gp = np.stack([south - np.sin(half) * np.cos(half), -east], axis=1)
    gq = np.stack([north + np.sin(half) * np.cos(half), east], axis=1)
    return slope[:, None] * gp, slope[:, None] * gq


def places(rng):
    """Return points a few metres, a few hundred kilometres and half a world apart, in radians."""
    p = rng.uniform(-1, 1, (3, 2))
    return p, p + np.array([[1e-6, -1e-6], [0.03, 0.05], [0.4, 2.5]]) * rng.uniform(0.8, 1.2, (3, 2))


def cross(a, b):
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotate(q, v):
    """Rotate v by the quaternion q = (w, x, y, z), scaled by its squared norm."""
    w, u = q[0], q[1:]
    return (w * w - (u * u).sum()) * v + 2 * (u * v).sum() * u + 2 * w * cross(u, v)


def rotate_backward(g, out, q, v, side=1.0):
    """Differentiate `rotate`; `side` = -1 turns the cross products of the gradient of u around."""
    w, u = q[0], q[1:]
    gw = 2 * w * (g * v).sum() + 2 * (g * cross(u, v)).sum()
    gu = -2 * u * (g * v).sum() + 2 * v * (g * u).sum() + 2 * (u * v).sum() * g + 2 * w * side * cross(v, g)
    gv = (w * w - (u * u).sum()) * g + 2 * (g * u).sum() * u + 2 * w * cross(g, u)
    return np.concatenate([[gw], gu]), gv


OPERATORS = (
    correct(
        "arccos_1e_10_from_its_edge",
        np.arccos,
        lambda g, out, x: (-g / np.sqrt((1 - x) * (1 + x)),),
        NEAR_EDGES,
        "usual steps leave the domain; the gradient is 7e4",
        also_ok=("inconclusive",),
    ),
    wrong(
        "arccos_with_the_sign_of_arcsin",
        np.arccos,
        lambda g, out, x: (g / np.sqrt((1 - x) * (1 + x)),),
        NEAR_EDGES,
        "sign",
        "two elements are 1e-10 from the edge of the domain",
    ),
    correct(
        "arctan2_all_quadrants",
        np.arctan2,
        arctan2_backward,
        away_from_zero((4, 1), (5,)),
        "the forward jumps on the negative x axis; broadcasting both ways",
    ),
    wrong(
        "arctan2_arguments_swapped",
        np.arctan2,
        swapped_arctan2_backward,
        away_from_zero((4, 1), (5,)),
        "x and y swapped in the numerators",
        "right on the diagonals",
    ),
    correct("distances_between_rows", distances, distances_backward, normal((3, 2), (4, 2))),
    wrong(
        "self_distances_rows_only",
        self_distances,
        self_distances_rows_only_backward,
        normal((4, 2)),
        "every point is the first and the second of pairs; the second is forgotten",
        "exactly half for a symmetric cotangent, such as all ones",
    ),
    correct(
        "haversine_from_metres_to_half_a_world",
        haversine,
        haversine_backward,
        places,
        "one pair is 1e-6 apart: x's own size is no step there",
    ),
    correct("quaternion_rotation", rotate, rotate_backward, normal((4,), (3,))),
    wrong(
        "quaternion_rotation_cross_product_reversed",
        rotate,
        lambda g, out, q, v: rotate_backward(g, out, q, v, side=-1.0),
        normal((4,), (3,)),
        "v x g written g x v in the gradient of the quaternion",
        "gradient of the vector and of the real part are right",
    ),
)
