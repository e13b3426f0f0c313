import ast

import pytest

from gradcheck_cli.spec.language.grammar import NODE_LIMIT, refusal


def parsed(text):
    statement = ast.parse(text).body[0]
    return statement.value if isinstance(statement, ast.Expr) else statement


@pytest.mark.parametrize(
    ("text", "words", "hint"),
    [
        ("lambda: x", "'lambda'", "operator in a Python file"),
        ("[a for a in x]", "a comprehension", "whole arrays"),
        ("{a for a in x}", "a comprehension", "whole arrays"),
        ("{a: a for a in x}", "a comprehension", "whole arrays"),
        ("f'{x}'", "an f-string", "matrix:"),
        ("(h := x)", "':='", "h = ..."),
        ("x if y else z", "'if ... else'", "where(condition, x, y)"),
        ("x and y", "'and / or'", "&"),
        ("{'a': 1}", "'{...}'", "dict(mode=mode)"),
        ("h += x", "such as +=", "h = h + x"),
        ("h: int = x", "a type annotation", "h = ..."),
        ("import os", "'import'", "ops:"),
        ("from os import path", "'import'", "ops:"),
        ("def f(x): pass", "'def'", "ops:"),
        ("for a in x: pass", "'for'", "whole arrays"),
        ("if x: pass", "'if'", "where(condition, x, y)"),
        ("return x", "'return'", "the last line is the value"),
        ("del x", "'del'", "the last one is the value"),
        ("with x: pass", "'with'", "the last one is the value"),
        ("async def f(): pass", "'def'", "ops:"),
        ("pass", "'pass'", "the last one is the value"),
    ],
)
def test_a_refused_construct_is_named_with_a_way_out(text, words, hint):
    message, way_out = refusal(parsed(text))
    assert message == f"{words} is not part of the language" or (words in message and "not part" in message)
    assert hint in way_out


def test_a_refused_sign_is_named_with_a_way_out():
    assert refusal(ast.BitXor()) == ("'^' is not part of the language", "a power is written with **: x**2")
    assert refusal(ast.Not())[1].endswith("~(x > 0)")


def test_every_class_of_the_grammar_has_words():
    classes = [made for made in vars(ast).values() if isinstance(made, type) and issubclass(made, ast.expr | ast.stmt)]
    assert len(classes) > 40
    for made in classes:
        message, hint = refusal(made.__new__(made))
        assert message.endswith("is not part of the language"), made
        assert hint, made


def test_the_node_limit_is_that_of_the_design():
    assert NODE_LIMIT == 2000
