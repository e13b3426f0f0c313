"""Calls of JAX code: its value, jax.vjp and jax.jvp at the same operands."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcheck_cli.bridges.foreign import Call, Description
from gradcheck_cli.bridges.gradients import Slots
from gradcheck_cli.bridges.jax_code.jax_arrays import Compiler, frozen, jax_module, precision, to_jax
from gradcheck_cli.bridges.jax_code.jax_errors import explained
from gradcheck_cli.bridges.jax_code.jax_record import Record, record
from gradcheck_cli.bridges.signatures import placed
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import ContractViolation, OperatorError, Problem

_KEYS = frozenset(("key", "rng", "prng", "rng_key", "prng_key", "random_key"))
"""Arguments that are likely to be random keys: where an integer doesn't do, it is the seed of one."""

_ANOTHER_VALUE, _ROUNDINGS = 1e-3, 8
"""Share of the largest element from which a value is another one, and not rounded in another way: in machine epsilons,
if these are coarse."""


@dataclass(frozen=True)
class _Given:
    """The operands of one call by slot: arrays that may move, arrays that stand still, and plain values.

    `key` tells plain values and attributes from others, None if nothing does. `double` says whether JAX
    has to compute in double precision.
    """

    moving: Mapping[int, Any]
    still: Mapping[int, Any]
    plain: Mapping[int, Any]
    attributes: Mapping[str, Any]
    key: Hashable
    double: bool


class JaxCode:
    """A JAX function as foreign code.

    `parameters` are those of the function without the `fixed` arguments, `static` names arguments that are
    no arrays to JAX. `dtype` is the floating type in which it computes, None for that of the arrays.
    `gradient_names` are the arguments whose gradients a custom rule returns.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        described: Description,
        parameters: Sequence[inspect.Parameter],
        fixed: Mapping[str, Any],
        static: frozenset[str],
        dtype: str | None,
        gradient_names: Sequence[str],
    ) -> None:
        self.function = function
        self.described = described
        self.parameters = parameters
        self.fixed = fixed
        self.static = static
        self.dtype = dtype
        self.gradient_names = gradient_names
        self._compiler = Compiler()
        self._seeds_are_keys = False
        self._has_jvp = True
        self._records: dict[Hashable, Record] = {}
        self._last: Record | None = None

    def epsilon(self) -> float:
        """Return the machine epsilon with which the last forward computed, as far as its code tells."""
        return self._last.epsilon if self._last else 0.0

    def forward(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[tuple[Any, ...], Any]:
        """Call the function. Raises OperatorError for another number of outputs than is known."""
        made = self._value(operands, attributes)
        count = len(self.described.outputs)
        if not made and count == 1:
            return (None,), None
        if len(made) != count:
            names = " ".join(f"out{position}" for position in range(1, len(made) + 1))
            message = f"{self.described.name} returned {len(made)} outputs, and its text shows {count}"
            hint = f"name them in its `ops` mapping: outputs: {names}"
            raise OperatorError(Problem(message, self.described.places[0], "output-count", hint))
        floating = [value.dtype for value in operands if _is_floating(value)]
        wanted = np.result_type(*floating) if floating else np.dtype(np.float64)
        return tuple(self._converted(self._rounded(out), wanted) for out in made), None

    def backward(self, call: Call) -> Any:
        """Return the gradients of jax.vjp by the name of the input. Raises ContractViolation for wrong ones."""
        given = self._given(call.operands, call.attributes)
        returned = self._run(self._vjp, given, [g for g in call.cotangents if g is not None])
        gradients = dict(zip(given.moving, returned, strict=False))
        self._require_same_value(call.outputs, returned[len(gradients) :])
        slots = Slots(self.described.name, self.described.inputs, call.operands, self.described.places[1])
        return {slots.name(slot): self._converted(g, call.operands[slot].dtype) for slot, g in gradients.items()}

    def jvp(self, *asked: Any) -> Any:
        """Return the tangents of the floating outputs by jax.jvp; NotImplemented where JAX has no forward mode.

        Gets the tangents of the inputs that may have one, all inputs, and the attributes, in this order.
        """
        if not self._has_jvp:
            return NotImplemented
        inputs, values = self.described.inputs, list(asked)
        pushed = {item.name: values.pop(0) for item in inputs if item.domain.differentiable}
        operands: list[Any] = []
        tangents: list[Any] = []
        for item in inputs:
            value, tangent = values.pop(0), pushed.get(item.name)
            operands.extend(value if item.variadic else (value,))
            tangents.extend((tangent or [None] * len(value)) if item.variadic else (tangent,))
        names = [attribute.name for attribute in self.described.attributes]
        given = self._given(operands, dict(zip(names, values, strict=True)))
        try:
            made = self._run(self._jvp, given, [tangents[slot] for slot in given.moving])
        except (TypeError, ValueError, RuntimeError):
            # A custom_vjp or a callback inside. What is wrong with a custom_jvp the backward says, which uses it, too.
            self._has_jvp = False
            return NotImplemented
        wanted = np.result_type(*(operands[slot].dtype for slot in given.moving))
        return tuple(self._converted(tangent, wanted) for tangent in made)

    def _value(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> list[Array]:
        """Call the function, and again with seeds as random keys where it doesn't take them as they are."""
        try:
            return self._run(self._primal, self._given(operands, attributes))
        except (TypeError, ValueError):
            names = {item.name for item in self.described.inputs} | set(attributes)
            if self._seeds_are_keys or not names & _KEYS:
                raise
            self._seeds_are_keys = True
            try:
                return self._run(self._primal, self._given(operands, attributes))
            except (TypeError, ValueError):
                self._seeds_are_keys = False
            raise

    def _run(self, kind: Callable[..., Any], given: _Given, extra: Sequence[Array] = ()) -> list[Array]:
        """Run the code where it can import what it needs, on arrays of JAX."""
        groups = (list(given.moving.values()), list(given.still.values()), list(extra))

        def call() -> list[Array]:
            with precision(given.double), explained(self.described, self.gradient_names):
                arrays = [[to_jax(array, self.dtype) for array in group] for group in groups]
                self._last = self._recorded(given, arrays)
                key = given.key and (kind.__name__, given.key)
                return self._compiler.run(kind(given), key, self._last.loops, *arrays)

        try:
            return call()
        except ImportError:
            with self.described.home():
                return call()

    def _recorded(self, given: _Given, arrays: Sequence[Sequence[Any]]) -> Record:
        """Record forward and backward, once for each kind of call."""
        moving, still = arrays[:2]
        kind = (given.key, given.double, tuple((array.shape, str(array.dtype)) for array in (*moving, *still)))
        if kind not in self._records:
            self._records[kind] = record(self._vjp(given), (moving, still), given.double)
        return self._records[kind]

    def _given(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> _Given:
        slots = Slots(self.described.name, self.described.inputs, tuple(operands), self.described.places[0])
        moving: dict[int, Any] = {}
        still: dict[int, Any] = {}
        plain: dict[int, Any] = {}
        for slot, operand in enumerate(operands):
            item = slots.input_at(slot)
            value = self._as_key(item.name, operand)
            if item.name in self.static:
                plain[slot] = value.item() if isinstance(value, np.ndarray) and not value.shape else value
            elif not isinstance(value, np.ndarray | jax_module().Array):
                self._refuse_container(item.name, value)
                plain[slot] = value
            elif _is_floating(value) and item.domain.differentiable:
                moving[slot] = value
            else:
                still[slot] = value
        sizes = [value.dtype.itemsize for value in operands if _is_floating(value)]
        double = self.dtype == "float64" if self.dtype else max(sizes, default=8) > 4
        settings = {name: self._as_key(name, value) for name, value in attributes.items()}
        key = frozen([tuple(moving), tuple(still), plain, settings, self._seeds_are_keys])
        return _Given(moving, still, plain, settings, key, double)

    def _as_key(self, name: str, value: Any) -> Any:
        """Return a seed as a random key if it is to be one: a whole number, or the two of a key's data."""
        if not self._seeds_are_keys or name not in _KEYS or isinstance(value, bool):
            return value
        if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.shape[-1:] == (2,):
            return value.astype(np.uint32)
        if isinstance(value, int | float | np.ndarray) and not np.shape(value) and float(value).is_integer():
            return jax_module().random.key(int(value))
        return value

    def _refuse_container(self, name: str, value: Any) -> None:
        """Raise OperatorError for arrays inside a mapping or a list."""
        leaves = jax_module().tree_util.tree_leaves(value)
        if any(isinstance(leaf, np.ndarray | jax_module().Array) for leaf in leaves):
            message = f"{self.described.name} got arrays inside a {type(value).__name__} as '{name}'"
            hint = "give every array as an argument of its own, through a function that puts them together"
            raise OperatorError(Problem(message, None, "wrong-argument", hint))

    def _primal(self, given: _Given) -> Callable[..., list[Any]]:
        """Return the function of the arrays alone, with its outputs in a list."""
        jax = jax_module()

        def primal(moving: Sequence[Any], still: Sequence[Any], _: Sequence[Any] = ()) -> list[Any]:
            arrays = zip([*given.moving, *given.still], [*moving, *still], strict=True)
            operands = {**given.plain, **dict(arrays)}
            ordered = [operands[slot] for slot in sorted(operands)]
            args, kwargs = placed(self.parameters, self.described.inputs, ordered, given.attributes)
            returned = self.function(*args, **kwargs, **self.fixed)
            return [jax.numpy.asarray(leaf) for leaf in jax.tree_util.tree_leaves(returned)]

        return primal

    def _vjp(self, given: _Given) -> Callable[..., list[Any]]:
        """Return the function from arrays and the cotangents of floating outputs to gradients, then outputs.

        Without cotangents the outputs stand for them.
        """
        jax, primal = jax_module(), self._primal(given)

        def vjp(moving: Sequence[Any], still: Sequence[Any], cotangents: Sequence[Any] | None = None) -> list[Any]:
            outputs, back = jax.vjp(lambda *xs: primal(xs, still), *moving)
            floating = [out for out in outputs if jax.numpy.issubdtype(out.dtype, jax.numpy.floating)]
            waiting = list(floating if cotangents is None else cotangents)
            sent: list[Any] = []
            for out in outputs:
                if not any(out is each for each in floating):
                    sent.append(np.zeros(out.shape, jax.dtypes.float0))
                    continue
                g = waiting.pop(0)
                if g.shape != out.shape:
                    raise self._another_value(f"its shape is {out.shape}, and not {g.shape}")
                sent.append(g.astype(out.dtype))
            return [*back(sent), *outputs]

        return vjp

    def _jvp(self, given: _Given) -> Callable[..., list[Any]]:
        """Return the function from arrays and their tangents to the tangents of floating outputs."""
        jax, primal = jax_module(), self._primal(given)

        def jvp(moving: Sequence[Any], still: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
            outputs, pushed = jax.jvp(lambda *xs: primal(xs, still), tuple(moving), tuple(tangents))
            floating = [jax.numpy.issubdtype(out.dtype, jax.numpy.floating) for out in outputs]
            return [tangent for tangent, wanted in zip(pushed, floating, strict=True) if wanted]

        return jvp

    def _rounded(self, out: Array) -> Array:
        """Take the digits from an output that it has from nowhere, where the code computes in half precision inside.

        Its value is a staircase then, and only one that looks like that is judged as one.
        """
        if self._last is None or not self._last.half or out.dtype.kind != "f":
            return out
        return out.astype(self._last.dtype).astype(out.dtype)

    def _converted(self, array: Array, wanted: np.dtype[Any]) -> Array:
        """Return what was computed in a type of our choice in that of the operands; else as it is."""
        if self.dtype is None or array.dtype.kind != "f":
            return array
        computed = np.float64 if self.dtype == "float64" else np.float32
        return array.astype(wanted) if array.dtype == computed else array

    def _require_same_value(self, outputs: Sequence[Array], primals: Sequence[Array]) -> None:
        """Hold the value of the differentiated function to that of the function: a rule computes its own."""
        share = max(_ANOTHER_VALUE, _ROUNDINGS * self.epsilon())
        for out, primal in zip(outputs, primals, strict=True):
            if out.dtype.kind != "f" or not (np.isfinite(out).all() and np.isfinite(primal).all()):
                continue
            off = float(np.abs(out - primal).max(initial=0.0))
            if off > share * float(np.abs(out).max(initial=0.0)):
                raise self._another_value(f"off by up to {off:.2g}")

    def _another_value(self, how: str) -> ContractViolation:
        message = f"its derivative rule returns another value than the function: {how}"
        hint = "the forward part of the rule returns what the function returns; random numbers come from a key"
        return ContractViolation("unexpected-value", message, self.described.name, self.described.places[1], hint)


def _is_floating(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"
