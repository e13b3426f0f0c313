"""swish as classes: a layer that holds beta, a model with a loss, and a function that saves on itself.

Each comes with a right one and five wrong twins.
"""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def noise(x):
    return 1e-3 * np.random.default_rng().standard_normal(x.shape)


class Layer:
    """x * sigmoid(beta * x); beta is the layer's own, and dbeta its gradient after a backward."""

    def __init__(self, size):
        self.beta = np.linspace(0.5, 1.5, size)
        self.dbeta = None

    def forward(self, x):
        self.x, self.s = x, sigmoid(self.beta * x)
        return x * self.s

    def backward(self, dout):
        slope = self.s * (1 - self.s)
        self.dbeta = np.sum(dout * self.x**2 * slope, axis=0)
        return dout * (self.s + self.beta * self.x * slope)


class LayerSign(Layer):
    def backward(self, dout):
        dx = super().backward(dout)
        self.dbeta = -self.dbeta
        return dx


class LayerMissingTerm(Layer):
    def backward(self, dout):
        super().backward(dout)
        return dout * self.s


class LayerDetached(Layer):
    def backward(self, dout):
        dx = super().backward(dout)
        self.dbeta = np.zeros_like(self.beta)
        return dx


class LayerInPlace(Layer):
    def backward(self, dout):
        dx = super().backward(dout)
        dout[...] = 0
        return dx


class LayerNondeterministic(Layer):
    def forward(self, x):
        return super().forward(x + noise(x))


class Model:
    """The mean squared error of W-weighted swish, with its gradients by the names in `params`."""

    def __init__(self, size):
        self.params = {"W": np.linspace(-1, 1, size), "beta": np.linspace(0.5, 1.5, size)}

    def loss(self, X, y):
        W, beta = self.params["W"], self.params["beta"]
        s = sigmoid(beta * X)
        off = (X * s) @ W - y
        slope = X * X * s * (1 - s)
        return np.mean(off**2), {"W": 2 * off @ (X * s) / len(y), "beta": 2 * (off @ slope) * W / len(y)}


class ModelSign(Model):
    def loss(self, X, y):
        value, grads = super().loss(X, y)
        return value, {**grads, "W": -grads["W"]}


class ModelMissingTerm(Model):
    def loss(self, X, y):
        value, grads = super().loss(X, y)
        return value + 0.1 * np.sum(self.params["W"] ** 2), grads  # the penalty has a gradient, too


class ModelDetached(Model):
    def loss(self, X, y):
        value, grads = super().loss(X, y)
        return value, {**grads, "beta": np.zeros_like(grads["beta"])}


class ModelInPlace(Model):
    def loss(self, X, y):
        X -= X.mean(axis=0)
        return super().loss(X, y)


class ModelNondeterministic(Model):
    def loss(self, X, y):
        return super().loss(X + noise(X), y)


class Function:
    """x * sigmoid(beta * x) as small frameworks write it: one instance for each application."""

    def forward(self, x, beta):
        self.x, self.beta, self.s = x, beta, sigmoid(beta * x)
        return x * self.s

    def backward(self, gy):
        slope = self.s * (1 - self.s)
        return gy * (self.s + self.beta * self.x * slope), gy * self.x**2 * slope


class FunctionSign(Function):
    def backward(self, gy):
        gx, gbeta = super().backward(gy)
        return -gx, gbeta


class FunctionMissingTerm(Function):
    def backward(self, gy):
        return gy * self.s, super().backward(gy)[1]


class FunctionDetached(Function):
    def backward(self, gy):
        return super().backward(gy)[0], np.zeros_like(self.beta)


class FunctionInPlace(Function):
    def forward(self, x, beta):
        x *= 1.5
        return super().forward(x, beta)


class FunctionNondeterministic(Function):
    def forward(self, x, beta):
        return super().forward(x + noise(x), beta)
