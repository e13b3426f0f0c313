"""Text that XML 1.0 can hold."""

from __future__ import annotations

import re

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return `text` without the characters that XML 1.0 forbids even where they are escaped: controls, surrogates."""
    return _FORBIDDEN.sub("", text)
