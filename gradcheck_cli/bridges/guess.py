"""Guess what undeclared code accepts: try a few kinds of inputs, and keep those that forward and backward agree on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradcheck_cli.bridges.conventions import CODE
from gradcheck_cli.core.arguments import REQUIRED, Input
from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.domain import Domain
from gradcheck_cli.core.draw import draw
from gradcheck_cli.core.execution import Execution, using
from gradcheck_cli.core.node import Node
from gradcheck_cli.core.operator import Operator, Rule
from gradcheck_cli.core.returned import MISSING
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.errors import ContractViolation, GradcheckError, OperatorError, Problem, Skipped

NEEDS_DOMAIN = "needs-domain"
"""The code of the problem that nothing could be guessed."""

_SIZES = {"n": 3, "d": 4}
_COMMON = ("n", "d")
_KINDS = (_COMMON, ("n", "n"), ("n",), ())
_SETTING = re.compile(r"param|config|cfg|mode|option|setting|train")
_LABELS = ("y", "t", "label", "labels", "target", "targets", "index", "indices", "idx")


@dataclass(frozen=True)
class _Guess:
    """Shape words of an input; `below` names the size that integers are below, `constant` says: no gradient."""

    words: tuple[str, ...]
    below: str = ""
    constant: bool = False

    @property
    def whole(self) -> bool:
        return bool(self.below)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(_SIZES[word] for word in self.words)

    @property
    def domain(self) -> Domain:
        shape = " ".join(self.words)
        if self.whole:
            return Domain("int", shape, below=self.below)
        return Domain(shape=shape, nondiff=self.constant)


def guess_domains(operator: Operator, rng: np.random.Generator) -> Operator:
    """Return `operator` with a domain for every loose input; itself if it has none.

    Tried are inputs of one common shape, square matrices, vectors and numbers, whole numbers for what
    is named like labels, and for each input the shape that its gradient has. What the code has no
    gradient for counts as given. Raises OperatorError, with the line to write, where nothing fits, and
    `Skipped` for code that isn't written yet.
    """
    loose = [item for item in operator.inputs if item.loose]
    if not loose:
        return operator
    if any(attribute.default is REQUIRED and not attribute.values for attribute in operator.attributes):
        raise _needs_domain(operator)
    for guesses in _candidates(loose):
        fitting = _fit(operator, loose, guesses, rng)
        if fitting is not None:
            return _declared(operator, loose, fitting)
    raise _needs_domain(operator)


def guessed_words(operator: Operator, guessed: Operator) -> str:
    """Say what was guessed of an operator; empty if nothing was."""
    pairs = [(new.name, new.domain) for old, new in zip(operator.inputs, guessed.inputs, strict=True) if old.loose]
    if not pairs:
        return ""
    if all(domain == Domain() for _, domain in pairs):
        words = f"{', '.join(name for name, _ in pairs)} of one common shape"
    else:
        words = ", ".join(f"{name} ({domain.shape or 'a number'})" for name, domain in pairs)
    given = [name for name, domain in pairs if domain.nondiff]
    ungraded = f"; its backward returns no gradient for {', '.join(given)}, which was not checked" if given else ""
    return f"no domain is declared, guessed: {words}{ungraded}"


def domain_line(operator: Operator) -> str:
    """Write the domain that a person has to give for an operator: `domain: {x: ..., conv_param: [...]}`."""
    settings = [item.name for item in operator.inputs if item.loose and _SETTING.search(item.name)]
    parts = [
        f"{item.name}: {'[...]' if item.name in settings else '{shape: ...}'}" for item in operator.inputs if item.loose
    ]
    parts += [f"{each.name}: [...]" for each in operator.attributes if each.default is REQUIRED and not each.values]
    return f"{operator.name}: {{{', '.join(parts)}}}"


def _candidates(loose: Sequence[Input]) -> Iterator[list[_Guess]]:
    labelled = [item.name.lower() in _LABELS for item in loose]
    for words in _KINDS:
        yield [_Guess(words) for _ in loose]
    if not any(labelled):
        return
    for words in _KINDS:
        # Labels choose among the columns of scores, indices among the rows of a table.
        for below in dict.fromkeys((*words[-1:], *words[:1])):
            yield [_Guess(words[:1], below) if is_label else _Guess(words) for is_label in labelled]
    # The scores of one example, with its label.
    yield [_Guess((), "n") if is_label else _Guess(("n",)) for is_label in labelled]


def _fit(
    operator: Operator, loose: Sequence[Input], guesses: list[_Guess], rng: np.random.Generator
) -> list[_Guess] | None:
    """Return guesses with which every gradient has the shape of its input; None if there are none.

    An input whose gradient comes in another shape is tried in that shape, once: a bias was guessed as large
    as what it is added to. A gradient that is larger than its input is a mistake, not a guess.
    """
    for _ in range(2):
        found = _gradient_shapes(operator, loose, guesses, rng)
        if found is None:
            return None
        better = [_improved(guess, shape) for guess, shape in zip(guesses, found, strict=True)]
        if None in better:
            return None
        if better == guesses:
            return guesses
        guesses = [guess for guess in better if guess]
    return None


def _improved(guess: _Guess, shape: tuple[int, ...] | None) -> _Guess | None:
    """Return the guess that fits the shape of a gradient; None if none does."""
    if guess.whole:
        return guess
    if shape is None:
        return replace(guess, constant=True)
    if shape == guess.shape:
        return guess
    words = [word for size in shape for word, known in _SIZES.items() if known == size and word in guess.words]
    smaller = len(words) == len(shape) and np.prod(shape) < np.prod(guess.shape)
    return replace(guess, words=tuple(words)) if smaller else None


def _gradient_shapes(
    operator: Operator, loose: Sequence[Input], guesses: Sequence[_Guess], rng: np.random.Generator
) -> list[tuple[int, ...] | None] | None:
    """Run forward and backward once and return the shape of each loose input's gradient, None where there is none.

    Returns None alone if the code refuses such inputs.
    """
    made = dict(zip((item.name for item in loose), guesses, strict=True))
    operands: list[Any] = []
    for item in operator.inputs:
        if item.name in made:
            guess = made[item.name]
            array = draw(guess.domain, guess.shape, rng, _SIZES[guess.below] if guess.whole else None)
            if guess.whole:
                array = _with_largest(array, _SIZES[guess.below])
            operands.append(Variable(array, requires_grad=not guess.whole and not guess.constant))
        else:
            operands.append(operator.own.get(item.name))
    attributes = {each.name: each.values[0] for each in operator.attributes if each.values}
    raw = _RawGradients()
    try:
        with using(raw), np.errstate(all="ignore"):
            outputs = operator.apply(operands, attributes)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            if not any(out.requires_grad for out in outputs):
                return None
            if not all(np.isfinite(out.data).all() for out in outputs):
                return None
            first = next(out for out in outputs if out.requires_grad)
            first.backward(np.ones_like(first.data))
    except Skipped:
        raise
    except ContractViolation as violation:
        # The mistake is there to be found, on these inputs.
        return [guess.shape for guess in guesses] if violation.finding == "input-modified" else None
    except GradcheckError as error:
        if any(problem.code == CODE for problem in error.problems):  # no input would help
            raise
        return None
    slots = [slot for slot, item in enumerate(operator.inputs) if item.domain.differentiable]
    shapes = dict(zip(slots, (None if g is None or g is MISSING else np.shape(g) for g in raw.returned), strict=True))
    return [shapes.get(slot) for slot, item in enumerate(operator.inputs) if item.loose]


def _with_largest(labels: Array, below: int) -> Array:
    """Put the largest label among those drawn, so that code which takes no label so large refuses them for sure."""
    labels = np.array(labels)
    labels.flat[-1] = below - 1
    return labels


class _RawGradients(Execution):
    """Notes what a backward returns, and lets the shapes be what they are."""

    def __init__(self) -> None:
        self.returned: Sequence[Any] = ()

    def rule(self, node: Node, rule: Rule, values: Sequence[Any]) -> dict[int, Array]:
        """Call the rule; zeros stand for its gradients."""
        self.returned = self.called(node, rule, values)
        return {
            slot: np.zeros(layout[0], layout[1])
            for slot, layout in enumerate(node.inputs)
            if layout is not None and node.parents[slot] is not None
        }


def _declared(operator: Operator, loose: Sequence[Input], guesses: Sequence[_Guess]) -> Operator:
    """Return the operator with the guesses as domains: the default one where all share a shape of any size."""
    common = all(guess.words == _COMMON and not guess.constant for guess in guesses)
    chosen = dict(zip((item.name for item in loose), guesses, strict=True))
    inputs = tuple(
        replace(item, loose=False, domain=Domain() if common else chosen[item.name].domain) if item.loose else item
        for item in operator.inputs
    )
    served = tuple(item.name for item in inputs if item.domain.differentiable)
    kept = [
        new.domain.differentiable for old, new in zip(operator.inputs, inputs, strict=True) if old.domain.differentiable
    ]
    rules = tuple(replace(rule, inputs=served, function=_only(rule.function, kept)) for rule in operator.rules)
    return replace(operator, inputs=inputs, rules=rules)


def _only(function: Callable[..., Any], kept: Sequence[bool]) -> Callable[..., Any]:
    """Return a backward without the gradients of inputs that were found to have none."""
    if all(kept):
        return function
    return lambda *asked: tuple(g for g, wanted in zip(function(*asked), kept, strict=True) if wanted)


def _needs_domain(operator: Operator) -> OperatorError:
    hint = f"say what it accepts: domain: {{{domain_line(operator)}}}"
    return OperatorError(Problem("no inputs could be guessed that it accepts", operator.location, NEEDS_DOMAIN, hint))
