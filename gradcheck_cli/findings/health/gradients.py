"""GC401 vanishing and GC402 exploding: gradients that shrink or grow from layer to layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gradcheck_cli.findings.health.figures import listed, norm
from gradcheck_cli.graph_records import Kind
from gradcheck_cli.knobs import HealthLimits
from gradcheck_cli.numeric.tracer import Call, Trace

_FEWEST_LAYERS = 4
_FEWEST_CALLS = 8
"""Calls of a path without layers, from which on it is long."""

_AT_ONCE = 0.5
"""Share of the whole change that one layer may make: more is a matter of scale, not of depth."""

_CANDIDATES = 25


@dataclass(frozen=True)
class Layer:
    """A layer on the way from the output down: its name, the norm of the gradient of its output, and its call."""

    name: str
    norm: float
    call: int


def vanishing(made: Trace, limits: HealthLimits) -> tuple[str, int] | None:
    """Say how the gradient shrinks on its way from the output down, and at which call it is least.

    The layers are the calls that take a parameter beside what comes from further down, or all calls of a long path
    that has none and keeps its shape. Norms are those of the gradient of a layer's output. None where the gradient
    keeps its size, where one layer makes most of the change, and where it ends in zeros, which has other causes.
    """
    found = _changed(made, lambda ratio: ratio < limits.vanishing, smallest=True)
    if found is None:
        return None
    layers = found
    hint = (
        "use ReLU or its kin instead of sigmoid and tanh, he or xavier initialisation, normalisation, "
        "residual connections, or fewer layers"
    )
    return f"the gradient shrinks {_told(layers)}\n{hint}", layers[-1].call


def exploding(made: Trace, limits: HealthLimits) -> tuple[str, int] | None:
    """Say how the gradient grows on its way from the output down, and at which call it is largest."""
    found = _changed(made, lambda ratio: ratio > limits.exploding, smallest=False)
    if found is None:
        return None
    hint = "use smaller initial weights (he, xavier), gradient clipping, normalisation, or a lower learning rate"
    return f"the gradient grows {_told(found)}\n{hint}", found[-1].call


def _told(layers: Sequence[Layer]) -> str:
    ratio = layers[-1].norm / layers[0].norm
    norms = listed([f"{layer.name} {layer.norm:.1e}" for layer in layers])
    return f"to {ratio:.1e} of its size over {len(layers)} layers; its norms from the output down: {norms}"


class _Flow:
    """How gradients went: for every call the size of what arrived, and the call from which most of it came."""

    def __init__(self, made: Trace) -> None:
        self.made = made
        self.sizes: dict[int, float] = {}
        self.above: dict[int, int] = {}
        most: dict[int, float] = {}
        for number in range(len(made.calls) - 1, -1, -1):
            call = made.calls[number]
            if not call.cotangents:
                continue
            self.sizes[number] = norm(call.cotangents)
            for slot, gradient in zip(call.operands, call.gradients, strict=True):
                if slot is None or gradient is None or slot not in made.made:
                    continue
                producer, size = made.made[slot][0], norm([gradient])
                if size > most.get(producer, -1.0):
                    most[producer], self.above[producer] = size, number

    def path(self, number: int) -> list[int]:
        """Return the calls from the output down to `number`, along the widest stream."""
        path = [number]
        while path[-1] in self.above:
            path.append(self.above[path[-1]])
        return path[::-1]

    def layers(self, number: int) -> list[Layer]:
        """Return the layers from the output down to a call."""
        path = self.path(number)
        grouped: list[Layer] = []
        before = None
        for step, at in enumerate(path):
            names = self._parameters(self.made.calls[at])
            if not names:
                before = None
                continue
            if before is not None and step == before + 1:  # a bias beside its product
                last = grouped.pop()
                grouped.append(Layer(", ".join([*names, last.name]), last.norm, at))
            else:
                grouped.append(Layer(", ".join(names), self.sizes[at], at))
            before = step
        if len(grouped) >= _FEWEST_LAYERS:
            return grouped
        calls = [Layer(self.made.calls[at].name, self.sizes[at], at) for at in self._stretch(path)]
        return calls if len(calls) >= _FEWEST_CALLS else []

    def _stretch(self, path: Sequence[int]) -> Sequence[int]:
        """Return the longest part of a path in which all outputs have one shape: a mean makes gradients small, too."""
        longest: Sequence[int] = ()
        start = 0
        for end, at in enumerate(path, start=1):
            if self._shape(at) != self._shape(path[start]):
                start = end - 1
            if end - start > len(longest):
                longest = path[start:end]
        return longest

    def _shape(self, number: int) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.made.values[self.made.calls[number].outputs[0]].shape
        return shape

    def _parameters(self, call: Call) -> list[str]:
        leaves = (self.made.leaves.get(slot) for slot in call.operands if slot is not None)
        return [leaf[1] for leaf in leaves if leaf is not None and leaf[0] is Kind.PARAMETER]

    def ends(self) -> list[int]:
        """Return the calls that take a parameter, where paths end."""
        return [number for number in self.sizes if self._parameters(self.made.calls[number])]


def _changed(made: Trace, is_far: Callable[[float], bool], smallest: bool) -> list[Layer] | None:
    flow = _Flow(made)
    ends = [number for number in flow.ends() if math.isfinite(flow.sizes[number])]
    ends.sort(key=lambda number: flow.sizes[number], reverse=not smallest)
    some = [number for number in ends if flow.sizes[number] > 0][:_CANDIDATES]
    none = [number for number in ends if flow.sizes[number] == 0][:_CANDIDATES]
    for number in [*some, *none]:
        layers = flow.layers(number)
        while layers and layers[-1].norm == 0:
            layers.pop()
        if len(layers) < _FEWEST_LAYERS or not all(0 < layer.norm < math.inf for layer in layers):
            continue
        sizes = np.log([layer.norm for layer in layers])
        whole = float(sizes[-1] - sizes[0])
        largest = max(((after - before) * np.sign(whole) for before, after in pairwise(sizes)), default=0.0)
        if is_far(math.exp(min(whole, 700.0))) and largest <= _AT_ONCE * abs(whole):
            return layers
    return None
