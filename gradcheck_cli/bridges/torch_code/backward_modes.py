"""Backwards as PyTorch may call them beside the plain way: for many cotangents at once, and without some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcheck_cli.bridges.torch_code.autograd import Autograd
from gradcheck_cli.bridges.torch_code.tensors import Tensor, torch_module

_EPSILONS = 1000
"""Roundings by which a vectorised backward may differ from a single one."""


def undefined_defect(code: Autograd, operands: Sequence[Any]) -> str:
    """Say what is wrong where outputs have no cotangent at all, which stands for zeros; empty if nothing is."""
    torch = torch_module()
    undefined = torch._C._functions.UndefinedGrad
    run, _ = code.run(operands, {}, record=True)
    outputs = [out for out in run.outputs if out is not None and out.requires_grad]
    everyone = range(len(outputs))
    ways: list[Sequence[int]] = [everyone, *([position] for position in everyone if len(outputs) > 1)]
    for left_out in ways:
        sent = [undefined()(out) if position in left_out else out for position, out in enumerate(outputs)]
        zeros = [torch.zeros_like(out) for out in sent]
        which = "no output" if len(left_out) == len(outputs) else f"every output but number {left_out[0] + 1}"
        what = f"where {which} has a gradient, its backward"
        try:
            found = torch.autograd.grad(sent, run.targets, zeros, allow_unused=True, retain_graph=True)
        except Exception as error:
            return f"{what} raises {type(error).__name__}: {error}; what is left out counts as zero, or is None"
        if any(gradient is not None and gradient.ne(0).any() for gradient in found):
            return f"{what} doesn't return zeros, though all the others are zero"
    return ""


def batched_defect(code: Autograd, operands: Sequence[Any]) -> str:
    """Say what is wrong with a backward for two sets of cotangents at once; empty if nothing is."""
    torch = torch_module()
    run, _ = code.run(operands, {}, record=True)
    outputs = [out for out in run.outputs if out is not None and out.requires_grad]
    generator = torch.Generator().manual_seed(0)

    def draw(out: Tensor) -> Tensor:
        drawn = torch.randn((2, *out.shape), generator=generator, dtype=torch.float64)
        return drawn.to(dtype=out.dtype, device=out.device)

    cotangents = [draw(out) for out in outputs]
    options = {"allow_unused": True, "retain_graph": True}
    single = [torch.autograd.grad(outputs, run.targets, [g[i] for g in cotangents], **options) for i in range(2)]
    try:
        batched = torch.autograd.grad(outputs, run.targets, cotangents, is_grads_batched=True, **options)
    except Exception as error:
        return f"a vectorised backward raises {type(error).__name__}: {error}"
    for position, got in enumerate(batched):
        for i, one in enumerate(single):
            wanted = one[position]
            if wanted is None or got is None:
                continue
            allowed = _EPSILONS * torch.finfo(wanted.dtype).eps * wanted.abs().max() if wanted.numel() else 0
            if not bool(((got[i] - wanted).abs() <= allowed).all()):
                return f"a vectorised backward gives another gradient for input {position + 1} than single ones"
    return ""
