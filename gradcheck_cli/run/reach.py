"""Operator files as a spec in some folder names them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from gradcheck_cli.spec.folders import Folders, Unusable


def named_from(folder: Path, files: Sequence[Path]) -> tuple[str, ...]:
    """Return the texts by which a spec in `folder` names operator files; none if it can't name all of them.

    A spec reaches files below its own folder or its project's.
    """
    folders = Folders(folder)
    texts = []
    for file in files:
        try:
            text = Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
            folders.locate(text)
        except (Unusable, OSError, ValueError):
            return ()
        texts.append(text)
    return tuple(texts)
