"""BLAS has one thread during a check, and what it had before afterwards."""

import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import gradcheck_cli.ops as F
from gradcheck_cli import check
from gradcheck_cli.numeric.blas import one_blas_thread


def threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture
def two_threads():
    with threadpool_limits(limits=2, user_api="blas"):
        yield threads()


def test_one_thread_inside_and_as_many_as_before_outside(two_threads):
    with one_blas_thread(1000):
        assert threads() == {1}
    assert threads() == two_threads
    with pytest.raises(KeyboardInterrupt), one_blas_thread(1000):
        raise KeyboardInterrupt
    assert threads() == two_threads


def test_a_small_check_leaves_threads_alone(two_threads):
    with one_blas_thread(3):
        assert threads() == two_threads


def test_a_check_runs_on_one_thread(two_threads):
    seen = []

    def call(x):
        seen.append(threads())
        return F.sum(x * x)

    assert check(call, {"x": np.arange(1.0, 101.0)}).ok
    assert {1} in seen
    assert all(each == {1} for each in seen)
    assert threads() == two_threads


def test_a_scalar_check_imports_nothing_for_it():
    code = """
import sys
import gradcheck_cli.ops as F
from gradcheck_cli import check
assert check(F.tanh, 0.5).ok
assert "threadpoolctl" not in sys.modules
assert check(F.tanh, [0.5] * 40).ok
assert "threadpoolctl" in sys.modules
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
