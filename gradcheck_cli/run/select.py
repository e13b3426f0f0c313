"""Select cases and parameters: by id, and by a keyword expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gradcheck_cli.errors import Problem, SpecError

Matcher = Callable[[str], bool]

_DEEPEST = 50


def selected_parameters(case_id: str, parameters: Sequence[str], ids: Sequence[str], keyword: Matcher) -> list[str]:
    """Return the parameters of a case that `ids` (empty: all) and `keyword` select.

    An id matches by equality or as a prefix before `::`. The keyword sees FILE::case::param.
    """
    names = [name for name in parameters if not ids or any(matches(f"{case_id}::{name}", wanted) for wanted in ids)]
    return [name for name in names if keyword(f"{case_id}::{name}")]


def matches(full_id: str, wanted: str) -> bool:
    """Tell whether `full_id` is `wanted`, or a part of it."""
    return full_id == wanted or full_id.startswith(wanted + "::")


def keyword_matcher(text: str) -> Matcher:
    """Compile a keyword expression: words that an id holds, with `and`, `or`, `not` and parentheses.

    Words match anywhere in an id, whatever their case. Raises SpecError for a malformed expression.
    """
    if not text.strip():
        return lambda _: True
    tokens = re.findall(r"[()]|[^\s()]+", text)[::-1]
    matcher = _either(tokens, text, 0)
    if tokens:
        raise _malformed(text, f"unexpected '{tokens[-1]}'")
    return matcher


# The readers below take what they understand off the end of `tokens`, where the next one stands.


def _either(tokens: list[str], text: str, depth: int) -> Matcher:
    parts = [_both(tokens, text, depth)]
    while tokens[-1:] == ["or"]:
        tokens.pop()
        parts.append(_both(tokens, text, depth))
    return parts[0] if len(parts) == 1 else lambda full_id: any(part(full_id) for part in parts)


def _both(tokens: list[str], text: str, depth: int) -> Matcher:
    parts = [_single(tokens, text, depth)]
    while tokens[-1:] == ["and"]:
        tokens.pop()
        parts.append(_single(tokens, text, depth))
    return parts[0] if len(parts) == 1 else lambda full_id: all(part(full_id) for part in parts)


def _single(tokens: list[str], text: str, depth: int) -> Matcher:
    if not tokens or tokens[-1] in ("and", "or", ")"):
        raise _malformed(text, f"a word is missing before '{tokens[-1]}'" if tokens else "a word is missing at the end")
    if depth > _DEEPEST:
        raise _malformed(text, f"more than {_DEEPEST} levels of parentheses and 'not'")
    first = tokens.pop()
    if first == "not":
        denied = _single(tokens, text, depth + 1)
        return lambda full_id: not denied(full_id)
    if first == "(":
        inner = _either(tokens, text, depth + 1)
        if tokens[-1:] != [")"]:
            raise _malformed(text, "')' is missing")
        tokens.pop()
        return inner
    word = first.casefold()
    return lambda full_id: word in full_id.casefold()


def _malformed(text: str, why: str) -> SpecError:
    hint = "words with and, or, not and parentheses: -k 'relu and not broken'"
    return SpecError(Problem(f"-k '{text}': {why}", code="keyword", hint=hint))
