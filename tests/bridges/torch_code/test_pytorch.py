"""What counts as PyTorch code, how it is called, and what its operator tells of it."""

from __future__ import annotations

import functools
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from torch.autograd import Function  # noqa: E402

from gradcheck_cli import arr, check  # noqa: E402
from gradcheck_cli.bridges.torch_code.pytorch import from_torch  # noqa: E402
from gradcheck_cli.errors import OperatorError  # noqa: E402
from tests.bridges.torch_code.functions import X, passes  # noqa: E402
from tests.places import line_of  # noqa: E402


class Swish(Function):
    """x times the sigmoid of beta x."""

    @staticmethod
    def forward(ctx, x, beta):  # swish forward
        s = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, s, torch.as_tensor(beta))
        ctx.beta = beta
        return x * s

    @staticmethod
    def backward(ctx, g):  # swish backward
        x, s, beta = ctx.saved_tensors
        slope = s * (1 - s)
        return g * (s + beta * x * slope), (g * x * x * slope).sum() if torch.is_tensor(ctx.beta) else None


class Leaky(Function):
    @staticmethod
    def forward(x, slope=0.1, *others):
        return torch.where(x > 0, x, slope * x) + sum(others)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.slope, ctx.count = inputs[1], len(inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, g, ctx.slope * g), None, *[g] * (ctx.count - 2)


def huber(x, *, delta=1.0):
    return torch.nn.functional.huber_loss(x, torch.zeros_like(x), delta=delta)


def make_function():
    return lambda x: x.sin()


def scaled(x, factor, shift):
    return x * factor + shift


def pair(x):
    doubled = x * 2
    return doubled, x * 3


def test_function_tells_its_signature_its_places_and_its_docstring():
    (operator,) = from_torch("swish", Swish)
    assert operator.signature == "swish(x, beta)"
    assert operator.doc == "x times the sigmoid of beta x."
    assert (operator.location.line, Path(operator.file).name) == (
        line_of(__file__, "# swish forward"),
        Path(__file__).name,
    )
    assert operator.rules[0].location.line == line_of(__file__, "# swish backward")
    assert operator.label == ""


def test_plain_value_among_the_operands_of_a_function_is_an_attribute_of_its_own_kind():
    (operator,) = from_torch("swish", Swish)
    passes(operator, {"x": X, "beta": 1.3})
    passes(operator, {"x": X}, lambda x: operator(x, 1.3))


def test_function_with_setup_context_gets_its_arguments_by_position():
    (operator,) = from_torch("leaky", Leaky)
    assert operator.signature == "leaky(x, *others, slope=0.1)"
    passes(operator, {"x": X, "y": X[0]}, lambda x, y: operator(x, y, slope=0.3))
    assert np.array_equal(operator(X, X[0], slope=0.3), np.where(X > 0, X, 0.3 * X) + X[0])


def test_function_of_tensors_has_attributes_behind_its_star():
    (operator,) = from_torch("huber", huber)
    assert operator.signature == "huber(x, *, delta=1.0)"
    passes(operator, {"x": X}, lambda x: operator(x, delta=0.5))


@pytest.mark.parametrize("thing", [functools.partial(scaled, factor=2.0), scaled], ids=["partial", "kwargs"])
def test_arguments_may_be_fixed(thing):
    kwargs = {"factor": 2.0} if thing is scaled else None
    (operator,) = from_torch("scaled", thing, kwargs=kwargs)
    passes(operator, {"x": X}, lambda x: operator(x, shift=1.0))
    assert np.array_equal(operator(X, shift=1.0), 2 * X + 1)


def test_argument_of_a_function_may_be_fixed():
    (operator,) = from_torch("swish", Swish, kwargs={"beta": 2.0})
    assert operator.signature == "swish(x)"
    passes(operator, {"x": X})


def test_factory_may_return_a_function():
    (operator,) = from_torch("sine", make_function)
    assert np.allclose(operator(X), np.sin(X))


@pytest.mark.parametrize("written", [{"x": "n d", "beta": [0.5, 2.0]}, {"x": arr("n d"), "beta": (0.5, 2.0)}])
def test_domain_says_what_is_an_array_and_what_an_attribute(written):
    (operator,) = from_torch("swish", Swish, domain=written)
    assert [(item.name, item.domain.shape, item.loose) for item in operator.inputs] == [("x", "n d", False)]
    assert [(each.name, each.values) for each in operator.attributes] == [("beta", (0.5, 2.0))]


@pytest.mark.parametrize(
    ("code", "outputs", "names"),
    [
        (pair, None, ("doubled", "out2")),
        (lambda x: [x * 2, x * 3], "y z", ("y", "z")),
        (lambda x: {"y": x * 2, "z": (x * 3,)}, ["y", "z"], ("y", "z")),
        (lambda x: (x * 2, {"loss": 1.5}, None), "y loss rest", ("y", "loss", "rest")),
    ],
    ids=["a tuple", "a list", "a mapping", "others"],
)
def test_outputs_are_named_by_the_text_or_by_the_user(code, outputs, names):
    (operator,) = from_torch("several", code, outputs=outputs)
    assert operator.outputs == names
    returned = operator(X)
    assert len(returned) == len(names)
    assert np.array_equal(returned[0], 2 * X)
    passes(operator, {"x": X}, lambda x: operator(x)[0])


def test_outputs_that_the_text_does_not_show_are_asked_for():
    (operator,) = from_torch("several", lambda x: [x * 2, x * 3])
    with pytest.raises(OperatorError, match="returned 2 outputs, and its text shows 1 output") as caught:
        operator(X)
    assert "outputs: out1 out2" in str(caught.value)


WRONG = {
    "no code": (3, {}, "PyTorch code is a function"),
    "no signature": (torch.Tensor.sin, {}, "no signature that can be read"),
    "no argument of that name": (Swish, {"domain": {"bta": [1.0]}}, "did you mean 'beta'?"),
    "no domain": (Swish, {"domain": {"beta": 3.5}}, "beta"),
    "missing arguments": (torch.nn.Linear, {}, "can't be made: TypeError"),
    "a factory of nothing": (lambda: 3, {}, "which is no module and no function"),
    "a lazy module": (torch.nn.LazyLinear(3), {}, "has no shape before the module is first called"),
    "any number of arrays": (torch.nn.DataParallel(torch.nn.Linear(4, 4)), {}, "any number of arrays"),
    "no device": (Swish, {"device": "gpu"}, "no device of PyTorch"),
    "no type": (Swish, {"dtype": "int8"}, "should be a floating type"),
}


@pytest.mark.parametrize(("thing", "options", "said"), WRONG.values(), ids=WRONG)
@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_what_can_not_be_used_is_said_at_once(thing, options, said):
    with pytest.raises(OperatorError) as caught:
        from_torch("wrong", thing, **options)
    assert said in str(caught.value)


def test_forward_mode_of_a_function_is_compared_with_its_backward():
    class Cube(Function):
        factor = 3

        @staticmethod
        def forward(x):
            noise = torch.rand_like(x)
            return x**3 * noise, noise

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0], output[1])
            ctx.save_for_forward(inputs[0], output[1])
            ctx.mark_non_differentiable(output[1])

        @staticmethod
        def backward(ctx, g, _):
            x, noise = ctx.saved_tensors
            return g * 3 * x * x * noise

        @staticmethod
        def jvp(ctx, t):
            x, noise = ctx.saved_tensors
            return Cube.factor * t * x * x * noise, None

    (operator,) = from_torch("cube", Cube)
    passes(operator, {"x": X}, lambda x: operator(x)[0])
    Cube.factor = 2
    result = check(lambda x: operator(x)[0], {"x": X})
    assert [finding.name for finding in result.findings] == ["forward-reverse-mismatch"]
    assert from_torch("swish", Swish)[0].jvp is None


SPEC = """
ops:
  - swish: {torch: my_ops.py:Swish}
  - wrong: {torch: my_ops.py:Wrong}
  - net: {torch: my_ops.py:make_net, kwargs: {size: 3}}
  - fast: {torch: my_ops.py:Swish, reference: my_ops.py:plain, devices: [cpu, cuda], dtype: float32}
cases:
  - {name: swish, expr: 'swish(x)', params: {x: 3 4}}
  - {name: wrong, expr: 'wrong(x)', params: {x: 3 4}, expect: fail}
  - {name: net, expr: 'net(x)', params: {x: 5 3}}
  - {name: fast, expr: 'fast(x)', params: {x: 3 4}}
"""
OPS = """
import torch

class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return g * (s + x * s * (1 - s))

class Wrong(Swish):
    @staticmethod
    def backward(ctx, g):
        return g * torch.sigmoid(ctx.saved_tensors[0])

def plain(x):
    return x * torch.sigmoid(x)

def make_net(size):
    return torch.nn.Sequential(torch.nn.Linear(size, 2), torch.nn.Tanh())
"""


def test_spec_names_pytorch_code(tmp_path):
    (tmp_path / "my_ops.py").write_text(textwrap.dedent(OPS), encoding="utf-8")
    (tmp_path / "torch.grad.yaml").write_text(SPEC, encoding="utf-8")
    command = [sys.executable, "-m", "gradcheck_cli", "run", "torch.grad.yaml", "-v"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "net.w_0_weight" in done.stdout
    assert "cpu float32" in done.stdout
    if not torch.cuda.is_available():
        assert "not checked on cuda" in done.stdout
