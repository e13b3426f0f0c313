"""Reductions, scans, shapes and indexing beside PyTorch's own."""

import numpy as np
import pytest

import gradcheck_cli.ops as F
from tests.ops.torch_reference.reference import assert_agrees

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch


def over(x, axis):
    """The axes of a reduction: all of them for None."""
    return tuple(range(x.ndim)) if axis is None else axis


def line(x, axis):
    """The tensor and axis of a scan: flattened for None."""
    return (x.reshape(-1), 0) if axis is None else (x, axis)


def in_order(function):
    """The function with its attributes by position: they have other names there."""
    return lambda *arrays, **attributes: function(*arrays, *attributes.values())


def reductions():
    def product(x, axis, keepdims):
        for each in sorted(np.atleast_1d(over(x, axis)).tolist(), reverse=True):
            x = torch.prod(x, each, keepdim=keepdims)
        return x

    return {
        "sum": lambda x, axis, keepdims: torch.sum(x, over(x, axis), keepdim=keepdims),
        "mean": lambda x, axis, keepdims: torch.mean(x, over(x, axis), keepdim=keepdims),
        "var": lambda x, axis, ddof, keepdims: torch.var(x, over(x, axis), correction=ddof, keepdim=keepdims),
        "std": lambda x, axis, ddof, keepdims: torch.std(x, over(x, axis), correction=ddof, keepdim=keepdims),
        "prod": product,
        "max": lambda x, axis, keepdims: torch.amax(x, over(x, axis), keepdim=keepdims),
        "min": lambda x, axis, keepdims: torch.amin(x, over(x, axis), keepdim=keepdims),
        "logsumexp": lambda x, axis, keepdims: torch.logsumexp(x, over(x, axis), keepdim=keepdims),
        "norm": in_order(torch.linalg.norm),
        "trace": lambda x, offset, axis1, axis2: torch.diagonal(x, offset, axis1, axis2).sum(-1),
        "cumsum": lambda x, axis: torch.cumsum(*line(x, axis)),
        "cumprod": lambda x, axis: torch.cumprod(*line(x, axis)),
        "logcumsumexp": lambda x, axis: torch.logcumsumexp(*line(x, axis)),
    }


def shapes():
    def expand_dims(x, axis):
        for each in np.atleast_1d(axis).tolist():
            x = torch.unsqueeze(x, each)
        return x

    def roll(x, shift, axis):
        return torch.roll(x, (shift,) * 2, axis) if isinstance(axis, tuple) else torch.roll(x, shift, axis)

    def reflected(size, before, after):
        return np.abs((np.arange(-before, size + after) + size - 1) % (2 * size - 2) - (size - 1))

    def pad(x, pad_width, mode, constant_values):
        if mode == "reflect":  # torch has no more to reflect than one side is long
            rows, columns = map(reflected, x.shape, *np.broadcast_to(pad_width, (2, 2)).T.tolist())
            return x[rows][:, columns]
        widths = np.broadcast_to(pad_width, (2, 2))[::-1].reshape(-1).tolist()
        more = {"value": constant_values} if mode == "constant" else {}
        mode = "replicate" if mode == "edge" else mode
        return torch.nn.functional.pad(x[None, None], widths, mode, **more)[0, 0]

    return {
        "copy": torch.clone,
        "reshape": lambda x, shape: torch.reshape(x, (shape,) if isinstance(shape, int) else shape),
        "transpose": lambda x, axes: torch.permute(x, axes or tuple(reversed(range(x.ndim)))),
        "swapaxes": in_order(torch.swapaxes),
        "moveaxis": in_order(torch.moveaxis),
        "expand_dims": expand_dims,
        "squeeze": lambda x, axis: torch.squeeze(x) if axis is None else torch.squeeze(x, axis),
        "broadcast_to": in_order(torch.broadcast_to),
        "concatenate": lambda *xs, axis: torch.cat([line(x, axis)[0] for x in xs], axis or 0),
        "stack": lambda *xs, axis: torch.stack(xs, axis),
        "split": in_order(torch.tensor_split),
        "flip": lambda x, axis: torch.flip(x, np.atleast_1d(over(x, axis)).tolist()),
        "roll": roll,
        "tile": lambda x, reps: torch.tile(x, (reps,) if isinstance(reps, int) else reps),
        "repeat": in_order(torch.repeat_interleave),
        "pad": pad,
    }


def choices():
    def getitem(x, key):
        backwards = isinstance(key, tuple) and key[0] is None  # torch has no negative steps
        return torch.flip(x, (-1,))[None] if backwards else x[key]

    def take(x, indices, axis, mode):
        x, axis = line(x, axis)
        taken = torch.index_select(x, axis, indices.reshape(-1))
        return taken.reshape(*x.shape[: axis % x.ndim], *indices.shape, *x.shape[axis % x.ndim + 1 :])

    return {
        "getitem": getitem,
        "take": take,
        "gather": lambda x, index, axis: torch.gather(x, axis, index),
        "scatter_add": lambda x, index, src, axis: torch.scatter_add(x, axis, index, src),
        "sort": lambda x, axis: torch.sort(*line(x, axis))[0],
        "topk": in_order(torch.topk),
        "triu": in_order(torch.triu),
        "tril": in_order(torch.tril),
        "diag": in_order(torch.diag),
        "diagonal": in_order(torch.diagonal),
        "embedding": torch.nn.functional.embedding,
    }


REDUCED = "sum mean var std prod max min logsumexp norm trace cumsum cumprod logcumsumexp".split()
SHAPED = (
    "copy reshape transpose swapaxes moveaxis expand_dims squeeze broadcast_to concatenate stack split flip roll "
    "tile repeat pad"
).split()
CHOSEN = "getitem take gather scatter_add sort topk triu tril diag diagonal embedding".split()


@pytest.mark.parametrize(
    ("family", "name"),
    [
        (family, name)
        for family, names in ((reductions, REDUCED), (shapes, SHAPED), (choices, CHOSEN))
        for name in names
    ],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_operator_of_arrays_agrees_with_pytorch(family, name):
    assert_agrees(name, family()[name])


@pytest.mark.parametrize("x", [[1.0, 4.0, 4.0, 2.0], [0.0, 0.0, 3.0, 2.0], [0.0, 5.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
@pytest.mark.parametrize("name", ["max", "min", "prod", "cumprod", "norm", "cumsum"])
def test_conventions_at_ties_and_zeros_are_those_of_pytorch(name, x, check):
    tensor = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    attributes = {"axis": 0, "keepdims": False} if name in REDUCED[:9] else {"axis": 0}
    theirs = reductions()[name](tensor, **({"ord": 2} if name == "norm" else {}), **attributes)
    theirs.sum().backward()
    (ours,) = check.gradients(getattr(F, name), [np.array(x)], {"axis": 0})
    np.testing.assert_allclose(ours, tensor.grad.numpy(), rtol=1e-14)


@pytest.mark.parametrize("ord", [1, 2, 3, np.inf, -np.inf])
def test_norm_at_zero_and_at_ties_is_that_of_pytorch(ord, check):
    for x in (np.zeros(3), np.array([0.0, -2.0, 2.0])):
        tensor = torch.tensor(x, requires_grad=True)
        torch.linalg.vector_norm(tensor, ord).backward()
        (ours,) = check.gradients(F.norm, [x], {"ord": ord, "axis": 0})
        np.testing.assert_allclose(ours, tensor.grad.numpy(), rtol=1e-14, err_msg=f"x = {x}")


@pytest.mark.parametrize("axis", [None, (0, 1), (1, 0)])
@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
def test_norm_of_matrices_is_that_of_pytorch(ord, axis, check):
    x = np.random.default_rng(0).standard_normal((3, 4))
    tensor = torch.tensor(x, requires_grad=True)
    theirs = torch.linalg.norm(tensor, ord, axis)
    theirs.backward()
    np.testing.assert_allclose(F.norm(x, ord=ord, axis=axis), theirs.item(), rtol=1e-13)
    (ours,) = check.gradients(F.norm, [x], {"ord": ord, "axis": axis})
    np.testing.assert_allclose(ours, tensor.grad.numpy(), rtol=1e-12, atol=1e-14)


def test_one_hot_has_the_values_of_pytorch():
    labels = np.random.default_rng(0).integers(0, 5, (3, 4))
    known = torch.nn.functional.one_hot(torch.tensor(labels), 5).numpy()
    np.testing.assert_array_equal(F.one_hot(labels, num_classes=5), known)
