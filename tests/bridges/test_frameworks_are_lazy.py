"""Without need nothing imports PyTorch or JAX: it takes seconds, and they may not be there."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from gradcheck_cli.bridges.torch_code.tensors import torch_module
from gradcheck_cli.errors import OperatorError

MODULES = (
    "gradcheck_cli.torch",
    "gradcheck_cli.bridges.torch_code.pytorch",
    "gradcheck_cli.bridges.reference",
    "gradcheck_cli.spec.bridge_makers",
    "gradcheck_cli.run.runner",
)


@pytest.mark.parametrize("module", MODULES)
def test_module_imports_no_framework(module):
    program = f"import sys, {module}; print([name for name in ('torch', 'jax') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def test_missing_pytorch_is_said_with_the_line_that_installs_it(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(OperatorError) as caught:
        torch_module()
    assert "No module named 'torch'" in str(caught.value)
    assert "pip install 'gradcheck-cli[torch]'" in str(caught.value)
