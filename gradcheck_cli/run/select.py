"""Select cases and parameters: by id, and by a keyword expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gradcheck_cli.errors import Problem, SpecError

Matcher = Callable[[str], bool]


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
    tokens = re.findall(r"[()]|[^\s()]+", text)
    matcher, rest = _either(tokens, text)
    if rest:
        raise _malformed(text, f"unexpected '{rest[0]}'")
    return matcher


def _either(tokens: list[str], text: str) -> tuple[Matcher, list[str]]:
    left, rest = _both(tokens, text)
    if rest[:1] != ["or"]:
        return left, rest
    right, rest = _either(rest[1:], text)
    return (lambda full_id: left(full_id) or right(full_id)), rest


def _both(tokens: list[str], text: str) -> tuple[Matcher, list[str]]:
    left, rest = _single(tokens, text)
    if rest[:1] != ["and"]:
        return left, rest
    right, rest = _both(rest[1:], text)
    return (lambda full_id: left(full_id) and right(full_id)), rest


def _single(tokens: list[str], text: str) -> tuple[Matcher, list[str]]:
    if not tokens or tokens[0] in ("and", "or", ")"):
        raise _malformed(text, f"a word is missing before '{tokens[0]}'" if tokens else "a word is missing at the end")
    first, rest = tokens[0], tokens[1:]
    if first == "not":
        inner, rest = _single(rest, text)
        return (lambda full_id: not inner(full_id)), rest
    if first == "(":
        inner, rest = _either(rest, text)
        if rest[:1] != [")"]:
            raise _malformed(text, "')' is missing")
        return inner, rest[1:]
    word = first.casefold()
    return (lambda full_id: word in full_id.casefold()), rest


def _malformed(text: str, why: str) -> SpecError:
    hint = "words with and, or, not and parentheses: -k 'relu and not broken'"
    return SpecError(Problem(f"-k '{text}': {why}", code="keyword", hint=hint))
