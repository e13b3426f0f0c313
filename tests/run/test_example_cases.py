"""Operators of which an example can be written, and why others are left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gradcheck_cli.bridges.library import Library
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.run.example_cases import example_cases


def test_declared_operators_are_taken_as_they_are_each_name_once() -> None:
    built_in = Loader().built_in
    found = example_cases([built_in["tanh"], built_in["matmul"], built_in["tanh"]])
    assert found.operators == (built_in["tanh"], built_in["matmul"])
    assert (found.notes, found.problems) == ((), ())


def test_what_has_no_gradient_or_no_callable_name_is_left_out(write: Callable[..., Path]) -> None:
    file = write(
        "mine.py",
        """
        from gradcheck_cli import arr, op

        @op(x=arr(nondiff=True))
        def first(x):
            return x[:1]

        @op
        def _hidden(x):
            return x

        @_hidden.backward
        def _(g):
            return g
        """,
    )
    found = example_cases(Loader().file(file))
    assert found.operators == ()
    assert [problem.message for problem in found.problems] == [
        "first: no input of it has a gradient",
        "_hidden: an expression can't call what begins with _",
    ]
    assert all(problem.location for problem in found.problems)


def test_domains_that_nobody_declared_are_guessed_or_asked_for(write: Callable[..., Path]) -> None:
    file = write(
        "layers.py",
        """
        def affine_forward(x, w):
            return x @ w, (x, w)

        def affine_backward(dout, cache):
            x, w = cache
            return dout @ w.T, x.T @ dout

        def picky_forward(x, y):
            raise ValueError("never")

        def picky_backward(dout, cache):
            return dout, dout
        """,
    )
    found = example_cases(Library().file(file))
    (affine,) = found.operators
    assert [item.domain.shape for item in affine.inputs] == ["n d", "d k"]
    assert found.notes == ("affine: no domain is declared, guessed: x (n d), w (d k)",)
    (problem,) = found.problems
    assert "picky" in problem.message
    assert "domain" in problem.hint
