"""The program starts no threads of BLAS that a check wouldn't use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradcheck_cli.cli.threads import start_no_blas_threads

ROOT = Path(__file__).parents[2]
NAMES = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
TELL = "import os; print({name: os.environ[name] for name in " + repr(NAMES) + " if name in os.environ})"
START = "from gradcheck_cli.cli.threads import start_no_blas_threads; start_no_blas_threads()"


def said(program: str, **variables: str) -> str:
    """Run a program in a new process with these variables alone about threads; return what it writes."""
    others = {name: value for name, value in os.environ.items() if name not in NAMES}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**others, **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def test_blas_starts_with_one_thread() -> None:
    assert said(f"{START}\n{TELL}") == "{'OPENBLAS_NUM_THREADS': '1'}"


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_the_user_stays(name: str) -> None:
    assert said(f"{START}\n{TELL}", **{name: "3"}) == f"{{'{name}': '3'}}"


def test_nothing_is_set_once_numpy_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    start_no_blas_threads()
    assert not any(name in os.environ for name in NAMES), np.__version__


def test_the_command_line_computes_with_one_thread(tmp_path: Path) -> None:
    spec = tmp_path / "one.grad.yaml"
    spec.write_text("expr: tanh(x)\nparams: {x: 3}\n", "utf-8")
    program = (
        "import sys; from threadpoolctl import threadpool_info\n"
        "from gradcheck_cli.cli.main import main\n"
        "try:\n"
        f"    main(['run', '--quiet', {str(spec)!r}])\n"
        "except SystemExit as end:\n"
        "    threads = [each['num_threads'] for each in threadpool_info() if each['internal_api'] == 'openblas']\n"
        "    print(end.code, set(threads) <= {1}, file=sys.__stderr__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in NAMES},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr.splitlines()[-1] == "0 True"
