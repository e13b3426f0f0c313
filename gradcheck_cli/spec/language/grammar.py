"""What the language of expressions leaves out of Python's grammar, and the words that say so."""

from __future__ import annotations

import ast

NODE_LIMIT = 2_000
"""Largest number of statements and expressions, each name and number counted, in one text."""

_LANGUAGE = (
    "lines are assignments, and the last one is the value: names, numbers, arithmetic, comparisons, x[...], calls"
)

# By class name, since some classes exist in later versions of Python only.
_EXPRESSIONS: dict[str, tuple[str, str]] = {
    "Lambda": ("lambda", "write the step as a line of its own, h = ..., or as an operator in a Python file under ops:"),
    "ListComp": ("a comprehension", "operators work on whole arrays: no loop is needed"),
    "SetComp": ("a comprehension", "operators work on whole arrays: no loop is needed"),
    "DictComp": ("a comprehension", "operators work on whole arrays: no loop is needed"),
    "GeneratorExp": ("a comprehension", "operators work on whole arrays: no loop is needed"),
    "JoinedStr": ("an f-string", "write the text out, or give it a name under matrix:"),
    "TemplateStr": ("a t-string", "write the text out, or give it a name under matrix:"),
    "NamedExpr": (":=", "assign on a line of its own: h = ..."),
    "Starred": ("*", "write the arguments out one by one"),
    "IfExp": ("if ... else", "choose element by element: where(condition, x, y)"),
    "BoolOp": ("and / or", "join comparisons with & and |, each in parentheses: (x > 0) & (y > 0)"),
    "Dict": ("{...}", "write dict(mode=mode)"),
    "Set": ("{...}", "write a list: [1, 2]"),
    "Await": ("await", _LANGUAGE),
    "Yield": ("yield", _LANGUAGE),
    "YieldFrom": ("yield", _LANGUAGE),
}

_STATEMENTS: dict[str, tuple[str, str]] = {
    "AugAssign": ("an assignment such as +=", "write it out: h = h + x"),
    "AnnAssign": ("a type annotation", "write h = ..."),
    "Import": ("import", "operators are found by name; those of your own come from files under ops:"),
    "ImportFrom": ("import", "operators are found by name; those of your own come from files under ops:"),
    "FunctionDef": ("def", "write an operator in a Python file and name the file under ops:"),
    "AsyncFunctionDef": ("def", "write an operator in a Python file and name the file under ops:"),
    "ClassDef": ("class", "write an operator in a Python file and name the file under ops:"),
    "For": ("for", "operators work on whole arrays: no loop is needed"),
    "AsyncFor": ("for", "operators work on whole arrays: no loop is needed"),
    "While": ("while", "operators work on whole arrays: no loop is needed"),
    "If": ("if", "choose element by element: where(condition, x, y)"),
    "Return": ("return", "the last line is the value, without a word before it"),
    "Delete": ("del", _LANGUAGE),
    "TryStar": ("try", _LANGUAGE),
    "TypeAlias": ("type", _LANGUAGE),
}

_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.BitXor: ("^", "a power is written with **: x**2"),
    ast.LShift: ("<<", _LANGUAGE),
    ast.RShift: (">>", _LANGUAGE),
    ast.Not: ("not", "negate a comparison with ~: ~(x > 0)"),
    ast.Is: ("is", "compare numbers with =="),
    ast.IsNot: ("is not", "compare numbers with !="),
    ast.In: ("in", _LANGUAGE),
    ast.NotIn: ("not in", _LANGUAGE),
}


def refusal(node: ast.AST) -> tuple[str, str]:
    """Return message and hint for a node, or an operator token, that the language leaves out."""
    name = type(node).__name__
    words, hint = (
        _OPERATORS.get(type(node))
        or _EXPRESSIONS.get(name)
        or _STATEMENTS.get(name)
        or (name.lower().removeprefix("async"), _LANGUAGE)
    )
    return f"'{words}' is not part of the language" if _is_symbol(
        words
    ) else f"{words} is not part of the language", hint


def _is_symbol(words: str) -> bool:
    """Tell whether words are quoted text of the language rather than a description."""
    return not words.startswith(("a ", "an "))
