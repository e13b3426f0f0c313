"""`gradcheck_cli.torch.gradcheck` beside torch.autograd.gradcheck: the same call, and verdicts side by side."""

from __future__ import annotations

import inspect

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from torch.autograd import Function  # noqa: E402

from gradcheck_cli.torch import gradcheck  # noqa: E402
from tests.torch_front_door import GradcheckError, Product, tensor  # noqa: E402

theirs = torch.autograd.gradcheck


def test_signature_is_that_of_pytorch():
    ours, wanted = (inspect.signature(function).parameters.values() for function in (gradcheck, theirs))
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in wanted]


class OverwritesItsCotangent(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        g[x < 0] = 0
        return g


class AbsoluteCotangent(Product):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g.abs() * w, g * x


class OneEntryOff(Product):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dx = g * w
        dx[1, 2] = dx[1, 2] * (1 + 1e-5)
        return dx, g * x


class MissingSmallGradient(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x)
        return x * x + 1e-6 * w

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g, torch.zeros_like(g)


class RightForContiguousCotangents(Product):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        g = g.as_strided(x.shape, x.contiguous().stride())  # reads the memory as if it were contiguous
        return g * w, g * x


WRONG = {
    "a backward that overwrites its cotangent": (OverwritesItsCotangent, 1, "input-modified"),
    "|g| in place of g": (AbsoluteCotangent, 2, "not-linear-in-g"),
    "an entry off by 1e-5": (OneEntryOff, 2, "FAIL"),
    "a missing 1e-6 gradient": (MissingSmallGradient, 2, "FAIL"),
    "right only for contiguous cotangents": (RightForContiguousCotangents, 2, "layout-dependent"),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("function", "count", "said"), WRONG.values(), ids=WRONG)
def test_wrong_gradient_that_pytorch_passes_is_caught(function, count, said, seed):
    inputs = tuple(tensor(3, 4, seed=10 * seed + position) for position in range(count))
    assert theirs(function.apply, inputs)
    with pytest.raises(GradcheckError) as caught:
        gradcheck(function.apply, inputs)
    assert said in str(caught.value)
    assert function.__name__ in str(caught.value)
    assert gradcheck(function.apply, inputs, raise_exception=False) is False


class Relu(OverwritesItsCotangent):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > 0)


NEAR_A_KINK = torch.tensor([2e-7, -3e-7, 5e-7, 1.0], dtype=torch.float64, requires_grad=True)
LARGE = torch.tensor([1e8, -3e8, 2e8], dtype=torch.float64, requires_grad=True)
RIGHT = {
    "near a kink": (Relu.apply, NEAR_A_KINK),
    "at 1e8": (lambda x: x * x.abs().sqrt(), LARGE),
    "a square at 1e8": (lambda x: x * x / 1e8, LARGE),
}


@pytest.mark.parametrize(("function", "x"), RIGHT.values(), ids=RIGHT)
def test_right_gradient_that_pytorch_fails_passes(function, x):
    assert theirs(function, x, raise_exception=False) is False
    assert gradcheck(function, x) is True


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (Product.apply, (tensor(3, 4), tensor(3, 4, seed=1))),
        (Product.apply, [tensor(3, 4), tensor(3, 4, seed=1)]),
        (torch.sin, tensor(3)),
        (torch.nn.Linear(4, 3), tensor(2, 4, dtype=torch.float32)),
        (lambda x, n, text: x**n, (tensor(3), 2, "text")),
        (lambda x, w: x @ w, (tensor(3, 4, dtype=torch.float32), tensor(4, 2, dtype=torch.float32))),
        (lambda x, w: x.double() @ w, (tensor(3, 4, dtype=torch.float32), tensor(4, 2))),
        (lambda x: (x.sin(), x.detach() * 2, torch.argmax(x), "text"), tensor(3)),
        (lambda x: [x.sin(), x.cos()], tensor(3)),
        (lambda x: x.relu_(), tensor(3)),
        (lambda *xs: sum(xs), (tensor(3), tensor(3, seed=1))),
        (lambda x: x.sum() * 0 + 1, tensor(3)),
    ],
)
@pytest.mark.filterwarnings("ignore:Input #:UserWarning")
def test_right_functions_pass(function, inputs):
    assert gradcheck(function, inputs) is True


def test_inputs_keep_their_layout_type_and_device():
    seen = set()

    def function(x, y, constant):
        seen.add((x.stride(), x.dtype, y.stride(), y.dtype, constant.stride(), constant.dtype))
        return x.sum() * y.sum() * constant.sum()

    x = tensor(4, 6)[:, ::2]
    y = tensor(3, 4, dtype=torch.float32).t()
    constant = torch.arange(6, dtype=torch.int32).reshape(2, 3).t()
    assert gradcheck(function, (x.detach().requires_grad_(), y.detach().requires_grad_(), constant))
    assert seen == {((6, 2), torch.float64, (1, 4), torch.float32, (1, 3), torch.int32)}


def test_inputs_and_generators_are_left_as_they_are():
    x = tensor(3)
    before = x.detach().clone()
    torch.manual_seed(3)
    state = torch.get_rng_state()
    assert gradcheck(lambda x: x * torch.rand(3, dtype=x.dtype), x)
    assert torch.equal(x.detach(), before)
    assert x.grad is None
    assert torch.equal(torch.get_rng_state(), state)


def test_complex_numbers_are_pairs_of_real_ones():
    z = torch.randn(3, dtype=torch.complex128, generator=torch.Generator().manual_seed(0)).requires_grad_()
    assert gradcheck(lambda z: z * z.conj() * z, z)
    assert gradcheck(torch.fft.fft, tensor(5))

    class Conjugated(Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):
            (z,) = ctx.saved_tensors
            return g * 2 * z  # its conjugate is what belongs here

    assert gradcheck(Conjugated.apply, z, raise_exception=False) is False
    assert gradcheck(lambda x, z: x * z.abs(), (tensor(3), z.detach()))


def test_write_to_a_constant_input_is_caught():
    def function(x, constant):
        return x * constant.mul_(2)

    with pytest.raises(GradcheckError, match="writes to argument 1"):
        gradcheck(function, (tensor(3), torch.ones(3, dtype=torch.float64)))


def test_what_can_not_be_told_is_no_pass():
    with pytest.raises(GradcheckError, match="INCONCLUSIVE"):
        gradcheck(lambda x: x.sin(), tensor(3, dtype=torch.bfloat16))


def test_exception_of_the_function_passes_through():
    def function(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        gradcheck(function, tensor(3), raise_exception=False)


def test_inputs_that_can_not_be_checked_are_refused():
    with pytest.raises(ValueError, match="requires_grad"):
        gradcheck(torch.sin, torch.ones(3))
    with pytest.raises(NotImplementedError, match="sparse"):
        gradcheck(lambda x: x.to_dense(), torch.eye(3, dtype=torch.float64).to_sparse().requires_grad_())
    with pytest.raises(ValueError, match="returned no tensor"):
        gradcheck(lambda x: 1, tensor(3))
