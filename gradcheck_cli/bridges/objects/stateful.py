"""Code that keeps what its backward needs on an object: forward and backward are called on a new one each time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcheck_cli.bridges.foreign import Call
from gradcheck_cli.bridges.functions.facts import LAST_LAYER
from gradcheck_cli.bridges.gradients import Slots, scaled
from gradcheck_cli.bridges.objects.backward_call import BackwardCall
from gradcheck_cli.bridges.objects.collected import Collector
from gradcheck_cli.bridges.objects.instances import Memory, Source, floating_type, report_writes
from gradcheck_cli.bridges.objects.outputs import Returned
from gradcheck_cli.bridges.objects.weights import Gradients
from gradcheck_cli.bridges.signatures import placed
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.errors import Location, OperatorError, Problem

Method = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Methods:
    """How a forward and a backward are called: `bind` takes an object and gives its methods.

    `parameters` are those of the forward; it takes its arrays as one sequence if it is `packed`.
    `returned` says what it returns, `call` what the backward is given. A `loss` has a backward that is
    right for a cotangent of 1. `sets` are the attributes that the backward sets.
    """

    bind: Callable[[Any], tuple[Method, Method]]
    places: tuple[Location, Location]
    parameters: Sequence[inspect.Parameter]
    returned: Returned
    call: BackwardCall
    packed: bool
    loss: bool
    sets: frozenset[str]

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return self.returned.outputs

    @property
    def hints(self) -> dict[str, str]:
        """What more there is to say about findings in such code."""
        return {} if self.loss or len(self.outputs) > 1 else {"not-linear-in-g": LAST_LAYER}


class Stateful:
    """Methods of an object, as the engine calls them; see `foreign.Foreign`.

    `data` are the arguments of the forward that are inputs, `weights` stand on the object, and where
    their gradients do is said by `gradients`.
    """

    def __init__(
        self,
        name: str,
        source: Source,
        methods: Methods,
        data: Sequence[Input],
        weights: Sequence[Input],
        gradients: Gradients,
    ) -> None:
        self.name = name
        self._source = source
        self._methods = methods
        self._data = tuple(data)
        self._fixed = len([item for item in data if not item.variadic])
        self._weights = tuple(weights)
        self._collector = Collector(self._data, methods.parameters, self._weights, gradients, methods.sets)
        self.inputs = (*data[: self._fixed], *weights, *data[self._fixed :])

    def forward(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[tuple[Any, ...], Any]:
        """Call the forward of a new object. Raises OperatorError for another number of outputs."""
        data, weights = self._split(operands)
        given = dict(zip((item.name for item in self._weights), weights, strict=True))
        made = self._source.make(given, floating_type(operands))
        args, kwargs = placed(self._methods.parameters, self._data, data, attributes)
        if self._methods.packed:
            args = [tuple(data)]
        forward, _ = self._methods.bind(made.instance)
        returned = forward(*args, **kwargs)
        outputs, kept = self._methods.returned.sort(made.instance, returned, self.name, self._methods.places[0])
        copies = [(name, given[name], array) for name, array in made.standing.items() if array is not given[name]]
        report_writes(copies, self.name, "forward", self._methods.places[0])
        named = zip((self._slots(data).name(slot) for slot in range(len(data))), data, strict=True)
        standing = [*named, *made.standing.items(), *zip(self._methods.outputs, outputs, strict=False)]
        return outputs, Memory((made.instance, kept), standing)

    def backward(self, call: Call) -> Any:
        """Call the backward on a copy of what the forward left; return gradients by the name of the input.

        None where it returns none and leaves none. Raises ContractViolation for a backward that writes to
        arrays of the graph.
        """
        data, weights = self._split(call.operands)
        (instance, kept), watch = call.memory.copy()
        values = dict(zip((item.name for item in self._weights), weights, strict=True))
        values |= {item.name: tuple(data[self._fixed :]) for item in self._data if item.variadic}
        values |= dict(zip((item.name for item in self._data if not item.variadic), data, strict=False))
        values |= dict(zip(self._methods.outputs, call.outputs, strict=True)) | dict(call.attributes) | kept
        cotangents = self._of_one(call.cotangents) if self._methods.loss else call.cotangents
        args, kwargs = self._methods.call.arguments(cotangents, values, data)
        _, backward = self._methods.bind(instance)
        returned = backward(*args, **kwargs)
        watch.report(self.name, "backward", self._methods.places[1])
        gradients = self._collector.collect(instance, returned, data, weights)
        return scaled(gradients, call.cotangents[0]) if self._methods.loss and gradients else gradients

    def _split(self, operands: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Split operands into the arguments of the forward and the weights."""
        last = self._fixed + len(self._weights)
        return [*operands[: self._fixed], *operands[last:]], list(operands[self._fixed : last])

    def _slots(self, data: Sequence[Any]) -> Slots:
        return Slots(self.name, self._data, tuple(data), self._methods.places[1])

    def _of_one(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        """Return a cotangent of 1 in the place of what arrives. Raises OperatorError for a value of many numbers."""
        if len(cotangents) != 1 or cotangents[0] is None or cotangents[0].size != 1:
            message = f"{self.name}: the backward of a loss takes no cotangent, so its value should be one number"
            raise OperatorError(Problem(message, self._methods.places[1], "no-cotangent"))
        return (np.ones_like(cotangents[0]),)
