"""PyTorch's backward as a rule of the engine: what breaks the contract, or can't be run, is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from torch.autograd import Function  # noqa: E402

from gradcheck_cli import check  # noqa: E402
from gradcheck_cli.bridges.torch_code.pytorch import from_torch  # noqa: E402
from gradcheck_cli.errors import MissingDevice, OperatorError, Skipped  # noqa: E402
from gradcheck_cli.records import Verdict  # noqa: E402
from tests.bridges.torch_code.functions import KeepsItsMask, Product, ReluInPlace, SineOnce, View, W, X, judged  # noqa: E402
from tests.places import line_of  # noqa: E402
from tests.results import findings  # noqa: E402


class WritesToCotangent(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):  # writes to its cotangent
        (x,) = ctx.saved_tensors
        g[x < 0] = 0
        return g


class WritesToSaved(SineOnce):
    @staticmethod
    def backward(ctx, g):  # writes to what it saved
        (x,) = ctx.saved_tensors
        cos = x.cos()
        x.mul_(2)
        return g * cos


class WritesToSavedData(SineOnce):
    @staticmethod
    def backward(ctx, g):  # writes past PyTorch
        (x,) = ctx.saved_tensors
        cos = x.cos()
        x.data.numpy()[...] = 0
        return g * cos


class WritesToInput(ReluInPlace):
    @staticmethod
    def forward(ctx, x):  # writes to its input, undeclared
        x.clamp_(min=0)
        ctx.save_for_backward(x)
        return x.clone()


WRITERS = {
    "the cotangent": (WritesToCotangent, "its backward writes to its cotangent", "# writes to its cotangent"),
    "a saved input": (WritesToSaved, "its backward writes to x", "# writes to what it saved"),
    "the data of a saved input": (WritesToSavedData, "its backward writes to x", "# writes past PyTorch"),
    "an input": (WritesToInput, "its forward writes to x", "# writes to its input, undeclared"),
}


@pytest.mark.parametrize(("code", "said", "line"), WRITERS.values(), ids=WRITERS)
def test_what_writes_to_a_tensor_of_others_is_named_with_its_place(code, said, line):
    result = judged(code)
    assert result.verdict is Verdict.FAIL
    (finding,) = result.findings
    assert finding.name == "input-modified"
    assert said in finding.message
    assert finding.location is not None
    assert (Path(finding.location.file).name, finding.location.line) == (Path(__file__).name, line_of(__file__, line))


def test_write_to_a_constant_beside_the_parameter_is_named():
    def code(x, shift):
        with torch.no_grad():
            shift.add_(1)
        return x + shift

    result = judged(code, call=lambda op, x: op(x, np.ones(4)))
    assert findings(result) == ["input-modified"]
    assert "writes to shift" in result.findings[0].message


def test_allowed_write_to_the_cotangent_is_accepted():
    operator = from_torch("code", WritesToCotangent)[0]
    result = check(operator, {"x": X}, allow=["input-modified"])
    assert result.verdict is Verdict.PASS
    assert [(finding.name, finding.accepted) for finding in result.findings] == [("input-modified", True)]


class Transposed(Product):
    @staticmethod
    def backward(ctx, g):  # transposed
        x, w = ctx.saved_tensors
        return g @ w.T, g.T @ x


class OneGradient(Product):
    @staticmethod
    def backward(ctx, g):  # one gradient
        return g @ ctx.saved_tensors[1].T


BROKEN = {
    "transposed": (Transposed, "gradient-shape", "the gradient of w has shape (5, 4), w has (4, 5)", "# transposed"),
    "too few": (OneGradient, "gradient-count", "returned 1 gradient for 2 arguments", "# one gradient"),
}


@pytest.mark.parametrize(("code", "finding", "said", "line"), BROKEN.values(), ids=BROKEN)
def test_gradient_that_pytorch_refuses_is_a_broken_contract(code, finding, said, line):
    result = judged(code, {"x": X, "w": W})
    assert findings(result) == [finding]
    assert said in result.findings[0].message
    assert result.findings[0].location.line == line_of(__file__, line)


def test_none_for_a_floating_input_is_a_gradient_of_zero():
    class NoneForW(Product):
        @staticmethod
        def backward(ctx, g):
            return g @ ctx.saved_tensors[1].T, None

    result = judged(NoneForW, {"x": X, "w": W})
    assert {parameter.name: parameter.verdict for parameter in result.parameters} == {
        "x": Verdict.PASS,
        "w": Verdict.FAIL,
    }


def test_exception_of_a_backward_is_told_with_its_line():
    class Raises(SineOnce):
        @staticmethod
        def backward(ctx, g):
            doubled = 2 * g
            raise ValueError(f"boom {doubled.ndim}")

    with pytest.raises(OperatorError) as caught:
        judged(Raises)
    (problem,) = caught.value.problems
    assert problem.code == "operator-raised"
    assert "backward of code raised ValueError: boom 2" in problem.message
    assert problem.location.line == line_of(__file__, "raise ValueError(f")


def test_what_pytorch_lacks_is_an_error_and_a_missing_body_is_skipped():
    def unsupported(x):
        raise NotImplementedError("\"sin\" not implemented for 'Half'")

    class Nothing(Function):
        @staticmethod
        def forward(ctx, x):
            pass

    class NoBackward(Function):
        @staticmethod
        def forward(ctx, x):
            return x.sin()

    with pytest.raises(OperatorError, match="not implemented for 'Half'"):
        judged(unsupported)
    for code in (Nothing, NoBackward):
        with pytest.raises(Skipped, match="not written yet"):
            judged(code)


def test_backward_that_refuses_other_layouts_depends_on_the_layout():
    class Refuses(View):
        @staticmethod
        def backward(ctx, g):
            return g.view(ctx.shape)

    class RefusesMatrices(SineOnce):
        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return (g.view(-1) * x.cos().reshape(-1)).view(x.shape)

    assert judged(Refuses).verdict is Verdict.PASS  # a vector that isn't contiguous can be viewed in this shape
    result = judged(RefusesMatrices)
    assert findings(result) == ["layout-dependent"]
    assert "view size is not compatible" in result.findings[0].message


def test_mask_that_is_drawn_again_is_found():
    class DrawsAgain(KeepsItsMask):
        @staticmethod
        def backward(ctx, g):
            return g * (torch.rand(g.shape, dtype=g.dtype) < 0.5)

    result = judged(DrawsAgain)
    assert result.verdict is Verdict.FAIL
    assert any("draws from the global random generators" in note for note in result.notes)


def test_state_kept_between_calls_is_found():
    calls = []

    def code(x):
        calls.append(x)
        return x * len(calls)

    assert findings(judged(code)) == ["not-repeatable"]


def test_gradient_that_numpy_hides_from_pytorch_is_zero_and_fails():
    result = judged(lambda x: torch.from_numpy(np.sin(x.detach().numpy())))
    assert result.verdict is Verdict.FAIL


def test_half_precision_is_no_defect_but_decides_nothing():
    for code, options in (
        (lambda x: x.half(), {}),
        (lambda x: (x.half() * 2).double(), {}),
        (torch.nn.GELU(), {"dtype": "bfloat16"}),
    ):
        result = judged(code, **options)
        assert (result.verdict, findings(result)) == (Verdict.INCONCLUSIVE, []), result


def test_complex_output_is_refused_with_a_way_out():
    with pytest.raises(OperatorError) as caught:
        judged(lambda x: x * (1 + 1j))
    assert "returned torch.complex128" in str(caught.value)
    assert "view_as_real" in str(caught.value)


def test_missing_device_is_said_when_the_code_would_run():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    operator = from_torch("code", lambda x: x.sin(), device="cuda", dtype="float32")[0]
    assert operator.label == "cuda float32"
    with pytest.raises(MissingDevice, match="not checked on cuda"):
        operator(X)


def test_floating_argument_that_pytorch_has_no_gradient_for_is_declared():
    def norm(x, mean, variance):
        return torch.nn.functional.batch_norm(x, mean, variance, training=True)

    mean, variance = np.zeros(4), np.ones(4)
    with pytest.raises(OperatorError, match="nondiff: true"):
        judged(norm, call=lambda op, x: op(x, mean, variance))
    statistics = {"shape": "k", "nondiff": True}
    domain = {"x": "n k", "mean": statistics, "variance": statistics}
    result = judged(norm, call=lambda op, x: op(x, mean, variance), domain=domain)
    assert findings(result) == ["input-modified"]

    def clean(x, mean, variance):
        return norm(x, mean + 0, variance + 0)

    result = judged(clean, call=lambda op, x: op(x, mean, variance), domain=domain)
    assert result.verdict is Verdict.PASS, result
