"""A watcher for those who call from Python: what isn't checked is a warning."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from gradcheck_cli.errors import SampledWarning
from gradcheck_cli.verdict.watcher import Watcher

_PACKAGE = str(Path(__file__).parents[1] / "_").removesuffix("_")


class Warned(Watcher):
    """Warns of a plan before it starts, at the line outside of this package that asked for the check."""

    def plan(self, text: str) -> None:
        """Warn that not every element is checked."""
        frame, level = sys._getframe(), 1
        while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
            frame, level = frame.f_back, level + 1
        warnings.warn(text, SampledWarning, stacklevel=level)
