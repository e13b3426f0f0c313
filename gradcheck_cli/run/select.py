"""Select cases and parameters: by id, and by a keyword expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from gradcheck_cli.errors import Problem, SpecError

Matcher = Callable[[str], bool]

_DEEPEST = 50


def selected_parameters(case_id: str, parameters: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Return the parameters of a case that `ids` (empty: all) select: by equality, or as a prefix before `::`."""
    return [name for name in parameters if not ids or any(matches(f"{case_id}::{name}", wanted) for wanted in ids)]


def matches(full_id: str, wanted: str) -> bool:
    """Tell whether `full_id` is `wanted`, or a part of it."""
    return full_id == wanted or full_id.startswith(wanted + "::")


def in_text(word: str) -> str:
    """Return a word as it was typed: in a locale without UTF-8 (C, POSIX) Python hands over escaped bytes.

    Paths keep those, since files are opened with them; what is compared with names of a spec, which is UTF-8, must not.
    What isn't UTF-8 stays as it is.
    """
    if word.isascii():
        return word
    try:
        return word.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return word


def id_in_text(word: str) -> str:
    """Return an id `FILE::case::param` with its names as they were typed, and its file as it is opened."""
    file, colons, names = word.partition("::")
    return file + colons + in_text(names)


def keyword_matcher(text: str) -> Matcher:
    """Compile a keyword expression: words that an id holds, with `and`, `or`, `not` and parentheses.

    Words match anywhere in an id, whatever their case. Raises SpecError for a malformed expression.
    """
    match = _compiled(in_text(text), "-k")
    return lambda full_id: match(lambda word: word.casefold() in in_text(full_id).casefold())


def tag_matcher(text: str) -> Callable[[Collection[str]], bool]:
    """Compile an expression over tags, which match as a whole. Raises SpecError for a malformed one."""
    if "," in text:  # no tag has one, so that the word would match nothing, and `not` of it everything
        words = " or ".join(word.strip() for word in text.split(",") if word.strip())
        hint = f"--tag '{words or _EXAMPLES['--tag']}'"
        raise SpecError(Problem(f"--tag '{text}': a comma joins no tags", code="keyword", hint=hint))
    match = _compiled(in_text(text), "--tag")
    return lambda tags: match(lambda word: word in tags)


_Holds = Callable[[str], bool]
_Expression = Callable[[_Holds], bool]


def _compiled(text: str, option: str) -> _Expression:
    """Compile an expression of words with `and`, `or`, `not`: it is told which words hold."""
    if not text.strip():
        return lambda _: True
    tokens = re.findall(r"[()]|[^\s()]+", text)[::-1]
    try:
        expression = _either(tokens, 0)
        if tokens:
            raise _MalformedError(f"unexpected '{tokens[-1]}'")
    except _MalformedError as error:
        hint = f"words with and, or, not and parentheses: {option} '{_EXAMPLES[option]}'"
        raise SpecError(Problem(f"{option} '{text}': {error}", code="keyword", hint=hint)) from None
    return expression


_EXAMPLES = {"-k": "relu and not broken", "--tag": "slow and not gpu"}


class _MalformedError(Exception):
    """An expression can't be read; the message says why."""


# The readers below take what they understand off the end of `tokens`, where the next one stands.


def _either(tokens: list[str], depth: int) -> _Expression:
    parts = [_both(tokens, depth)]
    while tokens[-1:] == ["or"]:
        tokens.pop()
        parts.append(_both(tokens, depth))
    return parts[0] if len(parts) == 1 else lambda holds: any(part(holds) for part in parts)


def _both(tokens: list[str], depth: int) -> _Expression:
    parts = [_single(tokens, depth)]
    while tokens[-1:] == ["and"]:
        tokens.pop()
        parts.append(_single(tokens, depth))
    return parts[0] if len(parts) == 1 else lambda holds: all(part(holds) for part in parts)


def _single(tokens: list[str], depth: int) -> _Expression:
    if not tokens or tokens[-1] in ("and", "or", ")"):
        raise _MalformedError(f"a word is missing before '{tokens[-1]}'" if tokens else "a word is missing at the end")
    if depth > _DEEPEST:
        raise _MalformedError(f"more than {_DEEPEST} levels of parentheses and 'not'")
    first = tokens.pop()
    if first == "not":
        denied = _single(tokens, depth + 1)
        return lambda holds: not denied(holds)
    if first == "(":
        inner = _either(tokens, depth + 1)
        if tokens[-1:] != [")"]:
            raise _MalformedError("')' is missing")
        tokens.pop()
        return inner
    return lambda holds: holds(first)
