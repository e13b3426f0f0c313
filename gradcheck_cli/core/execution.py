"""How operators are called: the one place where user code runs forward and backward.

The plain way is `Execution`. A check puts another one in its place with `using`, which looks
at more (see `verdict.contract`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcheck_cli.core.arrays import Array, read_only
from gradcheck_cli.errors import ContractViolation, Location, OperatorError, Problem

if TYPE_CHECKING:
    from gradcheck_cli.core.node import Node
    from gradcheck_cli.core.operator import Operator, Rule


@dataclass(frozen=True)
class Kept:
    """What a forward returned through `keep`: its outputs, and values for the backward."""

    outputs: tuple[Any, ...]
    values: dict[str, Any] = field(default_factory=dict)


class Execution:
    """Call operators on read-only arrays and hold them to the shapes and types of the contract."""

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward of `operator`; return its outputs as arrays, and its kept values.

        Raises OperatorError when the forward raises or returns something else than its outputs,
        ContractViolation when it writes to an input.
        """
        where = Location(operator.file, operator.line)
        try:
            returned = call_read_only(lambda *xs: operator.forward(*xs, **attributes), arrays, operator.name, where)
        except (ContractViolation, OperatorError):
            raise
        except Exception as error:
            raise raised(operator.name, "forward", where, error) from error
        return _outputs(operator, returned)

    def backward(self, node: Node, cotangents: Sequence[Array | None]) -> tuple[Array | None, ...]:
        """Run the needed backward rules of `node`; return a gradient per input, None where none is needed.

        Raises OperatorError when a rule raises, ContractViolation when it breaks the contract.
        """
        gradients: list[Array | None] = [None] * len(node.parents)
        for rule in node.rules:
            values = [_asked(node, cotangents, name) for name in rule.asks]
            for slot, gradient in self.rule(node, rule, values).items():
                gradients[slot] = gradient
        return tuple(gradients)

    def rule(self, node: Node, rule: Rule, values: Sequence[Any]) -> dict[int, Array]:
        """Call one backward rule with the values that it asks for; return gradients by input slot."""
        where = Location(rule.file, rule.line)
        name = node.operator.name
        try:
            returned = call_read_only(rule.function, values, name, where)
        except (ContractViolation, OperatorError):
            raise
        except Exception as error:
            raise raised(name, "backward", where, error) from error
        return _gradients(node, rule, returned, where)


_current = Execution()


def current() -> Execution:
    """Return the execution in use."""
    return _current


@contextmanager
def using(execution: Execution) -> Iterator[None]:
    """Call operators through `execution` inside the `with` block."""
    global _current  # noqa: PLW0603 (one for the process: the checker is single-threaded)
    before, _current = _current, execution
    try:
        yield
    finally:
        _current = before


def raised(operator: str, what: str, where: Location, error: Exception) -> OperatorError:
    """Describe an exception that came out of an operator."""
    line = error.__traceback__
    place = where
    while line is not None:  # the deepest line in the operator's own file says most
        if line.tb_frame.f_code.co_filename == where.file:
            place = Location(where.file, line.tb_lineno)
        line = line.tb_next
    text = str(error).strip() or "no message"
    return OperatorError(
        Problem(f"{what} of {operator} raised {type(error).__name__}: {text}", place, "operator-raised")
    )


def call_read_only(function: Callable[..., Any], values: Sequence[Any], operator: str, where: Location) -> Any:
    """Call `function` with read-only views of the arrays among `values`.

    If it raises, it is called again on copies: an operator that needs a writable buffer is
    right, one that changes the bytes is not.
    """
    views = [_map_arrays(value, read_only) for value in values]
    try:
        return function(*views)
    except Exception as first:
        copies = [_map_arrays(value, np.array) for value in values]
        try:
            returned = function(*copies)
        except Exception:
            raise first from None
        for position, (before, after) in enumerate(zip(values, copies, strict=True)):
            if not same_bytes(before, after):
                message = f"writes to its argument {position + 1}: arrays given to an operator belong to the graph"
                hint = "work on a copy: x = x.copy(), or return a new array"
                raise ContractViolation("input-modified", message, operator, where, hint) from first
        return returned


def same_bytes(before: Any, after: Any) -> bool:
    """Tell whether two values (arrays, or tuples of arrays) are equal to the last bit; NaN equals itself."""
    if isinstance(before, tuple) and isinstance(after, tuple):
        return len(before) == len(after) and all(map(same_bytes, before, after))
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        return before.dtype == after.dtype and before.shape == after.shape and before.tobytes() == after.tobytes()
    return True


def _map_arrays(value: Any, change: Callable[[Array], Array]) -> Any:
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_map_arrays(part, change) for part in value)
    return value


def _outputs(operator: Operator, returned: Any) -> tuple[tuple[Array, ...], dict[str, Any]]:
    kept: dict[str, Any] = {}
    if isinstance(returned, Kept):
        returned, kept = returned.outputs, returned.values
    elif not isinstance(returned, tuple):
        returned = (returned,)
    where = Location(operator.file, operator.line)
    if len(returned) != len(operator.outputs):
        declared = f"{len(operator.outputs)} output{'s' * (len(operator.outputs) != 1)}"
        hint = 'name several outputs in the decorator: outputs="loss probs"' if len(returned) > 1 else ""
        message = f"{operator.name} declares {declared} and returned {len(returned)}"
        raise OperatorError(Problem(message, where, "output-count", hint))
    arrays = tuple(np.asarray(value) for value in returned)
    for array in arrays:
        if array.dtype.kind not in "fiub":
            message = f"{operator.name} returned {array.dtype}: outputs are real numbers"
            hint = "the forward has no return statement" if returned == (None,) else ""
            raise OperatorError(Problem(message, where, "output-type", hint))
    return arrays, kept


def _asked(node: Node, cotangents: Sequence[Array | None], name: str) -> Any:
    """Return what a backward rule asks for by `name`: a cotangent, or a saved value."""
    output = node.operator.cotangent_output(name)
    if output is None:
        return node.saved[name]
    g = cotangents[output]
    return np.zeros(node.output_shapes[output], node.output_dtypes[output]) if g is None else g


def _gradients(node: Node, rule: Rule, returned: Any, where: Location) -> dict[int, Array]:
    """Hold what a rule returned to the contract: count, None, shape, dtype."""
    operator = node.operator
    slots = operator.slots_of(rule, len(node.parents))
    if not isinstance(returned, tuple | list):
        returned = (returned,)
    if len(returned) != len(slots):
        names = ", ".join(operator.slot_name(slot) for slot in slots)
        message = f"its backward returned {len(returned)} gradients for {len(slots)} inputs ({names})"
        raise ContractViolation(
            "gradient-count", message, operator.name, where, "return one gradient per input, in order"
        )
    gradients = {}
    for slot, value in zip(slots, returned, strict=True):
        if node.parents[slot] is None:
            continue
        name = operator.slot_name(slot)
        if value is None:
            message = f"its backward returned None for {name}"
            hint = f"return zeros, or declare that it has no gradient: @op({name}=arr(nondiff=True))"
            raise ContractViolation("gradient-count", message, operator.name, where, hint)
        gradient = np.asarray(value)
        if gradient.shape != node.input_shapes[slot]:
            message = f"the gradient of {name} has shape {gradient.shape}, {name} has {node.input_shapes[slot]}"
            hint = _shape_hint(gradient.shape, node.input_shapes[slot] or ())
            raise ContractViolation("gradient-shape", message, operator.name, where, hint)
        dtype = node.input_dtypes[slot] or gradient.dtype
        # A wider floating type loses nothing (mixed precision promotes), so it is converted.
        if gradient.dtype.kind != "f" or gradient.dtype.itemsize < dtype.itemsize:
            message = f"the gradient of {name} has dtype {gradient.dtype}, {name} has {dtype}"
            hint = f"convert before it is returned: gradient.astype({name}.dtype)"
            raise ContractViolation("gradient-dtype", message, operator.name, where, hint)
        gradients[slot] = gradient.astype(dtype, copy=False)
    return gradients


def _shape_hint(got: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Name the missing sum or transpose that would turn `got` into `wanted`."""
    if got[::-1] == wanted:
        return "the gradient is transposed"
    added = len(got) - len(wanted)
    if added >= 0:
        inner = got[added:]
        stretched = [added + axis for axis, (a, b) in enumerate(zip(inner, wanted, strict=True)) if b == 1 != a]
        fits = all(a == b or b == 1 for a, b in zip(inner, wanted, strict=True))
        if fits:
            axes = (*range(added), *stretched)
            return (
                f"sum it over axis {', '.join(map(str, axes))}, where the input was broadcast: unbroadcast(g, x.shape)"
            )
    if int(np.prod(got)) == int(np.prod(wanted)):
        return f"same number of elements: reshape it to {wanted}"
    return "a gradient has the shape of its input"
