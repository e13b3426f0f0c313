"""Modules of PyTorch as functions: their parameters become arguments, their buffers are new in every call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gradcheck_cli.bridges.torch_code.tensors import Tensor, to_array, torch_module
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.generators import seeded
from gradcheck_cli.errors import Location, OperatorError, Problem


class FunctionalModule:
    """A module as a function of arguments and parameters; it is left as it is, and in the mode that it is in.

    `own` has the value of each parameter by an identifier (`layer_0_weight`), `paths` its name in the
    module. One that is frozen (`requires_grad` is false) stays the constant that it is. `taken` are names of other
    arguments. Raises OperatorError for parameters that have no shape yet.
    """

    def __init__(self, module: Any, name: str, taken: Iterable[str], where: Location) -> None:
        self.module = module
        self.paths: dict[str, str] = {}
        self.own: dict[str, Array] = {}
        names = set(taken)
        for path, parameter in module.named_parameters():
            if torch_module().nn.parameter.is_lazy(parameter):
                message = f"{name}: its parameter {path} has no shape before the module is first called"
                raise OperatorError(Problem(message, where, "lazy-module", "call it once where it is made"))
            if not parameter.requires_grad:
                continue
            identifier = _free(path, names)
            names.add(identifier)
            self.paths[identifier] = path
            self.own[identifier] = to_array(parameter).copy()

    def __call__(self, parameters: Mapping[str, Tensor], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call the module with tensors in the place of its parameters, by identifier."""
        torch = torch_module()
        tensors = [value for value in (*args, *kwargs.values(), *parameters.values()) if torch.is_tensor(value)]
        like = next((tensor for tensor in tensors if tensor.is_floating_point()), None)
        # A module is float32 by default; beside arguments of another type it computes in theirs.
        given = {self.paths[name]: tensor.to(like) for name, tensor in parameters.items()}
        frozen = ((path, each) for path, each in self.module.named_parameters() if path not in given)
        # Copies, since running statistics would make every call another function.
        held = {path: _copy(each.detach(), like) for path, each in (*self.module.named_buffers(), *frozen)}
        return torch.func.functional_call(self.module, {**held, **given}, tuple(args), dict(kwargs))


def make_module(make: Callable[..., Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a class or a factory from one state of the random generators, so that its weights are always the same."""
    with seeded():
        return make(**kwargs)


def takes_no_arrays(function: Callable[..., Any], kwargs: Mapping[str, Any]) -> bool:
    """Tell whether `kwargs` are all that a function needs: then it makes what is to be checked."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [p for p in parameters if p.default is p.empty and p.kind not in positional]
    spread = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    optional = any(p.default is None and p.name not in kwargs for p in parameters)
    return not spread and not optional and all(p.name in kwargs for p in needed)


def _copy(tensor: Tensor, like: Tensor | None) -> Tensor:
    if like is None:
        return tensor.clone()
    dtype = like.dtype if tensor.is_floating_point() else tensor.dtype
    return tensor.to(device=like.device, dtype=dtype, copy=True)


def _free(path: str, taken: set[str]) -> str:
    """Turn a parameter's name into an identifier that nothing else has."""
    word = "".join(char if char.isalnum() else "_" for char in path)
    word = word if word.isidentifier() else f"w_{word}"
    number = 1
    while (name := word if number == 1 else f"{word}_{number}") in taken:
        number += 1
    return name
