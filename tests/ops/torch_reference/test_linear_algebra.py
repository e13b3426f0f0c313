"""Linear algebra and Fourier transforms agree with PyTorch in value and gradient."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.torch_reference.reference import AGREES, assert_agrees, differences

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.torch


def _symmetric(a: Any) -> Any:
    """PyTorch reads one triangle, and its gradients hold for symmetric changes."""
    return (a + a.mT) / 2


def _eigh(a: Any) -> Any:
    values, vectors = torch.linalg.eigh(_symmetric(a))
    sizes = vectors.detach().abs()
    first = (sizes >= 0.3 * sizes.amax(-2, keepdim=True)).to(torch.int8).argmax(-2, keepdim=True)
    return values, vectors * torch.sign(torch.gather(vectors.detach(), -2, first))


def _solve(solver: Any, a: Any, b: Any) -> Any:
    """NumPy takes `b` as a vector if it has one axis, whatever the stack of matrices is."""
    return solver(a, b[:, None])[..., 0] if b.ndim == 1 else solver(a, b)


def _solve_triangular(a: Any, b: Any, *, trans: int, lower: bool, unit_diagonal: bool) -> Any:
    def solver(a: Any, b: Any) -> Any:
        a, upper = (a.mT, lower) if trans else (a, not lower)
        return torch.linalg.solve_triangular(a, b, upper=upper, unitriangular=unit_diagonal)

    return _solve(solver, a, b)


def _rfft(x: Any, **attributes: Any) -> Any:
    spectrum = torch.fft.rfft(x, **_with_dim(attributes))
    return spectrum.real, spectrum.imag


def _irfft(real: Any, imag: Any, **attributes: Any) -> Any:
    return torch.fft.irfft(torch.complex(real, imag), **_with_dim(attributes))


def _with_dim(attributes: dict[str, Any]) -> dict[str, Any]:
    return {{"axis": "dim"}.get(name, name): value for name, value in attributes.items()}


def _dot(a: Any, b: Any) -> Any:
    return a * b if not (a.ndim and b.ndim) else torch.tensordot(a, b, ([-1], [max(b.ndim - 2, 0)]))


THEIRS = {
    "matmul": torch.matmul,
    "outer": lambda a, b: torch.outer(a.reshape(-1), b.reshape(-1)),
    "inner": torch.inner,
    "dot": _dot,
    "tensordot": lambda a, b, axes: torch.tensordot(a, b, _dims(axes)),
    "kron": torch.kron,
    "einsum": lambda *operands, subscripts, optimize: torch.einsum(subscripts, *operands),
    "inv": torch.linalg.inv,
    "det": torch.linalg.det,
    "slogdet": torch.linalg.slogdet,
    "matrix_power": torch.linalg.matrix_power,
    "solve": lambda a, b: _solve(torch.linalg.solve, a, b),
    "solve_triangular": _solve_triangular,
    "cholesky": lambda a, upper: torch.linalg.cholesky(_symmetric(a), upper=upper),
    "eigh": _eigh,
    "svdvals": torch.linalg.svdvals,
    "pinv": lambda a, rcond: torch.linalg.pinv(a, rtol=rcond),
    "rfft": _rfft,
    "irfft": _irfft,
}


def _dims(axes: Any) -> Any:
    if isinstance(axes, int):
        return axes
    return [[each] if isinstance(each, int) else list(each) for each in axes]


@pytest.mark.parametrize("name", THEIRS)
def test_value_and_gradient_are_pytorchs(name: str) -> None:
    assert_agrees(name, THEIRS[name])


def test_another_product_is_told_apart() -> None:
    """The partner of the test above."""
    assert max(far for far, _ in differences("inv", lambda a: torch.linalg.inv(a.mT))) > AGREES
