"""Classes whose static methods have a context."""

import numpy as np
import pytest

from gradcheck_cli.api import check
from gradcheck_cli.bridges.objects.classes import from_function
from gradcheck_cli.errors import OperatorError
from tests.bridges.objects.judging import judge

X = np.random.default_rng(42).normal(size=(3, 4))


class Swish:
    """Static methods with a context."""

    @staticmethod
    def forward(ctx, x, beta=1.0):
        gate = 1 / (1 + np.exp(-beta * x))
        ctx.save_for_backward(x, gate)
        ctx.beta = beta
        return x * gate

    @staticmethod
    def backward(ctx, g):
        x, gate = ctx.saved_tensors
        assert ctx.needs_input_grad == (True, False)
        return g * gate * (1 + ctx.beta * x * (1 - gate)), None


class SwishWithoutBeta(Swish):
    @staticmethod
    def backward(ctx, g):
        x, gate = ctx.saved_tensors
        return g * gate * (1 + x * (1 - gate)), None


class SwishInPlace(Swish):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        x[...] = 0.0
        return g, None


class SavesOne:
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.mark_non_differentiable()
        ctx.set_materialize_grads(True)
        return x**3

    @classmethod
    def backward(cls, ctx, g):
        return 3 * g * ctx.saved_values**2


@pytest.mark.parametrize(
    ("cls", "expected", "finding"),
    [(Swish, "pass", None), (SwishWithoutBeta, "fail", None), (SwishInPlace, "fail", "input-modified")],
)
def test_static_methods_with_a_context(cls, expected, finding):
    operator = from_function("swish", cls)
    assert operator.signature == "swish(x, *, beta=1.0)"
    verdict, found, _ = judge(operator, {"x": X}, {"beta": 1.7})
    assert verdict == expected
    assert finding is None or found == {finding}
    assert check(lambda x: operator(x, 1.7), {"x": X}).ok is (expected == "pass")


def test_static_methods_take_no_constructor_arguments():
    with pytest.raises(OperatorError, match="Swish has static methods") as raised:
        from_function("swish", Swish, kwargs={"beta": 2.0})
    assert "swish(x, beta=...)" in raised.value.problems[0].hint


def test_context_gives_a_single_saved_array():
    assert judge(from_function("cube", SavesOne), {"x": X})[0] == "pass"
