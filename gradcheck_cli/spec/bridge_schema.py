"""The keys of a mapping under `ops:`, one model for each bridge."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from gradcheck_cli.spec.schema import ListSchema, absent

Words = str | list[str]
Names = str | dict[str, str]


class DomainKeys(BaseModel):
    """What an array may hold, in its long form: for the JSON Schema alone, since the domains check themselves."""

    model_config = ConfigDict(extra="forbid")

    shape: str | Annotated[int, Field(ge=0)] | None = absent(
        "The shape in words: arrays that share a word share a size; ... is any leading axes, '' a scalar.",
        "n d",
        "... n",
        3,
    )
    low: float | None = absent("The smallest number to draw.", 0.1)
    high: float | None = absent("The largest number to draw.", 1)
    avoid: float | list[float] | None = absent("Numbers to stay away from, as kinks are.", 0, [-1, 1])
    distinct: bool = absent("Draw no two numbers that are alike.", True)
    nondiff: bool = absent("The array has no gradient.", True)
    spd: bool = absent("Draw a symmetric positive definite matrix.", True)
    below: Annotated[int, Field(ge=1)] | str = absent(
        "Whole numbers from 0 up to, not including, this number or size; they have no gradient.", 10, "k"
    )
    mask: bool = absent("True or false; they have no gradient.", True)


_Values = Annotated[list[Any], ListSchema, Field(min_length=1)]


class DomainForms(BaseModel):
    """A domain by the name of its array or attribute: for the JSON Schema alone."""

    domain: dict[str, str | DomainKeys | _Values]


class _Bridge(BaseModel):
    """No unknown keys, and no conversions."""

    model_config = ConfigDict(extra="forbid", strict=True)

    domain: dict[str, Any] = absent(
        "What check-ops may draw: by array shape words or a mapping of limits, by attribute a list of values.",
        {"x": {"shape": "n d", "low": 0.1}, "w": "d k", "stride": [1, 2]},
    )


def _code(description: str, *examples: Any) -> Any:
    """Make a key that names code; a bridge has at least one."""
    return Field(description=f"{description}: file.py:name, or package.module:name.", examples=list(examples))


def _outputs() -> Any:
    return absent("Names of the outputs, for a forward with several.", "loss probs", ["h", "c"])


def _returns() -> Any:
    return absent("Which gradients the backward returns, in order, where the code doesn't tell.", "dx dw", ["x", "w"])


def _loss() -> Any:
    return absent("A last layer, whose backward takes no notice of its cotangent.", True)


def _keywords(whose: str) -> Any:
    return absent(f"Keyword arguments {whose}.", {"stride": 2})


class PairsKeys(_Bridge):
    """Every X_forward and X_backward of a file; `domain` has one mapping for each operator."""

    pairs: str = Field(
        description="A Python file: every X_forward with its X_backward is an operator X.", examples=["layers.py"]
    )
    domain: dict[str, dict[str, Any]] = absent(
        "What check-ops may draw, by operator: as `domain` of one operator.",
        {"affine": {"x": "n d", "w": "d k"}},
    )
    loss: Words = absent("Last layers, whose backward takes no notice of its cotangent: their names.", "softmax_loss")


class PairKeys(_Bridge):
    """A forward and a backward function."""

    forward: str = _code("The forward function", "layers.py:affine_forward")
    backward: str = _code("The backward function", "layers.py:affine_backward")
    outputs: Words = _outputs()
    takes: Words = absent("What the backward takes, in order, where its signature doesn't tell.", "g out x", ["g", "x"])
    returns: Words = _returns()
    loss: bool = _loss()


class ValueAndGradKeys(_Bridge):
    """A function that returns a number and its gradients."""

    value_and_grad: str = _code("A function that returns a number and its gradients", "net.py:softmax_loss")
    returns: Words = _returns()


class ValueKeys(_Bridge):
    """A function that returns a number, and one that returns its gradients."""

    value: str = _code("A function that returns a number", "sim.py:cost")
    grad: str = _code("The function that returns its gradients", "sim.py:cost_gradient")
    returns: Words = _returns()


class _WeightsKeys(_Bridge):
    """A class whose instances hold weights: where these and their gradients stand, and how an instance is made."""

    params: Names = absent(
        "Where an instance keeps its weights: the attribute that holds them all, or an attribute for each.",
        "params",
        {"W": "W", "b": "b"},
    )
    grads: Names = absent(
        "Where an instance keeps their gradients: the attribute that holds them all, or an attribute for each.",
        "grads",
        {"W": "dW", "b": "db"},
    )
    args: list[Any] = absent("Positional arguments with which an instance is made.", [3, 5])
    kwargs: dict[str, Any] = _keywords("with which an instance is made")


class LayerKeys(_WeightsKeys):
    """A class whose instances hold weights, and gradients after a backward."""

    layer: str = _code("A class with a forward and a backward", "net.py:Conv2D")
    forward: str = absent("The name of its forward method.", "forward")
    backward: str = absent("The name of its backward method.", "backward")
    outputs: Words = _outputs()
    loss: bool = _loss()


class ModelKeys(_WeightsKeys):
    """A class with weights and a method that returns a loss with its gradients, or a method for each."""

    model: str = _code("A class with weights", "net.py:TwoLayerNet")
    value_and_grad: str = absent("The method that returns the loss and its gradients.", "loss")
    value: str = absent("The method that returns the loss.", "loss")
    grad: str = absent("The method that returns its gradients.", "gradient")


class FunctionKeys(_Bridge):
    """A class with forward and backward methods, one instance for each application."""

    function: str = _code("A class with forward(self, *xs) and backward(self, *gys)", "framework.py:ReLU")
    kwargs: dict[str, Any] = _keywords("with which an instance is made")
    outputs: Words = _outputs()
    loss: bool = _loss()


class TorchKeys(_Bridge):
    """PyTorch: an autograd.Function, a function, a module or a custom operator."""

    torch: str = _code("An autograd.Function, a function, a module or a custom operator", "mypkg.ops:Swish")
    reference: str = absent(
        "What it is held to: a plain implementation, file.py:name or package.module:name.", "mypkg.reference:swish"
    )
    devices: Words = absent("Where it computes; a case for each device.", "cpu cuda", ["cuda"])
    dtype: str = absent("The floating type in which it computes.", "float32")
    kwargs: dict[str, Any] = _keywords("of the call, or with which a module is made")
    outputs: Words = _outputs()
    gradgrad: bool = absent("Also check its second derivatives, as the operator NAME_grad.", True)


class JaxKeys(_Bridge):
    """JAX: a function of arrays, custom_vjp and custom_jvp included."""

    jax: str = _code("A function of arrays, custom_vjp and custom_jvp included", "mypkg.losses:huber")
    outputs: Words = _outputs()
    dtype: str = absent("The floating type in which it computes.", "float32")
    kwargs: dict[str, Any] = _keywords("of the call")


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
