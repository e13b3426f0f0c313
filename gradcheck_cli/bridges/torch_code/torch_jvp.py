"""Forward mode of PyTorch code: dual tensors carry tangents from its inputs to its outputs."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from gradcheck_cli.bridges.torch_code.autograd import Autograd
from gradcheck_cli.bridges.torch_code.tensor_operands import Run
from gradcheck_cli.bridges.torch_code.tensor_outputs import output_values
from gradcheck_cli.bridges.torch_code.tensors import computing_in, to_array, torch_module
from gradcheck_cli.core.jvp import Jvp
from gradcheck_cli.errors import Location


def jvp_of(code: Autograd, place: Location) -> Jvp | None:
    """Return the rule, written at `place`, that pushes tangents through `code`; None if no input has one."""
    described = code.described
    moving = tuple(item.name for item in described.inputs if item.domain.differentiable)
    if not moving:
        return None
    # No argument of Python code can have such a name.
    tangents = {f"the tangent of {name}": name for name in moving}
    asks = (
        *tangents,
        *(item.name for item in described.inputs),
        *(each.name for each in described.attributes),
        described.memory,
    )

    def push(*asked: Any) -> Any:
        values = list(asked)
        pushed = {name: values.pop(0) for name in moving}
        operands: list[Any] = []
        along: list[Any] = []
        for item in described.inputs:
            value, tangent = values.pop(0), pushed.get(item.name)
            operands.extend(value if item.variadic else (value,))
            along.extend((tangent or [None] * len(value)) if item.variadic else (tangent,))
        run: Run = values.pop()
        settings = dict(zip((each.name for each in described.attributes), values, strict=True))
        # The code runs again, and has to draw the same random numbers.
        with run.generators.again() if run.generators else nullcontext():
            return _push(code, operands, along, settings)

    return Jvp(push, moving, asks, place.file, place.line, tangents)


def _push(code: Autograd, operands: Sequence[Any], tangents: Sequence[Any], settings: Mapping[str, Any]) -> Any:
    code.require_device()
    torch, forward_mode = torch_module(), importlib.import_module("torch.autograd.forward_ad")
    with torch.no_grad(), forward_mode.dual_level(), computing_in(code.computing(operands)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of PyTorch itself, the first time
            forward_mode.make_dual(torch.zeros(()), torch.zeros(()))
        given = []
        for slot, (value, tangent) in enumerate(zip(operands, tangents, strict=True)):
            if not isinstance(value, np.ndarray):
                given.append(value)
                continue
            source = code.source(slot, value)
            if tangent is not None and value.dtype.kind == "f":
                source = forward_mode.make_dual(source, code.source(slot, tangent))
            given.append(code.shaped(slot, value, source))
        outputs = output_values(code.function(given, settings), code.described)
        floating = [out for out in outputs if torch.is_tensor(out) and out.is_floating_point()]
        found = [forward_mode.unpack_dual(out).tangent for out in floating]
    made = [
        np.zeros_like(to_array(out)) if tangent is None else to_array(tangent)
        for out, tangent in zip(floating, found, strict=True)
    ]
    return tuple(made) if len(made) != 1 else made[0]
