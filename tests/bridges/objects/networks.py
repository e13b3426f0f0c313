"""A network whose loss and gradients are methods of their own, and its layers."""

from collections import OrderedDict
from itertools import pairwise

import numpy as np


class Affine:
    def __init__(self, W, b):
        self.W, self.b = W, b

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, dout):
        self.dW, self.db = self.x.T @ dout, dout.sum(axis=0)
        return dout @ self.W.T


class Relu:
    def forward(self, x):
        self.mask = x <= 0
        out = x.copy()
        out[self.mask] = 0
        return out

    def backward(self, dout):
        dout[self.mask] = 0
        return dout


class Dropout:
    def forward(self, x):
        self.mask = np.random.rand(*x.shape) > 0.3
        return x * self.mask

    def backward(self, dout):
        return dout * self.mask


class Square:
    def forward(self, x, t):
        self.d = x - t
        return 0.5 * (self.d**2).sum() / len(t)

    def backward(self):
        return self.d / len(self.d)


class Network:
    """Layers that share the arrays of `params`, with a method for the loss and one for its gradients."""

    def __init__(self, sizes=(3, 4, 2), drop=False):
        self.params, self.layers = {}, OrderedDict()
        for index, (rows, columns) in enumerate(pairwise(sizes), start=1):
            self.params[f"W{index}"] = np.random.randn(rows, columns)
            self.params[f"b{index}"] = np.random.randn(columns)
            self.layers[f"Affine{index}"] = Affine(self.params[f"W{index}"], self.params[f"b{index}"])
            if index == 1:
                self.layers["Relu"] = Dropout() if drop else Relu()
        self.last = Square()

    def predict(self, x):
        for layer in self.layers.values():
            x = layer.forward(x)
        return x

    def loss(self, x, t):
        return self.last.forward(self.predict(x), t)

    def gradient(self, x, t):
        self.loss(x, t)
        return self.sweep()

    def sweep(self):
        dout = self.last.backward()
        for layer in reversed(self.layers.values()):
            dout = layer.backward(dout)
        names = [name for name in self.layers if name.startswith("Affine")]
        return {f"{w}{name[6:]}": getattr(self.layers[name], f"d{w}") for name in names for w in "Wb"}
