"""Classes that stand for one application, right and wrong ones, judged end to end."""

import numpy as np
import pytest

from gradcheck_cli.api import check
from gradcheck_cli.bridges.objects.classes import from_function
from gradcheck_cli.errors import OperatorError, Skipped
from tests.bridges.objects.judging import judge

RNG = np.random.default_rng(41)
X, Y = RNG.normal(size=(2, 3, 4))


class Function:
    """The base of a small framework: it wraps and unwraps variables, which the checker doesn't use."""

    def __call__(self, *inputs):
        raise AssertionError("forward and backward are called directly")

    def forward(self, *xs):
        raise NotImplementedError

    def backward(self, *gys):
        raise NotImplementedError


class Mul(Function):
    def forward(self, x0, x1):
        self.x0, self.x1 = x0, x1
        return x0 * x1

    def backward(self, gy):
        return gy * self.x1, gy * self.x0


class MulSwapped(Mul):
    def backward(self, gy):
        return gy * self.x0, gy * self.x1


class MulOnce(Mul):
    def backward(self, gy):
        return gy * self.x1


class MulInPlace(Mul):
    def backward(self, gy):
        self.x0 *= gy
        return gy * self.x1, self.x0


class MulDetached(Mul):
    def backward(self, gy):
        return gy * self.x1, np.zeros_like(self.x1)


class Relu(Function):
    def forward(self, x):
        self.mask = x > 0
        return np.maximum(x, 0)

    def backward(self, gy):
        return gy * self.mask


class ReluWrongSide(Relu):
    def backward(self, gy):
        return gy * ~self.mask


class Noisy(Relu):
    def forward(self, x):
        return super().forward(x) + 1e-3 * np.random.default_rng().normal(size=x.shape)


class SinCos(Function):
    def forward(self, x):
        self.x = x
        return np.sin(x), np.cos(x)

    def backward(self, gsin, gcos):
        return gsin * np.cos(self.x) - gcos * np.sin(self.x)


class SinCosSpread(SinCos):
    def backward(self, *gys):
        return super().backward(gys[0], gys[1])


class SinCosTogether(SinCos):
    def backward(self, gys):
        gsin, gcos = gys
        return super().backward(gsin, gcos)


class SinCosForgets(SinCos):
    def backward(self, gsin, gcos):
        return gsin * np.cos(self.x)


class Packed(Function):
    """Takes its arrays as one list, and returns its output in a tuple."""

    def forward(self, xs):
        x0, x1 = xs
        self.xs = xs
        return (x0 * x1,)

    def backward(self, gy):
        x0, x1 = self.xs
        return gy * x1, gy * x0


class PackedBoth(Packed):
    def backward(self, inputs, grad_outputs):
        (gy,) = grad_outputs
        x0, x1 = inputs
        return gy * x1, gy * x0


class PackedWrong(Packed):
    def backward(self, gy):
        x0, _ = self.xs
        return gy * x0, gy * x0


class SumAll(Function):
    def forward(self, xs):
        self.count = len(xs)
        return sum(xs)

    def backward(self, gy):
        return [gy] * self.count


class Reshape(Function):
    def __init__(self, shape):
        self.shape = shape

    def forward(self, x):
        self.x_shape = x.shape
        return x.reshape(self.shape)

    def backward(self, gy):
        return gy.reshape(self.x_shape)


@pytest.mark.parametrize(
    ("cls", "expected", "finding"),
    [
        (Mul, "pass", None),
        (MulSwapped, "fail", None),
        (MulOnce, "fail", "gradient-count"),
        (MulInPlace, "fail", "input-modified"),
        (MulDetached, "fail", None),
        (Packed, "pass", None),
        (PackedBoth, "pass", None),
        (PackedWrong, "fail", None),
    ],
)
def test_function_of_two_arrays(cls, expected, finding):
    operator = from_function("mul", cls)
    assert operator.signature == "mul(x0, x1)"
    verdict, found, _ = judge(operator, {"x0": X, "x1": Y})
    assert verdict == expected
    assert finding is None or found == {finding}


@pytest.mark.parametrize(
    ("cls", "expected", "finding"),
    [(Relu, "pass", None), (ReluWrongSide, "fail", None), (Noisy, "fail", "not-repeatable")],
)
def test_function_of_one_array(cls, expected, finding):
    verdict, found, _ = judge(from_function("relu", cls), {"x": X})
    assert verdict == expected
    assert finding is None or finding in found


@pytest.mark.parametrize(
    ("cls", "expected"), [(SinCos, "pass"), (SinCosSpread, "pass"), (SinCosTogether, "pass"), (SinCosForgets, "fail")]
)
def test_several_outputs(cls, expected):
    operator = from_function("sincos", cls)
    assert len(operator.outputs) == 2
    assert judge(operator, {"x": X})[0] == expected


def test_any_number_of_arrays_in_one_list():
    operator = from_function("total", SumAll)
    assert operator.signature == "total(*xs)"
    assert check(operator, (X, Y, X + Y)).ok


def test_constructor_arguments():
    assert judge(from_function("reshape", Reshape, kwargs={"shape": [2, 6]}), {"x": X})[0] == "pass"
    with pytest.raises(OperatorError, match="Reshape can't be made without 'shape'"):
        from_function("reshape", Reshape)


def test_class_with_weights_is_a_layer():
    class Scale(Function):
        def __init__(self):
            self.w = np.ones(4)

        def forward(self, x):
            self.x = x
            return x * self.w

        def backward(self, gy):
            self.dw = (gy * self.x)[0]
            return gy * self.w

    operator = from_function("scale", Scale)
    assert operator.signature == "scale(x, w)"
    result = check(operator, {"x": X, **operator.own})
    assert [str(each.verdict) for each in result.parameters] == ["pass", "fail"]


class OfVariables(Function):
    def forward(self, x):
        return np.exp(x)

    def backward(self, gy):
        return gy * np.exp(self.inputs[0].data)


class NotWritten(Function):
    def forward(self, x):
        return x


def test_code_for_the_framework_itself_can_not_be_called():
    with pytest.raises(OperatorError, match="raised AttributeError"):
        check(from_function("exp", OfVariables), {"x": X})


def test_backward_that_is_not_written_is_skipped():
    with pytest.raises(Skipped, match="not written yet: the backward of same"):
        check(from_function("same", NotWritten), {"x": X})


class Half:
    def forward(self, x):
        return 0.5 * (x * x).sum()

    def backward(self, x):
        return x


def test_parameter_of_the_backward_is_the_cotangent_where_nothing_else_is():
    """Named like the input, but there is no other one."""

    class Same:
        def forward(self, x):
            return 2 * x

        def backward(self, x):
            return 2 * x

    assert judge(from_function("double", Same), {"x": X})[0] == "pass"
    assert judge(from_function("half", Half), {"x": X})[0] == "fail"


def test_loss_is_right_for_a_cotangent_of_one():
    class Loss(Half):
        def forward(self, x):
            self.x = x
            return super().forward(x)

        def backward(self, g):
            return self.x

    assert judge(from_function("half", Loss), {"x": X})[1] == {"not-linear-in-g"}
    assert judge(from_function("half", Loss, loss=True), {"x": X})[0] == "pass"
