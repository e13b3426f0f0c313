"""Reductions, norms, scans and sorting: zeros, ties, single elements."""

from __future__ import annotations

import numpy as np

from tests.accuracy.corpus.inputs import fixed, normal
from tests.accuracy.corpus.record import broken, correct, kink, wrong


def row_max(x):
    return x.max(axis=1)


def all_maxima_backward(g, out, x):
    return ((x == out[:, None]) * g[:, None],)


def row_product(x):
    return x.prod(axis=1)


def row_product_backward(g, out, x):
    others = [np.prod(np.delete(x, column, axis=1), axis=1) for column in range(x.shape[1])]
    return (g[:, None] * np.stack(others, axis=1),)


def guarded_product_backward(g, out, x):
    return (g[:, None] * out[:, None] / np.where(x == 0, 1.0, x),)


def rows_with_zeros(rng):
    """Return rows with no zero, one zero, two zeros."""
    rows = np.array([[2.0, 3.0, 0.5], [0.0, 2.0, 4.0], [0.0, 5.0, 0.0]])
    return (rows + np.array([[0.1], [0.0], [0.0]]) * rng.random(),)


def dividing_cumprod_backward(g, out, x):
    with np.errstate(all="ignore"):
        return (np.cumsum((g * out)[::-1])[::-1] / x,)


def std(x):
    d = x - x.mean()
    return np.sqrt((d * d).sum() / (x.size - 1))


def population_std(x):
    return np.sqrt(((x - x.mean()) ** 2).mean())


def population_std_backward(g, out, x):
    with np.errstate(all="ignore"):
        return (g * (x - x.mean()) / (x.size * out),)


def row_norms(x):
    return np.sqrt((x * x).sum(axis=1))


def five_apart(rng):
    return (np.array([0.5, 2.1, -1.0, 3.3, 1.2]) + 0.1 * rng.standard_normal(5),)


OPERATORS = (
    kink(
        "max_reduction_ties_all_get_everything",
        "invalid-at-kink",
        row_max,
        all_maxima_backward,
        fixed([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [0.1, 0.2, 0.3]]),
        "every tied element receives the whole gradient: outside the subdifferential",
        "along (1,1,1) the function is smooth with slope 1, backward says 3",
        source="Theano/Theano#4568",
        also_ok=("wrong",),
    ),
    kink(
        "sort_with_ties",
        "kink-at-point",
        np.sort,
        lambda g, out, x: (g[np.argsort(np.argsort(x, kind="stable"), kind="stable")],),
        fixed([0.5, 2.0, 0.5, 1.0]),
        "tied values: order of the gradient is a convention",
        "two of four elements",
        source="pytorch/pytorch#185543",
    ),
    correct(
        "prod_with_zeros",
        row_product,
        row_product_backward,
        rows_with_zeros,
        "no zero, one zero, two zeros",
        source="tinygrad/tinygrad#17404",
    ),
    wrong(
        "prod_zero_guarded_away",
        row_product,
        guarded_product_backward,
        rows_with_zeros,
        "out / x with x = 0 replaced: the zero element should receive the product of the others",
        "right on every row without a zero",
        source="HIPS/autograd#378",
    ),
    broken(
        "cumprod_divides_by_input",
        "nan",
        lambda: (np.cumprod, dividing_cumprod_backward),
        fixed([2.0, 0.0, 3.0, 4.0, 0.5]),
        "division by the input, which holds a zero",
        "true gradient is finite",
        source="tensorflow/tensorflow#3862",
        also_ok=("wrong",),
    ),
    correct(
        "cumsum_reverse_exclusive",
        lambda x: np.cumsum(x[::-1])[::-1] - x,
        lambda g, out, x: (np.cumsum(g) - g,),
        normal((6,)),
    ),
    correct(
        "std_unbiased_1000",
        std,
        lambda g, out, x: (g * (x - x.mean()) / ((x.size - 1) * out),),
        normal((1000,)),
        "1000 gradients of 1e-3",
    ),
    broken(
        "std_of_one_element",
        "nan",
        lambda: (population_std, population_std_backward),
        fixed([0.7]),
        "0/0: the output is constantly 0 and the true gradient is 0",
        "function is identically zero",
        source="tensorflow/tensorflow#56830",
        also_ok=("wrong",),
    ),
    wrong(
        "row_norms_eps_in_denominator",
        row_norms,
        lambda g, out, x: (x * (g / (out + 1e-6))[:, None],),
        normal((4, 4)),
        "epsilon added to the norm in backward only",
        "relative error 1e-6 / norm",
        source="flagos-ai/FlagGems#5023",
    ),
    wrong(
        "sort_gathers_instead_of_scatters",
        np.sort,
        lambda g, out, x: (g[np.argsort(x)],),
        five_apart,
        "permutation applied instead of its inverse",
        "right for involutions; a summed output hides it completely",
        source="PaddlePaddle/Paddle#22843",
    ),
    correct(
        "max_with_runner_up_1e_7_behind",
        row_max,
        all_maxima_backward,
        fixed([[1.0, 1.0 - 1e-7, 0.2], [3.0, -1.0, 3.0 + 2e-7]]),
        "differentiable, but any usual step crosses the tie",
        source="zplizzi/tensorflow-fast-rcnn#12",
        also_ok=("kink",),
    ),
)
