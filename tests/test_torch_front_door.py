"""`gradcheck_cli.torch.gradcheck` beside torch.autograd.gradcheck: the same call, and verdicts side by side."""

from __future__ import annotations

import importlib
import inspect
import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch.autograd import Function  # noqa: E402

from gradcheck_cli.torch import gradcheck  # noqa: E402

GradcheckError = importlib.import_module("torch.autograd.gradcheck").GradcheckError
theirs = torch.autograd.gradcheck


def tensor(*shape, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()


def test_signature_is_that_of_pytorch():
    ours, wanted = (inspect.signature(function).parameters.values() for function in (gradcheck, theirs))
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in wanted]


class Product(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, g * x


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


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"check_backward_ad": False}, NotImplementedError),
        ({"check_batched_forward_grad": True, "check_forward_ad": True}, NotImplementedError),
    ],
)
def test_what_is_not_supported_is_refused(options, error):
    with pytest.raises(error):
        gradcheck(torch.sin, tensor(3), **options)


def test_inputs_that_can_not_be_checked_are_refused():
    with pytest.raises(ValueError, match="requires_grad"):
        gradcheck(torch.sin, torch.ones(3))
    with pytest.raises(NotImplementedError, match="sparse"):
        gradcheck(lambda x: x.to_dense(), torch.eye(3, dtype=torch.float64).to_sparse().requires_grad_())
    with pytest.raises(ValueError, match="returned no tensor"):
        gradcheck(lambda x: 1, tensor(3))


class Inexact(Product):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w * (1 + 1e-4), g * x


def test_rtol_is_the_error_that_gradients_may_have():
    inputs = (tensor(3, 4), tensor(3, 4, seed=1))
    assert not gradcheck(Inexact.apply, inputs, raise_exception=False)
    assert gradcheck(Inexact.apply, inputs, rtol=2e-3)
    assert not gradcheck(Inexact.apply, inputs, rtol=1e-5, raise_exception=False)
    assert not gradcheck(Inexact.apply, inputs, rtol=0.0, atol=1.0, raise_exception=False)
    assert gradcheck(Product.apply, inputs, rtol=1e-9)


def test_nondet_tol_is_the_difference_that_identical_calls_may_have():
    calls = []

    def function(x):
        calls.append(1)
        return x * (1 + 1e-10 * (len(calls) % 2))

    assert not gradcheck(function, tensor(3), raise_exception=False)
    assert gradcheck(function, tensor(3), nondet_tol=1e-8)


def test_eps_is_the_step_relative_to_each_element():
    assert gradcheck(lambda x: x**3, tensor(3), eps=1e-4)


def test_fast_mode_checks_directions():
    evaluations = []

    def function(x, w):
        evaluations.append(1)
        return (x * w).sin()

    inputs = (tensor(20, 20), tensor(20, 20, seed=1))
    assert gradcheck(function, inputs, fast_mode=True)
    assert len(evaluations) < 400
    assert not gradcheck(Inexact.apply, inputs, fast_mode=True, raise_exception=False)


class Two(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return 2 * x, 3 * x

    @staticmethod
    def backward(ctx, g, h):
        return 2 * g + 3 * h  # one of them is None where nobody uses that output


def test_output_that_nobody_uses_is_tried():
    with pytest.raises(GradcheckError, match="has a gradient, its backward raises TypeError"):
        gradcheck(Two.apply, tensor(3))
    assert gradcheck(Two.apply, tensor(3), check_undefined_grad=False)

    class AddsOne(Product):
        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return (g * w, g * x) if g is not None else (torch.ones_like(x), None)

    assert gradcheck(AddsOne.apply, (tensor(3), tensor(3, seed=1)))


def test_vectorised_backward_is_compared_with_single_ones():
    class Looped(Product):
        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return torch.tensor([float(each) for each in g]).to(g) * w, g * x

    inputs = (tensor(3), tensor(3, seed=1))
    assert gradcheck(lambda x, w: (x * w).sin(), inputs, check_batched_grad=True)
    assert gradcheck(Looped.apply, inputs)
    with pytest.raises(GradcheckError, match="a vectorised backward"):
        gradcheck(Looped.apply, inputs, check_batched_grad=True)


def test_forward_mode_is_compared_with_the_backward():
    class Wave(Function):
        factor = 1.0

        @staticmethod
        def forward(x):
            return x.sin()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0].cos()

        @staticmethod
        def jvp(ctx, t):
            return Wave.factor * t * ctx.saved_tensors[0].cos()

    assert gradcheck(Wave.apply, tensor(3), check_forward_ad=True)
    assert gradcheck(lambda x, z: x * z.abs() * math.pi, (tensor(3), tensor(3, seed=1)), check_forward_ad=True)
    Wave.factor = 1.1
    assert gradcheck(Wave.apply, tensor(3))
    with pytest.raises(GradcheckError, match="forward-reverse-mismatch"):
        gradcheck(Wave.apply, tensor(3), check_forward_ad=True)
