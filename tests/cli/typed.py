"""A shell on a terminal of its own, into which a test types as a person does."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.cli.conftest import environment

STARTS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
SECONDS = 60

# Answers the shell that asks for completions, and otherwise writes down what it was called with.
PROGRAM = """#!{python}
import os, sys
sys.argv[0] = "gradcheck"
if "_GRADCHECK_COMPLETE" in os.environ:
    from gradcheck_cli.cli.main import main
    main()
with open("called.part", "w") as stream:
    stream.write("\\n".join(sys.argv[1:]))
os.rename("called.part", "called")
"""


class Shell:
    """A shell in `folder`, in which the completion of `gradcheck` is set up with the script that it prints itself."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        (folder / "bin").mkdir()
        program = folder / "bin" / "gradcheck"
        program.write_text(PROGRAM.format(python=sys.executable), "utf-8")
        program.chmod(0o755)
        self.environment = environment(
            PATH=f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            HOME=str(folder),
            TERM="xterm" if name == "fish" else "dumb",
            PS1="ready> ",
        )

    def __enter__(self) -> Shell:
        asked = {**self.environment, "_GRADCHECK_COMPLETE": f"source_{self.name}"}
        script = subprocess.run(["gradcheck"], env=asked, capture_output=True, text=True, check=True, timeout=SECONDS)
        (self.folder / "script").write_text(script.stdout, "utf-8")
        # Here, since there are no terminals everywhere.
        import pty

        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(self.folder)
            os.execvpe(self.name, STARTS[self.name], self.environment)
        if self.name == "zsh":
            self.type("autoload -Uz compinit; compinit -u -D\n")
        self.type("source ./script\n")
        self.called("gradcheck started\n")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)

    def type(self, keys: str) -> None:
        """Type keys; a shell takes them when it gets to them."""
        os.write(self.terminal, keys.encode())

    def called(self, keys: str) -> list[str]:
        """Type a line that calls the program; return the arguments with which it was called."""
        called = self.folder / "called"
        called.unlink(missing_ok=True)
        self.type(keys)
        shown, end = b"", time.monotonic() + SECONDS
        while not called.exists():
            assert time.monotonic() < end, f"{keys!r} called nothing: {shown!r}"
            shown += self._read()
        return called.read_text("utf-8").split("\n")

    def _read(self) -> bytes:
        ready: Any = select.select([self.terminal], [], [], 0.05)[0]
        return os.read(self.terminal, 65536) if ready else b""
