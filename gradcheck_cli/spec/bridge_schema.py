"""The keys of a mapping under `ops:`, one model for each bridge."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from gradcheck_cli.spec.schema import absent

Words = str | list[str]
Names = str | dict[str, str]


class _Bridge(BaseModel):
    """No unknown keys, and no conversions."""

    model_config = ConfigDict(extra="forbid", strict=True)

    domain: dict[str, Any] = absent()


class PairsKeys(_Bridge):
    """Every X_forward and X_backward of a file; `domain` has one mapping for each operator."""

    pairs: str
    domain: dict[str, dict[str, Any]] = absent()
    loss: Words = absent()


class PairKeys(_Bridge):
    """A forward and a backward function."""

    forward: str
    backward: str
    outputs: Words = absent()
    takes: Words = absent()
    returns: Words = absent()
    loss: bool = absent()


class ValueAndGradKeys(_Bridge):
    """A function that returns a number and its gradients."""

    value_and_grad: str
    returns: Words = absent()


class ValueKeys(_Bridge):
    """A function that returns a number, and one that returns its gradients."""

    value: str
    grad: str
    returns: Words = absent()


class _WeightsKeys(_Bridge):
    """A class whose instances hold weights: where these and their gradients stand, and how an instance is made."""

    params: Names = absent()
    grads: Names = absent()
    args: list[Any] = absent()
    kwargs: dict[str, Any] = absent()


class LayerKeys(_WeightsKeys):
    """A class whose instances hold weights, and gradients after a backward."""

    layer: str
    forward: str = absent()
    backward: str = absent()
    outputs: Words = absent()
    loss: bool = absent()


class ModelKeys(_WeightsKeys):
    """A class with weights and a method that returns a loss with its gradients, or a method for each."""

    model: str
    value_and_grad: str = absent()
    value: str = absent()
    grad: str = absent()


class FunctionKeys(_Bridge):
    """A class with forward and backward methods, one instance for each application."""

    function: str
    kwargs: dict[str, Any] = absent()
    outputs: Words = absent()
    loss: bool = absent()


class TorchKeys(_Bridge):
    """PyTorch: an autograd.Function, a function, a module or a custom operator."""

    torch: str
    reference: str = absent()
    devices: Words = absent()
    dtype: str = absent()
    kwargs: dict[str, Any] = absent()
    outputs: Words = absent()
    gradgrad: bool = absent()


class JaxKeys(_Bridge):
    """JAX: a function of arrays, custom_vjp and custom_jvp included."""

    jax: str
    outputs: Words = absent()
    dtype: str = absent()
    kwargs: dict[str, Any] = absent()


BRIDGES: dict[str, type[BaseModel]] = {
    "pairs": PairsKeys,
    "layer": LayerKeys,
    "model": ModelKeys,
    "function": FunctionKeys,
    "torch": TorchKeys,
    "jax": JaxKeys,
    "value_and_grad": ValueAndGradKeys,
    "value": ValueKeys,
    "forward": PairKeys,
}
"""By the key that tells the bridge. A layer has a forward, and a model a value, too: they come first."""
