"""What a check says of a JAX function."""

import numpy as np

from gradcheck_cli import check
from gradcheck_cli.bridges.jax_code.jax_functions import from_jax

MANY = np.random.default_rng(0).normal(size=100)
X = np.array([0.3, -1.7, 0.9, 2.2, -0.1])


def judge(function, *arrays, name="f", rest=(), named=None, **options):
    """Check an operator made of `function` at arrays; `rest` are further arguments, which are not differentiated."""
    operator = from_jax(name, function, **options)
    return check(lambda *xs: operator(*xs, *rest, **(named or {})), list(arrays))
