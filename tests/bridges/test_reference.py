"""A kernel with a reference: which one is checked, and how they are told to belong together."""

from __future__ import annotations

import math
from contextlib import nullcontext

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from torch.autograd import Function  # noqa: E402

from gradcheck_cli import arr, check, op  # noqa: E402
from gradcheck_cli.bridges.reference import with_reference  # noqa: E402
from gradcheck_cli.bridges.torch_code.pytorch import from_torch  # noqa: E402
from gradcheck_cli.errors import MissingDevice, OperatorError  # noqa: E402
from gradcheck_cli.records import Verdict  # noqa: E402

X = np.random.default_rng(0).standard_normal((3, 4))
nn = torch.nn.functional


class Swish(Function):
    wrong = 0.0

    @staticmethod
    def forward(ctx, x, beta):
        s = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, s, torch.as_tensor(beta))
        y = x * s
        return y + Swish.wrong * y.abs().max()

    @staticmethod
    def backward(ctx, g):
        x, s, beta = ctx.saved_tensors
        slope = s * (1 - s)
        return g * (s + beta * x * slope), (g * x * x * slope).sum()


def swish_torch(x, beta):
    return x / (1 + torch.exp(-beta * x))


def swish(x, beta):
    return x / (1 + np.exp(-beta * x))


def swish_backward(g, x, beta):
    s = 1 / (1 + np.exp(-beta * x))
    return g * (s + beta * x * s * (1 - s)), np.sum(g * x * x * s * (1 - s))


@op(x=arr("n d"), beta=arr("", 1, 2))
def marked(x, beta):
    return x / (1 + np.exp(-beta * x))


@marked.backward
def _(g, x, beta):
    return swish_backward(g, x, beta)


def compared(kernel, reference, **options):
    return from_torch("fast", kernel, dtype="float32", reference=reference, **options)[0]


def judged(operator, *arrays):
    values = {f"a{i}": array for i, array in enumerate(arrays)}
    return check(lambda **given: operator(*given.values()), values)


def names(result):
    return [finding.name for finding in result.findings]


@pytest.fixture
def fault(monkeypatch):
    def plant(size):
        monkeypatch.setattr(Swish, "wrong", size)

    return plant


@pytest.mark.parametrize(
    "reference", [swish_torch, swish, marked, marked.operator], ids=["torch", "pair", "op", "operator"]
)
def test_reference_may_be_written_in_several_ways(reference, fault):
    operator = compared(Swish, reference)
    assert (operator.name, operator.label, operator.kernel.dtype) == ("fast", "cpu float32", "float32")
    assert operator.dtype == ""
    assert judged(operator, X, np.array(1.3)).verdict is Verdict.PASS
    fault(1e-3)
    result = judged(operator, X, np.array(1.3))
    assert (result.verdict, names(result)) == (Verdict.FAIL, ["differs-from-reference"])
    assert "fast on cpu float32" in result.findings[0].message
    assert all(parameter.resolution < 1e-6 for parameter in result.parameters)  # float64's differences


def test_wrong_backward_of_the_kernel_is_named_with_its_place():
    class Wrong(Swish):
        @staticmethod
        def backward(ctx, g):
            dx, dbeta = Swish.backward(ctx, g)
            return dx, dbeta * 1.001

    result = judged(compared(Wrong, swish), X, np.array(1.3))
    (finding,) = result.findings
    assert "the gradient of beta is" in finding.message
    assert finding.location == from_torch("wrong", Wrong)[0].rules[0].location


def test_domain_is_that_of_the_mapping_and_else_the_reference_has_its_own():
    given = compared(Swish, swish_torch, domain={"x": "n d", "beta": {"shape": "", "low": 1, "high": 2}})
    assert [item.domain.shape for item in given.inputs] == ["n d", ""]
    assert [item.domain.shape for item in compared(Swish, marked).inputs] == ["n d", ""]
    narrowed = compared(Swish, marked, domain={"beta": {"shape": "", "low": 0.5, "high": 1}})
    assert (narrowed.inputs[1].domain.low, narrowed.inputs[0].domain.shape) == (0.5, "n d")


def test_argument_may_be_an_array_on_one_side_and_an_attribute_on_the_other():
    def reference(x, *, beta=1.0):
        return swish_torch(x, beta)

    class AttributeLast(Swish):
        @staticmethod
        def backward(ctx, g):
            return Swish.backward(ctx, g)[0], None

    operator = compared(AttributeLast, reference)
    assert operator.signature == "fast(x, *, beta=1.0)"
    result = check(lambda x: operator(x, beta=1.5), {"x": X})
    assert result.verdict is Verdict.PASS, result


def test_modules_are_compared_parameter_by_parameter():
    class Fast(torch.nn.Linear):
        def forward(self, input):
            return input @ self.weight.T * Fast.scale + self.bias

        scale = 1.0

    kernel = from_torch("fast", Fast(4, 2), dtype="float32")[0]
    reference = from_torch("fast", torch.nn.Linear(4, 2))[0]
    operator = with_reference(kernel, reference, {}, nullcontext, build=lambda code: code)
    weight, bias = (operator.own[name].astype(float) for name in ("weight", "bias"))
    assert judged(operator, X, weight, bias).verdict is Verdict.PASS
    Fast.scale = 1.001
    assert names(judged(operator, X, weight, bias)) == ["differs-from-reference"]


def test_second_derivatives_are_those_of_the_kernel():
    operator, gradient = from_torch("fast", swish_torch, dtype="float32", reference=swish_torch, gradgrad=True)
    assert (operator.kernel is not None, gradient.kernel, gradient.label) == (True, None, "cpu float32")


def test_missing_device_is_said_when_both_would_run():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    operator = compared(Swish, swish_torch, device="cuda")
    assert operator.label == "cuda float32"
    with pytest.raises(MissingDevice, match="not checked on cuda"):
        judged(operator, X, np.array(1.3))


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (lambda x: x, "the reference is"),
        (lambda x, gamma, rest: x, "the reference is"),
        (lambda x, beta, *, more=1: x, "the reference is"),
    ],
)
def test_sides_that_do_not_fit_together_are_refused(reference, said):
    with pytest.raises(OperatorError, match=said):
        compared(Swish, reference)


def test_reference_in_numpy_without_a_gradient_says_what_to_do():
    def reference(x, beta):
        return np.asarray(x) / (1 + np.exp(-np.asarray(beta) * np.asarray(x)))

    with pytest.raises(OperatorError, match="requires grad"):
        judged(compared(Swish, reference), X, np.array(1.3))


KERNELS = {
    "softmax": (lambda x: torch.softmax(x, -1), lambda x: torch.exp(x) / torch.exp(x).sum(-1, keepdim=True), [(4, 7)]),
    "layer norm": (
        lambda x, w, b: nn.layer_norm(x, (9,), w, b),
        lambda x, w, b: (
            (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + 1e-5) * w + b
        ),
        [(4, 9), (9,), (9,)],
    ),
    "matmul": (lambda x, w: x @ w, lambda x, w: (x[:, :, None] * w).sum(1), [(3, 1000), (1000, 2)]),
    "a sum": (lambda x: x.sum(), lambda x: x.flip(0).cumsum(0)[-1], [(1000,)]),
    "attention": (
        lambda q, k, v: nn.scaled_dot_product_attention(q[None], k[None], v[None])[0],
        lambda q, k, v: torch.softmax(q @ k.T / math.sqrt(q.shape[-1]), -1) @ v,
        [(5, 8), (6, 8), (6, 3)],
    ),
    "gelu": (nn.gelu, lambda x: 0.5 * x * torch.erfc(-x / math.sqrt(2)), [(30,)]),
}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float64"])
@pytest.mark.parametrize(("kernel", "reference", "shapes"), KERNELS.values(), ids=KERNELS)
def test_kernels_of_pytorch_agree_with_their_formulas(kernel, reference, shapes, dtype):
    rng = np.random.default_rng(0)
    operator = from_torch("fast", kernel, dtype=dtype, reference=reference)[0]
    result = check(
        lambda **given: operator(*given.values()),
        {f"a{i}": rng.standard_normal(shape) for i, shape in enumerate(shapes)},
        sample=4,
    )
    assert not result.findings, result.findings[0].message


@pytest.mark.parametrize(("draw", "same"), [(lambda x: nn.dropout(torch.ones_like(x)), True), (torch.rand_like, False)])
def test_random_numbers_that_depend_on_the_type_are_explained(draw, same):
    def code(x):
        return x * draw(x)

    result = judged(from_torch("fast", code, dtype="float32", reference=code)[0], X)
    if same:
        assert result.verdict is Verdict.PASS
    else:
        assert "let both take what is drawn as an argument" in result.findings[0].message


def test_output_that_one_side_declares_to_have_no_gradient_is_compared_in_its_value():
    class Fused(Function):
        shift = 0.0

        @staticmethod
        def forward(ctx, x):
            y, total = torch.log_softmax(x, -1), torch.logsumexp(x, -1) + Fused.shift
            ctx.mark_non_differentiable(total)
            ctx.save_for_backward(y)
            return y, total

        @staticmethod
        def backward(ctx, g, _):
            (y,) = ctx.saved_tensors
            return g - y.exp() * g.sum(-1, keepdim=True)

    def formula(x):
        total = torch.logsumexp(x, -1)
        return x - total[:, None], total

    operator = compared(Fused, formula)
    assert check(lambda x: operator(x)[0], {"x": X}).verdict is Verdict.PASS
    Fused.shift = 1e-3
    result = check(lambda x: operator(x)[0], {"x": X})
    assert names(result) == ["differs-from-reference"]
    assert "total[" in result.findings[0].message
