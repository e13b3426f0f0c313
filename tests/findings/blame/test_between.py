"""Where every application is right alone: how gradients are added up, what carries none, and what is amplified."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import arr, check, op
from gradcheck_cli.core.recording import no_grad
from gradcheck_cli.findings.blame.between import Sum
from gradcheck_cli.findings.blame.ledger import Entry
from gradcheck_cli.records import Blame, Verdict

x = np.random.default_rng(7).normal(size=(3, 2))


def blame_of(function: Callable[..., Any], x: np.ndarray = x, **options: Any) -> Blame:
    result = check(function, {"x": x}, **options)
    assert result.verdict is Verdict.FAIL, result
    assert result.blame is not None
    return result.blame


def note(blame: Blame) -> str:
    """Return the one note, where nobody is accused and everything is right alone."""
    assert (blame.culprits, blame.undecided, blame.right) == ((), (), blame.applications)
    (text,) = blame.notes
    return text


def test_a_detached_use_is_named() -> None:
    text = note(blame_of(lambda x: F.sum(F.tanh(x) * F.exp(x).detach())))
    assert text.startswith("the value depends on x through y of multiply at ")
    assert ".detach()" in text
    assert check(lambda x: F.sum(F.tanh(x) * F.exp(x)), {"x": x}).ok


def test_a_use_without_recording_is_named_where_it_begins() -> None:
    def function(x):
        with no_grad():
            scale = F.exp(F.abs(x))
        return F.sum(F.tanh(x) * scale)

    assert note(blame_of(function)).startswith("the value depends on x through x of abs at ")


def test_a_parameter_with_no_other_use() -> None:
    blame = blame_of(lambda x: F.sum(x.detach() * 2.0))
    assert blame.applications == 0
    assert "through x of multiply" in note(blame)


def test_an_input_that_is_declared_to_have_no_gradient() -> None:
    @op(target=arr(nondiff=True))
    def squared_error(y, target):
        """(y - target)**2."""
        return (y - target) ** 2

    @squared_error.backward
    def _(g, y, target):
        return 2 * g * (y - target)

    text = note(blame_of(lambda x: F.sum(squared_error(F.tanh(x), F.exp(x)))))
    assert "through target of squared_error" in text
    assert "squared_error declares it to have none" in text


@pytest.mark.parametrize("read", [lambda x: np.exp(x.data), lambda x: float(F.sum(x)) + 1], ids=["data", "float"])
def test_a_value_that_is_read_is_said(read: Callable[[Any], Any]) -> None:
    assert "reads the array of a Variable" in note(blame_of(lambda x: F.sum(F.tanh(x) * read(x))))


def test_a_read_that_changes_nothing_is_not_accused() -> None:
    @op
    def doubled(x):
        """x, with a wrong gradient."""
        return 1.0 * x

    @doubled.backward
    def _(g):
        return 2 * g

    def function(x):
        assert x.data.size
        return F.sum(doubled(F.tanh(x)))

    blame = blame_of(function)
    assert [culprit.operator for culprit in blame.culprits] == ["doubled"]
    assert blame.notes == ()


def test_two_right_choices_at_a_kink_may_be_wrong_together() -> None:
    text = note(blame_of(lambda x: F.sum(F.relu(x) - F.relu(-x)), np.array([0.0, 1.0, -1.0])))
    assert text.startswith("x of relu at ")
    assert "valid alone" in text


@op
def nearly(x):
    """tanh(x), whose gradient is off by less than anybody can see."""
    return np.tanh(x)


@nearly.backward
def _(g, out):
    return g * (1 - out * out) * (1 + 4e-8)


def test_small_errors_that_cancellation_amplifies() -> None:
    text = note(blame_of(lambda x: F.sum(nearly(x) - 0.9999 * F.tanh(x))))
    assert text.startswith("the gradient of x is ill-conditioned: relative errors of ")
    assert check(lambda x: F.sum(nearly(x) + F.tanh(x)), {"x": x}).ok


LAST: dict[str, Any] = {}


@op
def remembers(x):
    """sin(x); the backward takes the x of the last forward, whichever it was."""
    LAST["x"] = x
    return np.sin(x)


@remembers.backward
def _(g):
    return g * np.cos(LAST["x"])


@pytest.mark.parametrize("point", [x, np.array(0.7)], ids=["many", "one"])
def test_an_operator_that_remembers_its_last_call_is_named(point: np.ndarray) -> None:
    blame = blame_of(lambda x: F.sum(remembers(2.0 * remembers(x))), point)
    assert {culprit.operator for culprit in blame.culprits} == {"remembers"}
    assert blame.right == blame.applications - blame.wrong
    if point.ndim == 0:  # one number is right alone
        (culprit,) = blame.culprits
        assert culprit.applications == 1
        assert "right alone and wrong in the graph" in culprit.message


BUFFER = np.zeros((3, 2))


@op
def buffered(x):
    """sin(x); the backward returns the same array each time."""
    return np.sin(x)


@buffered.backward
def _(g, x):
    BUFFER[:] = g * np.cos(x)
    return BUFFER


def test_an_array_that_is_used_again_is_seen_in_the_sum() -> None:
    def function(x):
        h = 1.5 * x
        return F.sum(buffered(h) + 3.0 * buffered(h))

    text = note(blame_of(function, allow=["not-repeatable"]))
    assert text.startswith("the gradient of the output of multiply at ")
    assert "an array was changed after it was returned" in text


def parts(*arrays: np.ndarray) -> list[tuple[Entry, np.ndarray]]:
    """Return contributions of as many uses of `tanh`."""
    operator = F.tanh.operator
    return [(Entry(operator, (), {}, (), {}, None), array) for array in arrays]


def test_a_contribution_that_overwrote_the_others_is_told_from_their_sum() -> None:
    first, second = x, x[::-1].copy()
    assert Sum("x", first + second, parts(first, second)).fault() == (False, "")
    overwritten, text = Sum("x", second, parts(first, second)).fault()
    assert overwritten
    assert "that of one of its 2 uses (tanh) alone" in text
    overwritten, text = Sum("x", first + 2 * second, parts(first, second)).fault()
    assert not overwritten
    assert "isn't the sum" in text


def test_rounding_of_a_sum_that_cancels_is_no_fault() -> None:
    large = np.full((3, 2), 1e8)
    assert Sum("x", x + 1e-9, parts(large, x - large)).fault() == (False, "")


_door = {"open": False}


@op
def opening(x):
    _door["open"] = True
    return x * 1.0


@opening.backward
def _(g):
    return g


@op
def closing(x):
    _door["open"] = False
    return x * 1.0


@closing.backward
def _(g):
    return g


@op
def indoors(x):
    if not _door["open"]:
        raise RuntimeError("the door is closed")
    return x * x


@indoors.backward
def _(g, x):
    return 3 * g * x


def test_an_operator_that_can_not_be_called_alone_is_undecided_and_the_rest_is_looked_at() -> None:
    blame = blame_of(lambda x: F.sum(closing(indoors(opening(x)))))
    (why,) = blame.undecided
    assert "it can't be called alone" in why
    assert "the door is closed" in why
    assert blame.culprits == ()
    assert not [text for text in blame.notes if "applications were checked" in text]


def test_a_direction_that_no_single_element_explains_ends_in_words() -> None:
    """The middle one of equal numbers moves with all of them, and with none alone."""

    @op
    def middle(x):
        """The median of an odd number of elements."""
        return np.median(x)

    @middle.backward
    def _(g, x, out):
        here = x == out
        return g * here if here.sum() == 1 else np.zeros_like(x)

    blame = blame_of(lambda x: middle(x) + F.sum(x**2), np.array([0.3, 0.1, 1, 2, 1, 1, 7]), directions=4)
    assert blame.applications == 4
