"""A ledger of one forward and one backward: every application of an operator, and what went through it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcheck_cli.core.arguments import REQUIRED
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.execution import using
from gradcheck_cli.core.generators import restored
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.core.watch import watching
from gradcheck_cli.errors import Location
from gradcheck_cli.findings.suspect import Application
from gradcheck_cli.numeric.function import TracedFunction, TracedRecording, Values
from gradcheck_cli.numeric.seeding import SeededExecution

Locate = Callable[[Operator], Location | None]
"""Says where the call stands that is being made; heard once for each call, in order."""


@dataclass(eq=False)
class Entry:
    """One application: what it was called with and returned, and what arrived and flowed on in the backward.

    `node` is None where nothing was recorded. `cotangents` and `gradients` are copies made at the time, both
    empty where no gradient arrived. `returned` are the gradients themselves, which may have been changed since.
    """

    operator: Operator
    arrays: tuple[Any, ...]
    attributes: dict[str, Any]
    outputs: tuple[Array, ...]
    kept: dict[str, Any]
    location: Location | None
    node: Node | None = None
    cotangents: tuple[Array | None, ...] = ()
    gradients: tuple[Array | None, ...] = ()
    returned: tuple[Array | None, ...] = ()

    @property
    def tracked(self) -> tuple[int, ...]:
        """The positions of the operands that gradients flow to."""
        return () if self.node is None else tuple(s for s, parent in enumerate(self.node.parents) if parent is not None)

    @property
    def name(self) -> str:
        """The operator, and where it is called: `relu at net.grad.yaml:8:7`."""
        return f"{self.operator.name} at {self.location}" if self.location else self.operator.name

    def arrived(self, cotangents: Sequence[Array | None] | None = None) -> tuple[Array, ...]:
        """Return a cotangent for every output (default: those that arrived), zeros where there is none."""
        given = self.cotangents if cotangents is None else cotangents
        return tuple(
            np.zeros(out.shape, out.dtype if out.dtype.kind == "f" else np.float64) if g is None else g
            for g, out in zip(given or [None] * len(self.outputs), self.outputs, strict=True)
        )

    def described(self, cotangents: Sequence[Array]) -> Application:
        """Return the application as findings see it, under these cotangents."""
        operator = self.operator
        attributes = {each.name: each.default for each in operator.attributes if each.default is not REQUIRED}
        floating = [
            (name, g)
            for name, g, out in zip(operator.outputs, cotangents, self.outputs, strict=True)
            if out.dtype.kind == "f"
        ]
        return Application(
            operator,
            {operator.slot_name(slot): array for slot, array in enumerate(self.arrays)},
            {**attributes, **self.attributes},
            dict(zip(operator.outputs, self.outputs, strict=True)),
            dict(floating),
            self.kept,
            self.location,
        )

    @property
    def key(self) -> Hashable:
        """What two applications have in common that are the same: operator, arguments, and what arrived."""
        return self.operator, _frozen(self.arrays), _frozen(self.attributes), _frozen(self.cotangents)


class Ledger(SeededExecution):
    """Writes down every application of an operator that a function makes itself, forward and backward.

    `entries` are in the order of the calls, `swept` in the order in which the backward came to them: from the
    outputs back. `read` are arrays that were taken out of Variables, and where, if `locate` can tell.
    """

    attentive = True

    def __init__(self, locate: Locate, allowed: Collection[str] = ()) -> None:
        super().__init__(allowed=allowed)
        self.entries: list[Entry] = []
        self.swept: list[Entry] = []
        self.read: list[Array] = []
        self._locate = locate
        self._by_node: dict[Node, Entry] = {}
        self._depth = 0

    def forward(
        self, operator: Operator, arrays: Sequence[Array | None], attributes: dict[str, Any]
    ) -> tuple[tuple[Array, ...], dict[str, Any]]:
        """Run the forward, and write it down unless another operator calls it."""
        location = None if self._depth else self._locate(operator)
        with self._inside():
            outputs, kept = super().forward(operator, arrays, attributes)
        if not self._depth:
            self.entries.append(Entry(operator, tuple(arrays), attributes, outputs, kept, location))
        return outputs, kept

    def recorded(
        self,
        node: Node,
        arrays: Sequence[Array | None],
        attributes: dict[str, Any],
        outputs: tuple[Array, ...],
        kept: dict[str, Any],
    ) -> None:
        """Remember which node the last application became."""
        del arrays, attributes, kept  # as the forward was called
        if not self._depth and self.entries[-1].outputs is outputs:
            self.entries[-1].node = node
            self._by_node[node] = self.entries[-1]

    def backward(self, node: Node, cotangents: Sequence[Array | None]) -> tuple[Array | None, ...]:
        """Run the backward, and write down what arrived and what flows on."""
        entry = self._by_node.get(node) if not self._depth else None
        arrived = _copies(cotangents)
        with self._inside():
            gradients = super().backward(node, cotangents)
        if entry is not None:
            entry.cotangents, entry.gradients, entry.returned = arrived, _copies(gradients), gradients
            self.swept.append(entry)
        return gradients

    def heard(self, array: Array) -> None:
        """Remember an array that the function took out of a Variable."""
        if not self._depth:
            self.read.append(array)

    @contextmanager
    def _inside(self) -> Iterator[None]:
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1


@dataclass(frozen=True, eq=False)
class Sweep:
    """What a ledger holds of a function at a point: the recording, and the gradients of its parameters by name."""

    ledger: Ledger
    recording: TracedRecording
    gradients: Mapping[str, Array]

    def operands(self, names: Iterable[str]) -> set[tuple[Entry, str]]:
        """Return the operands, by application and name, that depend on the named parameters."""
        reached: set[Any] = {self.recording.leaves[name] for name in names}
        found: set[tuple[Entry, str]] = set()
        for entry in self.ledger.entries:
            if entry.node is None:
                continue
            mine = [slot for slot, parent in enumerate(entry.node.parents) if _origin(parent) in reached]
            found.update((entry, entry.operator.slot_name(slot)) for slot in mine)
            if mine:
                reached.add(entry.node)
        return found

    def path(self, names: Iterable[str]) -> list[Entry]:
        """Return the applications between the named parameters and the outputs, from the outputs back."""
        reached: set[Any] = {self.recording.leaves[name] for name in names}
        on_path = set()
        for entry in self.ledger.entries:  # operands come before what is made of them
            if entry.node is not None and any(_origin(parent) in reached for parent in entry.node.parents):
                reached.add(entry.node)
                on_path.add(entry)
        return [entry for entry in self.ledger.swept if entry in on_path]


def record(
    function: TracedFunction, values: Values, cotangents: Sequence[Array], locate: Locate, allowed: Collection[str] = ()
) -> Sweep:
    """Evaluate the function once and go back once, with a ledger. Raises what the function raises."""
    ledger = Ledger(locate, allowed)
    with restored(), np.errstate(all="ignore"), using(ledger):
        with watching(ledger.heard):
            recording = function.record(values)
        gradients = recording.vjp(cotangents)
    return Sweep(ledger, recording, gradients)


def _origin(parent: tuple[Node, int] | Variable | None) -> Node | Variable | None:
    return parent[0] if isinstance(parent, tuple) else parent


def _copies(arrays: Sequence[Array | None]) -> tuple[Array | None, ...]:
    return tuple(None if array is None else np.array(array) for array in arrays)


def _frozen(value: Any) -> Hashable:
    """Return what tells one value from another; objects that aren't plain are told by identity."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, hashlib.blake2b(value.tobytes()).digest()
    if isinstance(value, tuple | list):
        return type(value).__name__, tuple(map(_frozen, value))
    if isinstance(value, dict):
        return "dict", tuple((str(key), _frozen(part)) for key, part in sorted(value.items(), key=lambda i: str(i[0])))
    if value is None or isinstance(value, bool | int | float | str):
        return type(value).__name__, repr(value)
    return "object", id(value)
