"""What the tests of the Python front door check: a point, a plain function, and an operator that is wrong."""

from __future__ import annotations

import numpy as np

from gradcheck_cli import op

X = np.array([0.5, -1.0, 2.0])


@op
def wrong_tanh(x):
    """tanh(x), whose backward has the wrong sign."""
    return np.tanh(x)


@wrong_tanh.backward
def _(g, out):
    return -g * (1 - out * out)


def squares(x):
    return float(np.sum(x * x))
