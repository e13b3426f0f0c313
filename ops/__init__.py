"""The built-in operators, grouped by family; `import gradcheck_cli.ops as F`."""

from .activations import elu, gelu, leaky_relu, log_softmax, relu, sigmoid, silu, softmax, softplus, tanh
from .arithmetic import add, divide, maximum, minimum, multiply, negative, power, subtract
from .attention import scaled_dot_product_attention
from .convolutions import conv1d, conv2d, conv_transpose2d
from .elementwise import abs, clip, exp, log, sqrt, square, where
from .layers import dropout, interpolate, linear
from .linalg import matmul
from .losses import binary_cross_entropy_with_logits, cross_entropy, mse_loss
from .normalisation import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from .pooling import adaptive_avg_pool2d, avg_pool2d, max_pool2d
from .recurrent import gru_cell, lstm_cell, rnn_cell
from .reductions import logsumexp, max, mean, min, sum
from .shape import concatenate, copy, getitem, reshape, transpose

__all__ = [
    "abs",
    "adaptive_avg_pool2d",
    "add",
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy_with_logits",
    "clip",
    "concatenate",
    "conv1d",
    "conv2d",
    "conv_transpose2d",
    "copy",
    "cross_entropy",
    "divide",
    "dropout",
    "elu",
    "exp",
    "gelu",
    "getitem",
    "group_norm",
    "gru_cell",
    "instance_norm",
    "interpolate",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log",
    "log_softmax",
    "logsumexp",
    "lstm_cell",
    "matmul",
    "max",
    "max_pool2d",
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
    "rms_norm",
    "rnn_cell",
    "scaled_dot_product_attention",
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
