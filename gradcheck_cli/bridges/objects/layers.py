"""Operators from layers: objects that hold their weights, and after a backward the gradients of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from gradcheck_cli.bridges.domains import domains_at
from gradcheck_cli.bridges.foreign import Description, operator_of
from gradcheck_cli.bridges.objects.construction import Given, owner_of
from gradcheck_cli.bridges.objects.methods import methods_of, weight_inputs
from gradcheck_cli.bridges.objects.stateful import Stateful
from gradcheck_cli.bridges.objects.weights import Gradients, Where, check_names
from gradcheck_cli.bridges.signatures import doc_of
from gradcheck_cli.core.operator import Operator


def from_layer(
    name: str,
    cls: Any,
    *,
    forward: str = "forward",
    backward: str = "backward",
    params: Where = None,
    grads: Where = None,
    outputs: str | Sequence[str] | None = None,
    loss: bool = False,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    domain: Mapping[str, Any] | None = None,
    home: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Operator:
    """Build an operator from a class with the methods `forward` and `backward`.

    `cls` is the class, an instance of it, or a function that returns one; `args` and `kwargs` go to the
    constructor. The operator takes the arguments of the forward, then the weights: `params` maps their
    names to attributes (`W: layers.0.W`), or is the path to what holds them; `grads` says the same of
    their gradients. Without, attributes count as weights for which there is a gradient by custom: W and
    dW. Weights that the constructor takes have to be given in every call, others have the values that
    it made. A `loss` has a backward that ignores what arrives from above. Raises OperatorError for a
    class that can't be used so.
    """
    given = Given(name, cls, args, kwargs or {}, home)
    domains = domains_at(domain, given.place)
    owner = owner_of(given, (forward, backward), params, grads)
    weights = list(owner.paths)
    methods, data, attributes = methods_of(
        owner.method(forward),
        owner.method(backward),
        lambda instance: (getattr(instance, forward), getattr(instance, backward)),
        owner.cls,
        domains,
        weights,
        outputs=outputs,
        loss=loss,
    )
    check_names(owner.paths, [*(item.name for item in data), *(each.name for each in attributes)], name, given.place)
    gradients = Gradients(name, owner.paths, grads, methods.places[1])
    layer = Stateful(name, owner.source, methods, data, weight_inputs(weights, owner.own, domains), gradients)
    return operator_of(
        layer,
        Description(
            name,
            layer.inputs,
            attributes,
            methods.outputs,
            methods.places,
            doc=doc_of(given.kind),
            own=owner.own,
            home=home,
            hints=methods.hints,
        ),
    )
