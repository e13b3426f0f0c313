"""Tags of a case: words by which cases are selected together."""

from __future__ import annotations

import re

from gradcheck_cli.spec.text.nodes import Listing, Node, Scalar
from gradcheck_cli.spec.text.problems import Problems

_WORDS = ("and", "or", "not")


def read_tags(node: Node | None, problems: Problems) -> tuple[str, ...]:
    """Return the tags that stand at `node`, each once; what can't be named on a command line is reported."""
    nodes = node.items if isinstance(node, Listing) else [node]
    tags: dict[str, None] = {}
    for each in nodes:
        if not isinstance(each, Scalar):
            continue
        text = str(each.value)
        for tag in text.split() if isinstance(node, Scalar) else [text]:
            if not re.fullmatch(r"[\w.:+/=@-]+", tag) or tag in _WORDS:
                message = f"'{tag}' can't be a tag: a tag is one word, and not {', '.join(_WORDS)}"
                problems.add(each.mark, message, "wrong-tag", "letters, digits and . : + / = @ _ - make a tag")
            tags[tag] = None
    return tuple(tags)
