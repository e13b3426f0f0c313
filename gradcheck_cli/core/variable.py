"""Variables: arrays that remember how they were made, so that gradients can flow back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcheck_cli.core import watch
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.builtin import builtin
from gradcheck_cli.core.numpy_names import CONSTANT_FUNCTIONS, call_numpy, check_ufunc_call, numpy_operator
from gradcheck_cli.core.sweep import sweep

if TYPE_CHECKING:
    from gradcheck_cli.core.node import Node

_new = object.__new__


class Variable:
    """An array with its gradient and the node that created it.

    `data` is the array (floating unless `requires_grad` is false, then also integers and booleans), `grad` is None
    or an array of the same shape, `creator` is the node whose output this is. Only leaves, without one, keep a `grad`.
    """

    __slots__ = ("__weakref__", "_data", "creator", "grad", "name", "output_index", "requires_grad")

    def __init__(self, data: Any, requires_grad: bool = True, name: str | None = None) -> None:
        array = np.asarray(data)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"a Variable holds real numbers, not {array.dtype}")
        if requires_grad and array.dtype.kind != "f":
            array = array.astype(np.float64)
        self._data: Array = array
        self.grad: Array | None = None
        self.requires_grad = requires_grad
        self.creator: Node | None = None
        self.output_index = 0
        self.name = name

    @property
    def data(self) -> Array:
        """The array."""
        if watch.seen is not None:
            watch.seen(self._data)
        return self._data

    @data.setter
    def data(self, array: Array) -> None:
        _ = self.data  # is heard
        self._data = array

    def backward(self, g: Any = None) -> None:
        """Add the gradient of this value to the `grad` of every leaf that it was made from.

        `g` is the cotangent, an array of this shape; without it the value must be one number, and it is 1.
        Raises ValueError for a missing or misshapen cotangent, and for a value that was not recorded.
        """
        if not self.requires_grad:
            raise ValueError("nothing to differentiate: this value was not made from a Variable with requires_grad")
        if g is None:
            if self._data.size != 1:
                raise ValueError(f"a value of shape {self._data.shape} needs a cotangent: backward(g)")
            cotangent = np.ones_like(self._data)
        else:
            cotangent = np.asarray(value_of(g), dtype=self._data.dtype)
            if cotangent.shape != self._data.shape:
                raise ValueError(f"the cotangent has shape {cotangent.shape}, the value {self._data.shape}")
        for leaf, gradient in sweep([(self, cotangent)]).items():
            leaf.grad = gradient if leaf.grad is None else np.asarray(leaf.grad + gradient)

    @property
    def origin(self) -> tuple[Node, int] | Variable:
        """What a node points to instead of this Variable: its own node and output, or itself for a leaf."""
        return self if self.creator is None else (self.creator, self.output_index)

    def zero_grad(self) -> None:
        """Forget the gradient accumulated so far."""
        self.grad = None

    def detach(self) -> Variable:
        """Return the same array as a constant: no gradient flows through it."""
        return Variable(self._data, requires_grad=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self._data.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._data.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._data.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type of the array."""
        return self._data.dtype

    @property
    def T(self) -> Any:  # noqa: N802 (NumPy's name)
        """The array with its axes reversed."""
        return builtin["transpose"](self)

    def item(self) -> Any:
        """Return the value of a one-element Variable as a Python number. Raises ValueError for another size."""
        return self.data.item()

    def __len__(self) -> int:
        return len(self._data)

    def __bool__(self) -> bool:
        return bool(self.data)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    def __reduce__(self) -> Any:
        if self.creator is not None:
            raise TypeError("only a leaf Variable can be copied or pickled, not a recorded value: use .detach()")
        return _restored, (self.data, self.grad, self.requires_grad, self.name)

    def __repr__(self) -> str:
        name = f", name={self.name!r}" if self.name else ""
        flag = "" if self.requires_grad else ", requires_grad=False"
        return f"Variable({np.array2string(self.data, separator=', ')}{flag}{name})"

    __hash__ = object.__hash__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        raise TypeError("a Variable isn't converted to an array silently, since its gradient would be lost: use .data")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        check_ufunc_call(ufunc.__name__, method, options)
        if ufunc.__name__ in CONSTANT_FUNCTIONS:
            return ufunc(*_plain(inputs))
        return numpy_operator(ufunc.__name__)(*inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function.__name__ in CONSTANT_FUNCTIONS:
            return function(*_plain(args), **{key: value_of(value) for key, value in kwargs.items()})
        return call_numpy(function, args, kwargs)

    # Comparisons are constants: they have no gradient, and Python's control flow can use them.
    def __lt__(self, other: Any) -> Any:
        return self.data < value_of(other)

    def __le__(self, other: Any) -> Any:
        return self.data <= value_of(other)

    def __gt__(self, other: Any) -> Any:
        return self.data > value_of(other)

    def __ge__(self, other: Any) -> Any:
        return self.data >= value_of(other)

    def __eq__(self, other: Any) -> Any:
        return self.data == value_of(other)

    def __ne__(self, other: Any) -> Any:
        return self.data != value_of(other)

    def __add__(self, other: Any) -> Any:
        return builtin["add"].apply((self, other), {})

    def __radd__(self, other: Any) -> Any:
        return builtin["add"].apply((other, self), {})

    def __sub__(self, other: Any) -> Any:
        return builtin["subtract"].apply((self, other), {})

    def __rsub__(self, other: Any) -> Any:
        return builtin["subtract"].apply((other, self), {})

    def __mul__(self, other: Any) -> Any:
        return builtin["multiply"].apply((self, other), {})

    def __rmul__(self, other: Any) -> Any:
        return builtin["multiply"].apply((other, self), {})

    def __truediv__(self, other: Any) -> Any:
        return builtin["divide"].apply((self, other), {})

    def __rtruediv__(self, other: Any) -> Any:
        return builtin["divide"].apply((other, self), {})

    def __mod__(self, other: Any) -> Any:
        return builtin["mod"].apply((self, other), {})

    def __rmod__(self, other: Any) -> Any:
        return builtin["mod"].apply((other, self), {})

    def __pow__(self, other: Any) -> Any:
        return builtin["power"].apply((self, other), {})

    def __rpow__(self, other: Any) -> Any:
        return builtin["power"].apply((other, self), {})

    def __matmul__(self, other: Any) -> Any:
        return builtin["matmul"].apply((self, other), {})

    def __rmatmul__(self, other: Any) -> Any:
        return builtin["matmul"].apply((other, self), {})

    def __neg__(self) -> Any:
        return builtin["negative"].apply((self,), {})

    def __pos__(self) -> Variable:
        return self

    def __abs__(self) -> Any:
        return builtin["abs"].apply((self,), {})

    def __getitem__(self, key: Any) -> Any:
        return builtin["getitem"](self, key=index_key(key))

    def __iter__(self) -> Iterator[Any]:
        if self._data.ndim == 0:
            raise TypeError("iteration over a 0-d Variable")
        return (self[i] for i in range(len(self._data)))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        # Methods are the built-in operators: x.sum(axis=0), x.reshape(2, 3).
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            operator = builtin[name]
        except AttributeError:
            raise AttributeError(f"a Variable has no attribute or operator {name!r}") from None

        def method(*args: Any, **kwargs: Any) -> Any:
            if name in ("reshape", "transpose") and len(args) > 1:
                args = (args,)
            return operator(self, *args, **kwargs)

        return method


def from_node(data: Array, creator: Node | None, output_index: int) -> Variable:
    """Wrap output `output_index` of `creator`; a constant if `creator` is None."""
    variable = _new(Variable)
    variable._data = data
    variable.grad = None
    variable.requires_grad = creator is not None
    variable.creator = creator
    variable.output_index = output_index
    variable.name = None
    return variable


def array_of(operand: Any) -> Any:
    """Return what `value_of` does, unheard: for reads that a replay of the recorded steps repeats."""
    return operand._data if isinstance(operand, Variable) else operand


def value_of(operand: Any) -> Any:
    """Return the array of a Variable, anything else unchanged."""
    return operand.data if isinstance(operand, Variable) else operand


def index_key(key: Any) -> Any:
    """Return `key` with Variables (index arrays) replaced by their arrays."""
    return _plain(key) if isinstance(key, tuple) else value_of(key)


def _plain(values: Any) -> Any:
    """Return a tuple or list, and those inside it, with Variables replaced by their arrays."""
    return type(values)(_plain(part) if isinstance(part, tuple | list) else value_of(part) for part in values)


def _restored(data: Array, grad: Array | None, requires_grad: bool, name: str | None) -> Variable:
    """Make a leaf again from what `__reduce__` gave."""
    variable = Variable(data, requires_grad, name)
    variable.grad = grad
    return variable
