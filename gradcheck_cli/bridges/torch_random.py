"""The global generators of PyTorch beside those of Python and NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gradcheck_cli.bridges.generators import Generators, seeded
from gradcheck_cli.bridges.tensors import torch_module


class TorchGenerators(Generators):
    """The state of all global generators at the time when this is made; on GPUs of those that are in use."""

    __slots__ = ("_cuda", "_torch")

    def __init__(self) -> None:
        super().__init__()
        torch = torch_module()
        self._torch = torch.get_rng_state()
        self._cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []

    def _restore(self) -> None:
        super()._restore()
        torch = torch_module()
        torch.set_rng_state(self._torch)
        if self._cuda:
            torch.cuda.set_rng_state_all(self._cuda)

    @contextmanager
    def again(self) -> Iterator[None]:
        """Draw from this state on inside the `with` block, and go on afterwards as if it had not been."""
        now = TorchGenerators()
        self._restore()
        try:
            yield
        finally:
            now._restore()


@contextmanager
def torch_seeded(seed: int = 0) -> Iterator[None]:
    """Draw from a seed on inside the `with` block, so that weights are the same in every run."""
    with TorchGenerators().again(), seeded(seed):
        # Not torch.manual_seed, which would seed GPUs, too, once they are used.
        torch_module().default_generator.manual_seed(seed)
        yield
