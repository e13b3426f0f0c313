"""PyTorch's backward as a rule of the engine: right ones pass within the contract, broken ones are named."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from torch.autograd import Function  # noqa: E402

from gradcheck_cli import no_grad  # noqa: E402
from gradcheck_cli.bridges.torch_code.pytorch import from_torch  # noqa: E402
from gradcheck_cli.core.variable import Variable  # noqa: E402
from gradcheck_cli.records import Verdict  # noqa: E402
from tests.bridges.torch_code.functions import KeepsItsMask, Product, ReluInPlace, SineOnce, View, X, judged  # noqa: E402


class TopTwo(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.topk(x, 2)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        ctx.shape = x.shape
        return values, indices

    @staticmethod
    def backward(ctx, g, g_indices):
        (indices,) = ctx.saved_tensors
        return g.new_zeros(ctx.shape).scatter(-1, indices, g)


class SquareAndText(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x, "not a tensor"

    @staticmethod
    def backward(ctx, g, _):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class DoubleForFloat(SineOnce):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return (g * x.cos()).double()


class ContiguousCopies(SineOnce):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return (g.contiguous().view(-1) * x.cos().contiguous().view(-1)).view(x.shape)


class OneOfTwoUnused(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        return (0 if g is None else 2 * g) + (0 if h is None else 3 * h)


RIGHT = {
    "a view of its input": (View, {}),
    "in place, declared": (ReluInPlace, {}),
    "in place, known to autograd": (lambda x: torch.nn.functional.relu(x, inplace=True) * 2, {}),
    "in place on a part": (lambda x: x[0].mul_(2).sum() + x.sum(), {}),
    "once differentiable": (SineOnce, {}),
    "a mask that it keeps": (KeepsItsMask, {}),
    "float64 for a float32 input": (DoubleForFloat, {"dtype": "float32"}),
    "contiguous copies": (ContiguousCopies, {}),
    "a float32 function": (lambda x: torch.softmax(x, -1), {"dtype": "float32"}),
    "float32 inside": (lambda x: torch.softmax(x.float(), -1).double(), {}),
    "a number in the end": (lambda x: (x**2).sum(), {}),
    "a new tensor of the default type": (lambda x: x @ torch.ones(4, 2), {}),
}


@pytest.mark.parametrize(("code", "options"), RIGHT.values(), ids=RIGHT)
def test_right_backward_passes(code, options):
    result = judged(code, **options)
    assert result.verdict is Verdict.PASS, result


@pytest.mark.parametrize("code", [TopTwo, SquareAndText, OneOfTwoUnused])
def test_output_without_a_gradient_stands_beside_one_that_has_one(code):
    result = judged(code, call=lambda op, x: op(x)[0])
    assert result.verdict is Verdict.PASS, result


def test_all_outputs_are_checked():
    class ForgetsTheSecond(OneOfTwoUnused):
        @staticmethod
        def backward(ctx, g, h):
            return 2 * g if g is not None else torch.zeros_like(h)

    assert judged(OneOfTwoUnused).verdict is Verdict.PASS
    assert judged(ForgetsTheSecond).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "x",
    [np.array(1.5), np.asfortranarray(X), X[:, ::2], X.T, np.broadcast_to(X[0], (3, 4)), X.astype(np.float32)],
    ids=["0-d", "Fortran", "gaps", "transposed", "broadcast", "float32"],
)
def test_layouts_and_types_reach_pytorch_as_they_are(x):
    seen = []

    def code(x):
        seen.append((x.stride(), x.dtype))
        return x.sin()

    operator = from_torch("code", code)[0]
    x.setflags(write=False)
    out = operator(Variable(x))
    out.backward(np.ones_like(out.data))
    assert seen == [(tuple(s // x.itemsize for s in x.strides), getattr(torch, x.dtype.name))]


def test_cotangents_reach_pytorch_with_their_strides():
    seen = []

    class Sees(View):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            seen.append(g.stride())
            return g

    out = from_torch("code", Sees)[0](Variable(X))
    for g in (X, np.asfortranarray(X), np.zeros((4, 3, 2))[..., 0].T):
        out.backward(g)
    assert seen == [(4, 1), (1, 3), (2, 6)]


def test_integers_and_booleans_have_no_gradient():
    def code(x, index, mask):
        assert (index.dtype, mask.dtype) == (torch.int64, torch.bool)
        return x[index] * mask[:, None]

    index, mask = np.array([2, 0, 2]), np.array([True, False, True])
    result = judged(code, call=lambda op, x: op(x, index, mask))
    assert result.verdict is Verdict.PASS, result


def test_evaluations_that_record_nothing_leave_pytorch_without_a_graph():
    recorded = []

    def code(x):
        recorded.append(x.requires_grad and torch.is_grad_enabled())
        return x.sin()

    operator = from_torch("code", code)[0]
    with no_grad():
        operator(Variable(X))
    operator(Variable(X))
    assert recorded == [False, True]


def test_gradient_that_pytorch_sums_over_a_broadcast_is_right():
    class LeavesTheSumToPyTorch(Product):
        @staticmethod
        def forward(ctx, x, b):
            return x + b

        @staticmethod
        def backward(ctx, g):
            return g, g

    assert judged(LeavesTheSumToPyTorch, {"x": X, "b": X[0]}).verdict is Verdict.PASS


def test_arrays_without_elements_pass_through():
    operator = from_torch("code", lambda x: x.sin())[0]
    x = Variable(np.zeros((0, 3)))
    out = operator(x)
    out.backward(np.zeros((0, 3)))
    assert (out.shape, x.grad.shape) == ((0, 3), (0, 3))


def test_floating_output_that_is_declared_to_have_no_gradient_is_left_out():
    class Marked(Function):
        @staticmethod
        def forward(ctx, x):
            total = x.exp().sum()
            ctx.mark_non_differentiable(total)
            ctx.save_for_backward(x)
            return x * x, total

        @staticmethod
        def backward(ctx, g, _):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    class WrongBeside(Marked):
        @staticmethod
        def backward(ctx, g, _):
            (x,) = ctx.saved_tensors
            return x * g

    def detached(x):
        return x * x, x.detach().exp().sum()

    assert judged(Marked).verdict is Verdict.PASS
    assert judged(WrongBeside).verdict is Verdict.FAIL
    assert judged(detached, outputs="y total").verdict is Verdict.FAIL
