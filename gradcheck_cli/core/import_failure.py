"""Why an operator file or a module doesn't import, at the line that says most."""

from __future__ import annotations

import linecache
import traceback
from pathlib import Path

from gradcheck_cli.core.extras import install_hint
from gradcheck_cli.errors import GradcheckError, Location, Problem

_CORE = str(Path(__file__).parent)


def import_failure(error: BaseException, what: str, own: Path | None = None) -> list[Problem]:
    """Describe an exception raised by an import.

    `what` begins the message. `own` is the file that was asked for: its line is shown, and a hint
    says where a module that it imports raised. Without it the deepest line is shown.
    """
    if isinstance(error, GradcheckError) and all(problem.location for problem in error.problems):
        return list(error.problems)
    message = f"{what}: {_summary(error)}"
    if isinstance(error, SyntaxError) and error.filename and own in (None, Path(error.filename)):
        at = Location(error.filename, error.lineno or 0, error.offset or 0)
        source = error.text or linecache.getline(error.filename, error.lineno or 0)
        return [Problem(message, at, "import-failed", source=source.rstrip("\n"))]
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_user_code(frame.filename)]
    shown = [frame for frame in frames if own is None or Path(frame.filename) == own]
    if not shown:
        return [Problem(message, Location(str(own)) if own else None, "import-failed")]
    last, deepest = shown[-1], frames[-1]
    raised_at = "" if deepest is last else f"raised at {deepest.filename}:{deepest.lineno}: {deepest.line}"
    if isinstance(error, SyntaxError) and error.filename:
        raised_at = f"in {error.filename}:{error.lineno}: {(error.text or '').strip()}"
    if isinstance(error, ModuleNotFoundError) and (line := install_hint(error.name or "")):
        raised_at = "; ".join(filter(None, (line, raised_at)))
    source = linecache.getline(last.filename, last.lineno or 0).rstrip("\n")
    return [Problem(message, Location(last.filename, last.lineno or 0), "import-failed", raised_at, source)]


def _summary(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it ends the program, exit({'' if error.code is None else repr(error.code)})"
    text = (error.msg if isinstance(error, SyntaxError) else str(error)).strip()
    return f"{type(error).__name__}: {text or 'no message'}"


def _is_user_code(file: str) -> bool:
    return not file.startswith((_CORE, "<frozen importlib"))
