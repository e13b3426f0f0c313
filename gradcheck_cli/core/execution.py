"""How operators are called: the one place where user code runs forward and backward.

The plain way is `Execution`. A check puts another one in its place with `using`, which looks
at more.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from gradcheck_cli.core.arrays import Array, changed_part, map_arrays, read_only, same_bytes
from gradcheck_cli.core.returned import read_gradients, read_outputs
from gradcheck_cli.errors import ContractViolation, GradcheckError, Location, OperatorError, Problem

if TYPE_CHECKING:
    from gradcheck_cli.core.node import Node
    from gradcheck_cli.core.operator import Operator, Rule

__all__ = ["Execution", "current", "raised", "same_bytes", "take_told", "tell", "trying", "using"]

# Of what an operator raised pytest shows the operator.
__tracebackhide__ = True


class Execution:
    """Call operators on read-only arrays and hold them to the shapes and types of the contract.

    An `attentive` one hears of every node that is recorded.
    """

    attentive = False

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward of `operator`; return its outputs as arrays, and its kept values.

        Raises OperatorError when the forward raises or returns something else than its outputs,
        ContractViolation when it writes to an input, MemoryError as it is.
        """
        try:
            if operator.simple:  # no views, which cost as much as small arithmetic
                returned = operator.forward(*arrays, **attributes) if attributes else operator.forward(*arrays)
                if type(returned) is ndarray and returned.base is None:
                    for array in arrays:
                        if array is returned:
                            break
                    else:
                        return (returned,), _NOTHING
            elif operator.trusted:
                returned = operator.forward(*arrays, **attributes)
            else:
                # A loose input may be given a plain value.
                views = [read_only(array) if isinstance(array, np.ndarray) else array for array in arrays]
                returned = operator.forward(*views, **attributes)
        except (Exception, SystemExit) as error:
            if isinstance(error, MemoryError):  # that says nothing of the operator, and whoever asked may ask for less
                tell(error, raised(operator.name, "forward", operator.location, error))
                raise
            names = [operator.slot_name(slot) for slot in range(len(arrays))]
            call = _Call(operator.name, "forward", operator.location, operator.forward, attributes, self.violated)
            returned = call.again(arrays, names, error)
        except BaseException as error:
            tell(error, raised(operator.name, "forward", operator.location, error))
            raise
        outputs, kept = read_outputs(operator, returned)
        return (_apart(outputs, arrays) if operator.trusted else outputs), kept

    def backward(self, node: Node, cotangents: Sequence[Array | None]) -> tuple[Array | None, ...]:
        """Run the needed backward rules of `node`; return a gradient per input, None where none is needed.

        Raises OperatorError when a rule raises, ContractViolation when it breaks the contract, MemoryError as it is.
        """
        gradients: list[Array | None] = [None] * len(node.parents)
        plan, saved = node.plan, node.values
        for rule, positions in zip(plan.rules, plan.arguments, strict=True):
            values = [saved[where] if where >= 0 else _cotangent(node, rule, cotangents, ~where) for where in positions]
            for slot, gradient in self.rule(node, rule, values).items():
                gradients[slot] = gradient
        return tuple(gradients)

    def violated(self, violation: ContractViolation) -> None:
        """Raise a violation after which the call's result could still be used; a check may accept it instead."""
        raise violation

    def recorded(
        self,
        node: Node,
        arrays: Sequence[Array | None],
        attributes: dict[str, Any],
        outputs: tuple[Array, ...],
        kept: dict[str, Any],
    ) -> None:
        """Learn of a node, with all that it is called with; of no use here.

        Unless it is attentive, it hears only of those whose operator has a jvp or a kernel.
        """

    def compared(self, function: np.ufunc, arrays: Sequence[Array], made: Array) -> None:
        """Learn of a comparison, which is no operator; of no use here."""

    def rule(self, node: Node, rule: Rule, values: Sequence[Any]) -> dict[int, Array]:
        """Call one backward rule with the values that it asks for; return gradients by input slot."""
        return read_gradients(node, rule, self.called(node, rule, values))

    def called(self, node: Node, rule: Rule, values: Sequence[Any]) -> Any:
        """Call one backward rule, or a jvp, and return what it returned."""
        try:
            return rule.function(*(values if rule.trusted else map(_protected, values)))
        except (Exception, SystemExit) as error:
            if isinstance(error, MemoryError):
                tell(error, raised(node.operator.name, rule.kind, rule.location, error))
                raise
            call = _Call(node.operator.name, rule.kind, rule.location, rule.function, {}, self.violated)
            return call.again(values, rule.asks, error)
        except BaseException as error:
            tell(error, raised(node.operator.name, rule.kind, rule.location, error))
            raise


_NOTHING: dict[str, Any] = {}
_TOLD = "_gradcheck_told"

in_use = Execution()
"""The execution in use; `using` changes it."""


def current() -> Execution:
    """Return the execution in use."""
    return in_use


@contextmanager
def using(execution: Execution) -> Iterator[None]:
    """Call operators through `execution` inside the `with` block."""
    global in_use  # noqa: PLW0603 (one for the process: the checker is single-threaded)
    before, in_use = in_use, execution
    try:
        yield
    finally:
        in_use = before


def raised(operator: str, what: str, where: Location, error: BaseException) -> OperatorError:
    """Describe an exception that came out of an operator."""
    frame = error.__traceback__
    place = where
    while frame is not None:  # the deepest line in the operator's own file says most
        if frame.tb_frame.f_code.co_filename == where.file:
            place = Location(where.file, frame.tb_lineno)
        frame = frame.tb_next
    text = str(error).strip() or "no message"
    message = f"{what} of {operator} raised {type(error).__name__}: {text}"
    source = linecache.getline(place.file, place.line).rstrip("\n")
    return OperatorError(Problem(message, place, "operator-raised", source=source))


def tell(error: BaseException, told: OperatorError) -> None:
    """Note at an exception that passes what would be said if an operator raised it.

    Whether one did is for those to say who hear of Ctrl-C, and who set deadlines: these come from anywhere, too.
    """
    error.__dict__.setdefault(_TOLD, told)  # the innermost operator says most


def take_told(error: BaseException) -> OperatorError | None:
    """Return what was noted at an exception that passed an operator, and forget it; None if it didn't pass any."""
    told = error.__dict__.pop(_TOLD, None)
    return told if isinstance(told, OperatorError) else None


@contextmanager
def trying() -> Iterator[None]:
    """Try arguments that nobody asked for: an operator that runs out of memory refuses them, as it may by any error."""
    try:
        yield
    except MemoryError as error:
        if (told := take_told(error)) is None:
            raise
        raise told from error


class _Call:
    """A call of user code that raised on read-only views."""

    def __init__(
        self,
        operator: str,
        what: str,
        where: Location,
        function: Callable[..., Any],
        attributes: dict[str, Any],
        violated: Callable[[ContractViolation], None],
    ) -> None:
        self.operator = operator
        self.what = what
        self.where = where
        self.function = function
        self.attributes = attributes
        self.violated = violated

    def again(self, values: Sequence[Any], names: Sequence[str], first: BaseException) -> Any:
        """Call on copies: code that needs a writable buffer is right, code that changes the bytes is not.

        Raises OperatorError with the first exception if it raises again, ContractViolation if it
        wrote to a value.
        """
        if isinstance(first, GradcheckError):
            raise first
        copies = [map_arrays(value, np.array) for value in values]
        returned, failed = None, False
        try:
            returned = self.function(*copies, **self.attributes)
        except (Exception, SystemExit):
            failed = True
        for name, before, after in zip(names, values, copies, strict=True):
            if (part := changed_part(before, after)) is not None:
                message = f"its {self.what} writes to {name}{part}: arrays given to an operator belong to the graph"
                hint = f"work on a copy: {name}{part} = {name}{part}.copy(), or return a new array"
                violation = ContractViolation("input-modified", message, self.operator, self.where, hint)
                violation.__cause__ = first
                self.violated(violation)
        if failed:
            raise raised(self.operator, self.what, self.where, first) from first
        return returned


def _protected(value: Any) -> Any:
    return read_only(value) if type(value) is np.ndarray else map_arrays(value, read_only)


def _apart(outputs: tuple[Array, ...], arrays: Sequence[Any]) -> tuple[Array, ...]:
    """Return outputs that can't be written through to the operands: read-only where they may be one, or part of one."""
    for out in outputs:
        if out.base is not None or any([out is array for array in arrays]):  # noqa: C419 (a generator costs more)
            return tuple(map(read_only, outputs))
    return outputs


def _cotangent(node: Node, rule: Rule, cotangents: Sequence[Array | None], output: int) -> Array | None:
    """Return the cotangent of an output: zeros where nothing arrived, None for one without if the rule is lenient."""
    g = cotangents[output]
    if g is not None:
        return g
    shape, dtype = node.outputs[output]
    if dtype.kind == "f":
        return np.zeros(shape, dtype)
    if rule.lenient:
        return None
    name = "g" if "g" in rule.asks and output == 0 else f"g_{node.operator.outputs[output]}"
    message = f"its backward asks for '{name}', but that output is {dtype} and has no gradient"
    raise OperatorError(Problem(f"{node.operator.name}: {message}", rule.location, "unknown-name"))
