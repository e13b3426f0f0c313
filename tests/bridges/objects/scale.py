"""A layer with one weight."""

import numpy as np


class Scale:
    """y = x * w, with a weight wherever a subclass puts it."""

    def __init__(self):
        self.w = np.array([0.5, -2.0])

    def weight(self):
        return self.w

    def keep(self, gradient):
        self.dw = gradient

    def forward(self, x):
        self.x = x
        return x * self.weight()

    def backward(self, g):
        self.keep((g * self.x).sum(axis=0))
        return g * self.weight()
