"""A door for PyTorch users: `gradcheck` with the signature of torch.autograd.gradcheck, and our verdict.

    from gradcheck_cli.torch import gradcheck

Nothing here imports PyTorch before it is called.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gradcheck_cli.api import check
from gradcheck_cli.bridges.torch_code.backward_modes import batched_defect, undefined_defect
from gradcheck_cli.bridges.torch_code.tensor_inputs import TensorInputs
from gradcheck_cli.bridges.torch_code.tensors import torch_module
from gradcheck_cli.bridges.torch_code.torch_names import Identity, identity_of
from gradcheck_cli.core.generators import seeded
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.records import CaseResult
from gradcheck_cli.report.terminal import render_plain

_EPS, _RTOL = 1e-6, 1e-3
_SHARPEST = 1e-7
_DIRECTIONS = 2


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = _EPS,
    atol: float = 1e-5,
    rtol: float = _RTOL,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Check the gradients that PyTorch's backward gives for `func`, and return True if they are right.

    `func` takes `inputs`, a tensor or a tuple, and returns a tensor or several. Those inputs that require a
    gradient are checked, the others are given; outputs without a gradient are left out where others
    have one. Complex numbers count as pairs of real ones. Inputs may be float32: that is judged by its rounding.

    What is wrong, and what can't be told, raises torch.autograd.gradcheck.GradcheckError with the report as its
    message; with `raise_exception=False` it returns False. An exception of `func` passes through.

    The other arguments count where they differ from PyTorch's defaults, since the rule is another one, and
    mostly a stricter one: an absolute tolerance is never needed.

    - `eps` is the step of the differences, relative to each element.
    - `rtol` above 1e-3 or between 1e-7 and 1e-3 is the error that gradients may have, as a share of the
      largest; below that, the largest relative error of an element. 0 stands for the default.
    - `atol` is not used: nothing passes by being small.
    - `nondet_tol` is the relative difference that identical calls may have; 0 allows for rounding.
    - `check_undefined_grad`: outputs whose gradient nobody needs must act as if it were zero.
    - `check_grad_dtypes` is always done.
    - `check_batched_grad` compares a vectorised backward with single ones.
    - `check_forward_ad` compares forward mode with the backward.
    - `fast_mode` checks random directions in place of every element; without it every element is checked, whatever
      that takes.
    - `masked` is about sparse inputs only.

    Raises ValueError if no input requires a gradient, NotImplementedError for sparse inputs, for
    `check_backward_ad=False` and for `check_batched_forward_grad=True`.
    """
    del atol, check_grad_dtypes, masked
    torch = torch_module()
    arguments = (inputs,) if torch.is_tensor(inputs) else tuple(inputs)
    _require_supported(arguments, check_batched_forward_grad, check_backward_ad)
    identity = identity_of(func)
    with seeded():
        try:
            code = TensorInputs(identity, func, arguments)
            result = _checked(code, identity, _knobs(code, eps, rtol, nondet_tol, fast_mode), check_forward_ad)
            defect = "" if result.ok else render_plain(result)
            arrays = list(code.arrays().values())
            for wanted, find in ((check_undefined_grad, undefined_defect), (check_batched_grad, batched_defect)):
                if wanted and not defect and (found := find(code, arrays)):
                    defect = f"{identity.name}: {found}"
        except OperatorError as error:
            if isinstance(error.__cause__, Exception):
                raise error.__cause__ from error
            raise
    if defect and raise_exception:
        raise importlib.import_module("torch.autograd.gradcheck").GradcheckError(defect)
    return not defect


def _require_supported(arguments: Sequence[Any], batched_forward: bool, backward: bool) -> None:
    torch = torch_module()
    if not backward:
        raise NotImplementedError("check_backward_ad=False: gradients by backward are what is checked")
    if batched_forward:
        raise NotImplementedError("check_batched_forward_grad=True isn't supported: check_forward_ad=True is")
    moving = [each for each in arguments if torch.is_tensor(each) and each.requires_grad]
    if not moving:
        raise ValueError("nothing to check: no input is a tensor with requires_grad=True")
    for tensor in moving:
        if tensor.layout != torch.strided:
            raise NotImplementedError(f"inputs of layout {tensor.layout} aren't supported: check a dense tensor")


def _knobs(code: TensorInputs, eps: float, rtol: float, nondet_tol: float, fast_mode: bool) -> dict[str, Any]:
    """Return the knobs of a check for PyTorch's arguments, where these differ from its defaults."""
    knobs: dict[str, Any] = {"budget": "none"}
    if eps != _EPS:
        knobs["eps"] = float(eps)
    if rtol not in (_RTOL, 0):
        knobs["accuracy" if rtol >= _SHARPEST else "rtol"] = float(rtol)
    if nondet_tol:
        knobs["repeat"] = float(nondet_tol)
    if fast_mode:
        knobs["directions"] = _DIRECTIONS
    if all(array.dtype.name == "float32" for array in code.arrays().values()):
        knobs["dtype"] = "float32"
    return knobs


def _checked(code: TensorInputs, identity: Identity, knobs: dict[str, Any], forward_mode: bool) -> CaseResult:
    operator = code.operator(forward_mode)

    def call(**variables: Any) -> Any:
        return operator(*(variables[item.name] for item in operator.inputs))

    call.__name__ = identity.name
    result = check(call, code.arrays(), **knobs)
    forward = identity.places[0]
    return replace(result, file=forward.file, line=forward.line, id=identity.name)
