"""Arrays as PyTorch tensors and back: the same numbers, in memory that is laid out the same way."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.extras import install_line
from gradcheck_cli.errors import OperatorError, Problem, near

Tensor: TypeAlias = Any
"""A torch.Tensor: PyTorch is only there when a spec names it."""

_FLOATS = ("float64", "float32", "float16", "bfloat16")


def torch_module() -> Any:
    """Import PyTorch, which takes more than a second, now that it is needed. Raises OperatorError if it is missing."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        hint = f"install it: {install_line('torch')}, or the build for your machine from pytorch.org"
        message = f"PyTorch can't be imported: {error}"
        raise OperatorError(Problem(message, code="missing-framework", hint=hint)) from error


@dataclass(frozen=True)
class Placement:
    """The device on which tensors live, and the floating type in which they compute; None for that of the arrays."""

    device: str = "cpu"
    dtype: str | None = None

    @classmethod
    def read(cls, device: Any = "cpu", dtype: Any = None) -> Placement:
        """Read what a person wrote: `cuda:1`, `float32` or torch.float32. Raises OperatorError for what is neither."""
        torch = torch_module()
        try:
            device = str(torch.device(device))
        except (RuntimeError, TypeError) as error:
            message = f"'{device}' is no device of PyTorch"
            hint = near(str(device), ("cpu", "cuda", "mps", "xpu")) or "write cpu, cuda or cuda:1"
            raise OperatorError(Problem(message, code="wrong-device", hint=hint)) from error
        name = None if dtype is None else str(getattr(dtype, "name", dtype)).removeprefix("torch.")
        if name is not None and name not in _FLOATS:
            hint = near(name, _FLOATS) or f"there are: {', '.join(_FLOATS)}"
            message = f"dtype should be a floating type, not '{name}'"
            raise OperatorError(Problem(message, code="wrong-dtype", hint=hint))
        return cls(device, name)

    @property
    def label(self) -> str:
        """Device and type as a case's line shows them; empty for plain arrays on the CPU."""
        plain = self.device == "cpu" and self.dtype in (None, "float64")
        return "" if plain else " ".join(filter(None, (self.device, self.dtype)))

    def missing(self) -> str:
        """Say why the device can't be used here; empty if it can."""
        torch = torch_module()
        if self.device == "cpu":
            return ""
        try:
            torch.empty(0, device=self.device)
        except (AssertionError, RuntimeError, NotImplementedError) as error:  # a build without it, no such device
            return str(error).strip().partition("\n")[0]
        return ""

    def tensor(self, array: Array) -> Tensor:
        """Copy an array into a contiguous tensor: floats in the dtype of the placement, others as int64 or bool."""
        return self.like(array, self.floating(array.dtype) if array.dtype.kind == "f" else None)

    def like(self, array: Array, dtype: Any) -> Tensor:
        """Copy an array into a contiguous tensor of a torch dtype; None for int64 or bool."""
        torch = torch_module()
        floating = np.float64 if array.dtype.itemsize > 4 else np.float32
        kind = {"f": floating, "b": np.bool_}.get(array.dtype.kind, np.int64)
        # Always a copy: an array that is given to an operator is read-only, and the code may write.
        return torch.from_numpy(np.array(array, dtype=kind, order="C")).to(self.device, dtype)

    def floating(self, *dtypes: np.dtype[Any]) -> Any:
        """Return the torch dtype in which arrays of these floating types compute together."""
        name = self.dtype or (np.result_type(*dtypes).name if dtypes else "float64")
        return getattr(torch_module(), name if name in _FLOATS else "float64")


def laid_out(source: Tensor, strides: Sequence[int]) -> Tensor:
    """Return a new tensor with the numbers of `source`, and these strides in elements.

    It is recorded as a copy if gradients flow to `source`. Strides that no tensor has (negative ones,
    overlapping rows) give a contiguous one.
    """
    torch = torch_module()
    shape = tuple(source.shape)
    stretched = [size > 1 and stride == 0 for size, stride in zip(shape, strides, strict=True)]
    held = tuple(1 if flag else size for size, flag in zip(shape, stretched, strict=True))
    if not source.numel() or any(stride < 0 for stride in strides) or _overlap(held, strides):
        return torch.empty(shape, dtype=source.dtype, device=source.device).copy_(source)
    tensor = torch.empty_strided(held, tuple(strides), dtype=source.dtype, device=source.device)
    tensor.copy_(source[tuple(slice(0, 1) if flag else slice(None) for flag in stretched)])
    return tensor.expand(shape) if any(stretched) else tensor


def strides_of(array: Array) -> tuple[int, ...]:
    """Return the strides of an array in elements, those of a contiguous one where they are no whole number."""
    if any(stride % array.itemsize for stride in array.strides):
        array = np.empty(array.shape, array.dtype)
    return tuple(stride // array.itemsize for stride in array.strides)


def to_array(tensor: Tensor) -> Array:
    """Return the numbers of a tensor, in its own memory where NumPy has its type; half precision as float32."""
    torch = torch_module()
    plain = tensor.detach()
    if plain.layout != torch.strided:
        plain = plain.to_dense()
    plain = plain.cpu().resolve_conj().resolve_neg()
    if plain.is_floating_point() and plain.dtype not in (torch.float64, torch.float32):
        plain = plain.float()
    return np.asarray(plain.numpy())


def same_bits(before: Tensor, after: Tensor) -> bool:
    """Tell whether two tensors of one shape and dtype are equal to the last bit; NaN equals itself."""
    torch = torch_module()
    if before.shape != after.shape or before.dtype != after.dtype:
        return False
    if before.is_complex():
        before, after = torch.view_as_real(before.resolve_conj()), torch.view_as_real(after.resolve_conj())
    whole = {8: torch.int64, 4: torch.int32, 2: torch.int16}
    if before.is_floating_point():
        before, after = (part.detach().view(whole[part.element_size()]) for part in (before, after))
    return bool(torch.equal(before, after))


@contextmanager
def computing_in(dtype: Any) -> Iterator[None]:
    """Make new tensors of the code inside (torch.zeros) of the type that its inputs have, as float32 is by default."""
    torch = torch_module()
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _overlap(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Tell whether two elements of a layout may share memory."""
    reach = 0
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size > 1:
            if stride <= reach:
                return True
            reach += (size - 1) * stride
    return False
