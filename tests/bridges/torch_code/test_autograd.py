"""PyTorch's backward as a rule of the engine: right ones pass within the contract, broken ones are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch.autograd import Function  # noqa: E402
from torch.autograd.function import once_differentiable  # noqa: E402

from gradcheck_cli import check, no_grad  # noqa: E402
from gradcheck_cli.bridges.torch_code.pytorch import from_torch  # noqa: E402
from gradcheck_cli.core.variable import Variable  # noqa: E402
from gradcheck_cli.errors import MissingDevice, OperatorError, Skipped  # noqa: E402
from gradcheck_cli.records import Verdict  # noqa: E402

X = np.random.default_rng(0).standard_normal((3, 4))
W = np.random.default_rng(1).standard_normal((4, 5))
LINES = Path(__file__).read_text(encoding="utf-8").splitlines()


def judged(code, params=None, call=None, **options):
    """Check an operator made of `code` at X, or at other parameters; `call` gets the operator and the Variables."""
    operator = from_torch("code", code, **options)[0]
    call = call or (lambda op, *values: op(*values))
    return check(lambda **given: call(operator, *given.values()), params or {"x": X})


def findings(result):
    return [finding.name for finding in result.findings]


def line_of(text):
    return 1 + next(number for number, line in enumerate(LINES) if text in line)


class View(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.view(-1)

    @staticmethod
    def backward(ctx, g):
        return g.reshape(ctx.shape)


class ReluInPlace(Function):
    @staticmethod
    def forward(ctx, x):
        x.clamp_(min=0)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (y > 0)


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


class SineOnce(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.cos()


class Product(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.T, x.T @ g


class KeepsItsMask(Function):
    @staticmethod
    def forward(ctx, x):
        mask = (torch.rand_like(x) < 0.5).to(x.dtype)
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, g):
        (mask,) = ctx.saved_tensors
        return g * mask


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
    assert (Path(finding.location.file).name, finding.location.line) == (Path(__file__).name, line_of(line))


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


class SumForgotten(Product):
    @staticmethod
    def backward(ctx, g):  # sum forgotten
        x, w = ctx.saved_tensors
        return g @ w.T, torch.stack([x.T @ g] * 2)


BROKEN = {
    "transposed": (Transposed, "gradient-shape", "the gradient of w has shape (5, 4), w has (4, 5)", "# transposed"),
    "too few": (OneGradient, "gradient-count", "returned 1 gradient for 2 arguments", "# one gradient"),
}


@pytest.mark.parametrize(("code", "finding", "said", "line"), BROKEN.values(), ids=BROKEN)
def test_gradient_that_pytorch_refuses_is_a_broken_contract(code, finding, said, line):
    result = judged(code, {"x": X, "w": W})
    assert findings(result) == [finding]
    assert said in result.findings[0].message
    assert result.findings[0].location.line == line_of(line)


def test_gradient_that_pytorch_sums_over_a_broadcast_is_right():
    class LeavesTheSumToPyTorch(Product):
        @staticmethod
        def forward(ctx, x, b):
            return x + b

        @staticmethod
        def backward(ctx, g):
            return g, g

    assert judged(LeavesTheSumToPyTorch, {"x": X, "b": X[0]}).verdict is Verdict.PASS


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
    assert problem.location.line == line_of("raise ValueError(f")


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


def test_arrays_without_elements_pass_through():
    operator = from_torch("code", lambda x: x.sin())[0]
    x = Variable(np.zeros((0, 3)))
    out = operator(x)
    out.backward(np.zeros((0, 3)))
    assert (out.shape, x.grad.shape) == ((0, 3), (0, 3))


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
