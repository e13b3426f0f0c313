"""How the shells are answered: with words that each of them takes as they are meant.

Names of cases are what a file says, so that they may hold anything. None may become a command, neither while a shell
reads the answer nor when the line is sent.

Bash splits words where no one else does: at `:` and `=`, as in FILE::CASE and --format=json. What stands behind the
last such character is all that it replaces, so that is all that it may be given.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any

_BREAK = re.compile("[:=]+")
_PLAIN = re.compile(r"[\w@%+=:,./~-]")
_EVALUATED = re.compile(r"[\\`$'\"!]")
"""What zsh may evaluate in an answer, though it is quoted; the other shells take every name but these as it is, too."""


def register() -> None:
    """Let typer answer in this way. With a typer that is built otherwise, its own way stays."""
    try:
        # Here, since nothing but completion needs them; their place isn't public.
        from typer import _completion_classes as classes

        registry = sys.modules[classes.BashComplete.__mro__[1].__module__]
        add = registry.add_completion_class
        shells = [("bash", classes.BashComplete), ("zsh", classes.ZshComplete), ("fish", classes.FishComplete)]
        shells += [(name, classes.PowerShellComplete) for name in ("powershell", "pwsh")]
    except (ImportError, AttributeError):
        return
    for name, theirs in shells:
        ours = {"bash": _Bash, "fish": _Shell}.get(name, _Evaluating)
        add(type(f"{ours.__name__}{name}", (ours, theirs), {}), name)


class _Shell:
    """What is different from typer's class of a shell, in front of which this one stands."""

    def get_completions(self, args: list[str], incomplete: str) -> list[Any]:
        """Return what could stand there; a value behind `--option=` with that in front, as it was typed."""
        items: list[Any] = super().get_completions(args, incomplete)  # type: ignore[misc]
        option, sign, _ = incomplete.partition("=")
        for item in items if sign and option.startswith("-") else ():
            item.value = f"{option}={item.value}"
        return [item for item in items if str(item.value).isprintable()]


class _Evaluating(_Shell):
    """A shell that evaluates what it is given."""

    def get_completions(self, args: list[str], incomplete: str) -> list[Any]:
        """Return what could stand there, but for what could mean something else."""
        return [item for item in super().get_completions(args, incomplete) if not _EVALUATED.search(item.value)]


class _Bash(_Shell):
    """Bash, with words that it has taken apart."""

    _before = ""
    _quote = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is completed, and that one, as a program is given them."""
        words, last, before = glued(os.environ["COMP_WORDS"], int(os.environ["COMP_CWORD"]))
        self._before = unquoted(before)
        self._quote = last[:1] if last[:1] in ("'", '"') else ""
        return [unquoted(word) for word in words[1:]], unquoted(last)

    def format_completion(self, item: Any) -> str:
        """Return what bash puts in the place of what it takes for the word."""
        return quoted(str(item.value).removeprefix(self._before), self._quote)


def glued(text: str, index: int) -> tuple[list[str], str, str]:
    """Return the words before the one at `index`, that one, and what of it bash takes for words of their own.

    `text` holds the words of bash, one on a line (or, for who calls by hand, with spaces between them).
    """
    pieces = text.split("\n" if "\n" in text else " ")[: index + 1]
    pieces += [""] * (index + 1 - len(pieces))
    words: list[str] = []
    before, joins = "", False
    for piece in pieces:
        is_break = _BREAK.fullmatch(piece) is not None
        if words and (is_break or joins):
            before, words[-1] = words[-1] + piece * is_break, words[-1] + piece
        else:
            before = piece * is_break
            words.append(piece)
        joins = is_break
    return words[:-1], words[-1], before


def unquoted(word: str) -> str:
    """Return a word of a command line without its quotes, which need not be closed."""
    text, quote, escaped = "", "", False
    for letter in word:
        if escaped:
            text, escaped = text + letter, False
        elif letter == "\\" and quote != "'":
            escaped = True
        elif letter in ("'", '"') and quote in ("", letter):
            quote = "" if quote else letter
        else:
            text += letter
    return text


def quoted(text: str, quote: str = "") -> str:
    """Return a text so that a shell takes it for one word, or for the rest of one that opened with `quote`."""
    if quote == "'":
        return text.replace("'", "'\\''")
    if quote:
        return re.sub(r'([\\"$`])', r"\\\1", text)
    return "".join(letter if _PLAIN.match(letter) else f"\\{letter}" for letter in text)
