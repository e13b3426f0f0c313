"""Operators that are described by hand, as the bridges describe code that was not written for this program."""

from __future__ import annotations

import numpy as np

from gradcheck_cli import Variable
from gradcheck_cli.bridges.foreign import Description, operator_of
from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.errors import Location

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
PLACES = (Location("code.py", 3), Location("code.py", 9))


class Code:
    """Foreign code made of two functions: `forward(operands, attributes)` and `backward(call)`."""

    def __init__(self, forward, backward):
        self.forward = forward
        self.backward = backward


def make(forward, backward, inputs=("x",), attributes=(), outputs=("out",), **more):
    declared = tuple(name if isinstance(name, Input) else Input(name, loose=True) for name in inputs)
    return operator_of(
        Code(forward, backward), Description("code", declared, attributes, outputs, PLACES, "Doc.", **more)
    )


def scale(**more):
    """s * x, with an attribute s that is 2 by default."""
    return make(
        lambda operands, settings: ((settings["s"] * operands[0],), None),
        lambda call: call.attributes["s"] * call.cotangents[0],
        attributes=(Attribute("s", 2.0),),
        **more,
    )


def twice(forward=None, backward=None, **more):
    return make(
        forward or (lambda operands, _: ((2 * operands[0],), "memory")),
        backward or (lambda call: 2 * call.cotangents[0]),
        **more,
    )


def gradient(operator, *operands, **attributes):
    """Sum what an operator returns, and return the gradient of the first operand."""
    leaf = Variable(operands[0])
    operator(leaf, *operands[1:], **attributes).backward(np.ones_like(X))
    return leaf.grad
