"""Causes are added to parameters that failed, and to no others."""

import numpy as np

from gradcheck_cli import check, op


@op
def averaged(x, w):
    """x @ w, whose gradient of w is divided by the number of rows."""
    return x @ w


@averaged.backward
def _(g, x, w):
    return g @ w.T, x.T @ g / len(x)


def test_a_mean_in_a_weight_gradient_is_named():
    rng = np.random.default_rng(0)
    result = check(averaged, {"x": rng.normal(size=(5, 4)), "w": rng.normal(size=(4, 3))}, seed=1)
    right, wrong = result.parameters
    assert (right.verdict, right.findings) == ("pass", ())
    (finding,) = wrong.findings
    assert (finding.code, wrong.verdict) == ("GC202", "fail")
    assert "(1/5; 5 is the size of axis 0 of x)" in finding.message


def test_given_inputs_count_as_sizes():
    rng = np.random.default_rng(0)
    result = check(averaged, {"w": rng.normal(size=(4, 3))}, inputs={"x": rng.normal(size=(5, 4))})
    assert "axis 0 of x" in result.parameters[0].findings[0].message
