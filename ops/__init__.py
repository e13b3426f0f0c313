"""The built-in operators, grouped by family; `import gradcheck_cli.ops as F`."""

from .activations import elu, gelu, leaky_relu, log_softmax, relu, sigmoid, silu, softmax, softplus, tanh
from .arithmetic import add, divide, maximum, minimum, multiply, negative, power, subtract
from .elementwise import abs, clip, exp, log, sqrt, square, where
from .layers import dropout, linear
from .linalg import matmul
from .losses import binary_cross_entropy_with_logits, cross_entropy, mse_loss
from .reductions import logsumexp, max, mean, min, sum
from .shape import concatenate, copy, getitem, reshape, transpose

__all__ = [
    "abs",
    "add",
    "binary_cross_entropy_with_logits",
    "clip",
    "concatenate",
    "copy",
    "cross_entropy",
    "divide",
    "dropout",
    "elu",
    "exp",
    "gelu",
    "getitem",
    "leaky_relu",
    "linear",
    "log",
    "log_softmax",
    "logsumexp",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mse_loss",
    "multiply",
    "negative",
    "power",
    "relu",
    "reshape",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "sqrt",
    "square",
    "subtract",
    "sum",
    "tanh",
    "transpose",
    "where",
]
