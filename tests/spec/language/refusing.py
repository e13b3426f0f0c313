"""Expressions that are refused, beside arrays, constants and operators that they almost name."""

from gradcheck_cli import op
from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.spec.language.expression import compile_expression
from gradcheck_cli.spec.text.place import Place


@op(outputs="loss probs")
def both(x, y):
    """Two outputs."""
    return x + y, x - y


@both.backward
def _(g_loss, g_probs):
    return g_loss + g_probs, g_loss - g_probs


@op
def swish(x, *, beta=1.0):
    """No built-in, so no method."""
    return x * beta


@swish.backward
def _(g, beta):
    return g * beta


@op
def crop(x, *, size):
    """An attribute that has no default."""
    return x[:size]


@crop.backward
def _(g, x):
    return g + 0 * x


SCOPE = Scope(Loader(), own={made.operator.name: made.operator for made in (both, swish, crop)})
ARRAYS = ["x", "y", "weights", "labels"]
CONSTANTS = {"n": 2, "mode": "same", "flag": True, "words": ["a", "b"], "act": "rleu"}


def problems_of(text, scope=SCOPE):
    problems = []
    place = Place("case.yaml", 1, 1, tuple(text.split("\n")))
    expression = compile_expression(
        text, scope=scope, arrays=ARRAYS, constants=CONSTANTS, place=place, problems=problems
    )
    assert (expression is None) == bool(problems)
    return problems


def said(text):
    return [(p.location.line, p.location.column, p.message) for p in problems_of(text)]
