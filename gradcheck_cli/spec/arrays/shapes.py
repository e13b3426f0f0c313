"""Shapes as a spec writes them: words that name dims, and sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gradcheck_cli.errors import near
from gradcheck_cli.spec.arrays.files import MOST_AXES, MOST_ELEMENTS
from gradcheck_cli.spec.text.nodes import Listing, Mark, Node, Scalar
from gradcheck_cli.spec.text.problems import Problems

_SIZE = re.compile(r"[0-9]{1,308}")
_NOT_FINITE = frozenset({"nan", "inf", "-inf", "+inf", "infinity"})


def shape_words(node: Node) -> Iterator[tuple[str, Mark]]:
    """List the words of a shape with their positions; a size is a word too."""
    if isinstance(node, Listing):
        for item in node.items:
            yield from shape_words(item)
    elif isinstance(node, Scalar):
        text = str(node.value)
        quote = len(node.style) if node.style in ("'", '"') else 0
        same_line = "\n" not in text and node.style not in ("|", ">")
        for found in re.finditer(r"\S+", text):
            column = node.mark.column + (quote + found.start() if same_line else 0)
            yield found[0], Mark(node.mark.line, column)


def read_shape(node: Node, dims: Mapping[str, Any], problems: Problems) -> tuple[int, ...] | None:
    """Return the shape that words, a size or a list of them say; None if something is wrong, which is said."""
    words = list(shape_words(node))
    if len(words) > MOST_AXES:
        problems.add(node.mark, f"an array has at most {MOST_AXES} axes, not {len(words)}", "too-large")
        return None
    read = [read_size(word, mark, dims, problems) for word, mark in words]
    sizes = [size for size in read if size is not None]
    if len(sizes) < len(read):
        return None
    if max(math.prod(sizes), *sizes, 0) > MOST_ELEMENTS:
        message = f"an array has at most {MOST_ELEMENTS:,} elements, not {shape_text(tuple(sizes))}"
        problems.add(node.mark, message, "too-large", "check a smaller one: a gradient is right at every size")
        return None
    return tuple(sizes)


def read_size(word: str, mark: Mark, dims: Mapping[str, Any], problems: Problems) -> int | None:
    """Return the size that a word names; None if it names none, which is said.

    A dim whose size is `...` was reported already.
    """
    if dims.get(word) is ...:
        return None
    if _SIZE.fullmatch(word):
        return int(word)
    if word in dims:
        size = dims[word]
        if isinstance(size, int) and not isinstance(size, bool) and size >= 0:
            return size
        problems.add(mark, f"'{word}' is {size!r} here, which is no size", "wrong-type")
    elif word.lower() in _NOT_FINITE:
        problems.add(mark, f"no dim is named '{word}'", "unknown-dim", f"the number is written .{word.strip('+-')[:3]}")
    elif not word.isidentifier():
        problems.add(mark, f"'{word}' is no size and no name of a dim", "wrong-shape", _shape_hint(word))
    else:
        hint = near(word, dims) or f"give it a size: dims: {{{word}: 3}}"
        problems.add(mark, f"no dim is named '{word}'", "unknown-dim", hint)
    return None


def _shape_hint(word: str) -> str:
    pieces = re.split(r"[^\w]+|(?<=[0-9])[x\N{MULTIPLICATION SIGN}](?=[0-9])", word.strip("()[],"))
    if re.fullmatch(r"[-+]?[0-9][0-9_]*|0[xob]\w+", word):
        return "a number is written in decimal digits alone"
    example = " ".join(pieces) if len(pieces) > 1 and all(pieces) else "batch 3"
    return f"words and sizes have spaces between them: {example}"


def shape_text(shape: tuple[int, ...]) -> str:
    """Write a shape for people, as in reports: sizes with a multiplication sign between them."""
    return "\N{MULTIPLICATION SIGN}".join(map(str, shape)) if shape else "a single number"
