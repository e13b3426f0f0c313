"""Without JAX: said with what to do, and nothing imports it before it is needed."""

import subprocess
import sys

import pytest

from gradcheck_cli.bridges.jax_code.jax_functions import from_jax
from gradcheck_cli.errors import OperatorError


def test_a_missing_jax_comes_with_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(OperatorError, match="JAX can't be imported") as caught:
        from_jax("f", lambda x: x)
    (problem,) = caught.value.problems
    assert problem.code == "missing-framework"
    assert "pip install 'gradcheck-cli[jax]'" in problem.hint


def test_the_bridge_imports_jax_only_when_it_builds_an_operator():
    code = "import sys, gradcheck_cli.bridges.jax_code.jax_functions; print('jax' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
