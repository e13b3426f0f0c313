"""Applications of operators that have a jvp, and a few forwards to declare one for."""

import numpy as np

from gradcheck_cli import keep
from gradcheck_cli.core.execution import Execution, using
from gradcheck_cli.core.jvp import Application
from tests.core.declaring import operator

X = np.array([[0.5, -1.0, 2.0], [0.25, 3.0, -0.5]])
T = np.array([[1.0, -2.0, 0.5], [0.0, 1.5, 3.0]])


class Recorder(Execution):
    """Keeps the last application of an operator that has a jvp."""

    application = None

    def recorded(self, node, arrays, attributes, outputs, kept):
        self.application = Application(node, arrays, attributes, outputs, kept)


def applied(marked, *operands, **attributes):
    """Apply an operator to Variables and return the application."""
    recorder = Recorder()
    with using(recorder):
        marked(*operands, **attributes)
    return recorder.application


def definition(forward, jvp, backward=lambda g: g, **options):
    made = operator(forward, backward, **options)
    made.jvp(jvp)
    return made


def double(x):
    """2 * x."""
    return 2 * x


def scaled(x, w, *, factor=3.0):
    """factor * x * w."""
    return keep(factor * x * w, root=np.sqrt(np.abs(x)))


def scaled_backward(g, x, w, factor):
    return factor * g * w, factor * g * x


def product(x, w):
    """x * w."""
    return x * w
