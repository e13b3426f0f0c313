"""Operators from pairs of functions: a forward, and a backward that gets what the forward saved, or its inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from gradcheck_cli.bridges.domains import domains_at
from gradcheck_cli.bridges.foreign import Call, Description, operator_of
from gradcheck_cli.bridges.functions.conventions import CODE, Convention
from gradcheck_cli.bridges.functions.facts import Facts
from gradcheck_cli.bridges.functions.forms import Name, form_of
from gradcheck_cli.bridges.functions.order import by_name, order_hints, order_said, order_told
from gradcheck_cli.bridges.functions.pair_names import pairs_in, unpaired_in
from gradcheck_cli.bridges.functions.said import said_convention
from gradcheck_cli.bridges.functions.told import told_convention
from gradcheck_cli.bridges.gradients import require_one_number, scaled
from gradcheck_cli.bridges.signatures import NO_SIGNATURE, arguments_of, doc_of, parameters_of, place_of, placed
from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.generators import Generators
from gradcheck_cli.core.importing import importable_beside
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import Location, OperatorError, Problem, near

__all__ = ["from_pair", "from_pairs", "pair_or_refusal", "pairs_in", "unpaired_in"]

Function = Callable[..., Any]
Home = Callable[[], AbstractContextManager[None]]

_LOOKED_FOR = (
    "X_forward with X_backward (also X_forward_naive), forward_X with backward_X, XForward, or X with X_backward"
)
_WRITES = "many courses write into what they are given: that is right only while nobody else reads it, so copy first"
_LAST_LAYER = "if it is the last layer, say `loss: true` in its `ops` mapping, its name under `loss:` beside `pairs:`"


def from_pair(
    name: str,
    forward: Function,
    backward: Function,
    *,
    domain: Mapping[str, Any] | None = None,
    outputs: str | Sequence[str] | None = None,
    takes: str | Sequence[str] | None = None,
    returns: str | Sequence[str] | None = None,
    loss: bool = False,
    home: Home = nullcontext,
) -> Operator:
    """Build an operator from a forward and a backward function.

    How they are called is told from their signatures and from what the forward returns: `backward(g, *xs)`,
    `backward(g, out, *xs)`, or a forward that returns `(out, cache)` with `backward(g, cache)`. What a
    person says wins: `outputs` names the outputs among the returned values (`_` for one that has no
    gradient), `takes` lists what the backward is given (`g` or `g_<output>`, names of inputs, attributes
    and outputs, `cache`), `returns` the inputs in the order of their gradients. The backward of a `loss`
    ignores its cotangent, or takes none: its gradients are multiplied by that. Raises OperatorError,
    saying what to say, for what can't be told.
    """
    where, backward_where = place_of(forward), place_of(backward)
    parameters = parameters_of(forward)
    inputs, attributes = arguments_of(parameters, domains_at(domain, where), where)
    said = _words(takes)
    facts = Facts(
        name,
        inputs,
        attributes,
        form_of(forward),
        tuple(parameters_of(backward)),
        backward_where,
        _words(outputs) or None,
        said or None,
        loss,
    )
    facts.check_outputs()
    convention = said_convention(facts, said) if said else told_convention(facts)
    if loss and len(convention.outputs) > 1:
        raise facts.error(f"belongs to {len(convention.outputs)} outputs, and a loss has one", facts.say_outputs())
    order = order_said(_words(returns), inputs, backward_where)
    told = () if order else order_told(_gradient_names(backward), inputs)
    hints = {"input-modified": _WRITES} | order_hints(told, inputs)
    if not loss and len(convention.outputs) == 1:
        hints["not-linear-in-g"] = _LAST_LAYER
    described = Description(
        name,
        inputs,
        attributes,
        convention.outputs,
        (where, backward_where),
        doc_of(forward),
        order,
        home=home,
        hints=hints,
    )
    if convention.cache_name not in (None, *facts.arguments, *convention.outputs):
        described = replace(described, memory=str(convention.cache_name))
    return operator_of(_Pair(name, forward, backward, parameters, inputs, convention, told, where, loss), described)


def from_pairs(
    namespace: ModuleType | Mapping[str, Any],
    *,
    domain: Mapping[str, Mapping[str, Any]] | None = None,
    loss: str | Collection[str] = (),
) -> tuple[Operator, ...]:
    """Build an operator from every pair of a module or a namespace (see `pairs_in`).

    `domain` has the domains of each operator by its name, `loss` names the last layers. A pair that can't be
    told becomes an operator that raises, when it is called, the OperatorError that says what to say. Raises
    OperatorError where there is no pair, and for names that no pair has.
    """
    found = pairs_in(namespace)
    losses = loss.split() if isinstance(loss, str) else list(loss)
    if not found:
        raise OperatorError(
            Problem("there is no pair of functions here", _file_of(namespace), "no-operator", _searched(namespace))
        )
    for name in (*(domain or {}), *losses):
        if name not in found:
            hint = near(name, found) or f"there are: {', '.join(found)}"
            raise OperatorError(
                Problem(f"'{name}' is no pair of functions here", _file_of(namespace), "unknown-name", hint)
            )
    return tuple(
        pair_or_refusal(name, *pair, home=_home_of(namespace), domain=(domain or {}).get(name), loss=name in losses)
        for name, pair in found.items()
    )


def pair_or_refusal(
    name: str, forward: Function, backward: Function, *, home: Home = nullcontext, **options: Any
) -> Operator:
    """Build the operator of a pair that was found in a file.

    Where it can't be told how it is called, the operator says so when it is called.
    """
    try:
        return replace(from_pair(name, forward, backward, home=home, **options), bridged="pairs")
    except OperatorError as error:
        if error.problems[0].code not in (CODE, NO_SIGNATURE):
            raise
        where = place_of(forward)
        try:
            inputs, attributes = arguments_of(parameters_of(forward), {}, where)
        except OperatorError:
            inputs, attributes = (Input("xs", variadic=True, loose=True),), ()
        problems = error.problems

        def refuse(*operands: Any, **given: Any) -> Any:  # noqa: ARG001 (any call is refused)
            raise OperatorError(problems)

        return Operator(
            name, refuse, inputs, attributes, doc=doc_of(forward), file=where.file, line=where.line, bridged="pairs"
        )


@dataclass(frozen=True, eq=False)
class _Pair:
    """A forward and a backward function, and how they are called.

    `told` are the inputs after which the gradients are named.
    """

    name: str
    function: Function
    backward_function: Function
    parameters: Sequence[inspect.Parameter]
    inputs: Sequence[Input]
    convention: Convention
    told: tuple[str, ...]
    where: Location
    loss: bool

    def forward(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[tuple[Any, ...], Any]:
        before = None if self.convention.gives_something else Generators()
        outputs, saved = self.convention.split(self._run(operands, attributes), self.name, self.where)
        if self.loss and outputs[0] is not None:
            outputs = (require_one_number(outputs[0], self.name, self.where),)
        return outputs, before or saved

    def backward(self, call: Call) -> Any:
        (g, *_) = call.cotangents
        if not self.convention.gives_something:
            # It knows what the last forward left somewhere else, which has run elsewhere since then.
            with call.memory.again():
                self._run(call.operands, call.attributes)
        if self.loss:
            call = replace(call, cotangents=(np.ones_like(g),))
        args, kwargs = self.convention.arguments(call, self.inputs)
        returned = by_name(self.backward_function(*args, **kwargs), self.told, self.inputs, call.operands)
        return scaled(returned, g) if self.loss else returned

    def _run(self, operands: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        args, kwargs = placed(self.parameters, self.inputs, operands, attributes)
        return self.function(*args, **kwargs)


def _words(said: str | Sequence[str] | None) -> tuple[str, ...]:
    return tuple(said.split() if isinstance(said, str) else said or ())


def _gradient_names(backward: Function) -> tuple[Name, ...]:
    """Return the names of the gradients in the text of a backward."""
    form = form_of(backward)
    if form is None:
        return ()
    return form.inner[0] if form.alone and form.inner else form.names


def _home_of(namespace: ModuleType | Mapping[str, Any]) -> Home:
    """Return what makes the neighbours of a file importable that was loaded by its path."""
    where = _file_of(namespace)
    return partial(importable_beside, Path(where.file).resolve()) if where else nullcontext


def _file_of(namespace: ModuleType | Mapping[str, Any]) -> Location | None:
    file = getattr(namespace, "__file__", None) if isinstance(namespace, ModuleType) else None
    return Location(file) if file else None


def _searched(namespace: ModuleType | Mapping[str, Any]) -> str:
    lonely = unpaired_in(namespace)
    return f"looked for {_LOOKED_FOR}" + (f"; {lonely[0]}" if lonely else "")
