"""Random compositions of the built-ins: right ones never fail, one backward off by a thousandth always does."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import gradcheck_cli.ops as F
from gradcheck_cli import check, op


@op
def gain(x):
    """x, whose backward is off by a thousandth."""
    return np.array(x)


@gain.backward
def _(g):
    return 1.001 * g


MIX = np.array([[0.8, -0.5, 0.3], [0.4, 0.9, -0.6], [-0.7, 0.2, 1.1]])
# Each keeps its values within a few units and its slopes away from zero, so that a gradient can be seen.
STEPS: dict[str, Any] = {
    "tanh": lambda h, x, y: F.tanh(h),
    "sigmoid": lambda h, x, y: 4 * F.sigmoid(h),
    "softplus": lambda h, x, y: F.softplus(h),
    "leaky_relu": lambda h, x, y: F.leaky_relu(h, slope=0.3),
    "elu": lambda h, x, y: F.elu(h + 0.1),
    "exp": lambda h, x, y: F.exp(F.tanh(h)),
    "log": lambda h, x, y: F.log(F.softplus(h) + 0.5),
    "sqrt": lambda h, x, y: F.sqrt(F.softplus(h) + 0.5),
    "cube": lambda h, x, y: F.tanh(h) ** 3 + h,
    "divide": lambda h, x, y: h / (F.square(y) + 1),
    "multiply": lambda h, x, y: h * (F.sigmoid(x) + 0.5),
    "matmul": lambda h, x, y: h @ MIX,
    "row": lambda h, x, y: h + F.sum(y, axis=0),
    "column": lambda h, x, y: h - 0.3 * F.mean(x, axis=1, keepdims=True),
    "transpose": lambda h, x, y: h.T.T.reshape(6).reshape(2, 3),
    "branch": lambda h, x, y: h + 0.5 * F.tanh(h),
    "largest": lambda h, x, y: h + 0.3 * F.max(h, axis=1, keepdims=True),
    "concatenate": lambda h, x, y: F.concatenate([h[:, 1:], h[:, :1]], axis=1),
}
ENDS: dict[str, Any] = {
    "all": lambda h: h,
    "mean": lambda h: F.mean(h * h + h),
    "sum over rows": lambda h: F.sum(h, axis=0) * np.array([1.0, 2.0, -1.0]),
    "log_softmax": lambda h: F.log_softmax(h, axis=1),
    "logsumexp": lambda h: F.logsumexp(h, axis=1),
    "two outputs": lambda h: (h[0], F.sum(h[1] ** 2)),
}

programs = st.tuples(
    st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4),
    st.sampled_from(sorted(ENDS)),
    st.integers(0, 2**32 - 1),
)


def build(steps, end, spoiled=None):
    """Compose the steps; the value that enters step number `spoiled` goes through `gain`."""

    def function(x, y):
        h = x + 0.5 * y
        for number, step in enumerate(steps):
            h = STEPS[step](gain(h) if number == spoiled else h, x, y)
        return ENDS[end](h)

    return function


def draw(seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.5, 1.5, (2, 3)), rng.uniform(-1.5, 1.5, (2, 3))


@given(programs)
@settings(max_examples=25)
def test_a_right_composition_never_fails(program):
    steps, end, seed = program
    result = check(build(steps, end), draw(seed), seed=seed % 1000)
    assert result.verdict != "fail", f"{steps} {end} seed {seed}"
    assert not result.findings, f"{steps} {end} seed {seed}"


@given(programs, st.data())
@settings(max_examples=15)
def test_a_composition_with_one_backward_off_by_a_thousandth_always_fails(program, data):
    steps, end, seed = program
    spoiled = data.draw(st.integers(0, len(steps) - 1), label="spoiled step")
    result = check(build(steps, end, spoiled), draw(seed), seed=seed % 1000)
    assert result.verdict == "fail", f"{steps} {end} seed {seed} spoiled {spoiled}"
