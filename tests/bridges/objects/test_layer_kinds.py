"""Kinds of layers: dropout, normalisation, convolution, a recurrent cell, and methods that return nothing."""

import numpy as np
import pytest

from gradcheck_cli.bridges.objects.layers import from_layer
from gradcheck_cli.errors import OperatorError
from tests.bridges.objects.judging import judge

RNG = np.random.default_rng(20)
X = RNG.normal(size=(5, 3))
IMAGES = RNG.normal(size=(1, 2, 4, 4))


class Dropout:
    def __init__(self, ratio=0.5):
        self.ratio = ratio

    def forward(self, x, train=True):
        if not train:
            return x * (1 - self.ratio)
        self.mask = np.random.rand(*x.shape) > self.ratio
        return x * self.mask

    def backward(self, dout):
        return dout * self.mask


class DrawsAgain(Dropout):
    def backward(self, dout):
        return dout * (np.random.rand(*dout.shape) > self.ratio)


class Unseeded(Dropout):
    def forward(self, x, train=True):
        self.mask = np.random.default_rng().random(x.shape) > self.ratio
        return x * self.mask


class OwnGenerator(Dropout):
    def __init__(self, ratio=0.5):
        super().__init__(ratio)
        self.rng = np.random.default_rng(3)

    def forward(self, x, train=True):
        self.mask = self.rng.random(x.shape) > self.ratio
        return x * self.mask


@pytest.mark.parametrize("cls", [Dropout, OwnGenerator])
def test_dropout_passes_whose_mask_is_kept(cls):
    operator = from_layer("dropout", cls, kwargs={"ratio": 0.4})
    assert operator.signature == "dropout(x, *, train=True)"
    assert judge(operator, {"x": X})[0] == "pass"


@pytest.mark.parametrize(("cls", "expected"), [(DrawsAgain, set()), (Unseeded, {"not-repeatable"})])
def test_dropout_fails_whose_mask_is_another_each_time(cls, expected):
    verdict, found, _ = judge(from_layer("dropout", cls), {"x": RNG.normal(size=(3, 6))})
    assert verdict == "fail"
    assert expected <= found


def test_training_flag_is_an_attribute():
    operator = from_layer("dropout", Dropout)
    np.testing.assert_array_equal(operator(X, train=False), 0.5 * X)
    with pytest.raises(OperatorError, match="no argument 'trian'"):
        operator(X, trian=False)


class BatchNorm:
    def __init__(self, size=3, momentum=0.9):
        self.gamma, self.beta = np.ones(size), np.zeros(size)
        self.momentum = momentum
        self.running_mean, self.running_var = np.zeros(size), np.ones(size)
        self.calls = 0

    def forward(self, x, train_flg=True):
        self.calls += 1
        if train_flg:
            mean, var = x.mean(axis=0), x.var(axis=0)
            self.running_mean *= self.momentum
            self.running_mean += (1 - self.momentum) * mean
            self.running_var = self.momentum * self.running_var + (1 - self.momentum) * var
        else:
            mean, var = self.running_mean, self.running_var
        self.std = np.sqrt(var + 1e-5)
        self.normal = (x - mean) / self.std
        return self.gamma * self.normal + self.beta

    def backward(self, dout):
        self.dgamma, self.dbeta = (dout * self.normal).sum(axis=0), dout.sum(axis=0)
        dn = dout * self.gamma
        return (dn - dn.mean(axis=0) - self.normal * self.through_variance(dn)) / self.std

    def through_variance(self, dn):
        return (dn * self.normal).mean(axis=0)


class ForgetsVariance(BatchNorm):
    def through_variance(self, dn):
        return 0


@pytest.mark.parametrize(("cls", "expected"), [(BatchNorm, "pass"), (ForgetsVariance, "fail")])
def test_running_statistics_are_no_reason_to_fail(cls, expected):
    operator = from_layer("norm", cls)
    assert list(operator.own) == ["gamma", "beta"]
    verdict, found, parameters = judge(operator, {"x": X})
    assert (verdict, found - {"unexplained"}) == (expected, set())
    assert parameters == {"x": expected, "gamma": "pass", "beta": "pass"}


class Convolution:
    """A convolution by unfolding patches into columns, as the book has it."""

    def __init__(self, W, b, stride=1, pad=0):
        self.W, self.b = W, b
        self.stride, self.pad = stride, pad
        self.x, self.col, self.col_W = None, None, None
        self.dW, self.db = None, None

    def patches(self, size):
        _, _, kernel, _ = self.W.shape
        out = (size + 2 * self.pad - kernel) // self.stride + 1
        return [(i, j, i * self.stride, j * self.stride) for i in range(out) for j in range(out)], kernel, out

    def forward(self, x):
        places, kernel, out = self.patches(x.shape[2])
        padded = np.pad(x, ((0, 0), (0, 0), (self.pad, self.pad), (self.pad, self.pad)))
        columns = [padded[:, :, r : r + kernel, c : c + kernel].reshape(len(x), -1) for _, _, r, c in places]
        self.x, self.col = x, np.stack(columns, axis=1)
        self.col_W = self.W.reshape(len(self.W), -1).T
        y = self.col @ self.col_W + self.b
        return y.transpose(0, 2, 1).reshape(len(x), -1, out, out)

    def backward(self, dout):
        places, kernel, _ = self.patches(self.x.shape[2])
        flat = dout.reshape(*dout.shape[:2], -1).transpose(0, 2, 1)
        self.db = flat.sum(axis=(0, 1))
        self.dW = np.einsum("npk,npo->ok", self.col, flat).reshape(self.W.shape)
        dcol = flat @ self.col_W.T
        n, c, height, width = self.x.shape
        dx = np.zeros((n, c, height + 2 * self.pad, width + 2 * self.pad))
        for place, (_, _, r, col) in enumerate(places):
            self.fold(dx, r, col, kernel, dcol[:, place].reshape(n, c, kernel, kernel))
        return dx[:, :, self.pad : self.pad + height, self.pad : self.pad + width]

    def fold(self, dx, r, c, kernel, patch):
        dx[:, :, r : r + kernel, c : c + kernel] += patch


class OverlapLost(Convolution):
    def fold(self, dx, r, c, kernel, patch):
        dx[:, :, r : r + kernel, c : c + kernel] = patch


@pytest.mark.parametrize(("cls", "expected"), [(Convolution, "pass"), (OverlapLost, "fail")])
@pytest.mark.parametrize("stride", [1, 2])
def test_convolution_takes_weights_in_its_constructor(cls, expected, stride):
    operator = from_layer("conv", cls, params={"W": "W", "b": "b"}, kwargs={"stride": stride, "pad": 1})
    weights = {"W": RNG.normal(size=(2, 2, 3, 3)), "b": RNG.normal(size=2)}
    assert not operator.own
    assert operator(IMAGES, **weights).shape == (1, 2, 4 // stride, 4 // stride)
    _, _, parameters = judge(operator, {"x": IMAGES, **weights})
    assert parameters == {"x": expected, "W": "pass", "b": "pass"}


class LstmCell:
    """One step of an LSTM: two outputs, and lists of weights and gradients as in the second book."""

    def __init__(self, Wx, Wh, b):
        self.params = [Wx, Wh, b]
        self.grads = [np.zeros_like(Wx), np.zeros_like(Wh), np.zeros_like(b)]
        self.cache = None

    def forward(self, x, h_prev, c_prev):
        Wx, Wh, b = self.params
        f, g, i, o = np.split(x @ Wx + h_prev @ Wh + b, 4, axis=1)
        f, i, o, g = (1 / (1 + np.exp(-f)), 1 / (1 + np.exp(-i)), 1 / (1 + np.exp(-o)), np.tanh(g))
        c_next = f * c_prev + g * i
        h_next = o * np.tanh(c_next)
        self.cache = (x, h_prev, c_prev, i, f, g, o, c_next)
        return h_next, c_next

    def backward(self, dh_next, dc_next):
        Wx, Wh, _ = self.params
        x, h_prev, c_prev, i, f, g, o, c_next = self.cache
        tanh_c = np.tanh(c_next)
        ds = self.into_cell(dc_next, dh_next * o * (1 - tanh_c**2))
        parts = [ds * c_prev * f * (1 - f), ds * i * (1 - g**2), ds * g * i * (1 - i), dh_next * tanh_c * o * (1 - o)]
        da = np.hstack(parts)
        self.grads[0][...] = x.T @ da
        self.grads[1][...] = h_prev.T @ da
        self.grads[2][...] = da.sum(axis=0)
        return da @ Wx.T, da @ Wh.T, ds * f

    def into_cell(self, dc_next, through_output):
        return dc_next + through_output


class ForgetsCell(LstmCell):
    def into_cell(self, dc_next, through_output):
        return through_output


@pytest.mark.parametrize(("cls", "expected"), [(LstmCell, "pass"), (ForgetsCell, "fail")])
def test_cell_with_two_outputs(cls, expected):
    operator = from_layer("lstm", cls)
    assert operator.outputs == ("h_next", "c_next")
    assert operator.signature == "lstm(x, h_prev, c_prev, Wx, Wh, b)"
    shapes = {"x": (2, 1), "h_prev": (2, 2), "c_prev": (2, 2), "Wx": (1, 8), "Wh": (2, 8), "b": (8,)}
    params = {name: RNG.normal(size=shape) for name, shape in shapes.items()}
    verdict, _, parameters = judge(operator, params)
    assert verdict == expected
    assert set(parameters.values()) == {expected}


class KeepsOnSelf:
    """A layer whose methods return nothing: output and gradients are attributes."""

    def __init__(self):
        self.weights = 0.1 * np.random.randn(3, 2)
        self.biases = np.zeros((1, 2))

    def forward(self, inputs, training):
        self.inputs = inputs
        self.output = inputs @ self.weights + self.biases

    def backward(self, dvalues):
        self.dweights = self.inputs.T @ dvalues
        self.dbiases = dvalues.sum(axis=0, keepdims=True)
        self.dinputs = dvalues @ self.weights.T


class KeepsWrong(KeepsOnSelf):
    def backward(self, dvalues):
        super().backward(dvalues)
        self.dinputs = self.dinputs + 1e-3 * dvalues @ self.weights.T


@pytest.mark.parametrize(("cls", "expected"), [(KeepsOnSelf, "pass"), (KeepsWrong, "fail")])
def test_methods_that_return_nothing(cls, expected):
    operator = from_layer("dense", cls)
    assert operator.signature == "dense(inputs, training, weights, biases)"
    _, _, parameters = judge(operator, {"inputs": X}, {"training": True})
    assert parameters == {"inputs": expected, "weights": "pass", "biases": "pass"}
