"""Arrays become tensors with the same numbers in the same layout, and come back."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch

from gradcheck_cli.bridges.torch_code.tensors import (  # noqa: E402
    Placement,
    computing_in,
    laid_out,
    same_bits,
    strides_of,
    to_array,
)
from gradcheck_cli.errors import OperatorError  # noqa: E402

BASE = np.arange(24.0).reshape(4, 6)
LAYOUTS = {
    "contiguous": (BASE, (6, 1)),
    "Fortran": (np.asfortranarray(BASE), (1, 4)),
    "transposed": (BASE.T, (1, 6)),
    "with gaps": (BASE[:, ::2], (6, 2)),
    "every other row, transposed": (BASE[::2].T, (1, 12)),
    "broadcast": (np.broadcast_to(BASE[0], (4, 6)), (0, 1)),
    "broadcast column": (np.broadcast_to(BASE[:, :1], (4, 6)), (6, 0)),
    "no axes": (np.array(1.5), ()),
}
IMPOSSIBLE = {
    "reversed": BASE[:, ::-1],
    "reversed rows": BASE[::-1],
    "sliding windows": np.lib.stride_tricks.sliding_window_view(np.arange(6.0), 3),
    "a field of records": np.zeros(3, dtype=[("a", "f8"), ("b", "f4")])["a"],
}


@pytest.mark.parametrize(("array", "strides"), LAYOUTS.values(), ids=LAYOUTS)
def test_tensor_has_the_numbers_and_the_layout_of_its_array(array, strides):
    tensor = laid_out(Placement().tensor(array), strides_of(array))
    assert tensor.stride() == strides
    assert np.array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("array", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_layout_that_no_tensor_can_have_becomes_a_contiguous_one(array):
    tensor = laid_out(Placement().tensor(array), strides_of(array))
    assert tensor.is_contiguous()
    assert np.array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0, 2)])
def test_tensor_without_elements_keeps_its_shape(shape):
    array = np.zeros(shape)
    assert tuple(laid_out(Placement().tensor(array), strides_of(array)).shape) == shape


def test_copy_is_made_without_a_warning_and_writing_to_it_leaves_the_array_alone():
    array = np.ones((2, 3))
    array.setflags(write=False)
    tensor = laid_out(Placement().tensor(array), strides_of(array))
    tensor.zero_()
    assert array.sum() == 6


def test_gradients_flow_through_the_copy_element_by_element():
    source = torch.arange(6.0).reshape(2, 3).requires_grad_()
    copy = laid_out(source, (1, 2))
    assert copy.stride() == (1, 2)
    (copy * torch.tensor([[1.0, 2, 3], [4, 5, 6]])).sum().backward()
    assert source.grad.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("array", "wanted"),
    [
        (np.ones(2), torch.float64),
        (np.ones(2, np.float32), torch.float32),
        (np.ones(2, np.float16), torch.float16),
        (np.ones(2, ">f8"), torch.float64),
        (np.ones(2, np.int32), torch.int64),
        (np.ones(2, np.uint8), torch.int64),
        (np.ones(2, bool), torch.bool),
    ],
    ids=str,
)
def test_arrays_keep_their_floating_type_and_others_become_int64_or_bool(array, wanted):
    tensor = Placement().tensor(array)
    assert tensor.dtype == wanted
    assert tensor.tolist() == [1, 1]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_placement_converts_floats_alone(dtype):
    placement = Placement.read("cpu", dtype)
    assert placement.tensor(np.array([0.1])).dtype == getattr(torch, dtype)
    assert placement.tensor(np.array([3])).dtype == torch.int64


def test_arrays_of_different_types_compute_in_the_wider_one():
    assert Placement().floating(np.dtype("f4"), np.dtype("f8")) == torch.float64
    assert Placement().floating(np.dtype("f4")) == torch.float32
    assert Placement().floating() == torch.float64
    assert Placement("cpu", "float32").floating(np.dtype("f8")) == torch.float32


@pytest.mark.parametrize(
    ("written", "device", "dtype", "label"),
    [
        (("cpu", None), "cpu", None, ""),
        (("cpu", "float64"), "cpu", "float64", ""),
        (("cpu", torch.float32), "cpu", "float32", "cpu float32"),
        (("cuda", np.dtype("f4")), "cuda", "float32", "cuda float32"),
        (("cuda:1", None), "cuda:1", None, "cuda:1"),
        ((torch.device("cpu"), "bfloat16"), "cpu", "bfloat16", "cpu bfloat16"),
    ],
    ids=str,
)
def test_placement_is_read_as_people_write_it(written, device, dtype, label):
    placement = Placement.read(*written)
    assert (placement.device, placement.dtype, placement.label) == (device, dtype, label)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (("cudo", None), "'cudo' is no device of PyTorch"),
        (("gpu", None), "'gpu' is no device of PyTorch"),
        (("cpu", "float23"), "did you mean 'float32'?"),
        (("cpu", "int64"), "a floating type, not 'int64'"),
    ],
    ids=str,
)
def test_device_or_type_that_pytorch_does_not_know_is_said(written, said):
    with pytest.raises(OperatorError) as caught:
        Placement.read(*written)
    assert said in str(caught.value)


def test_device_that_is_not_there_is_known_to_be_missing_and_the_cpu_is_there():
    assert Placement("cpu").missing() == ""
    assert Placement("meta").missing() == ""
    if not torch.cuda.is_available():
        assert "CUDA" in Placement("cuda").missing()


def test_numbers_come_back_in_their_own_memory_half_precision_as_float32():
    tensor = torch.arange(3, dtype=torch.float64)
    array = to_array(tensor)
    tensor[0] = 7
    assert array.tolist() == [7, 1, 2]
    for dtype in (torch.float16, torch.bfloat16):
        half = to_array(torch.tensor([0.5, 2.0], dtype=dtype, requires_grad=True))
        assert (half.dtype, half.tolist()) == (np.float32, [0.5, 2.0])


def test_sparse_and_conjugated_tensors_come_back_as_plain_arrays():
    sparse = torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse()
    assert to_array(sparse).tolist() == [[0, 2], [0, 0]]
    assert to_array(torch.tensor([1 + 2j]).conj()).tolist() == [1 - 2j]
    assert to_array(torch.tensor(3)).shape == ()


def test_bits_are_compared_not_numbers():
    nan = torch.tensor([float("nan"), 1.0])
    assert same_bits(nan, nan.clone())
    assert not same_bits(torch.tensor([0.0]), torch.tensor([-0.0]))
    assert not same_bits(torch.zeros(2), torch.zeros(3))
    assert not same_bits(torch.zeros(2), torch.zeros(2, dtype=torch.float64))
    assert same_bits(torch.tensor([True]), torch.tensor([True]))
    assert not same_bits(torch.tensor([1, 2]), torch.tensor([1, 3]))
    assert same_bits(torch.tensor([1 + 2j]), torch.tensor([1 + 2j]))
    assert not same_bits(torch.tensor([1 + 2j]), torch.tensor([1 - 2j]))


def test_default_type_is_that_of_the_computation_and_then_what_it_was():
    before = torch.get_default_dtype()
    with pytest.raises(ZeroDivisionError), computing_in(torch.float64):
        assert torch.zeros(1).dtype == torch.float64
        raise ZeroDivisionError
    assert torch.get_default_dtype() == before
