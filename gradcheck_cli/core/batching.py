"""How a forward takes many perturbations at once, as its operator declares it with `batch=` and `linear=`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from gradcheck_cli.core.arguments import Attribute, Input
from gradcheck_cli.errors import near
from gradcheck_cli.light_dataclass import dataclass

MEANINGS = {
    "elementwise": "each element of an output depends on the same element of each input, after broadcasting",
    "axis": "everything happens along the attribute axis",
    "leading": "each index along the leading axes is on its own",
    "product": "it is x @ y",
    "scaled": "the output is the input times a number for each element that no value decides",
    "gather": "each element of an output is a constant, or a copy from a place in an input that no value decides",
}
"""What a word says of a forward."""


@dataclass(frozen=True)
class Batch:
    """What a forward does with many perturbations.

    `kind` is one of `MEANINGS` or "function"; `function` takes the names of the inputs that have one more leading
    axis, then what the forward takes. A "leading" one has `words`: those of its outputs' leading axes, which
    name axes of the inputs; along each of them every index is on its own, except for `_`.
    """

    kind: str
    words: tuple[str, ...] = ()
    function: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Linear:
    """The inputs in which an operator is affine: in each alone, or `jointly` in all of them."""

    names: tuple[str, ...]
    jointly: bool


class Say(Protocol):
    """Notes a problem, with a hint, at the option of the decorator that it is about."""

    def __call__(self, option: str, message: str, hint: str) -> None:
        """Note the problem."""


def read_batch(option: Any, inputs: Sequence[Input], attributes: Sequence[Attribute], say: Say) -> Batch | None:
    """Read `batch=`; None, with the problem said, for what isn't one."""
    shapes = [item.domain.words for item in inputs]
    if not isinstance(option, str) or not option.split():
        say("batch", f"batch={option!r} should be a word", f"one of {', '.join(MEANINGS)}")
        return None
    if option == "leading":
        first = next((words[0] for words in shapes if words and "..." in words), None)
        first = first or next((words[0] for words in shapes if words), None)
        if first is None or first.isdecimal():
            say("batch", "batch='leading' needs an input whose shape begins with '...' or a word", 'x=arr("... n")')
            return None
        return Batch("leading", (first,))
    if option == "axis" and ("axis" not in [each.name for each in attributes] or _several(inputs)):
        say("batch", "batch='axis' is for one array and an attribute named 'axis'", "def f(x, *, axis=None)")
        return None
    if option == "scaled" and _several(inputs):
        say("batch", "batch='scaled' is for one array", "leave it out")
        return None
    if option == "product" and (len(inputs) != 2 or inputs[-1].variadic):
        say("batch", "batch='product' is for two arrays, x @ y", "leave it out")
        return None
    if option in MEANINGS:
        return Batch(option)
    known = list(dict.fromkeys(word for words in shapes for word in words or () if not word.isdecimal()))
    words = tuple(option.split())
    for word in words:
        if word not in (*known, "_"):
            hint = near(word, [*MEANINGS, *known]) or f"one of {', '.join(MEANINGS)}, or words of the inputs' shapes"
            say("batch", f"batch={option!r} is no way to take many perturbations", hint)
            return None
    named = [word for word in words if word != "_"]
    if not named or len(set(named)) < len(named) or "..." in words[1:]:
        say(
            "batch", f"batch={option!r} should name different words of the inputs' shapes, '...' first", 'batch="... m"'
        )
        return None
    return Batch("leading", words)


def read_linear(option: Any, inputs: Sequence[Input], say: Say) -> Linear | None:
    """Read `linear=`; None, with the problem said, for what isn't one."""
    known = [item.name for item in inputs if item.domain.differentiable]
    if option is True:
        return Linear(tuple(known), jointly=True)
    if not isinstance(option, str) or not option.split():
        say("linear", f"linear={option!r} should be True or names of arrays", f'linear="{" ".join(known)}"')
        return None
    for name in option.split():
        if name not in known:
            hint = near(name, known) or f"these are: {', '.join(known)}"
            say("linear", f"linear={option!r} names '{name}', which is no differentiable input", hint)
            return None
    return Linear(tuple(option.split()), jointly=False)


def read_function(function: Callable[..., Any], inputs: Sequence[Input], attributes: Sequence[Attribute]) -> str:
    """Return what is wrong with the parameters of a batch function, empty if nothing is."""
    wanted = ["moved", *(("*" if item.variadic else "") + item.name for item in inputs)]
    arguments: list[Any] = [None] * (1 + len(inputs))
    try:
        inspect.signature(function).bind(*arguments, **{attribute.name: None for attribute in attributes})
    except TypeError:
        star = [] if any(item.variadic for item in inputs) or not attributes else ["*"]
        return f"def _({', '.join([*wanted, *star, *(attribute.name for attribute in attributes)])})"
    return ""


def _several(inputs: Sequence[Input]) -> bool:
    return len(inputs) != 1 or inputs[0].variadic
