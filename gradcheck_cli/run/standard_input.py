"""Read a spec from standard input."""

from __future__ import annotations

import sys

from gradcheck_cli.errors import Location, Problem, SpecError
from gradcheck_cli.spec.text.yaml_reader import LARGEST_FILE


def standard_input() -> str | bytes:
    """Read standard input as far as a spec may be long. Raises SpecError if there is none."""
    if sys.stdin is None:
        raise SpecError(Problem("standard input is closed", Location("-"), "missing-file"))
    # The bytes: a spec is UTF-8 whatever the locale is.
    stream = getattr(sys.stdin, "buffer", sys.stdin)
    try:
        text: str | bytes = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise SpecError(Problem(f"can't be read: {error.strerror}", Location("-"), "missing-file")) from error
    return text
