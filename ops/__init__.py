"""The built-in operators, grouped by family; `import gradcheck_cli.ops as F`."""

from .activations import elu, gelu, leaky_relu, log_softmax, relu, sigmoid, silu, softmax, softplus, tanh
from .arithmetic import add, divide, maximum, minimum, multiply, negative, power, subtract
from .decompositions import cholesky, eigh, pinv, svdvals
from .einsum import einsum
from .elementwise import abs, clip, exp, log, sqrt, square, where
from .fft import irfft, rfft
from .layers import dropout, linear
from .linalg import det, inv, matrix_power, slogdet, solve, solve_triangular
from .losses import binary_cross_entropy_with_logits, cross_entropy, mse_loss
from .products import dot, inner, kron, matmul, outer, tensordot
from .reductions import logsumexp, max, mean, min, sum
from .shape import concatenate, copy, getitem, reshape, transpose

__all__ = [
    "abs",
    "add",
    "binary_cross_entropy_with_logits",
    "cholesky",
    "clip",
    "concatenate",
    "copy",
    "cross_entropy",
    "det",
    "divide",
    "dot",
    "dropout",
    "eigh",
    "einsum",
    "elu",
    "exp",
    "gelu",
    "getitem",
    "inner",
    "inv",
    "irfft",
    "kron",
    "leaky_relu",
    "linear",
    "log",
    "log_softmax",
    "logsumexp",
    "matmul",
    "matrix_power",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mse_loss",
    "multiply",
    "negative",
    "outer",
    "pinv",
    "power",
    "relu",
    "reshape",
    "rfft",
    "sigmoid",
    "silu",
    "slogdet",
    "softmax",
    "softplus",
    "solve",
    "solve_triangular",
    "sqrt",
    "square",
    "subtract",
    "sum",
    "svdvals",
    "tanh",
    "tensordot",
    "transpose",
    "where",
]
