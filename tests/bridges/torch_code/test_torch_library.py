"""Custom operators of torch.library: by their schema, with the places of their Python functions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from gradcheck_cli import check  # noqa: E402
from gradcheck_cli.bridges.torch_code.pytorch import from_torch  # noqa: E402
from gradcheck_cli.bridges.torch_code.torch_library import overload_of  # noqa: E402
from gradcheck_cli.errors import OperatorError  # noqa: E402
from gradcheck_cli.records import Verdict  # noqa: E402
from tests.places import line_of  # noqa: E402

X = np.random.default_rng(0).standard_normal((3, 4))


@pytest.fixture(scope="module")
def cube():
    @torch.library.custom_op("gradcheck_tests::cube", mutates_args=())
    def cube(x: torch.Tensor, power: int = 3, *, factor: float = 1.0) -> torch.Tensor:
        return factor * x**power

    def setup_context(ctx, inputs, keyword_only_inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.power, ctx.factor = inputs[1], keyword_only_inputs["factor"]

    def backward(ctx, g):  # cube backward
        (x,) = ctx.saved_tensors
        return ctx.factor * ctx.power * x ** (ctx.power - 1) * g, None

    cube.register_autograd(backward, setup_context=setup_context)
    return cube


@pytest.fixture(scope="module")
def wrong():
    @torch.library.custom_op("gradcheck_tests::wrong", mutates_args=())
    def wrong(x: torch.Tensor) -> torch.Tensor:
        return x * x

    wrong.register_autograd(lambda ctx, g: g)
    return wrong


def test_operator_is_described_by_its_schema(cube):
    (operator,) = from_torch("cube", cube)
    assert operator.signature == "cube(x, *, power=3, factor=1.0)"
    assert Path(operator.file).name == Path(__file__).name
    line = line_of(__file__, "# cube backward")
    assert operator.rules[0].location.line == line


@pytest.mark.parametrize("form", ["definition", "packet", "overload"])
def test_definition_packet_and_overload_are_the_same_operator(cube, form):
    packet = torch.ops.gradcheck_tests.cube
    thing = {"definition": cube, "packet": packet, "overload": packet.default}[form]
    (operator,) = from_torch("cube", thing)
    result = check(lambda x: operator(x, power=2, factor=0.5), {"x": X})
    assert result.verdict is Verdict.PASS, result


def test_wrong_backward_of_a_custom_operator_fails(wrong):
    (operator,) = from_torch("wrong", wrong)
    assert check(operator, {"x": X}).verdict is Verdict.FAIL


def test_operators_of_pytorch_itself_are_known():
    (operator,) = from_torch("sine", torch.ops.aten.sin.default)
    assert operator.signature == "sine(self)"
    assert check(operator, (X,)).verdict is Verdict.PASS
    (operator,) = from_torch("largest", torch.ops.aten.max.dim)
    assert operator.outputs == ("values", "indices")
    assert check(lambda x: operator(x, 1)[0], {"x": X}).verdict is Verdict.PASS


def test_function_of_pytorch_in_c_is_known_by_its_name():
    (operator,) = from_torch("gelu", torch.nn.functional.gelu)
    assert operator.signature == "gelu(self, *, approximate='none')"
    result = check(lambda x: operator(x, approximate="tanh"), {"x": X})
    assert result.verdict is Verdict.PASS, result


def test_packet_whose_overloads_can_not_be_told_apart_asks_for_one():
    with pytest.raises(OperatorError, match="has several overloads") as caught:
        overload_of(torch.ops.aten.add)
    assert "aten.add." in str(caught.value)
    assert overload_of(np.sin) is None
    assert overload_of(torch.nn.functional.softmax) is None


def test_argument_that_is_declared_to_change_may_change():
    def hidden(x, mean):
        with torch.no_grad():
            mean.add_(1)
        return x * 2

    norm = torch.ops.aten._native_batch_norm_legit.default
    mean, variance = np.zeros(4), np.ones(4)

    def normalised(x):
        (operator,) = from_torch("norm", norm)
        return operator(x, None, None, mean, variance, True, 0.1, 1e-5)[0]

    assert check(normalised, {"x": X}).verdict is Verdict.PASS
    (operator,) = from_torch("hidden", hidden)
    result = check(lambda x: operator(x, mean), {"x": X})
    assert [finding.name for finding in result.findings] == ["input-modified"]
