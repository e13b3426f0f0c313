"""Double backward: the gradient of PyTorch code as an operator of its own."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from torch.autograd import Function  # noqa: E402
from torch.autograd.function import once_differentiable  # noqa: E402

from gradcheck_cli import check, no_grad  # noqa: E402
from gradcheck_cli.bridges.torch_code.pytorch import from_torch  # noqa: E402
from gradcheck_cli.core.draw import sample_arguments  # noqa: E402
from gradcheck_cli.errors import MissingDevice, OperatorError  # noqa: E402
from gradcheck_cli.records import Verdict  # noqa: E402

RNG = np.random.default_rng(0)
X, G, W = RNG.standard_normal((3, 4)), RNG.standard_normal((3, 4)), RNG.standard_normal((4, 4))


class Swish(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return g * (s + x * s * (1 - s))


class SwishSavesWhatIsNoOutput(Function):
    """Right at first order; what it saves is a constant for the second."""

    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(x)
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors
        return g * (s + x * s * (1 - s))


def both(code, **options):
    return from_torch("code", code, gradgrad=True, **options)


def judged(operator, **params):
    return check(operator, params)


def test_gradient_is_an_operator_beside_the_code():
    operator, gradient = both(Swish)
    assert (operator.name, gradient.name) == ("code", "code_grad")
    assert gradient.signature == "code_grad(x, g)"
    assert gradient.outputs == ("d_x",)
    assert gradient.location == operator.rules[0].location
    with no_grad():
        s = 1 / (1 + np.exp(-X))
        assert np.allclose(gradient(X, G), G * (s + X * s * (1 - s)))


def test_right_double_backward_passes_and_one_that_takes_saved_values_for_constants_fails():
    _, right = both(Swish)
    assert judged(right, x=X, g=G).verdict is Verdict.PASS
    first, wrong = both(SwishSavesWhatIsNoOutput)
    assert judged(first, x=X).verdict is Verdict.PASS
    result = judged(wrong, x=X, g=G)
    assert {each.name: each.verdict for each in result.parameters} == {"x": Verdict.FAIL, "g": Verdict.PASS}


def test_several_inputs_and_outputs_each_have_their_part():
    def code(x, w):
        y = x @ w
        return y.sin(), (y * y).sum()

    _, gradient = both(code, outputs="y total")
    assert gradient.signature == "code_grad(x, w, g_y, g_total)"
    assert gradient.outputs == ("d_x", "d_w")
    result = judged(gradient, x=X, w=W, g_y=G, g_total=np.array(0.7))
    assert result.verdict is Verdict.PASS, result
    assert len(result.parameters) == 4


def test_inputs_without_a_gradient_have_an_empty_part():
    def code(x, index, factor=2.0):
        return factor * x[index] ** 3

    _, gradient = both(code)
    index = np.array([2, 0, 2])
    d_x, d_index = gradient(X, index, G)
    assert (d_x.shape, d_index.shape) == ((3, 4), (0,))
    result = check(lambda x, g: gradient(x, index, g, factor=0.5)[0], {"x": X, "g": G})
    assert result.verdict is Verdict.PASS, result


def test_code_that_is_linear_has_no_second_derivative_but_one_of_its_cotangent():
    _, gradient = both(lambda x: 3 * x)
    result = judged(gradient, x=X, g=G)
    assert result.verdict is Verdict.PASS
    assert [finding.name for finding in result.parameters[0].findings] == ["disconnected", "vacuous"]
    assert not result.parameters[1].findings


def test_module_keeps_its_parameters():
    torch.manual_seed(0)
    _, gradient = both(torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh()))
    assert gradient.signature == "code_grad(input, g, w_0_weight, w_0_bias)"
    w = gradient.own["w_0_weight"].astype(float)
    result = check(lambda x, g, w: gradient(x, g, w_0_weight=w), {"x": X, "g": G[:, :3], "w": w})
    assert result.verdict is Verdict.PASS, result


def test_arguments_are_drawn_with_cotangents_like_the_outputs():
    operator, gradient = both(lambda x, w: x @ w, domain={"x": "m k", "w": "k n"})
    drawn = gradient.sampler(np.random.default_rng(0))
    assert drawn["g"].shape == operator(drawn["x"], drawn["w"]).shape


def test_argument_that_is_called_g_keeps_its_name():
    _, gradient = both(lambda g: g.sin())
    assert gradient.signature == "code_grad(g, g_out)"
    assert judged(gradient, g=X, g_out=G).verdict is Verdict.PASS


def test_what_can_be_differentiated_once_is_an_error():
    class Once(Swish):
        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            return g * torch.sigmoid(ctx.saved_tensors[0])

    _, gradient = both(Once)
    with pytest.raises(OperatorError, match="once_differentiable"):
        judged(gradient, x=X, g=G)


def test_write_to_the_cotangent_is_found_at_second_order_too():
    class Writes(Swish):
        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with torch.no_grad():
                g.mul_(1.5)
            return g * x

    _, gradient = both(Writes)
    assert [finding.name for finding in judged(gradient, x=X, g=G).findings] == ["input-modified"]


def test_any_number_of_arrays_is_refused():
    with pytest.raises(OperatorError, match="takes any number of arrays"):
        both(lambda *xs: sum(xs))


def test_device_that_is_missing_is_said_when_arguments_are_drawn():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    domain = {"x": "n d"}
    _, gradient = both(Swish, device="cuda", domain=domain)
    with pytest.raises(MissingDevice, match="not checked on cuda"):
        sample_arguments(gradient, np.random.default_rng(0))
    _, gradient = both(Swish, device="cuda", dtype="float32", domain=domain, reference=Swish)
    arrays, _ = sample_arguments(gradient, np.random.default_rng(0))
    assert (len(arrays), gradient.dtype, gradient.label) == (2, "float32", "cuda float32")
